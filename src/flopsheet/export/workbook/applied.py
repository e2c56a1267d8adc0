"""Rules of thumb over a batch: each rule of an architecture, evaluated for each of its models."""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from math import isnan, nan
from typing import TYPE_CHECKING

from flopsheet.errors import PluginError
from flopsheet.planning.rules import read_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Number, Rule
    from flopsheet.host.host import Host
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.rules import Ruled, RuleForm

ROUNDING = 2.0**-48
"""LibreOffice takes numbers that are nearer to each other than this share as equal."""


def _column() -> array[float]:
    return array("d")


@dataclass(frozen=True)
class RuleOf:
    """A rule of thumb and its numbers for each model of an architecture, as cells hold them.

    `places` says where a model's numbers stand, by its number in the batch. They are nan where the rule does not apply,
    and `corrected` is where it has no corrected form.
    """

    rule: Rule
    places: Mapping[int, int]
    published: array[float] = field(default_factory=_column)
    corrected: array[float] = field(default_factory=_column)
    exact: array[float] = field(default_factory=_column)

    def add(self, found: Ruled | None) -> None:
        """Add the numbers of the next model."""
        self.published.append(float(found.published) if found else nan)
        self.corrected.append(float(found.corrected) if found and found.corrected is not None else nan)
        self.exact.append(float(found.exact) if found else nan)

    @property
    def meant(self) -> Iterator[int]:
        """The numbers of the models that the rule means."""
        return (number for number, place in self.places.items() if not isnan(self.exact[place]))

    def differences(self, column: Sequence[float]) -> list[float]:
        """Return what a form is off, as a share, for each model that the rule means."""
        return [off(value, exact) for value, exact in zip(column, self.exact, strict=True) if not isnan(value)]


def off(value: float, exact: float) -> float:
    """Return what a spreadsheet gives for value / exact - 1: 0 where nothing but rounding is left."""
    ratio = value / exact
    return 0.0 if abs(ratio - 1) < ROUNDING else ratio - 1


def applied(host: Host, architecture: str, models: Mapping[int, Costed]) -> list[RuleOf]:
    """Return the rules that apply to some model; a bad one stands in `flopsheet plugins` and costs no workbook."""
    places = {number: place for place, number in enumerate(models)}
    found = [(form, RuleOf(form.rule, places)) for form in _forms(host, architecture, next(iter(models.values())))]
    for model in models.values():
        known = model.numbers.as_dict()
        found = [pair for pair in found if _added(*pair, known)]
    return [one for _, one in found if any(one.meant)]


def _forms(host: Host, architecture: str, model: Costed) -> list[RuleForm]:
    found = []
    with suppress(PluginError):
        for rule, plugin in host.rules_with_plugins(architecture):
            with suppress(PluginError):
                found.append(read_rule(rule, plugin, model.numbers.keys()))
    return found


def _added(form: RuleForm, one: RuleOf, known: Mapping[str, Number]) -> bool:
    """Add a model's numbers to a rule, and tell whether it has some."""
    try:
        one.add(form.evaluate(known))
    except PluginError:
        return False
    return True
