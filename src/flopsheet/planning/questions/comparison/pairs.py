"""Every pair of models: at how many tokens both cost the same over their lives, and which is cheaper on either side."""

from flopsheet.accounting.line import Line
from flopsheet.planning.question import MODELS, MODELS_TABLE, OTHERS, Link, Table

GAPS = "Difference of training / difference of serving per token, at the plan's demand"

PAIR_LINES = (
    Line("training_gap", "own_training - other_training", "USD", title="Training, first less other", source="Models"),
    Line(
        "price_gap",
        "other_price - own_price",
        "USD/Mtok",
        title="Serving, other less first",
        about="Above 0: the first serves for less",
        source="Models",
    ),
    Line(
        "both_served",
        "own_served * other_served",
        "flag",
        title="Both can be served",
        source="Candidates",
    ),
    Line(
        "pair_tokens",
        "1000000 * training_gap / price_gap if training_gap * price_gap * both_served > 0 else 0",
        "tokens",
        title="Break-even",
        about="Tokens served over their lives at which both cost the same; 0: never",
        source=GAPS,
    ),
    Line(
        "pair_months",
        "lifetime_months * pair_tokens / own_tokens if own_tokens else 0",
        "months",
        title="Months to break-even",
        about="At the plan's demand; 0: never",
        source="Tokens over those of a month",
    ),
    Line(
        "first_beyond",
        "1 if pair_tokens * price_gap > 0 else 0",
        "flag",
        title="First is cheaper beyond it",
        about="no: the other one is, or there is no break-even",
        source="Difference of serving",
    ),
    Line(
        "pair_saving",
        "both_served * (other_cost - own_cost)",
        "USD",
        title="First costs less by",
        about="Over its life at the plan's demand; below 0: it costs more",
        source="Difference",
    ),
)
"""One row per pair of models."""


def _both(name: str, table: str, line: str, title: str) -> tuple[Link, Link]:
    """Return links to a line of the first and of the other model."""
    return (
        Link(f"own_{name}", table, line, title=f"{title}: first"),
        Link(f"other_{name}", table, line, "other", f"{title}: other"),
    )


PAIRS = Table(
    "comparison_pairs",
    "Break-even between each pair",
    PAIR_LINES,
    (MODELS, OTHERS),
    (
        *_both("training", MODELS_TABLE, "life_training", "Lifetime training cost"),
        *_both("price", MODELS_TABLE, "usd_per_mtok_blended", "USD per million tokens"),
        *_both("cost", MODELS_TABLE, "life_cost", "Lifetime cost"),
        *_both("served", "comparison_candidates", "is_served", "Can be served"),
        Link("own_tokens", MODELS_TABLE, "life_tokens", title="Lifetime tokens"),
    ),
)
