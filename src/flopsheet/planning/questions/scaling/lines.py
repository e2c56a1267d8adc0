"""Compute-optimal sizes: one set of formulas over all laws, in the form of each; the same FLOP at other sizes."""

from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.line import Line
from flopsheet.planning.questions.scaling.form import (
    BOUNDS,
    CLOSED,
    COMPUTE,
    CONSTANTS,
    FORM,
    GIVEN,
    KAPLAN,
    POWER,
    expert_effect,
    extrapolation_line,
    losses,
)
from flopsheet.planning.written_lines import lines_from

INTERVAL = "Published interval of the exponent, turned around the middle of the fitted runs (judgment)"

CASE_LINES = lines_from(__package__, "lines.toml", "case")
"""Lines of one case."""

LAW_LINES = (
    *lines_from(__package__, "lines.toml", "law_flop"),
    expert_effect("expert_expansion"),
    *CONSTANTS,
    *BOUNDS,
    *lines_from(
        __package__, "lines.toml", "has_loss", closed=CLOSED, compute=COMPUTE, form=FORM, kaplan=KAPLAN, power=POWER
    ),
    *losses("optimal_parameters", "optimal_tokens", "loss", "Loss at the optimum"),
    *lines_from(__package__, "lines.toml", "loss_at_budget", closed=CLOSED, kaplan=KAPLAN),
    extrapolation_line("optimal_parameters", "optimal_tokens"),
    *(
        Line(
            f"{end}_parameters",
            fill(
                "optimal_parameters * power(law_flop / pivot_flop, exponent_BOUND - size_exponent)"
                " if pivot_flop * law_flop else 0",
                BOUND=bound,
            ),
            "parameters",
            title=f"{title} optimal parameters",
            about="At the end of the published interval of the exponent; 0 where none is published",
            source=INTERVAL,
        )
        for end, bound, title in (("smallest", "low", "Smallest"), ("largest", "high", "Largest"))
    ),
    *lines_from(__package__, "lines.toml", "nearest_off", closed=CLOSED, compute=COMPUTE),
    *(
        Line(
            f"chosen_{name}",
            fill("is_chosen * form_is_loss * used_NAME", NAME=name),
            "ratio",
            title=f"{title}, chosen law",
            source=GIVEN,
        )
        for name, title in (("law_a", "A"), ("law_b", "B"), ("law_e", "E"), ("alpha", "alpha"), ("beta", "beta"))
    ),
)
"""One row per law and case."""

FORM_LINKS = (*(line.name for line in CONSTANTS), "has_loss", "loss_at_budget")
LAW_LINKS = (*FORM_LINKS[:-1], *(line.name for line in BOUNDS), "optimal_parameters", "nearest_off", "lowest_loss")
"""What the lifetime's optimum and predictions read of their law."""

ISOFLOP_LINES = lines_from(__package__, "lines.toml", "isoflop", closed=CLOSED, compute=COMPUTE)
"""One row per multiple of the optimal size: how many tokens the same budget then pays for."""
