"""Rules of thumb over a batch: each rule of an architecture, evaluated for each of its models."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.formula import Steps
from flopsheet.accounting.formula.compose import fill
from flopsheet.accounting.picking import picker
from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.planning.rules import DIFFERENCE, sound_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number, Rule
    from flopsheet.errors import FormulaError
    from flopsheet.host.host import Host
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.rules import RuleForm

    Show = Callable[[Mapping[int, Costed]], Sequence[float | str]]

PUBLISHED, CORRECTED = 0, 1
"""The places of the forms of a rule."""


class RuleResults(Struct, frozen=True):
    """A rule of thumb, and its forms for the models that it means, whose `places` are by their numbers in the batch.

    A form has its numbers, and what they are off.
    """

    rule: Rule
    places: Mapping[int, int]
    forms: Sequence[tuple[Sequence[float], Sequence[float]]] = ()

    def columns(self, form: int) -> list[Show]:
        """Return what gives the numbers of a form for models, and what they are off: blank where it means none."""
        return [partial(self._show, numbers) for numbers in self.forms[form]]

    def _show(self, numbers: Sequence[float], models: Mapping[int, Costed]) -> Sequence[float | str]:
        if len(models) == len(self.places):
            return numbers
        return [numbers[self.places[at]] if at in self.places else "" for at in models]


def rule_results(host: Host, architecture: str, models: Mapping[int, Costed]) -> list[RuleResults]:
    """Return the rules that apply to some model; a bad one is in `flopsheet plugins` and costs no workbook."""
    forms: list[RuleForm] = []
    places, failed = next(iter(models.values())).numbers.places, set[str]()
    with suppress(PluginError):
        forms = sound_rules(host, architecture, places)
    each = {form.rule.name: _formulas(form) for form in forms}
    steps = Steps({name: text for formulas in each.values() for name, text in formulas.items()})
    pick = picker([places[name] for name in steps.given])

    def fail(_: int, name: str, __: FormulaError) -> int:
        failed.add(name)
        return 0

    rows = [*steps.rows((pick(model.numbers.row) for model in models.values()), fail)]
    columns = dict(zip(steps.formulas, zip(*rows, strict=True), strict=True))
    sound = [form.rule for form in forms if failed.isdisjoint(each[form.rule.name])]
    results = (_result(rule, models, [columns[name] for name in each[rule.name]]) for rule in sound)
    return [result for result in results if result.places]


def _formulas(form: RuleForm) -> dict[str, Formula]:
    """Return by name whether a rule means a model, and where it does its published, corrected and exact numbers."""
    name = f"rule_{form.rule.name}"
    texts = (text or "0" for text in (form.rule.formula, form.rule.corrected, form.rule.compares))
    each = (fill("FORM if MEANS != 0 else 0", FORM=text, MEANS=name) for text in texts)
    return {name: form.where, **{f"{name}_{at}": formula.read(text) for at, text in enumerate(each)}}


def _result(rule: Rule, models: Mapping[int, Costed], columns: Sequence[Sequence[Number]]) -> RuleResults:
    """Return what a rule gives for the models that it means."""
    meant = compress(models, columns[0])
    published, corrected, exact = ([*map(float, compress(column, columns[0]))] for column in columns[1:])
    forms = [published, corrected] if rule.corrected else [published]
    off = ([*map(plain, DIFFERENCE.cells({"number": form, "exact": exact}))] for form in forms)
    return RuleResults(rule, {at: place for place, at in enumerate(meant)}, [*zip(forms, off, strict=True)])
