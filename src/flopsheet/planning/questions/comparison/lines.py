"""What a candidate costs over its life, what a point of quality costs, and its rank in each case."""

from flopsheet.accounting.formula.compose import fill, plus
from flopsheet.accounting.line import Line
from flopsheet.planning.inputs import CASES

LIFE = "Training + months × serving cost of a month"
GAPS = "Difference of training / difference of serving per token, at the plan's demand"
LIVE = "live"
RANKED = (LIVE, *CASES)
"""Where candidates are ranked: in the live case, and in each of the three."""

MODEL_LINES = (
    Line(
        "life_training",
        "training_cost * program_ratio",
        "USD",
        title="Lifetime training cost",
        source="Final run × program cost per final run",
    ),
    Line(
        "life_serving",
        "serving_cost_per_month * lifetime_months",
        "USD",
        title="Lifetime serving cost",
        source="Cost of a month × months",
    ),
    Line("life_cost", "life_training + life_serving", "USD", title="Lifetime cost", source=LIFE),
    Line(
        "discounted_months",
        "(1 - power(1 + wacc, -lifetime_months / 12)) / (power(1 + wacc, 1 / 12) - 1) * power(1 + wacc, 1 / 24)"
        " if wacc else lifetime_months",
        "months",
        title="Discounted months in service",
        about="Each month counts at its middle",
        source="Present value of one per month",
    ),
    Line(
        "life_present_value",
        "life_training + serving_cost_per_month * discounted_months",
        "USD",
        title="Present value of the cost",
        about="On the day when training is paid and service begins",
        source="Training + serving, discounted at wacc",
    ),
    Line(
        "life_tokens",
        "(monthly_input_tokens + monthly_output_tokens) * lifetime_months",
        "tokens",
        title="Lifetime tokens",
        about="Input and output",
        source="Tokens of a month × months",
    ),
    Line(
        "life_worth",
        "life_tokens * min(serving_accelerators, 1) / life_cost if life_cost else 0",
        "tokens/USD",
        title="Lifetime tokens per dollar",
        about="0: it cannot be served, so it has no rank",
        source="Tokens / cost",
    ),
)
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

CANDIDATE_LINES = (
    Line("train_cost", "own_training", "USD", title="Training", source="Models"),
    Line("serve_cost", "own_serving", "USD", title="Serving", source="Models"),
    Line("total_cost", "own_cost", "USD", title="Lifetime cost", source=LIFE),
    Line("present_cost", "own_present", "USD", title="Present value of the cost", source="Models"),
    Line("serve_price", "own_price", "USD/Mtok", title="Serving, USD per million tokens", source="Models"),
    Line("typed_quality", "quality", "points", title="Quality as entered", about="0: none", source="Input quality"),
    Line("loss", "own_loss", "nats per token", title="Predicted loss", source="Models"),
    Line(
        "has_quality",
        "1 if typed_quality > 0 else 0",
        "models",
        title="Has a quality, as a count",
        source="Input quality",
    ),
    Line("loss_quality", "1 / loss if loss else 0", "points", title="1 / predicted loss", source="Models"),
    Line(
        "points",
        "typed_quality if models_with_quality else loss_quality",
        "points",
        title="Quality that counts",
        about="As typed; 1 / predicted loss where no model has a quality",
        source="Input quality, or scaling law",
    ),
    Line(
        "point_cost",
        "total_cost / points if points else 0",
        "USD/point",
        title="USD per quality point",
        about="0: it has no quality",
        source="Lifetime cost / quality",
    ),
    Line("rank", "rank_by_cost", "", title="Rank by lifetime cost", about="0: it cannot be served", source="Cases"),
    Line("point_rank", "rank_by_points", "", title="Rank by USD per point", source="Cases"),
    Line("rank_kept", "cases_kept", "cases", title="Rank stability", about="Of three cases", source="Cases"),
    Line(
        "point_rank_kept",
        "cases_point_kept",
        "cases",
        title="Rank stability by quality",
        about="Of three cases",
        source="Cases",
    ),
    Line(
        "place_order",
        "0 - own_worth * (1 - model / 1000000000)",
        "tokens/USD",
        title="Order of places",
        about="Tokens per dollar; of equal models the first is before the others",
        source="Models",
    ),
    Line(
        "place", "is_served * (ahead + 1)", "", title="Place", about="0: it cannot be served", source="Order of places"
    ),
    Line("is_cheapest", "1 if rank == 1 else 0", "flag", title="Lowest lifetime cost", source="Rank"),
    Line("is_served", "min(rank, 1)", "flag", title="Can be served", source="Rank"),
    Line("cheapest_training", "is_cheapest * train_cost", "USD", title="Training, if cheapest", source="Rank"),
    Line("cheapest_price", "is_cheapest * serve_price", "USD/Mtok", title="Serving, if cheapest", source="Rank"),
    Line(
        "training_gap",
        "train_cost - training_of_cheapest",
        "USD",
        title="Training beyond that of the cheapest",
        about="Below 0: it costs less to train",
        source="Difference",
    ),
    Line(
        "price_gap",
        "price_of_cheapest - serve_price",
        "USD/Mtok",
        title="Serving below that of the cheapest",
        about="Below 0: it costs more to serve",
        source="Difference",
    ),
    Line(
        "break_even_tokens",
        "1000000 * training_gap / price_gap if training_gap * price_gap * is_served > 0 else 0",
        "tokens",
        title="Break-even with the cheapest",
        about="Tokens served at which both cost the same; 0: never",
        source=GAPS,
    ),
    Line(
        "break_even_months",
        "lifetime_months * break_even_tokens / own_tokens",
        "months",
        title="Months to break-even",
        about="At the plan's demand; 0: never",
        source="Tokens over those of a month",
    ),
    Line(
        "volumes_cheapest",
        "volumes_won",
        "volumes",
        title="Cheapest at this many volumes",
        about="Of the multiples of the demand in the table by volume",
        source="Cost by volume",
    ),
    Line("cheapest_cost", "is_cheapest * total_cost", "USD", title="Cost, if cheapest", source="Rank"),
    Line("cheapest_kept", "is_cheapest * rank_kept", "cases", title="Cases kept, if cheapest", source="Rank"),
    Line(
        "rank_is_stable",
        "1 if rank * (rank_kept - 2) > 0 else 0",
        "models",
        title="Same rank in every case",
        source="Cases where its rank is the same",
    ),
)
"""One row per model."""

ENDS_LINES = (
    Line("live_typed", "ranked_live * typed_of_all", "models", title="Models with a quality", source="Input quality"),
    Line("live_training", "ranked_live * best_training", "USD", title="Training of the cheapest", source="Rank"),
    Line("live_price", "ranked_live * best_price", "USD/Mtok", title="Serving price of the cheapest", source="Rank"),
)
"""One row per case, over all models: what they are compared with in the live case."""
