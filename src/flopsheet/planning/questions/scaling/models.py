"""What each law predicts of each model of the plan: its loss, and how far it is from the optimum."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.scaling.form import (
    CLOSED,
    EXPERTS,
    FORM,
    GIVEN,
    KAPLAN,
    POWER,
    expert_effect,
    extrapolation_line,
    losses,
)
from flopsheet.planning.written_lines import lines_from

REPEATS = "Muennighoff et al. 2305.16264, equation 5"


def count_lines(counts_active: str) -> tuple[Line, ...]:
    """Return how many parameters of a model a law counts: a power of all times one of the active ones."""
    return (
        Line(
            "counted_power",
            fill("(1 - ACTIVE) * (mixture_counts_is_all + mixture_counts_is_geometric_mean / 2)", ACTIVE=counts_active),
            "ratio",
            title="Power of all parameters",
            about="1: all count; 0: active ones; half: their geometric mean",
            source="The law's paper; input mixture_counts",
        ),
        Line(
            "law_parameters",
            "power(parameters, counted_power) * power(parameters_active, 1 - counted_power)",
            "parameters",
            title="Parameters of the law",
            about="Of a mixture: active ones where the law says so, else what mixture_counts says",
            source="The law's paper; input mixture_counts",
        ),
    )


MODEL_CONSTANTS = lines_from(__package__, "models.toml", "model_constants", experts=EXPERTS)
"""The constants of a law for one model: those of the law, and of the model's own experts where the law knows them."""


def effective(tokens: str, repeats: str) -> tuple[Line, ...]:
    """Return what training tokens are worth to a law under which repeated ones count for less; `repeats` is its R."""
    return (
        Line(
            "seen_tokens",
            fill("min(unique_tokens, TOKENS) if unique_tokens else TOKENS", TOKENS=tokens),
            "tokens",
            title="Unique tokens seen",
            source=REPEATS,
        ),
        Line(
            "effective_tokens",
            fill(
                "seen_tokens * (1 + REPEATS * (1 - exp(-(TOKENS / seen_tokens - 1) / REPEATS)))"
                " if REPEATS * seen_tokens else TOKENS",
                REPEATS=repeats,
                TOKENS=tokens,
            ),
            "tokens",
            title="Effective tokens",
            about="Repeated tokens count for less and less",
            source=REPEATS,
        ),
    )


MODEL_LAW_LINES = (
    *effective("tokens_trained", "repeat_tokens"),
    *count_lines("counts_active"),
    expert_effect("parameters / parameters_active"),
    *MODEL_CONSTANTS,
    *losses("law_parameters", "effective_tokens", "predicted_loss", "Predicted loss", "model"),
    Line(
        "predicted_loss",
        "predicted_loss_of_sum + predicted_loss_of_power",
        "nats per token",
        title="Predicted loss",
        about="0: the law predicts no loss. Laws of dense models take a mixture for one of law_parameters",
        source=f"{CLOSED}; {KAPLAN}",
    ),
    Line(
        "chosen_law_loss",
        "law_is_chosen * predicted_loss",
        "nats per token",
        title="Predicted loss, chosen law",
        about="0 under every other law",
        source=GIVEN,
    ),
    extrapolation_line("law_parameters", "tokens_trained"),
    Line(
        "off_optimum",
        "max(log(law_parameters / optimal_parameters), -log(law_parameters / optimal_parameters))"
        " if optimal_parameters else 0",
        "ratio",
        title="Distance from the optimal size",
        about="Natural logarithm of the size over the optimum, without sign",
        source="Ratio of sizes",
    ),
    Line(
        "balanced_tokens",
        "of_law_flop * power(law_parameters / optimal_parameters, 1 / of_size_exponent) / flop_factor / law_parameters"
        " if optimal_parameters * of_size_exponent else 0",
        "tokens",
        title="Tokens at which this size is optimal",
        about="More tokens: the model is smaller than optimal for its compute, and cheaper to serve",
        source=f"{CLOSED}; {KAPLAN}; {POWER}",
    ),
    Line(
        "over_balance",
        "tokens_trained / balanced_tokens if balanced_tokens else 0",
        "ratio",
        title="Training tokens ÷ optimal tokens",
        source="Ratio",
    ),
    Line(
        "is_nearest",
        "(1 if off_optimum <= nearest_off * (1 + 1 / 1000000000) else 0) * min(optimal_parameters, 1)",
        "flag",
        title="Nearest to the optimum",
        about="1: of all models of the plan",
        source="Smallest distance under this law",
    ),
    Line(
        "loss_is_lowest",
        "(1 if predicted_loss <= lowest_loss * (1 + 1 / 1000000000) else 0) * (1 if predicted_loss > 0 else 0)",
        "laws",
        title="Lowest loss",
        about="1: of all models of the plan",
        source="Lowest predicted loss under this law",
    ),
    Line("sum_is_chosen", "law_is_chosen * form_is_loss * has_loss", "flag", title="Chosen, with a sum", source=FORM),
    Line(
        "chosen_size_loss",
        "used_law_e + model_law_a / power(law_parameters, model_alpha) if sum_is_chosen else 0",
        "nats per token",
        title="Loss of the size, chosen law",
        about="E + A/N^alpha; 0 under every other law, and of laws of another form",
        source=FORM,
    ),
    Line("chosen_model_b", "sum_is_chosen * model_law_b", "ratio", title="B of this model, chosen law", source=FORM),
    Line("chosen_model_beta", "sum_is_chosen * model_beta", "ratio", title="beta, chosen law", source=FORM),
    Line("chosen_repeats", "sum_is_chosen * repeat_tokens", "ratio", title="R of repeats, chosen law", source=REPEATS),
)
"""One row per model and law."""

MODEL_LINES = lines_from(__package__, "models.toml", "model", given=GIVEN)
"""One row per model."""
