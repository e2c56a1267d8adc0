"""The size that costs least over training and serving together, at a given loss: Newton's method as lines."""

from functools import partial

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line

SARDANA = "Sardana et al. 2401.00448, equation 2: least 6·N·D + 2·N·D_served at equal loss"
CONDITION = "First-order condition alpha·A/N^alpha = beta·B/D^beta × (1 + D_served / (3·D)), solved for x = B/D^beta"
STEPS = 14
"""Steps of Newton's method; the function is convex, and its start is on the right of the root."""


def _newton(step: int) -> tuple[Line, Line]:
    filled = partial(fill, LAST=f"newton_{step - 1}", STEP=step)
    return (
        Line(
            f"slope_{step}",
            filled(
                "used_beta * (1 + served_weight * steepness * power(LAST, steepness - 1)) + used_alpha"
                " if LAST > 0 else 1"
            ),
            "ratio",
            title=f"Slope, step {step}",
            source=CONDITION,
        ),
        Line(
            f"newton_{step}",
            filled(
                "LAST - (used_beta * (LAST + served_weight * power(LAST, steepness))"
                " - used_alpha * (loss_gap - LAST)) / slope_STEP"
            ),
            "nats per token",
            title=f"Loss of the tokens, step {step}",
            source=CONDITION,
        ),
    )


LIFETIME_LINES = (
    Line(
        "wanted_loss",
        "target_loss if target_loss else loss_at_budget",
        "nats per token",
        title="Loss to reach",
        source="Input target_loss, or the loss at the budget",
    ),
    Line(
        "loss_gap",
        "max(wanted_loss - used_law_e, 0) * form_is_loss * has_loss",
        "nats per token",
        title="Loss above E",
        about="0: the law has no such loss, or E is not below the target",
        source="Hoffmann et al. 2203.15556, equation 2",
    ),
    Line(
        "served_tokens",
        "trained_rate * goodput / (1000000000000 * peak_tflops)"
        " * (inference_input_tokens / input_mfu + inference_output_tokens / output_mfu) if in_dollars else"
        " inference_input_tokens + inference_output_tokens",
        "tokens",
        title="Served tokens, as they count",
        about="For cost, each counts as much more as its MFU is below that of training, goodput included",
        source="Sardana et al. 2401.00448, section 3",
    ),
    Line(
        "served_weight",
        "served_tokens / (flop_factor / 2 * power(used_law_b, 1 / used_beta)) if loss_gap else 0",
        "ratio",
        title="Weight of serving",
        source=CONDITION,
    ),
    Line("steepness", "1 + 1 / used_beta if loss_gap else 1", "ratio", title="1 + 1/beta", source=CONDITION),
    Line(
        "newton_0",
        "used_alpha * loss_gap / (used_alpha + used_beta) if loss_gap else 0",
        "nats per token",
        title="Loss of the tokens, training alone",
        source="Hoffmann et al. 2203.15556, equation 4",
    ),
    *(line for step in range(1, STEPS + 1) for line in _newton(step)),
    Line(
        "lifetime_parameters",
        fill("power(used_law_a / (loss_gap - newton_STEPS), 1 / used_alpha) if loss_gap else 0", STEPS=STEPS),
        "parameters",
        title="Parameters",
        source=SARDANA,
    ),
    Line(
        "lifetime_tokens",
        fill("power(used_law_b / newton_STEPS, 1 / used_beta) if loss_gap else 0", STEPS=STEPS),
        "tokens",
        title="Training tokens",
        source=SARDANA,
    ),
    Line(
        "lifetime_flop",
        "flop_factor * lifetime_parameters * lifetime_tokens"
        " + 2 * lifetime_parameters * (inference_input_tokens + inference_output_tokens)",
        "FLOP",
        title="FLOP, training and serving",
        source=SARDANA,
    ),
    Line(
        "lifetime_cost",
        "price_per_hour / 3600 * (flop_factor * lifetime_parameters * lifetime_tokens / (trained_rate * goodput)"
        " + 2 * lifetime_parameters * (inference_input_tokens / input_mfu + inference_output_tokens / output_mfu)"
        " / (1000000000000 * peak_tflops))",
        "USD",
        title="Cost, training and serving",
        about="At the plan's hourly price; training at its speed and goodput, serving at its own MFU",
        source="Sardana et al. 2401.00448, section 3",
    ),
    Line(
        "size_of_training",
        "lifetime_parameters / train_parameters if train_parameters else 0",
        "ratio",
        title="Size over the optimum of training alone",
        about="Where target_loss is the loss at the budget",
        source="Ratio",
    ),
)
"""One row per law and goal: least FLOP, or least cost."""
