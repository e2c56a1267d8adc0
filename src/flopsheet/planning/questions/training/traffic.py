"""What accelerators send each other in a micro-batch: collectives, tokens for experts, rings, boundaries of stages."""

from flopsheet.accounting.line import Line
from flopsheet.planning.questions.training.compute import FORM, MEGATRON

LINKS = (
    Line(
        "layer_reductions",
        "2 * (2 + recomputed)",
        "ratio",
        title="All-reduces per layer",
        about="Two forward and two backward, or their halves; two more when recomputed",
        source="Shoeybi et al. 1909.08053, section 3",
    ),
    Line(
        "reduced_bytes",
        "sequence_share / pipeline_parallel * activation_dtype_bytes * layer_inputs * 2 * layer_reductions",
        "bytes",
        title="Traffic of tensor-parallel collectives",
        about="An all-reduce sends everything twice: once to add up, once to share the sum",
        source="Shoeybi et al. 1909.08053, section 3",
    ),
    Line(
        "collective_seconds",
        "reduced_bytes * (tensor_parallel - 1) / tensor_parallel / (tensor_rate * link_efficiency)",
        "s",
        title="Tensor-parallel collectives",
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
        "exchanged_bytes",
        "slice_share * 2 * 2 * activation_dtype_bytes * kept_routed / max(top_k, 1)",
        "bytes",
        title="Traffic per copy of the tokens sent to experts",
        about="There and back, forward and backward",
        source=FORM,
    ),
    Line(
        "exchange_seconds",
        "exchanged_bytes * max(copies_near / scale_up_gbs, copies_far / scale_out_gbs)"
        " / (1000000000 * link_efficiency)",
        "s",
        title="Exchange of tokens with experts",
        source=FORM,
    ),
    Line(
        "ring_bytes",
        "micro_batch * sequence_tokens / (stage_ranks * pipeline_parallel) * training_passes * cached_values"
        " * activation_dtype_bytes * (context_parallel - 1)",
        "bytes",
        title="Traffic of a context ring",
        about="Keys and values forward, and backward with their gradients",
        source="Liu et al. 2310.01889 (ring attention)",
    ),
    Line(
        "ring_seconds",
        "ring_bytes / (ring_rate * link_efficiency)",
        "s",
        title="Context ring",
        about="Keys and values forward, and backward with their gradients",
        source="Liu et al. 2310.01889 (ring attention)",
    ),
    Line(
        "boundary_seconds",
        "2 * stage_chunks * sequence_share * activation_dtype_bytes * stack_inputs / pipeline_layers / tensor_parallel"
        " / stage_rate if pipeline_parallel > 1 else 0",
        "s",
        title="Transfers between stages",
        source=MEGATRON,
    ),
)
"""Per micro-batch and stage, after the lines of products."""
