"""Every pair of models: at how many tokens both cost the same over their lives, and which is cheaper on either side."""

from flopsheet.planning.question import MODELS, MODELS_TABLE, OTHERS, Link, Table
from flopsheet.planning.written_lines import lines_from

PAIR_LINES = lines_from(__package__, "pairs.toml", "pair")
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
