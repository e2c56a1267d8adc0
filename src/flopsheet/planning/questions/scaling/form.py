"""The one form of all scaling laws: their constants, the loss of a size and its tokens, the range that was fitted."""

from flopsheet.accounting.line import Line

CLOSED = "Minimum of E + A/N^alpha + B/D^beta on 6·N·D = C: Hoffmann et al. 2203.15556, equation 4"
KAPLAN = "Kaplan et al. 2001.08361, equation 1.5"
POWER = "Size of a published run × (C / its FLOP)^exponent"
COMPUTE = "C = 6·N·D, Kaplan et al. 2001.08361, section 2.1"
FORM = "The law's form and constants"
GIVEN = "laws.toml, or the inputs of your own law"

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
