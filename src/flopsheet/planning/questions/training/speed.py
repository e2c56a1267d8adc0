"""Time of an optimizer step under a layout: products, attention, traffic, collectives, pipeline, gradients."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.training.traffic import LINKS

FORM = "Form and efficiencies: docs/calibration.md"
MEGATRON = "Narayanan et al. 2104.04473, sections 2 and 3"
ZERO = "Rajbhandari et al. 1910.02054, section 5"
ZERO_TRAFFIC = "Rajbhandari et al. 1910.02054, section 7"

RATES = (
    Line(
        "clock_share",
        "min(1, tdp_w / (watts_per_tflop * peak_tflops))",
        "share",
        title="Clock under full load",
        about="Accelerators with little power for their peak lower their clocks in matrix products",
        source=FORM,
    ),
    Line(
        "fp4_rate",
        "1 / (four_share / fp4_tflops + (1 - four_share) / fp8_tflops) if fp4_tflops * fp8_tflops > 0 else peak_tflops",
        "TFLOP/s",
        title="Peak of an fp4 recipe",
        about="Part of the products stays in fp8",
        source=FORM,
    ),
    Line(
        "fp8_rate",
        "fp8_tflops if fp8_tflops > 0 else peak_tflops",
        "TFLOP/s",
        title="Peak of an fp8 recipe",
        about="bf16's where the accelerator has no fp8",
        source=FORM,
    ),
    Line(
        "matmul_rate",
        "1000000000000 * (precision_is_bf16 * peak_tflops + precision_is_fp8 * fp8_rate + precision_is_fp4 * fp4_rate)",
        "FLOP/s",
        title="Peak of matrix products",
        source="Precision, and the accelerator's peaks",
    ),
    Line(
        "ring_rate",
        "1000000000 * (scale_up_gbs if tensor_parallel * context_parallel <= scale_up_size else scale_out_gbs)",
        "bytes/s",
        title="Bandwidth of a context ring",
        about="Of the network that its accelerators share",
        source=MEGATRON,
    ),
    Line(
        "tensor_rate",
        "1000000000 * (scale_up_gbs if tensor_parallel <= scale_up_size else scale_out_gbs)",
        "bytes/s",
        title="Bandwidth among tensor-parallel accelerators",
        source=MEGATRON,
    ),
    Line(
        "stage_rate",
        "1000000000 * (scale_up_gbs if accelerators <= scale_up_size else scale_out_gbs)",
        "bytes/s",
        title="Bandwidth between stages",
        source=MEGATRON,
    ),
    Line(
        "group_in_server",
        "max(min(scale_up_size / (tensor_parallel * context_parallel), data_parallel), 1)",
        "accelerators",
        title="Data-parallel ranks in one scale-up domain",
        about="Each has a network link of its own, and rings use all of them",
        source="NCCL rings",
    ),
    Line(
        "reduce_rate",
        "1000000000 * (min(scale_up_gbs, scale_out_gbs * group_in_server)"
        " if accelerators / pipeline_parallel > scale_up_size else scale_up_gbs)",
        "bytes/s",
        title="Bandwidth of gradient reduction",
        source="NCCL rings",
    ),
)

COMPUTE = (
    Line(
        "training_passes",
        "1 + 2",
        "ratio",
        title="Passes of training",
        about="Forward, and the gradients of inputs and of weights, each as much work",
        source="Kaplan et al. 2001.08361, section 2.1",
    ),
    Line(
        "passes",
        "training_passes - flops_frozen / flops_forward_linear + recompute_is_full",
        "ratio",
        title="Passes over linear layers",
        about="Forward, two gradients, and the forward pass again under full recomputation",
        source="Korthikanti et al. 2205.05198, section 5",
    ),
    Line(
        "slice_share",
        "sequence_share / (tensor_parallel * pipeline_parallel)",
        "ratio",
        title="An accelerator's share of the work",
        about="Of a micro-batch, in multiples of the model's batch",
        source="Ratio",
    ),
    Line(
        "dense_work",
        "(flops_forward_linear - flops_experts) * passes - recompute_is_full * flops_head",
        "FLOP",
        title="Matrix products, routed experts aside",
        about="The head is never recomputed",
        source=FORM,
    ),
    Line(
        "dense_seconds",
        "slice_share * dense_work / (matmul_efficiency * clock_share) / matmul_rate",
        "s",
        title="Time of matrix products, routed experts aside",
        about="Per micro-batch and stage, as all times below",
        source=FORM,
    ),
    Line(
        "expert_seconds",
        "slice_share * (flops_experts * passes / expert_efficiency) / matmul_rate",
        "s",
        title="Time of the routed experts' products",
        source=FORM,
    ),
    Line("matmul_seconds", "dense_seconds + expert_seconds", "s", title="Matrix products", source="Sum"),
    Line(
        "core_passes",
        "training_passes + (1 + recompute_is_selective + recompute_is_full) / 2",
        "ratio",
        title="Passes over attention cores and scans",
        about="Fused attention computes scores, half of its work, again in its backward pass; recomputation once more",
        source="Dao 2307.08691 (FlashAttention-2), section 4.1",
    ),
    Line(
        "core_seconds",
        "slice_share * (flops_core_window + flops_scans) * core_passes"
        " / (peak_tflops * 1000000000000 * core_efficiency)",
        "s",
        title="Attention cores and scans",
        source="Dao 2307.08691 (FlashAttention-2), section 4.1",
    ),
    Line(
        "traffic_seconds",
        "sequence_share / pipeline_parallel * traffic_bytes * traffic_passes"
        " * (1 + recompute_is_full / training_passes) / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Norms, activations and other elementwise work",
        source=FORM,
    ),
)

STEP = (
    Line(
        "micro_batch_seconds",
        "matmul_seconds + core_seconds + traffic_seconds + collective_seconds + exchange_seconds"
        " + max(ring_seconds - core_seconds, 0) + boundary_seconds",
        "s",
        title="A micro-batch on a stage",
        about="A context ring runs during the attention cores: what they do not hide counts",
        source="Sum",
    ),
    Line(
        "pipeline_seconds",
        "micro_batch_seconds * (micro_batches + (pipeline_parallel - 1) / stage_chunks)",
        "s",
        title="All micro-batches",
        about="With the bubble in which stages wait",
        source=MEGATRON,
    ),
    Line(
        "reduction_passes",
        "(micro_batches if gradients_shared else 1) + (2 * micro_batches if weights_shared else 1)",
        "ratio",
        title="Passes of gradients and weights over the network",
        about="A reduce-scatter and an all-gather per step. ZeRO stage 2 reduces after every micro-batch; stage 3 also"
        " gathers the weights in each, forward and backward",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "mean_parameters",
        "(parameters - parameters_expert) / (tensor_parallel * pipeline_parallel)",
        "parameters",
        title="Parameters per accelerator on average, experts apart",
        source=MEGATRON,
    ),
    Line(
        "mean_expert_parameters",
        "parameters_expert / (pipeline_parallel * expert_accelerators)",
        "parameters",
        title="Expert parameters per accelerator on average",
        source=MEGATRON,
    ),
    Line(
        "reduced_parameters",
        "mean_parameters * (data_parallel - 1) / data_parallel"
        " + mean_expert_parameters * (expert_ranks - 1) / expert_ranks",
        "parameters",
        title="Parameters whose gradients others have",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "gradient_seconds",
        "reduction_passes * gradient_dtype_bytes * trained_share * reduced_parameters / reduce_rate",
        "s",
        title="Gradient reduction and gathered weights",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "updated_parameters",
        "mean_parameters / (data_parallel if optimizer_shared else 1)"
        " + mean_expert_parameters / optimizer_expert_shards",
        "parameters",
        title="Parameters that an accelerator updates",
        source=ZERO,
    ),
    Line(
        "optimizer_seconds",
        "trained_share * updated_parameters * (2 * optimizer_bytes + main_gradient_bytes + training_dtype_bytes)"
        " / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Optimizer step",
        about="Its state read and written, gradients read, weights written",
        source="Bytes per parameter / bandwidth",
    ),
    Line(
        "step_seconds",
        "pipeline_seconds + max(exposed_share * gradient_seconds, gradient_seconds - pipeline_seconds)"
        " + optimizer_seconds",
        "s",
        title="Step time",
        about="Of one optimizer step. Well-tuned runs: others take a fifth to a half longer",
        source=FORM,
    ),
    Line(
        "step_tokens",
        "micro_batches * data_parallel * micro_batch * sequence_tokens",
        "tokens",
        title="Tokens per step",
        source="Global batch × tokens per sequence",
    ),
    Line(
        "step_mfu",
        "flops_training_per_token * step_tokens / (step_seconds * accelerators * peak_tflops * 1000000000000)",
        "share",
        title="MFU of the step",
        about="Model FLOP under the workload's mask over the bf16 peak; an fp8 run may pass 100%",
        source="Chowdhery et al. 2204.02311, appendix B",
    ),
    Line(
        "step_hfu",
        "step_mfu * (1 + (recompute_is_selective * flops_attention_core + recompute_is_full"
        " * (flops_forward - flops_head)) / flops_training_step)",
        "share",
        title="HFU of the step",
        about="With what is recomputed",
        source="Korthikanti et al. 2205.05198, section 6",
    ),
    Line(
        "tokens_per_second_per_accelerator",
        "step_tokens / (step_seconds * accelerators)",
        "tokens/s",
        title="Tokens per second per accelerator",
        source="Tokens per step / step time",
    ),
)

SPEED = (*RATES, *COMPUTE, *LINKS, *STEP)
"""Lines of one model under one layout, after those of its memory."""
