"""Named formulas that follow each other, run in one go: what is evaluated for every model costs half of one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING

from flopsheet.accounting.formula.exact import HELPERS
from flopsheet.accounting.formula.program import compile_steps
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType

    from flopsheet.accounting.formula.formula import Formula
    from flopsheet.accounting.line import Number

PLAIN = {int, float}
"""The types of most numbers; all others are fractions, which may have become whole."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Formulas by name, each of which may use the names before it; `of` says in errors whose they are."""

    formulas: Mapping[str, Formula]
    of: str = ""

    def evaluate(self, values: Mapping[str, Number]) -> dict[str, Number]:
        """Return the values and every formula's number, exactly as each formula alone gives it.

        FormulaError names the first formula that gives no number that a cell can hold.
        """
        known = dict(values)
        try:
            exec(self._code, HELPERS, known)  # noqa: S102  made from checked trees, and without builtins
            numbers = [known[name] for name in self.formulas]
            sound = all(map(isfinite, numbers))
        except (NameError, ZeroDivisionError, OverflowError, ValueError):
            sound = False
        if not sound:
            return self._one_by_one(values)
        if not PLAIN.issuperset(map(type, numbers)):
            known.update(zip(self.formulas, map(_plain, numbers), strict=True))
        return known

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that some formula reads."""
        return frozenset(name for formula in self.formulas.values() for name in formula.names)

    @cached_property
    def _code(self) -> CodeType:
        return compile_steps({name: formula.tree for name, formula in self.formulas.items()})

    def _one_by_one(self, values: Mapping[str, Number]) -> dict[str, Number]:
        known = dict(values)
        for name, formula in self.formulas.items():
            try:
                known[name] = formula.evaluate(known)
            except FormulaError as error:
                raise FormulaError(f"line {name}{self.of}: {error}", name) from None
        return known


def _plain(number: Number) -> Number:
    """Return a fraction that is whole as a whole number."""
    if type(number) is int or type(number) is float:
        return number
    return number if isinstance(number, int | float) or number.denominator > 1 else number.numerator
