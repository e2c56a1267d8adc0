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
    Line(
        "law_flop",
        "flop_budget if flop_budget else cluster_flop",
        "FLOP",
        title="Training FLOP",
        about="The FLOP budget that is given, else the cluster's, within the money cap",
        source="Input, or the question budget",
    ),
    expert_effect("expert_expansion"),
    *CONSTANTS,
    *BOUNDS,
    Line(
        "has_loss",
        "1 if (used_law_a * used_law_b + kaplan_n * kaplan_d) * used_alpha * used_beta > 0 else 0",
        "flag",
        title="Predicts a loss",
        source=FORM,
    ),
    Line("exponents", "used_alpha + used_beta", "ratio", title="alpha + beta", source=FORM),
    Line(
        "size_exponent",
        "used_beta / exponents if exponents else exponent",
        "ratio",
        title="Exponent of the optimal size",
        about="The optimal size grows with this power of the FLOP",
        source=f"{CLOSED}; {POWER}",
    ),
    Line(
        "size_of_sum",
        "power(used_alpha * used_law_a / (used_beta * used_law_b), 1 / exponents) if form_is_loss * has_loss else 0",
        "ratio",
        title="Factor of the optimal size: E + A/N^alpha + B/D^beta",
        source=CLOSED,
    ),
    Line(
        "size_of_kaplan",
        "power(alpha / beta * power(kaplan_n, alpha / beta) / kaplan_d, size_exponent) if form_is_kaplan else 0",
        "ratio",
        title="Factor of the optimal size: form of Kaplan et al.",
        source=KAPLAN,
    ),
    Line(
        "size_of_power",
        "anchor_parameters / power(anchor_flop / flop_factor, exponent) if form_is_power else 0",
        "ratio",
        title="Factor of the optimal size: power of the FLOP",
        source=POWER,
    ),
    Line(
        "optimal_parameters",
        "(size_of_sum + size_of_kaplan + size_of_power) * power(law_flop / flop_factor, size_exponent)"
        " if law_flop else 0",
        "parameters",
        title="Optimal parameters",
        source=f"{CLOSED}; {KAPLAN}; {POWER}",
    ),
    Line(
        "optimal_tokens",
        "law_flop / (flop_factor * optimal_parameters) if optimal_parameters else 0",
        "tokens",
        title="Optimal tokens",
        source=COMPUTE,
    ),
    *losses("optimal_parameters", "optimal_tokens", "loss", "Loss at the optimum"),
    Line(
        "loss_at_budget",
        "loss_of_sum + loss_of_power",
        "nats per token",
        title="Loss at the optimum",
        about="0: the law predicts no loss",
        source=f"{CLOSED}; {KAPLAN}",
    ),
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
    Line(
        "nearest_off",
        "least_off",
        "ratio",
        title="Nearest model's distance",
        about="Natural logarithm of its size over the optimum, without sign",
        source="Lowest over the models",
    ),
    Line(
        "lowest_loss", "least_loss", "nats per token", title="Lowest loss of a model", source="Lowest over the models"
    ),
    Line("is_chosen", "1 if law == scaling_law else 0", "flag", title="Chosen law", source="Input scaling_law"),
    Line("chosen_parameters", "is_chosen * optimal_parameters", "parameters", title="Size, chosen law", source=CLOSED),
    Line("chosen_tokens", "is_chosen * optimal_tokens", "tokens", title="Tokens, chosen law", source=CLOSED),
    Line("chosen_flop", "is_chosen * law_flop", "FLOP", title="FLOP, chosen law", source=COMPUTE),
    Line("chosen_loss", "is_chosen * loss_at_budget", "nats per token", title="Loss, chosen law", source=CLOSED),
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
