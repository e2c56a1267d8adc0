"""What an accelerator of a replica holds: weights in their precision, and the sequences that fit next to them."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line

LAYOUT = "How a replica divides a model: Pope et al. 2211.05102, section 3"
FORMATS = "Bytes of the precision, never more than the checkpoint stores"
KEPT = "The model's caches and states"

LAYOUTS = ("tensor_parallel", "pipeline_parallel", "expert_parallel")
"""Inputs of training's layout that count where serving has none of its own, `serving_` before each name."""
SERVED_LAYOUT = (
    ("served_tensor", "accelerators", "Tensor parallelism of a replica"),
    ("served_stages", "stages", "Pipeline parallelism of a replica"),
    ("served_experts", "accelerators", "Expert parallelism of a replica"),
)

REPLICA = (
    *(
        Line(
            name,
            fill("serving_LAYOUT if serving_LAYOUT > 0 else LAYOUT", LAYOUT=layout),
            unit,
            title=title,
            about="Its own, or the plan's where that is 0",
            source=f"Inputs serving_{layout} and {layout}",
        )
        for layout, (name, unit, title) in zip(LAYOUTS, SERVED_LAYOUT, strict=True)
    ),
    Line(
        "stage_accelerators",
        "max(served_tensor * attention_data_parallel, served_experts)",
        "accelerators",
        title="Accelerators of a stage",
        about="Experts are divided among all of them; attention that tensor parallelism does not split is repeated",
        source=LAYOUT,
    ),
    Line(
        "replica_size",
        "served_stages * stage_accelerators",
        "accelerators",
        title="Accelerators of a replica",
        source=LAYOUT,
    ),
    Line(
        "cache_copies",
        "served_tensor / max(min(served_tensor, max(n_kv_heads, local_kv_heads, global_kv_heads, sum_kv_heads))"
        " * (1 if n_latent_layers == 0 else 0), 1)",
        "copies",
        title="Copies of the cache among tensor ranks",
        about="Keys and values are split by heads; a latent cache is whole on each rank",
        source=LAYOUT,
    ),
)

WEIGHTS = (
    Line(
        "four_bit_weights",
        "weight_precision_is_fp4 + weight_precision_is_int4",
        "flag",
        title="Weights take 4 bits",
        source=FORMATS,
    ),
    Line(
        "weight_bytes",
        "2 * weight_precision_is_checkpoint + 2 * weight_precision_is_bf16 + weight_precision_is_fp8"
        " + four_bit_bytes * four_bit_weights",
        "bytes",
        title="Bytes per weight of the precision",
        source=FORMATS,
    ),
    Line(
        "expert_format_bytes",
        "quantized_expert_bytes if quantized_expert_bytes > 0 else quantized_bytes",
        "bytes",
        title="Bytes of a quantized expert weight",
        about="0: the checkpoint is not quantized",
        source=KEPT,
    ),
    Line(
        "expert_stored_bytes",
        "weight_dtype_bytes + quantized_experts * (expert_format_bytes - weight_dtype_bytes)"
        " if expert_format_bytes > 0 else weight_dtype_bytes",
        "bytes",
        title="Bytes per expert weight in the checkpoint",
        about="On average, where some layers keep their type",
        source=KEPT,
    ),
    Line(
        "quantized_tables",
        "quantized_embedding * parameters_tables + quantized_lm_head * parameters_head_stored"
        " if quantized_bytes else 0",
        "parameters",
        title="Quantized weights of tables and head",
        source=KEPT,
    ),
    Line(
        "table_bytes",
        "(parameters_tables + parameters_head_stored) * weight_dtype_bytes"
        " + quantized_tables * (quantized_bytes - weight_dtype_bytes)",
        "bytes",
        title="Tables and head",
        about="As the checkpoint stores them: few formats quantize tables, more the head",
        source=KEPT,
    ),
    Line(
        "dense_stored_bytes",
        "weights_bytes - table_bytes - parameters_expert * expert_stored_bytes",
        "bytes",
        title="Other weights in the checkpoint",
        about="Attention, MLPs, shared experts and mixers",
        source=KEPT,
    ),
    Line(
        "dense_parameters",
        "parameters - parameters_expert - parameters_tables - parameters_head_stored",
        "parameters",
        title="Other parameters",
        source=KEPT,
    ),
    Line(
        "dense_bytes",
        "min(dense_stored_bytes, dense_parameters * weight_bytes)",
        "bytes",
        title="Other weights as served",
        source=FORMATS,
    ),
    Line(
        "expert_bytes",
        "parameters_expert * min(expert_stored_bytes, weight_bytes)",
        "bytes",
        title="Experts as served",
        source=FORMATS,
    ),
    Line(
        "served_bytes_per_accelerator",
        "((dense_bytes + table_bytes) / served_tensor + expert_bytes / stage_accelerators) / served_stages",
        "bytes",
        title="Weights per accelerator",
        source=LAYOUT,
    ),
    Line(
        "cache_room_bytes",
        "max(memory_gb * 1000000000 * memory_usable - served_bytes_per_accelerator, 0)",
        "bytes",
        title="Room for caches per accelerator",
        source="Usable memory - weights",
    ),
)

SEQUENCE = (
    Line(
        "kv_bytes",
        "kv_precision_is_auto * (2 if weight_bytes == 2 else 1) + 2 * kv_precision_is_bf16 + kv_precision_is_fp8"
        " + four_bit_bytes * kv_precision_is_fp4",
        "bytes",
        title="Bytes per cached key or value",
        about="auto: one byte where weights are served in fewer than two",
        source="Precision of the cache",
    ),
    Line(
        "written_tokens",
        "decodes * output_tokens",
        "tokens",
        title="Output tokens per request, as written",
        about="0: the model writes no tokens",
        source="Input output_tokens, of models that write",
    ),
    Line(
        "full_context",
        "input_tokens + written_tokens",
        "tokens",
        title="Context at the end of a request",
        source="Input + output tokens",
    ),
    Line(
        "mean_context",
        "input_tokens + written_tokens * (1 + power(output_variation, 2)) / 2",
        "tokens",
        title="Context of a mean step",
        about="Half of an answer where all are as long; more where lengths vary, since long answers have more steps",
        source="Mean age of a renewal process: mean (1 + variation²) / 2",
    ),
    Line(
        "sequence_bytes",
        "decodes * (cache_copies * kv_bytes * (cache_start + cache_per_token * full_context"
        " + cache_capped * min(full_context / cache_cap, 1)) + state_bytes_per_sequence)",
        "bytes",
        title="Cache and states of a sequence",
        about="At its end; engines reserve room for it. 0: the model writes no tokens, and keeps nothing for the next",
        source=KEPT,
    ),
    Line(
        "room_batch",
        "(1 - prefix_memory) * cache_room_bytes * replica_size / sequence_bytes if sequence_bytes else sequence_limit",
        "sequences",
        title="Sequences that memory has room for",
        about="Beside what is set aside for those that are finished",
        source="Room / bytes of a sequence",
    ),
    Line(
        "max_batch",
        "floor(min(room_batch, sequence_limit * replica_size / served_tensor))",
        "sequences",
        title="Largest batch of a replica",
        about="0: weights and one sequence do not fit",
        source="Memory, and the limit of each scheduler",
    ),
    Line(
        "weights_fit",
        "1 if cache_room_bytes > 0 else 0",
        "flag",
        title="Weights fit",
        source="Weights against usable memory",
    ),
    Line(
        "smallest_replica",
        "ceil((dense_bytes + table_bytes + expert_bytes + sequence_bytes) / (memory_gb * 1000000000 * memory_usable))",
        "accelerators",
        title="Accelerators needed for weights and one sequence",
        about="With everything split among them",
        source="Bytes / usable memory",
    ),
)

MEMORY = (*REPLICA, *WEIGHTS, *SEQUENCE)
"""Lines of one model served by replicas of one layout."""
