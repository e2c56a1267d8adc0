"""Rules of thumb over a batch: each rule of an architecture, evaluated for each of its models."""

from __future__ import annotations

from array import array
from contextlib import suppress
from functools import cached_property
from math import isnan, nan
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, field

from flopsheet.accounting.formula import Steps
from flopsheet.accounting.packed_numbers import pack
from flopsheet.accounting.picking import picker
from flopsheet.accounting.values import plain
from flopsheet.errors import FormulaError, PluginError
from flopsheet.planning.rules import DIFFERENCE, sound_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.ledger import Picker
    from flopsheet.accounting.line import Rule
    from flopsheet.accounting.numbers import Numbers
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.rules import RuleForm

T = TypeVar("T")
FORMS = 3
"""The numbers of a rule for a model: published, corrected, exact."""


def _column() -> array[float]:
    return array("d")


class RuleResults(Struct, frozen=True, dict=True):
    """A rule of thumb and its numbers for each model of an architecture, as cells hold them.

    `places` says where a model's numbers stand, by its number in the batch. `published` and `corrected` are nan where
    the rule does not apply, and `corrected` is where it has no corrected form.
    """

    rule: Rule
    places: Mapping[int, int]
    published: array[float] = field(default_factory=_column)
    corrected: array[float] = field(default_factory=_column)
    exact: array[float] = field(default_factory=_column)

    @property
    def applicable(self) -> Iterator[int]:
        """The numbers of the models that the rule means."""
        return (number for number, place in self.places.items() if not isnan(self.published[place]))

    def show_form(self, column: Sequence[float], models: Mapping[int, Costed]) -> Sequence[float | str]:
        """Return a form's numbers for models, a blank where the rule does not mean one."""
        return ["" if isnan(value) else value for value in self._of(column, models)]

    def differences(self, column: Sequence[float], models: Mapping[int, Costed]) -> Sequence[float | str]:
        """Return what a form is off for models."""
        return self._of(self._corrected_off if column is self.corrected else self._published_off, models)

    @cached_property
    def _published_off(self) -> Sequence[float | str]:
        return self._off(self.published)

    @cached_property
    def _corrected_off(self) -> Sequence[float | str]:
        return self._off(self.corrected)

    def _off(self, column: Sequence[float]) -> Sequence[float | str]:
        """Return what a form is off for every model, a blank where the rule does not apply: checks and rows ask."""
        pairs = [pair for pair in zip(column, self.exact, strict=True) if not isnan(pair[0])]
        result = DIFFERENCE.cells({"number": [number for number, _ in pairs], "exact": [exact for _, exact in pairs]})
        if len(result) == len(column):
            return pack([*map(plain, result)])
        left = map(plain, result)
        return ["" if isnan(number) else next(left) for number in column]

    def _of(self, column: Sequence[T], models: Mapping[int, Costed]) -> Sequence[T]:
        return column if len(models) == len(self.places) else [column[self.places[number]] for number in models]


class _ApplicableRules(Struct, frozen=True, dict=True):
    """The rules that mean a model, of all those of its architecture; `places` are those of its models' numbers."""

    forms: Sequence[RuleForm]
    which: tuple[bool, ...]
    places: Mapping[str, int]

    def numbers(self, model: Numbers) -> list[float]:
        """Return the numbers of all rules, one after the other; nan where a rule does not mean the model."""
        results = [*next(self._steps.rows([self._pick_inputs(model.row)])), nan]
        return [float(results[place]) for place in self._places]

    @cached_property
    def _steps(self) -> Steps:
        pairs = zip(self.forms, self.which, strict=True)
        formulas = [part for form, applies in pairs if applies for part in form.formulas]
        return Steps({part.text: part for part in formulas})

    @cached_property
    def _pick_inputs(self) -> Picker:
        return picker([self.places[name] for name in self._steps.given])

    @cached_property
    def _places(self) -> list[int]:
        """Where the number of each form is among those of the steps; the last place is for those without one."""
        order = {text: place for place, text in enumerate(self._steps.formulas)}
        pairs = zip(self.forms, self.which, strict=True)
        return [order.get(text, -1) for form, applies in pairs for text in (form.texts if applies else [""] * FORMS)]


def rule_results(host: Host, architecture: str, models: Mapping[int, Costed]) -> list[RuleResults]:
    """Return the rules that apply to some model; a bad one is in `flopsheet plugins` and costs no workbook."""
    forms: list[RuleForm] = []
    with suppress(PluginError):
        forms = sound_rules(host, architecture, next(iter(models.values())).numbers.keys())
    try:
        result = _over(forms, models)
    except FormulaError:
        result = _over([form for form in forms if _sound(form, models.values())], models)
    return [rule for rule in result if any(rule.applicable)]


def _sound(form: RuleForm, models: Iterable[Costed]) -> bool:
    """Tell whether a rule gives a number for every model that it means."""
    with suppress(PluginError):
        for model in models:
            form.evaluate(model.numbers)
        return True
    return False


def _over(forms: Sequence[RuleForm], models: Mapping[int, Costed]) -> list[RuleResults]:
    """Return rules with their numbers, which stand model by model until all are known."""
    numbers, kinds = _column(), dict[tuple[bool, ...], _ApplicableRules]()
    where = Steps({f"{place}": form.where for place, form in enumerate(forms)})
    name_places = next(iter(models.values())).numbers.places
    pick = picker([name_places[name] for name in where.given])
    rows = where.rows(pick(model.numbers.row) for model in models.values())
    for model, flags in zip(models.values(), rows, strict=True):
        which = tuple(map(bool, flags))
        if which not in kinds:
            kinds[which] = _ApplicableRules(forms, which, name_places)
        numbers.extend(kinds[which].numbers(model.numbers))
    places = {number: place for place, number in enumerate(models)}
    width = FORMS * len(forms)
    columns = [numbers[at::width] for at in range(width)]
    return [RuleResults(form.rule, places, *columns[FORMS * at : FORMS * (at + 1)]) for at, form in enumerate(forms)]
