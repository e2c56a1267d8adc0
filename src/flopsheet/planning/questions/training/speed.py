"""Time of an optimizer step under a layout: products, attention, traffic, collectives, pipeline, gradients."""

from flopsheet.accounting.line import Line

FORM = "Form and efficiencies: docs/calibration.md"
MEGATRON = "Narayanan et al. 2104.04473, sections 2 and 3"
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
        "matmul_rate",
        "1000000000000 * (fp4_rate if precision_is_fp4 else (fp8_tflops if precision_is_fp8 * fp8_tflops > 0"
        " else peak_tflops))",
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
        "passes",
        "3 - flops_frozen / flops_forward_linear + recompute_is_full",
        "ratio",
        title="Passes over linear layers",
        about="Forward, two gradients, and the forward pass again under full recomputation",
        source="Korthikanti et al. 2205.05198, section 5",
    ),
    Line(
        "matmul_seconds",
        "sequence_share / (tensor_parallel * pipeline_parallel)"
        " * (((flops_forward_linear - flops_experts) * passes - recompute_is_full * flops_head)"
        " / (matmul_efficiency * clock_share) + flops_experts * passes / expert_efficiency) / matmul_rate",
        "s",
        title="Matrix products",
        about="Per micro-batch and stage, as all times below",
        source=FORM,
    ),
    Line(
        "core_seconds",
        "sequence_share / (tensor_parallel * pipeline_parallel) * (flops_core_window + flops_scans)"
        " * (3.5 + (recompute_is_selective + recompute_is_full) / 2) / (peak_tflops * 1000000000000 * core_efficiency)",
        "s",
        title="Attention cores and scans",
        about="Fused attention computes scores again in its backward pass: 3.5 times its forward pass, 4 recomputed",
        source="Dao 2307.08691 (FlashAttention-2), section 4.1",
    ),
    Line(
        "traffic_seconds",
        "sequence_share / pipeline_parallel * traffic_bytes * traffic_passes * (1 + recompute_is_full / 3)"
        " / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Norms, activations and other elementwise work",
        source=FORM,
    ),
)

LINKS = (
    Line(
        "collective_seconds",
        "sequence_share / pipeline_parallel * activation_dtype_bytes * layer_inputs * 2 * (4 + 2 * recompute_is_full)"
        " * (tensor_parallel - 1) / tensor_parallel / (tensor_rate * link_efficiency)",
        "s",
        title="Tensor-parallel collectives",
        about="Two all-reduces forward and two backward per layer, or their halves; two more when recomputed",
        source="Shoeybi et al. 1909.08053, section 3",
    ),
    Line(
        "servers_reached",
        "max(expert_parallel / scale_up_size, 1)",
        "servers",
        title="Servers among which experts are divided",
        source=FORM,
    ),
    Line(
        "copies_near",
        "top_k * (expert_parallel - 1) / expert_parallel",
        "copies",
        title="Copies of a token sent to experts",
        source=FORM,
    ),
    Line(
        "copies_far",
        "servers_reached * (1 - power(1 - 1 / servers_reached, max(top_k, 1))) * (servers_reached - 1)"
        " / servers_reached",
        "copies",
        title="Copies of a token sent to other servers",
        about="One per server that has any of its experts",
        source=FORM,
    ),
    Line(
        "exchange_seconds",
        "sequence_share / (tensor_parallel * pipeline_parallel) * 4 * activation_dtype_bytes * kept_routed"
        " / max(top_k, 1) * max(copies_near / scale_up_gbs, copies_far / scale_out_gbs) / 1000000000",
        "s",
        title="Exchange of tokens with experts",
        about="There and back, forward and backward",
        source=FORM,
    ),
    Line(
        "ring_seconds",
        "micro_batch * sequence_tokens / (context_parallel * tensor_parallel * pipeline_parallel) * 3 * cached_values"
        " * activation_dtype_bytes * (context_parallel - 1) / (ring_rate * link_efficiency)",
        "s",
        title="Context ring",
        about="Keys and values forward, and backward with their gradients",
        source="Liu et al. 2310.01889 (ring attention)",
    ),
    Line(
        "boundary_seconds",
        "2 * stage_chunks * sequence_share * activation_dtype_bytes * layer_inputs / pipeline_layers / tensor_parallel"
        " / stage_rate if pipeline_parallel > 1 else 0",
        "s",
        title="Transfers between stages",
        source=MEGATRON,
    ),
    Line(
        "micro_batch_seconds",
        "matmul_seconds + core_seconds + traffic_seconds + collective_seconds + exchange_seconds"
        " + max(ring_seconds - core_seconds, 0) + boundary_seconds",
        "s",
        title="A micro-batch on a stage",
        about="A context ring runs during the attention cores: what they do not hide counts",
        source="Sum",
    ),
)

STEP = (
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
        "3 * micro_batches if zero_stage == 3 else (micro_batches + 1 if zero_stage == 2 else 2)",
        "ratio",
        title="Passes of gradients and weights over the network",
        about="A reduce-scatter and an all-gather per step. ZeRO stage 2 reduces after every micro-batch; stage 3 also"
        " gathers the weights in each, forward and backward",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "gradient_seconds",
        "reduction_passes * gradient_dtype_bytes * trained_share"
        " * ((parameters - parameters_expert) / (tensor_parallel * pipeline_parallel)"
        " * (data_parallel - 1) / data_parallel"
        " + parameters_expert / (pipeline_parallel * expert_parallel * expert_tensor_parallel)"
        " * (expert_ranks - 1) / expert_ranks) / reduce_rate",
        "s",
        title="Gradient reduction and gathered weights",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "optimizer_seconds",
        "trained_share * ((parameters - parameters_expert) / (tensor_parallel * pipeline_parallel)"
        " / (data_parallel if zero_stage else 1) + parameters_expert"
        " / (pipeline_parallel * expert_parallel * expert_tensor_parallel) / (expert_ranks if zero_stage else 1))"
        " * (2 * optimizer_bytes + 4 + training_dtype_bytes) / (bandwidth_tbs * 1000000000000)",
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
        about="Model FLOP under the workload's mask over the bf16 peak; an fp8 run may pass 100 %",
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
