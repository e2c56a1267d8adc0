"""Which of several models is cheapest over its life: training, serving, quality, and how stable the order is."""

from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import MODELS, MODELS_TABLE, Link, Rows, Table
from flopsheet.planning.question_file import question_from
from flopsheet.planning.questions.comparison.lines import (
    CANDIDATE_LINES,
    CASE_LINES,
    ENDS_LINES,
    LIVE,
    MODEL_LINES,
    RANKED,
)
from flopsheet.planning.questions.comparison.pairs import PAIRS
from flopsheet.planning.questions.comparison.parts import SERVE, TRAIN
from flopsheet.planning.questions.comparison.points import POINTS
from flopsheet.planning.questions.comparison.volumes import TABLES as VOLUME_TABLES

RANKED_IN = Rows(
    "ranked_in",
    "Case",
    values=tuple(
        {"ranked_in": place} | {f"ranked_{case}": int(case == rank_case) for case in RANKED}
        for place, rank_case in enumerate(RANKED, start=1)
    ),
    labels=("Live case", *TITLES.values()),
)
OWN = (
    Link("own_training", MODELS_TABLE, "life_training", title="Lifetime training cost"),
    Link("own_serving", MODELS_TABLE, "life_serving", title="Lifetime serving cost"),
    Link("own_cost", MODELS_TABLE, "life_cost", title="Lifetime cost"),
    Link("own_present", MODELS_TABLE, "life_present_value", title="Present value of the cost"),
    Link("own_price", MODELS_TABLE, "usd_per_mtok_blended", title="USD per million tokens"),
    Link("own_loss", MODELS_TABLE, "predicted_loss", title="Predicted loss"),
    Link("cheaper_models", "comparison_candidates", "worth_order", "below", "Models that cost less per token"),
    Link("better_models", "comparison_candidates", "point_order", "below", "Models with more quality per dollar"),
    Link("cases_kept", "comparison_cases", "keeps_rank", "sum", "Cases with the same rank"),
    Link("cases_point_kept", "comparison_cases", "keeps_point_rank", "sum", "Cases with the same rank by quality"),
    Link("models_with_quality", "comparison_ends", "live_typed", "sum", "Models with a quality"),
    Link("training_of_cheapest", "comparison_ends", "live_training", "sum", "Training of the cheapest"),
    Link("price_of_cheapest", "comparison_ends", "live_price", "sum", "Serving price of the cheapest"),
    Link("own_tokens", MODELS_TABLE, "life_tokens", title="Lifetime tokens"),
    Link("own_worth", MODELS_TABLE, "life_worth", title="Lifetime tokens per dollar"),
    Link("ahead", "comparison_candidates", "place_order", "below", "Models before it"),
    Link("volumes_won", "comparison_volumes", "is_volume_cheapest", "sum", "Volumes at which it is cheapest"),
)


def _in_cases(name: str, line: str, title: str) -> tuple[Link, ...]:
    """Return links to a line of the same model: in the live case, and in each of the three."""
    live = Link(f"{name}_{LIVE}", MODELS_TABLE, line, title=f"{title}: live case")
    return (
        live,
        *(Link(f"{name}_{case}", MODELS_TABLE, line, title=f"{title}: {TITLES[case]}", case=case) for case in CASES),
    )


IN_CASES = (
    *_in_cases("cost", "life_cost", "Cost"),
    *_in_cases("worth", "life_worth", "Tokens per dollar"),
    Link("cheaper_models", "comparison_cases", "case_order", "below", "Models that cost less per token"),
    Link("better_models", "comparison_cases", "case_point_order", "below", "Models with more quality per dollar"),
    Link("own_points", "comparison_candidates", "points", title="Quality"),
    Link("own_rank", "comparison_candidates", "rank", title="Rank in the live case"),
    Link("own_point_rank", "comparison_candidates", "point_rank", title="Rank by quality in the live case"),
)
OVER_ALL = (
    Link("typed_of_all", "comparison_candidates", "has_quality", "sum", "Models with a quality"),
    Link("best_training", "comparison_candidates", "cheapest_training", "max", "Training of the cheapest"),
    Link("best_price", "comparison_candidates", "cheapest_price", "max", "Serving price of the cheapest"),
)

QUESTION = question_from(
    __name__,
    (
        Table(MODELS_TABLE, "Models", MODEL_LINES, (MODELS,)),
        Table("comparison_candidates", "Candidates side by side", CANDIDATE_LINES, (MODELS,), OWN),
        Table("comparison_cases", "Rank in each case", CASE_LINES, (RANKED_IN, MODELS), IN_CASES),
        Table("comparison_ends", "What models are compared with, in the live case", ENDS_LINES, (RANKED_IN,), OVER_ALL),
        *VOLUME_TABLES,
        PAIRS,
        POINTS,
        TRAIN,
        SERVE,
    ),
)
