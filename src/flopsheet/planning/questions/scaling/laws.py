"""Scaling laws as records: those of laws.toml, and those of plugins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from flopsheet.accounting.data import read_table
from flopsheet.accounting.formula.names import check_name
from flopsheet.planning.question import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Input

Form = Literal["loss", "kaplan", "power"]
OWN = "own"
"""The name of the law whose constants are inputs of the plan."""


@dataclass(frozen=True, kw_only=True)
class ScalingLaw:
    """A scaling law in one of three forms, with what it was fitted on; laws.toml says what each number means.

    `confidence` says how sure the constants are: read in the source, or from memory. `name` is what the input
    `scaling_law` takes, `max_parameters` and `max_tokens` bound the runs that were fitted, 0 where they are not known.
    """

    name: str
    title: str
    form: Form
    source: str
    confidence: str
    law_a: float = 0
    law_b: float = 0
    law_e: float = 0
    alpha: float = 0
    beta: float = 0
    kaplan_n: float = 0
    kaplan_d: float = 0
    exponent: float = 0
    anchor_flop: float = 0
    anchor_parameters: float = 0
    repeat_tokens: float = 0
    max_parameters: float = 0
    max_tokens: float = 0
    counts_active: float = 0
    delta: float = 0
    gamma: float = 0
    omega: float = 0
    zeta: float = 0
    expert_start: float = 0
    expert_limit: float = 0
    exponent_low: float = 0
    exponent_high: float = 0
    pivot_flop: float = 0

    @property
    def numbers(self) -> dict[str, Any]:
        """What formulas read of it."""
        constants = {name: value for name, value in vars(self).items() if name not in TEXTS}
        forms = {f"form_is_{form}": int(self.form == form) for form in get_args(Form)}
        return constants | forms | {"is_own": int(self.name == OWN)}


TEXTS = ("name", "title", "form", "source", "confidence")
NEEDS = {
    "loss": ("law_a", "law_b", "alpha", "beta"),
    "kaplan": ("kaplan_n", "kaplan_d", "alpha", "beta"),
    "power": ("exponent", "anchor_flop", "anchor_parameters"),
}
"""The numbers without which a law of each form says nothing."""

LIMITS = {"exponent": (0, 1), "law_e": (0, 1e3), "max_parameters": (0, 1e30), "max_tokens": (0, 1e30)}
"""What numbers of a law are at least and at most: of more compute no larger share goes to parameters than all."""


def wrong(law: ScalingLaw) -> str:
    """Say what a law lacks or cannot have; "" where nothing is wrong."""
    if reason := check_name(law.name):
        return f"its name cannot be used: {reason}"
    if bad := [name for name, (least, most) in LIMITS.items() if not least <= getattr(law, name) <= most]:
        least, most = LIMITS[bad[0]]
        return f"{bad[0]} = {getattr(law, bad[0]):g}; a number from {least} to {most:g} is expected"
    missing = [name for name in NEEDS[law.form] if not getattr(law, name) > 0]
    return f"a law of the form {law.form!r} needs {', '.join(missing)} above 0" if missing else ""


@cache
def bundled_laws() -> tuple[ScalingLaw, ...]:
    """Return the laws that come with flopsheet."""
    return tuple(ScalingLaw(**row) for row in read_table(__package__, "laws.toml")["laws"])


def rows_of(laws: Sequence[ScalingLaw]) -> Rows:
    """Return laws as the rows of tables: their key is the place of the choice `scaling_law`."""
    factor = read_table(__package__, "laws.toml")["flop_factor"]
    return Rows(
        "law",
        "Law",
        values=tuple({"law": place, "flop_factor": factor} | law.numbers for place, law in enumerate(laws, start=1)),
        labels=tuple(law.title for law in laws),
    )


def chosen_by(choice: Input, laws: Sequence[ScalingLaw]) -> Input:
    """Return the input that chooses a law: its labels are the names of laws, its default one of them."""
    labels = tuple(law.name for law in laws)
    return choice._replace(labels=labels, default=labels.index(str(choice.default)) + 1)


def notes_of(laws: Sequence[ScalingLaw]) -> list[str]:
    """Return where each law comes from, as the question's sheet says it."""
    return [f"{law.title}: {law.source} ({law.confidence})." for law in laws]
