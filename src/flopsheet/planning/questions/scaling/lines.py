"""Compute-optimal sizes and predicted losses: one set of formulas over all laws, in the form of each."""

from flopsheet.accounting.line import Line

CLOSED = "Minimum of E + A/N^alpha + B/D^beta on 6·N·D = C: Hoffmann et al. 2203.15556, equation 4"
KAPLAN = "Kaplan et al. 2001.08361, equation 1.5"
GIVEN = "laws.toml, or the inputs of your own law"

CONSTANTS = tuple(
    Line(f"used_{name}", f"own_{name} if is_own else {name}", "ratio", title=f"{title}", source=GIVEN)
    for name, title in (("law_a", "A"), ("law_b", "B"), ("law_e", "E"), ("alpha", "alpha"), ("beta", "beta"))
)
"""The constants of a law; those of the planner's own law are inputs."""

HAS_LOSS = "(used_law_a * used_law_b * used_alpha * used_beta if form_is_loss else form_is_kaplan)"

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
    Line("has_loss", f"1 if {HAS_LOSS} > 0 else 0", "flag", title="Predicts a loss", source="Its form and constants"),
    Line(
        "optimal_parameters",
        "(power(used_alpha * used_law_a / (used_beta * used_law_b), 1 / (used_alpha + used_beta))"
        " * power(law_flop / 6, used_beta / (used_alpha + used_beta)) if has_loss else 0) if form_is_loss else"
        " (power(alpha / beta * power(kaplan_n, alpha / beta) * law_flop / (6 * kaplan_d), 1 / (1 + alpha / beta))"
        " if form_is_kaplan else"
        " (anchor_parameters * power(law_flop / anchor_flop, exponent) if form_is_power else"
        " power(law_flop / (6 * tokens_ratio), 0.5)))",
        "parameters",
        title="Optimal parameters",
        source=f"{CLOSED}; {KAPLAN}",
    ),
    Line(
        "optimal_tokens",
        "law_flop / (6 * optimal_parameters) if optimal_parameters else 0",
        "tokens",
        title="Optimal tokens",
        source="C = 6·N·D, Kaplan et al. 2001.08361, section 2.1",
    ),
    Line(
        "loss_at_budget",
        "(used_law_e + used_law_a / power(optimal_parameters, used_alpha)"
        " + used_law_b / power(optimal_tokens, used_beta) if form_is_loss else"
        " power(power(kaplan_n / optimal_parameters, alpha / beta) + kaplan_d / optimal_tokens, beta))"
        " if has_loss else 0",
        "nats per token",
        title="Loss at the optimum",
        about="0: the law predicts no loss",
        source=f"{CLOSED}; {KAPLAN}",
    ),
    Line(
        "extrapolated",
        "(1 if optimal_parameters > max_parameters else (1 if optimal_tokens > max_tokens else 0) if max_tokens else 0)"
        " if max_parameters else 0",
        "flag",
        title="Extrapolated",
        about="1: beyond the runs that the law was fitted on",
        source="Fit range of the paper",
    ),
    Line("is_chosen", "1 if law == scaling_law else 0", "flag", title="Chosen law", source="Input scaling_law"),
    Line("chosen_parameters", "is_chosen * optimal_parameters", "parameters", title="Size, chosen law", source=CLOSED),
    Line("chosen_tokens", "is_chosen * optimal_tokens", "tokens", title="Tokens, chosen law", source=CLOSED),
    Line("chosen_loss", "is_chosen * loss_at_budget", "nats per token", title="Loss, chosen law", source=CLOSED),
)
"""One row per law and case."""

MODEL_LAW_LINES = (
    *CONSTANTS,
    Line("has_loss", f"1 if {HAS_LOSS} > 0 else 0", "flag", title="Predicts a loss", source="Its form and constants"),
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
        " if repeat_tokens else tokens_trained",
        "tokens",
        title="Effective tokens",
        about="Repeated tokens count for less and less",
        source="Muennighoff et al. 2305.16264, equation 5",
    ),
    Line(
        "predicted_loss",
        "(used_law_e + used_law_a / power(parameters, used_alpha) + used_law_b / power(effective_tokens, used_beta)"
        " if form_is_loss else power(power(kaplan_n / parameters, alpha / beta) + kaplan_d / effective_tokens, beta))"
        " if has_loss else 0",
        "nats per token",
        title="Predicted loss",
        about="0: the law predicts no loss. Of a mixture all parameters count, which flatters it",
        source=f"{CLOSED}; {KAPLAN}",
    ),
    Line(
        "extrapolated",
        "(1 if parameters > max_parameters else (1 if tokens_trained > max_tokens else 0) if max_tokens else 0)"
        " if max_parameters else 0",
        "flag",
        title="Extrapolated",
        about="1: beyond the runs that the law was fitted on",
        source="Fit range of the paper",
    ),
)
"""One row per model and law."""

ISOFLOP_LINES = (
    Line("isoflop_parameters", "best_parameters * size_factor", "parameters", title="Parameters", source=CLOSED),
    Line("isoflop_tokens", "best_tokens / size_factor", "tokens", title="Tokens", about="The same FLOP", source=CLOSED),
)
"""One row per multiple of the optimal size: how many tokens the same budget then pays for."""
