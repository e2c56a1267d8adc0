"""What an accelerator of a replica holds: weights in their precision, and the sequences that fit next to them."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

LAYOUT = "How a replica divides a model: Pope et al. 2211.05102, section 3"

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

WEIGHTS = lines_from(__package__, "memory.toml", "weights", layout=LAYOUT)

SEQUENCE = lines_from(__package__, "memory.toml", "sequence")

MEMORY = (*REPLICA, *WEIGHTS, *SEQUENCE)
"""Lines of one model served by replicas of one layout."""
