"""The one form of all scaling laws: their constants, the loss of a size and its tokens, the range that was fitted."""

from functools import partial

from flopsheet.accounting.formula.compose import fill
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
        fill(
            "1 / (1 / (EXPANSION - 1 + 1 / (1 / expert_start - 1 / expert_limit)) + 1 / expert_limit)"
            " if expert_limit else 1",
            EXPANSION=expansion,
        ),
        "ratio",
        title="Effect of experts",
        source=EXPERTS,
    )


def _own(name: str) -> str:
    """Return a constant of the law, or of the planner's own."""
    return fill("own_NAME if is_own else NAME", NAME=name)


CONSTANTS = tuple(
    Line(f"used_{name}", fill(formula, OWN=_own(name)), "ratio", title=title, source=source)
    for name, title, formula, source in (
        ("law_a", "A", "OWN * power(expert_effect, delta)", f"{GIVEN}; {EXPERTS}"),
        ("law_b", "B", "OWN * power(expert_effect, omega)", f"{GIVEN}; {EXPERTS}"),
        ("law_e", "E", "OWN", GIVEN),
        ("alpha", "alpha", "OWN + gamma * log(expert_effect)", f"{GIVEN}; {EXPERTS}"),
        ("beta", "beta", "OWN - zeta * log(expert_effect)", f"{GIVEN}; {EXPERTS}"),
    )
)
"""The constants of a law; those of the planner's own law are inputs."""

BOUNDS = tuple(
    Line(f"used_{name}", _own(name), unit, title=title, about="0: not known", source=GIVEN)
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
    fill_slots = partial(fill, PARAMETERS=parameters, TOKENS=tokens, OF=of)
    return (
        Line(
            f"{loss}_of_sum",
            fill_slots(
                "used_law_e + OF_law_a / power(PARAMETERS, OF_alpha) + OF_law_b / power(TOKENS, OF_beta)"
                " if form_is_loss * has_loss * PARAMETERS * TOKENS else 0"
            ),
            "nats per token",
            title=f"{title}: E + A/N^alpha + B/D^beta",
            source="Hoffmann et al. 2203.15556, equation 2",
        ),
        Line(
            f"{loss}_of_power",
            fill_slots(
                "power(power(kaplan_n / PARAMETERS, used_alpha / used_beta) + kaplan_d / TOKENS, used_beta)"
                " if form_is_kaplan * has_loss * PARAMETERS * TOKENS else 0"
            ),
            "nats per token",
            title=f"{title}: form of Kaplan et al.",
            source=KAPLAN,
        ),
    )


def extrapolation_line(parameters: str, tokens: str) -> Line:
    """Return whether a size or its tokens are beyond those of the law's runs; 0 for a bound that nobody published."""
    return Line(
        "extrapolated",
        fill(
            "1 if max(used_max_parameters * (PARAMETERS - used_max_parameters),"
            " used_max_tokens * (TOKENS - used_max_tokens)) > 0 else 0",
            PARAMETERS=parameters,
            TOKENS=tokens,
        ),
        "flag",
        title="Extrapolated",
        about="1: beyond the runs that the law was fitted on",
        source="Fit range of the paper",
    )
