"""Rules of thumb beside the exact numbers of a model: how far a published formula is off, and its corrected form."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting import formula
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Number, Rule
    from flopsheet.host.asking import Plugin
    from flopsheet.host.host import Host
    from flopsheet.planning.costing import Costed

EVERYWHERE = "1"
"""What a rule for all models of its architecture says of where it applies."""


class Ruled(NamedTuple):
    """A rule of thumb evaluated for one model; a difference is a share of the exact number."""

    rule: Rule
    published: Number
    corrected: Number | None
    exact: Number

    @property
    def difference(self) -> float:
        """What the published form is off."""
        return _difference(self.published, self.exact)

    @property
    def corrected_difference(self) -> float | None:
        """What the corrected form is off, None without one."""
        return None if self.corrected is None else _difference(self.corrected, self.exact)


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
    try:
        applies, form, better, compares, names = _formulas(rule)
        if not all(map(known.__contains__, names)):
            _refuse_names((applies, form, better, compares), known)
        if applies.text != EVERYWHERE and not applies.evaluate(known):
            return None
        published, exact = form.evaluate(known), compares.evaluate(known)
        corrected = better.evaluate(known) if rule.corrected else None
    except FormulaError as error:
        raise PluginError(f"rule {rule.name} of {plugin}:\n{error}") from None
    return Ruled(rule, published, corrected, exact) if exact else None


@cache
def _formulas(rule: Rule) -> tuple[Formula, Formula, Formula, Formula, tuple[str, ...]]:
    """Return what says where a rule applies, its forms, the exact number, and all names that they use."""
    texts = (rule.applies, rule.formula, rule.corrected or rule.formula, rule.compares)
    applies, form, better, compares = map(formula.read, texts)
    names = dict.fromkeys(name for one in (applies, form, better, compares) for name in one.names)
    return applies, form, better, compares, tuple(names)


def _refuse_names(formulas: Iterable[Formula], known: Mapping[str, Number]) -> None:
    """Raise FormulaError for the first formula that names something unknown."""
    for one in formulas:
        formula.read(one.text, known.keys())


def _difference(number: Number, exact: Number) -> float:
    if isinstance(number, int) and isinstance(exact, int):
        return (number - exact) / exact
    return float(Fraction(number) / Fraction(exact) - 1)
