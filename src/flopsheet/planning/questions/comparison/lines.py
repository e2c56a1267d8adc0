"""What a candidate costs over its life, what a point of quality costs, and its rank in each case."""

from flopsheet.accounting.formula.compose import fill, plus
from flopsheet.accounting.line import Line
from flopsheet.planning.inputs import CASES
from flopsheet.planning.written_lines import lines_from

LIVE = "live"
RANKED = (LIVE, *CASES)
"""Where candidates are ranked: in the live case, and in each of the three."""

MODEL_LINES = lines_from(__package__, "lines.toml", "model")
"""Lines that the question adds to every model."""


def _in_case(name: str, unit: str, title: str, source: str) -> Line:
    """Return the line that takes a model's number of the case that its row is about."""
    formula = plus(*(fill("ranked_CASE * NAME_CASE", NAME=name, CASE=case) for case in RANKED))
    return Line(f"case_{name}", formula, unit, title=title, source=source)


CASE_LINES = (
    _in_case("cost", "USD", "Lifetime cost", "Models, in this case"),
    _in_case("worth", "tokens/USD", "Tokens per dollar", "Models, in this case"),
    Line("case_order", "0 - case_worth", "tokens/USD", title="Order by cost", source="Less is better"),
    Line(
        "case_rank",
        "1 + cheaper_models if case_worth > 0 else 0",
        "",
        title="Rank by lifetime cost",
        about="Per token served; 0: it cannot be served",
        source="Models that serve more tokens per dollar",
    ),
    Line(
        "case_points", "case_worth * own_points", "", title="Quality per dollar", source="Tokens per dollar × quality"
    ),
    Line("case_point_order", "0 - case_points", "", title="Order by quality", source="Less is better"),
    Line(
        "case_point_rank",
        "1 + better_models if case_points > 0 else 0",
        "",
        title="Rank by dollars per quality point",
        about="0: it cannot be served, or has no quality",
        source="Models with more quality per dollar",
    ),
    Line("live_rank", "ranked_live * case_rank", "", title="Rank in the live case", source="Rank"),
    Line("live_point_rank", "ranked_live * case_point_rank", "", title="Rank in the live case", source="Rank"),
    Line(
        "keeps_rank",
        "1 - ranked_live if case_rank == own_rank else 0",
        "cases",
        title="Rank is the same",
        about="1: ranked by cost as in the live case",
        source="Ranks",
    ),
    Line(
        "keeps_point_rank",
        "1 - ranked_live if case_point_rank == own_point_rank else 0",
        "cases",
        title="Rank by quality is the same",
        about="1: ranked by dollars per quality point as in the live case",
        source="Ranks",
    ),
)
"""One row per case and model, the live case first."""

CANDIDATE_LINES = lines_from(__package__, "lines.toml", "candidate")
"""One row per model."""

ENDS_LINES = (
    Line("live_typed", "ranked_live * typed_of_all", "models", title="Models with a quality", source="Input quality"),
    Line("live_training", "ranked_live * best_training", "USD", title="Training of the cheapest", source="Rank"),
    Line("live_price", "ranked_live * best_price", "USD/Mtok", title="Serving price of the cheapest", source="Rank"),
)
"""One row per case, over all models: what they are compared with in the live case."""
