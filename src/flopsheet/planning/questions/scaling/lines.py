"""Compute-optimal sizes and predicted losses: one set of formulas over all laws, in the form of each."""

from flopsheet.accounting.line import Line

CLOSED = "Minimum of E + A/N^alpha + B/D^beta on 6·N·D = C: Hoffmann et al. 2203.15556, equation 4"
KAPLAN = "Kaplan et al. 2001.08361, equation 1.5"
POWER = "Size of a published run × (C / its FLOP)^exponent"
COMPUTE = "C = 6·N·D, Kaplan et al. 2001.08361, section 2.1"
FORM = "The law's form and constants"
GIVEN = "laws.toml, or the inputs of your own law"

CONSTANTS = tuple(
    Line(f"used_{name}", f"own_{name} if is_own else {name}", "ratio", title=f"{title}", source=GIVEN)
    for name, title in (("law_a", "A"), ("law_b", "B"), ("law_e", "E"), ("alpha", "alpha"), ("beta", "beta"))
)
"""The constants of a law; those of the planner's own law are inputs."""


def losses(parameters: str, tokens: str, loss: str, title: str) -> tuple[Line, ...]:
    """Return the loss of a size and its tokens under a law: what its one form gives, plus 0 of the other.

    Both lines are 0 where the law predicts no loss, or there are no parameters or tokens.
    """
    some = f"has_loss * {parameters} * {tokens}"
    return (
        Line(
            f"{loss}_of_sum",
            f"used_law_e + used_law_a / power({parameters}, used_alpha) + used_law_b / power({tokens}, used_beta)"
            f" if form_is_loss * {some} else 0",
            "nats per token",
            title=f"{title}: E + A/N^alpha + B/D^beta",
            source="Hoffmann et al. 2203.15556, equation 2",
        ),
        Line(
            f"{loss}_of_power",
            f"power(power(kaplan_n / {parameters}, used_alpha / used_beta) + kaplan_d / {tokens}, used_beta)"
            f" if form_is_kaplan * {some} else 0",
            "nats per token",
            title=f"{title}: form of Kaplan et al.",
            source=KAPLAN,
        ),
    )


def extrapolated(parameters: str, tokens: str) -> Line:
    """Return whether a size or its tokens are beyond those of the law's runs; 0 for a bound that nobody published."""
    return Line(
        "extrapolated",
        f"1 if max(max_parameters * ({parameters} - max_parameters), max_tokens * ({tokens} - max_tokens)) > 0 else 0",
        "flag",
        title="Extrapolated",
        about="1: beyond the runs that the law was fitted on",
        source="Fit range of the paper",
    )


LAW_LINES = (
    Line(
        "law_flop",
        "flop_budget if flop_budget else cluster_flop",
        "FLOP",
        title="Training FLOP",
        about="The FLOP budget that is given, else the cluster's",
        source="Input, or the question budget",
    ),
    *CONSTANTS,
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
        "(size_of_sum + size_of_kaplan + size_of_power) * power(law_flop / flop_factor, size_exponent)",
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
    extrapolated("optimal_parameters", "optimal_tokens"),
    Line("is_chosen", "1 if law == scaling_law else 0", "flag", title="Chosen law", source="Input scaling_law"),
    Line("chosen_parameters", "is_chosen * optimal_parameters", "parameters", title="Size, chosen law", source=CLOSED),
    Line("chosen_tokens", "is_chosen * optimal_tokens", "tokens", title="Tokens, chosen law", source=CLOSED),
    Line("chosen_loss", "is_chosen * loss_at_budget", "nats per token", title="Loss, chosen law", source=CLOSED),
)
"""One row per law and case."""

LAW_LINKS = (*(line.name for line in CONSTANTS), "has_loss")
"""What predictions read of their law."""

MODEL_LAW_LINES = (
    Line(
        "seen_tokens",
        "min(unique_tokens, tokens_trained) if unique_tokens else tokens_trained",
        "tokens",
        title="Unique tokens seen",
        source="Muennighoff et al. 2305.16264, equation 5",
    ),
    Line(
        "effective_tokens",
        "seen_tokens * (1 + repeat_tokens * (1 - exp(-(tokens_trained / seen_tokens - 1) / repeat_tokens)))"
        " if repeat_tokens * seen_tokens else tokens_trained",
        "tokens",
        title="Effective tokens",
        about="Repeated tokens count for less and less",
        source="Muennighoff et al. 2305.16264, equation 5",
    ),
    *losses("parameters", "effective_tokens", "predicted_loss", "Predicted loss"),
    Line(
        "predicted_loss",
        "predicted_loss_of_sum + predicted_loss_of_power",
        "nats per token",
        title="Predicted loss",
        about="0: the law predicts no loss. Of a mixture all parameters count, which flatters it",
        source=f"{CLOSED}; {KAPLAN}",
    ),
    extrapolated("parameters", "tokens_trained"),
)
"""One row per model and law."""

ISOFLOP_LINES = (
    Line("isoflop_parameters", "best_parameters * size_factor", "parameters", title="Parameters", source=CLOSED),
    Line("isoflop_tokens", "best_tokens / size_factor", "tokens", title="Tokens", about="The same FLOP", source=CLOSED),
)
"""One row per multiple of the optimal size: how many tokens the same budget then pays for."""
