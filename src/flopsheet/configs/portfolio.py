"""What a portfolio says: its keys, and what they give to a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from flopsheet.configs.model import Model
    from flopsheet.configs.scenarios import Scenario

TABLES = {
    "workload": dict,
    "inputs": dict,
    "cluster": dict,
    "layout": dict,
    "serving": dict,
    "finetuning": dict,
    "reinforcement": dict,
    "drivers": dict,
    "models": list,
    "name": str,
    "questions": list,
    "require": list,
    "without": list,
    "plugins": list,
    "scenario": str,
    "sweep": dict,
    "scenarios": dict,
}
SECTIONS = ("inputs", "cluster", "layout", "serving", "finetuning", "reinforcement", "drivers")
"""Headings under which the inputs of a plan may be written; they mean the same."""
ENTRY = {
    "name",
    "config",
    "size",
    "architecture",
    "dimensions",
    "tokens",
    "inputs",
    "published",
    "read_as",
    "rename",
    "method",
}
ACCELERATOR = "accelerator"
PRICE_KIND = "price_kind"
START, END, REPORT_DATE = "start", "end", "report_date"
DATED = (START, END, REPORT_DATE)
"""The inputs that are dates: the window of training, and the day against which the age of prices is measured."""
CATALOGED = (ACCELERATOR, PRICE_KIND)
"""The inputs that are names: of a row of the catalog, and of the kind of price that is taken from it."""
RANGE = ("low", "base", "high", "source", "date")


class Portfolio(Struct, frozen=True):
    """What a portfolio file says: its models, its workload, the inputs of its plan, and the questions it asks.

    `sections` is the heading under which each input was written. `sweep` is what `flopsheet sweep` runs over.
    `notes` say what a reader should know of the file itself, such as that a report was made by another version.
    """

    name: str
    path: str
    sha256: str
    models: tuple[Model, ...] = ()
    workload: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    scenario: str = ""
    questions: tuple[str, ...] = ()
    sections: Mapping[str, str] = field(default_factory=dict)
    sweep: Mapping[str, Any] = field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    notes: tuple[str, ...] = ()


class KnownInputs(Struct, frozen=True):
    """What planning says of inputs: their names, and what is wrong with values under a heading.

    Called with what is written before each name, such as `inputs.`, and the values, it returns the problems.
    `together` says what is wrong with the questions and inputs of a plan as a whole.
    """

    names: Callable[[], Collection[str]]
    wrong: Callable[[str, Mapping[str, Any]], list[str]]
    together: Callable[[Sequence[str], Mapping[str, Any]], list[str]] = lambda _, __: []

    def __call__(self, prefix: str, table: Mapping[str, Any]) -> list[str]:
        """Return what is wrong with values, each with its place and what to write."""
        return self.wrong(prefix, table)


unchecked = KnownInputs(tuple, lambda _, __: [])
"""Checks no input of a plan: for who costs models and plans nothing."""


def long_name(heading: str, name: str, names: Collection[str]) -> str:
    """Return the input that a name under a heading means: `[serving] tensor_parallel` is `serving_tensor_parallel`."""
    long = f"{heading}_{name}"
    return long if long in names else name
