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
    *lines_from(__package__, "lines.toml", "case_order"),
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
