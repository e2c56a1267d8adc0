"""Which models and token counts fit time, money and memory, and how many accelerators a date takes."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.scaling.models import effective
from flopsheet.planning.written_lines import lines_from

LOSS = "Hoffmann et al. 2203.15556, equation 2, with the constants of the chosen law for this model"
CAP = "Input budget_usd; what it covers is budget_covers"


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
    Line(
        "option_tokens",
        "model_tokens * token_factor",
        "tokens",
        title="Training tokens",
        source="Multiple of the plan's",
    ),
    Line(
        "option_flop",
        "model_flop * token_factor",
        "FLOP",
        title="Training FLOP",
        source="In proportion to the tokens",
    ),
    Line(
        "option_days", "model_days * token_factor", "days", title="Training days", source="In proportion to the tokens"
    ),
    Line(
        "option_cost",
        "model_cost * token_factor",
        "USD",
        title="Final run, levelized",
        source="In proportion to the tokens",
    ),
    Line(
        "option_capped",
        "model_capped + max(token_factor - 1, 0) * model_added - max(1 - token_factor, 0) * model_moving",
        "USD",
        title="Cash under the cap",
        about="More tokens are computed beyond what is held, fewer save none of what is held",
        source=CAP,
    ),
    Line(
        "time_margin",
        "1 - option_days / days if days else 0",
        "share",
        title="Margin of time",
        source="Days over the window",
    ),
    Line(
        "money_margin",
        "1 - option_capped / budget_usd if budget_usd else 1",
        "share",
        title="Margin of money",
        about="1 without a cap",
        source=CAP,
    ),
    Line(
        "option_margin",
        "min(time_margin, money_margin)",
        "share",
        title="Margin",
        about="Of time or money, whichever is tighter; below 0 the option does not fit",
        source="Days and cost over what the plan has",
    ),
    Line(
        "option_fits",
        "model_fits_memory if option_margin >= 0 else 0",
        "flag",
        title="Fits",
        about="1: within time, money and memory",
        source="Margin, and memory over all accelerators",
    ),
    *loss("option_loss", "option_tokens", "Predicted loss"),
)
"""One row per model and multiple of its tokens."""

LIMIT_LINES = (
    Line("limit_tokens", "most_tokens", "tokens", title="Most tokens", source="Tokens within time and money"),
    Line(
        "limit_days",
        "model_days * limit_tokens / model_tokens",
        "days",
        title="Training days",
        source="In proportion to the tokens",
    ),
    Line(
        "limit_cost",
        "model_cost * limit_tokens / model_tokens",
        "USD",
        title="Final run, levelized",
        source="In proportion to the tokens",
    ),
    Line(
        "limited_by_money",
        "1 if limit_tokens < window_tokens else 0",
        "flag",
        title="Money is the limit",
        about="1: money, else time",
        source=CAP,
    ),
    *loss("limit_loss", "limit_tokens", "Loss at the limit"),
    Line(
        "accelerators_in_time",
        "ceil(model_hours / (24 * days))",
        "accelerators",
        title="Accelerators needed for its own tokens",
        about="That train the model's own tokens in the plan's days, at the plan's MFU and goodput",
        source="Accelerator-hours / hours of the plan's days",
    ),
)
"""One row per model: as many tokens as time and money allow."""

NEEDED_LINES = lines_from(__package__, "lines.toml", "needed")
"""One row per model and number of days."""
