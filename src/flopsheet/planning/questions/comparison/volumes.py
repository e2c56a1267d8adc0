"""Cost over life at other volumes than the plan's: what is cheapest there, and what the plan's choice then costs."""

from flopsheet.accounting.line import Line
from flopsheet.planning.places import at_places, lines_at_places
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table

VOLUMES = Rows("volume_factor", "Times the demand", values=(0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20))
PRICE = "Training + tokens × serving cost per token at the plan's demand"

VOLUME_LINES = (
    Line(
        "volume_tokens",
        "own_tokens * volume_factor",
        "tokens",
        title="Lifetime tokens",
        source="Multiple of the plan's",
    ),
    Line(
        "volume_cost",
        "own_training + own_serving * volume_factor",
        "USD",
        title="Lifetime cost",
        source=PRICE,
    ),
    Line(
        "volume_order",
        "0 - is_served * volume_tokens / volume_cost if volume_cost else 0",
        "tokens/USD",
        title="Order by cost",
        about="Tokens per dollar; less is better",
        source="Tokens / cost",
    ),
    Line(
        "volume_rank",
        "1 + cheaper_models if is_served else 0",
        "",
        title="Rank at this volume",
        about="0: it cannot be served",
        source="Models that serve more tokens per dollar",
    ),
    Line(
        "is_volume_cheapest",
        "1 if volume_rank == 1 else 0",
        "volumes",
        title="Cheapest at this volume, as a count",
        source="Rank",
    ),
    Line("at_place", "own_place", "", title="Place at the demand", source="Candidates"),
    Line("best_cost", "is_volume_cheapest * volume_cost", "USD", title="Cost, if cheapest", source="Rank"),
    Line("served_cost", "is_served * volume_cost", "USD", title="Cost, if it can be served", source="Models"),
    Line("plan_cost", "is_plan_cheapest * volume_cost", "USD", title="Cost, if cheapest at the demand", source="Rank"),
)
"""One row per volume and model."""

CROSSING_LINES = (
    Line("most_cost", "dearest_model", "USD", title="Most expensive model", source="Cost by volume"),
    Line("choice_cost", "plan_choice", "USD", title="Cheapest at the demand", source="Cost by volume"),
    Line("least_cost", "cheapest_model", "USD", title="Cheapest at this volume", source="Cost by volume"),
    Line(
        "choice_loss",
        "choice_cost - least_cost",
        "USD",
        title="Overpaid",
        about="By the model that is cheapest at the demand; 0: it is so here too",
        source="Difference",
    ),
)
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
