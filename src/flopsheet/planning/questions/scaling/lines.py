"""Compute-optimal sizes and predicted losses: one set of formulas over all laws, in the form of each."""

from flopsheet.accounting.line import Line

CLOSED = "Minimum of E + A/N^alpha + B/D^beta on 6·N·D = C: Hoffmann et al. 2203.15556, equation 4"
KAPLAN = "Kaplan et al. 2001.08361, equation 1.5"
POWER = "Size of a published run × (C / its FLOP)^exponent"
COMPUTE = "C = 6·N·D, Kaplan et al. 2001.08361, section 2.1"
FORM = "The law's form and constants"
INTERVAL = "Published interval of the exponent, turned around the middle of the fitted runs (judgment)"
GIVEN = "laws.toml, or the inputs of your own law"

REPEATS = "Muennighoff et al. 2305.16264, equation 5"
EXPERTS = "Ludziejewski et al. 2502.05172, equation 6, where the constants depend on how many experts there are"


def expert_effect(expansion: str) -> Line:
    """Return how a law sees experts: its constants are powers of this; 1 for laws that know none."""
    return Line(
        "expert_effect",
        f"1 / (1 / ({expansion} - 1 + 1 / (1 / expert_start - 1 / expert_limit)) + 1 / expert_limit)"
        " if expert_limit else 1",
        "ratio",
        title="Effect of experts",
        source=EXPERTS,
    )


def counted(counts_active: str) -> tuple[Line, ...]:
    """Return how many parameters of a model a law counts: a power of all times one of the active ones."""
    return (
        Line(
            "counted_power",
            f"(1 - {counts_active}) * (mixture_counts_is_all + mixture_counts_is_geometric_mean / 2)",
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


CONSTANTS = tuple(
    Line(f"used_{name}", f"(own_{name} if is_own else {name}){of_experts}", "ratio", title=title, source=source)
    for name, title, of_experts, source in (
        ("law_a", "A", " * power(expert_effect, delta)", f"{GIVEN}; {EXPERTS}"),
        ("law_b", "B", " * power(expert_effect, omega)", f"{GIVEN}; {EXPERTS}"),
        ("law_e", "E", "", GIVEN),
        ("alpha", "alpha", " + gamma * log(expert_effect)", f"{GIVEN}; {EXPERTS}"),
        ("beta", "beta", " - zeta * log(expert_effect)", f"{GIVEN}; {EXPERTS}"),
    )
)
"""The constants of a law; those of the planner's own law are inputs."""

BOUNDS = tuple(
    Line(f"used_{name}", f"own_{name} if is_own else {name}", unit, title=title, about="0: not known", source=GIVEN)
    for name, unit, title in (
        ("max_parameters", "parameters", "Largest size that was fitted"),
        ("max_tokens", "tokens", "Most tokens that were fitted"),
    )
)
"""The largest runs that a law was fitted on."""

MODEL_CONSTANTS = (
    Line(
        "model_effect",
        "expert_effect / law_effect",
        "ratio",
        title="Effect of experts over that of the plan's expansion",
        source=EXPERTS,
    ),
    Line("model_law_a", "used_law_a * power(model_effect, delta)", "ratio", title="A of this model", source=EXPERTS),
    Line("model_law_b", "used_law_b * power(model_effect, omega)", "ratio", title="B of this model", source=EXPERTS),
    Line("model_alpha", "used_alpha + gamma * log(model_effect)", "ratio", title="alpha of this model", source=EXPERTS),
    Line("model_beta", "used_beta - zeta * log(model_effect)", "ratio", title="beta of this model", source=EXPERTS),
)
"""The constants of a law for one model: those of the law, and of the model's own experts where the law knows them."""


def losses(parameters: str, tokens: str, loss: str, title: str, of: str = "used") -> tuple[Line, ...]:
    """Return the loss of a size and its tokens under a law: what its one form gives, plus 0 of the other.

    The names of the constants begin with `of`.

    Both lines are 0 where the law predicts no loss, or there are no parameters or tokens.
    """
    some = f"has_loss * {parameters} * {tokens}"
    return (
        Line(
            f"{loss}_of_sum",
            f"used_law_e + {of}_law_a / power({parameters}, {of}_alpha) + {of}_law_b / power({tokens}, {of}_beta)"
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
        f"1 if max(used_max_parameters * ({parameters} - used_max_parameters),"
        f" used_max_tokens * ({tokens} - used_max_tokens)) > 0 else 0",
        "flag",
        title="Extrapolated",
        about="1: beyond the runs that the law was fitted on",
        source="Fit range of the paper",
    )


CASE_LINES = (
    Line(
        "trainable_flop",
        "budget_flop",
        "FLOP",
        title="FLOP within time and money",
        about="What the cluster computes; where the question money is asked, no more than the cap pays for",
        source="FLOP budget",
    ),
)
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
    *(
        Line(
            f"{end}_parameters",
            f"optimal_parameters * power(law_flop / pivot_flop, exponent_{bound} - size_exponent) if pivot_flop else 0",
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
        source="Least over the models",
    ),
    Line("lowest_loss", "least_loss", "nats per token", title="Lowest loss of a model", source="Least over the models"),
    Line("is_chosen", "1 if law == scaling_law else 0", "flag", title="Chosen law", source="Input scaling_law"),
    Line("chosen_parameters", "is_chosen * optimal_parameters", "parameters", title="Size, chosen law", source=CLOSED),
    Line("chosen_tokens", "is_chosen * optimal_tokens", "tokens", title="Tokens, chosen law", source=CLOSED),
    Line("chosen_flop", "is_chosen * law_flop", "FLOP", title="FLOP, chosen law", source=COMPUTE),
    Line("chosen_loss", "is_chosen * loss_at_budget", "nats per token", title="Loss, chosen law", source=CLOSED),
    *(
        Line(
            f"chosen_{name}",
            f"is_chosen * form_is_loss * used_{name}",
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


def effective(tokens: str, repeats: str) -> tuple[Line, ...]:
    """Return what training tokens are worth to a law under which repeated ones count for less; `repeats` is its R."""
    return (
        Line(
            "seen_tokens",
            f"min(unique_tokens, {tokens}) if unique_tokens else {tokens}",
            "tokens",
            title="Unique tokens seen",
            source=REPEATS,
        ),
        Line(
            "effective_tokens",
            f"seen_tokens * (1 + {repeats} * (1 - exp(-({tokens} / seen_tokens - 1) / {repeats})))"
            f" if {repeats} * seen_tokens else {tokens}",
            "tokens",
            title="Effective tokens",
            about="Repeated tokens count for less and less",
            source=REPEATS,
        ),
    )


MODEL_LAW_LINES = (
    *effective("tokens_trained", "repeat_tokens"),
    *counted("counts_active"),
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
    extrapolated("law_parameters", "tokens_trained"),
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
        title="Training tokens over those",
        source="Ratio",
    ),
    Line(
        "is_nearest",
        "(1 if off_optimum <= nearest_off * (1 + 1 / 1000000000) else 0) * min(optimal_parameters, 1)",
        "flag",
        title="Nearest to the optimum",
        about="1: of all models of the plan",
        source="Least distance under this law",
    ),
    Line(
        "loss_is_lowest",
        "(1 if predicted_loss <= lowest_loss * (1 + 1 / 1000000000) else 0) * (1 if predicted_loss > 0 else 0)",
        "laws",
        title="Lowest loss",
        about="1: of all models of the plan",
        source="Least predicted loss under this law",
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

MODEL_LINES = (
    Line(
        "predicted_loss",
        "loss_of_law",
        "nats per token",
        title="Predicted loss",
        about="Under the chosen law; 0: it predicts none",
        source=GIVEN,
    ),
)
"""One row per model."""

ISOFLOP_LINES = (
    Line("isoflop_parameters", "best_parameters * size_factor", "parameters", title="Parameters", source=CLOSED),
    Line("isoflop_tokens", "best_tokens / size_factor", "tokens", title="Tokens", about="The same FLOP", source=CLOSED),
    Line(
        "isoflop_loss",
        "best_e + best_a / power(isoflop_parameters, best_alpha) + best_b / power(isoflop_tokens, best_beta)"
        " if best_a * best_parameters else 0",
        "nats per token",
        title="Loss",
        about="0: the chosen law has no such loss",
        source="Hoffmann et al. 2203.15556, equation 2",
    ),
    Line(
        "loss_left",
        "best_loss - best_e - best_a / power(isoflop_parameters, best_alpha) if best_a * best_parameters else 0",
        "nats per token",
        title="Loss left for the tokens",
        source="Hoffmann et al. 2203.15556, equation 2",
    ),
    Line(
        "isoloss_tokens",
        "power(best_b / loss_left, 1 / best_beta) if loss_left > 0 else 0",
        "tokens",
        title="Tokens for the same loss",
        about="What this size needs to reach the optimum's loss; 0: it never does",
        source="Hoffmann et al. 2203.15556, equation 2, solved for D",
    ),
    Line(
        "isoloss_flop",
        "best_flop * isoloss_tokens / isoflop_tokens if isoflop_tokens else 0",
        "FLOP",
        title="FLOP for the same loss",
        source=COMPUTE,
    ),
)
"""One row per multiple of the optimal size: how many tokens the same budget then pays for."""
