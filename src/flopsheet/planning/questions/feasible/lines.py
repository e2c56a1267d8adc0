"""Which models and token counts fit time, money and memory, and how many accelerators a date takes."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.scaling.models import effective
from flopsheet.planning.written_lines import lines_from

LOSS = "Hoffmann et al. 2203.15556, equation 2, with the constants of the chosen law for this model"


def loss(name: str, tokens: str, title: str) -> tuple[Line, ...]:
    """Return the loss of a model on so many tokens under the chosen law, and what leads to it."""
    return (
        *effective(tokens, "repeats"),
        Line(
            name,
            fill("size_loss + model_b / power(effective_tokens, model_beta) if model_b * TOKENS else 0", TOKENS=tokens),
            "nats per token",
            title=title,
            about="Under the chosen law; 0: it has no such loss",
            source=LOSS,
        ),
    )


OPTION_LINES = (
    *lines_from(__package__, "lines.toml", "option_tokens"),
    *loss("option_loss", "option_tokens", "Predicted loss"),
)
"""One row per model and multiple of its tokens."""

LIMIT_LINES = (
    *lines_from(__package__, "lines.toml", "limit_tokens"),
    *loss("limit_loss", "limit_tokens", "Loss at the limit"),
    *lines_from(__package__, "lines.toml", "limit_accelerators"),
)
"""One row per model: as many tokens as time and money allow."""

NEEDED_LINES = lines_from(__package__, "lines.toml", "needed")
"""One row per model and number of days."""
