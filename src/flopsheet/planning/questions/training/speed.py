"""Time of an optimizer step under a layout: micro-batches, pipeline, gradients and the optimizer."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.training.compute import COMPUTE, FORM, MEGATRON, RATES
from flopsheet.planning.questions.training.traffic import LINKS

ZERO = "Rajbhandari et al. 1910.02054, section 5"
ZERO_TRAFFIC = "Rajbhandari et al. 1910.02054, section 7"

STEP = (
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
        "weight_seconds",
        "2 * (training_dtype_bytes + trained_share * main_gradient_bytes) * (mean_parameters + mean_expert_parameters)"
        " / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Weights and gradients of a micro-batch",
        about="Weights are read forward and backward, gradients read and written",
        source="Bytes per parameter / bandwidth",
    ),
    Line(
        "offload_seconds",
        "2 * offloaded_activations * written_bytes * stage_share / (host_gbs * 1000000000)",
        "s",
        title="Activations to the host and back",
        about="Per micro-batch and stage; compute hides it as far as it takes as long",
        source="Rajbhandari et al. 2104.07857 (ZeRO-Infinity), section 5",
    ),
    Line(
        "waited_seconds",
        "(1 + mtp_share) * max(ring_seconds - stack_between * core_seconds, 0)"
        " + max(offload_seconds - compute_seconds, 0)",
        "s",
        title="What context rings and offload add to compute",
        about="A ring runs during the attention cores, offload during all compute: what they do not hide",
        source="Differences",
    ),
    Line(
        "micro_batch_seconds",
        "(1 + mtp_share) * (compute_seconds + weight_seconds + collective_seconds + exchange_seconds)"
        " + waited_seconds + boundary_seconds",
        "s",
        title="A micro-batch on a stage",
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
        "reductions",
        "micro_batches if gradients_shared else 1",
        "ratio",
        title="Reductions of gradients in a step",
        about="ZeRO stage 2 reduces after every micro-batch",
        source=ZERO_TRAFFIC,
    ),
    Line(
        "reduction_bytes",
        "trained_share * gradient_dtype_bytes * reductions"
        " + training_dtype_bytes * (2 * micro_batches if weights_shared else trained_share)",
        "bytes",
        title="Bytes per parameter over the network in a step",
        about="A reduce-scatter of gradients and an all-gather of weights. ZeRO stage 3 gathers the weights in each"
        " micro-batch, forward and backward, frozen ones too",
        source=ZERO_TRAFFIC,
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
        "reduction_bytes * reduced_parameters / (reduce_rate * link_efficiency)",
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
        "optimizer_rate",
        "1000000000 / ((1 - offloaded_optimizer) / (1000 * bandwidth_tbs) + offloaded_optimizer / host_gbs)",
        "bytes/s",
        title="Bandwidth of the optimizer's state",
        source="Memory, or the host where it is offloaded",
    ),
    Line(
        "optimizer_seconds",
        "trained_share * updated_parameters * (2 * optimizer_bytes + main_gradient_bytes + training_dtype_bytes)"
        " / optimizer_rate",
        "s",
        title="Optimizer step",
        about="Its state read and written, gradients read, weights written; at the host's bandwidth where offloaded",
        source="Bytes per parameter / bandwidth",
    ),
    Line(
        "step_seconds",
        "pipeline_seconds + max(exposed_share * gradient_seconds, gradient_seconds - reductions * micro_batch_seconds)"
        " + optimizer_seconds",
        "s",
        title="Step time",
        about="Of one optimizer step, in the stack that the plan names",
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
        "(1 + mtp_share) * flops_training_per_token * step_tokens"
        " / (step_seconds * accelerators * peak_tflops * 1000000000000)",
        "share",
        title="MFU of the step",
        about="Model FLOP under the workload's mask over the bf16 peak; an fp8 run may pass 100%",
        source="Chowdhery et al. 2204.02311, appendix B",
    ),
    Line(
        "step_hfu",
        "step_mfu * (1 + (recompute_is_selective * flops_attention_core + recomputed"
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
