"""Compute of a micro-batch under a layout: rates, products, attention, elementwise work, and what a stack adds."""

from flopsheet.accounting.line import Line

FORM = "Form and efficiencies: docs/calibration.md"
MEGATRON = "Narayanan et al. 2104.04473, sections 2 and 3"

RATES = (
    Line(
        "clock_share",
        "min(1, tdp_w / (watts_per_tflop * peak_tflops)) if watts_per_tflop else 1",
        "share",
        title="Clock under full load",
        about="Accelerators with little power for their peak lower their clocks in matrix products",
        source=FORM,
    ),
    Line(
        "fp4_rate",
        "fp4_tflops if fp4_tflops * fp8_tflops > 0 else peak_tflops",
        "TFLOP/s",
        title="Peak of an fp4 recipe",
        about="bf16's where the accelerator has no fp4, or no fp8 for the experts",
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
        "expert_rate",
        "1000000000000 * (peak_tflops if precision_is_bf16 else fp8_rate)",
        "FLOP/s",
        title="Peak of the routed experts' products",
        about="An fp4 recipe keeps them in fp8",
        source=FORM,
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
        "mtp_share",
        "mtp_layers * ((flops_forward_linear - flops_head) / pipeline_layers + flops_head) / flops_forward_linear",
        "share",
        title="Multi-token prediction over the forward pass",
        about="A mean layer and the head again for each",
        source="DeepSeek-V3 2412.19437, section 2.2; its projection of two streams is left out",
    ),
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
        "training_passes - flops_frozen / flops_forward_linear + recomputed",
        "ratio",
        title="Passes over linear layers",
        about="Forward, two gradients, and the forward pass again where it is recomputed",
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
        "layer_seconds",
        "passes * ((flops_forward_linear - flops_experts - flops_head) / matmul_rate + flops_experts / expert_rate)",
        "s",
        title="Products of the layers at the peak",
        about="On one accelerator",
        source=FORM,
    ),
    Line(
        "head_seconds",
        "(passes - recomputed) * flops_head / (peak_tflops * 1000000000000)",
        "s",
        title="Products of the head at the peak",
        about="On one accelerator, in bf16 in every recipe, never recomputed",
        source=FORM,
    ),
    Line(
        "matmul_seconds",
        "slice_share * (layer_seconds + head_seconds) / (matmul_efficiency * clock_share)",
        "s",
        title="Matrix products",
        about="Per micro-batch and stage, as all times below",
        source=FORM,
    ),
    Line(
        "core_passes",
        "training_passes + 1 / 2 + recomputed",
        "ratio",
        title="Passes over attention cores and scans",
        about="Fused attention computes scores, half of its work, again in its backward pass; recomputation once more",
        source="Dao 2307.08691 (FlashAttention-2), section 4.1",
    ),
    Line(
        "core_seconds",
        "slice_share * (flops_core_window + flops_scans) * core_passes"
        " / (peak_tflops * 1000000000000 * core_efficiency * clock_share)",
        "s",
        title="Attention cores and scans",
        source="Dao 2307.08691 (FlashAttention-2), section 4.1",
    ),
    Line(
        "moved_bytes",
        "activation_dtype_bytes * (kept_replicated / stream_split + (kept_tensor + kept_routed) / tensor_parallel)"
        " * (1 + recomputed / training_passes)",
        "bytes",
        title="Read and written between the products",
        about="For the workload's batch, in one pass",
        source=FORM,
    ),
    Line(
        "loss_bytes",
        "2 * training_passes * logits_dtype_bytes * logits / tensor_parallel",
        "bytes",
        title="Read and written around the loss",
        about="Logits are written, and read for their largest and for their sum; their gradient is written, and read"
        " for inputs and for weights",
        source=FORM,
    ),
    Line(
        "traffic_seconds",
        "sequence_share / pipeline_parallel * (moved_bytes * traffic_passes + loss_bytes)"
        " / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Norms, activations and other elementwise work",
        source=FORM,
    ),
    Line(
        "inside_bytes",
        "activation_dtype_bytes * (kept_expert - kept_routed + kept_scans / (2 * 2))"
        " * (1 + recomputed / training_passes)",
        "bytes",
        title="Read and written inside experts and scans",
        about="For the workload's batch, in one pass. A quarter of what mixers keep is the scan's output",
        source=FORM,
    ),
    Line(
        "stack_unfused",
        "1 - stack_is_megatron_bridge - stack_is_automodel - stack_is_own",
        "flag",
        title="Stack without fused kernels in experts and scans",
        source=FORM,
    ),
    Line(
        "stack_inside",
        "1 + stack_unfused * (unfused_inside - 1) + stack_is_automodel * (automodel_inside - 1)"
        " + stack_is_own * (own_inside - 1)",
        "ratio",
        title="Time inside experts and scans in the stack over that of tuned ones",
        source=FORM,
    ),
    Line(
        "inside_seconds",
        "stack_inside * slice_share * inside_bytes * inside_passes / (bandwidth_tbs * 1000000000000)",
        "s",
        title="Short products, casts and permutation inside experts and scans",
        source=FORM,
    ),
    Line(
        "stack_between",
        "1 + stack_is_torchtitan * (torchtitan_between - 1) + stack_is_own * (own_between - 1)",
        "ratio",
        title="Time between the products in the stack over that of tuned ones",
        source=FORM,
    ),
    Line(
        "compute_seconds",
        "matmul_seconds + stack_between * (core_seconds + traffic_seconds) + inside_seconds",
        "s",
        title="Compute of a micro-batch",
        source="Sum",
    ),
)
"""Per micro-batch and stage."""
