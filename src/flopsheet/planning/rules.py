"""Rules of thumb beside the exact numbers of a model: how far a published formula is off, and its corrected form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number, Rule
    from flopsheet.host.host import Host, Plugin
    from flopsheet.planning.costing import Costed


@dataclass(frozen=True)
class Ruled:
    """A rule of thumb evaluated for one model; a difference is a share of the exact number."""

    rule: Rule
    published: Number
    corrected: Number | None
    exact: Number
    difference: float
    corrected_difference: float | None


def ruled(host: Host, model: Costed) -> list[Ruled]:
    """Return the rules that apply to a model, evaluated on its dimensions and lines.

    Left out are rules whose exact number is 0: the model has nothing of what they count. PluginError names the rule
    whose formula cannot be read or gives no number, and its plugin.
    """
    known = {**model.values, **model.numbers}
    rules = host.rules_with_plugins(model.model.architecture) if model.ledger else []
    found = [apply(rule, plugin, known) for rule, plugin in rules]
    return [one for one in found if one]


def apply(rule: Rule, plugin: Plugin, known: Mapping[str, Number]) -> Ruled | None:
    """Return a rule evaluated on a model's dimensions and lines, None where it does not apply."""
    texts = {"formula": rule.formula, "corrected": rule.corrected, "compares": rule.compares, "applies": rule.applies}
    try:
        formulas = {part: _read(text, known) for part, text in texts.items() if text}
        if not formulas["applies"].evaluate(known):
            return None
        numbers = {part: formulas[part].evaluate(known) for part in formulas if part != "applies"}
    except FormulaError as error:
        raise PluginError(f"rule {rule.name} of {plugin}:\n{error}") from None
    published, corrected, exact = numbers["formula"], numbers.get("corrected"), numbers["compares"]
    if not exact:
        return None
    off = None if corrected is None else _difference(corrected, exact)
    return Ruled(rule, published, corrected, exact, _difference(published, exact), off)


def _read(text: str, known: Mapping[str, Number]) -> Formula:
    """Return a formula that names only what is known; the text is read once, however many models there are."""
    read = _parsed(text)
    return read if known.keys() >= set(read.names) else formula.read(text, known.keys())


@cache
def _parsed(text: str) -> Formula:
    return formula.read(text)


def _difference(number: Number, exact: Number) -> float:
    return float(Fraction(number) / Fraction(exact) - 1)
