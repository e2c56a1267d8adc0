"""The size that costs least over training and serving together, at a given loss: Newton's method as lines."""

from functools import partial

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.written_lines import lines_from

CONDITION = "First-order condition alpha·A/N^alpha = beta·B/D^beta × (1 + D_served / (3·D)), solved for x = B/D^beta"
STEPS = 14
"""Steps of Newton's method; the function is convex, and its start is on the right of the root."""


def _newton(step: int) -> tuple[Line, Line]:
    fill_slots = partial(fill, LAST=f"newton_{step - 1}", STEP=step)
    return (
        Line(
            f"slope_{step}",
            fill_slots(
                "used_beta * (1 + served_weight * steepness * power(LAST, steepness - 1)) + used_alpha"
                " if LAST > 0 else 1"
            ),
            "ratio",
            title=f"Slope, step {step}",
            source=CONDITION,
        ),
        Line(
            f"newton_{step}",
            fill_slots(
                "LAST - (used_beta * (LAST + served_weight * power(LAST, steepness))"
                " - used_alpha * (loss_gap - LAST)) / slope_STEP"
            ),
            "nats per token",
            title=f"Loss of the tokens, step {step}",
            source=CONDITION,
        ),
    )


LIFETIME_LINES = (
    *lines_from(__package__, "lifetime.toml", "wanted_loss", condition=CONDITION),
    *(line for step in range(1, STEPS + 1) for line in _newton(step)),
    *lines_from(
        __package__,
        "lifetime.toml",
        "lifetime_parameters",
        {
            "lifetime_parameters": fill(
                "power(used_law_a / (loss_gap - newton_STEPS), 1 / used_alpha) if loss_gap else 0", STEPS=STEPS
            ),
            "lifetime_tokens": fill("power(used_law_b / newton_STEPS, 1 / used_beta) if loss_gap else 0", STEPS=STEPS),
        },
    ),
)
"""One row per law and goal: least FLOP, or least cost."""
