"""Cost over life at other volumes than the plan's: what is cheapest there, and what the plan's choice then costs."""

from flopsheet.planning.places import at_places, lines_at_places
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.written_lines import lines_from

VOLUMES = Rows("volume_factor", "Times the demand", values=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20))

VOLUME_LINES = lines_from(__package__, "volumes.toml", "volume")
"""One row per volume and model."""

CROSSING_LINES = lines_from(__package__, "volumes.toml", "crossing")
"""One row per volume, over all models."""
PLACE_LINES = lines_at_places("volume_cost", "USD", "Lifetime cost", "Cost by volume")
"""The same for each of the cheapest models."""

TABLES = (
    Table(
        "comparison_volumes",
        "Lifetime cost by volume",
        VOLUME_LINES,
        (VOLUMES, MODELS),
        (
            Link("own_training", MODELS_TABLE, "life_training", title="Lifetime training cost"),
            Link("own_serving", MODELS_TABLE, "life_serving", title="Lifetime serving cost"),
            Link("own_tokens", MODELS_TABLE, "life_tokens", title="Lifetime tokens"),
            Link("is_served", "comparison_candidates", "is_served", title="Can be served"),
            Link("own_place", "comparison_candidates", "place", title="Place"),
            Link("is_plan_cheapest", "comparison_candidates", "is_cheapest", title="Cheapest at the demand"),
            Link("cheaper_models", "comparison_volumes", "volume_order", "below", "Models that cost less per token"),
        ),
    ),
    Table(
        "comparison_crossings",
        "Lifetime cost by volume, all models",
        (*CROSSING_LINES, *PLACE_LINES),
        (VOLUMES,),
        (
            Link("cheapest_model", "comparison_volumes", "best_cost", "max", "Cheapest at this volume"),
            Link("dearest_model", "comparison_volumes", "served_cost", "max", "Most expensive model"),
            Link("plan_choice", "comparison_volumes", "plan_cost", "max", "Cheapest at the demand"),
            *at_places("volume_cost", "comparison_volumes", "volume_cost", "Lifetime cost"),
        ),
    ),
)
"""Tables of volumes."""
