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

MEMORY = (
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
    *lines_from(__package__, "memory.toml", "replica", layout=LAYOUT),
)
"""Lines of one model served by replicas of one layout."""
