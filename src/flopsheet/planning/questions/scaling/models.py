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
    *lines_from(__package__, "models.toml", "counts"),
    expert_effect("parameters / parameters_active"),
    *MODEL_CONSTANTS,
    *losses("law_parameters", "effective_tokens", "predicted_loss", "Predicted loss", "model"),
    *lines_from(__package__, "models.toml", "predicted_loss", closed=CLOSED, given=GIVEN, kaplan=KAPLAN),
    extrapolation_line("law_parameters", "tokens_trained"),
    *lines_from(
        __package__, "models.toml", "off_optimum", closed=CLOSED, form=FORM, kaplan=KAPLAN, power=POWER, repeats=REPEATS
    ),
)
"""One row per model and law."""

MODEL_LINES = lines_from(__package__, "models.toml", "model", given=GIVEN)
"""One row per model."""
