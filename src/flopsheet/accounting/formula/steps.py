"""Named formulas that follow each other, run in one go: what is evaluated for every model costs half of one by one."""

from __future__ import annotations

from functools import cached_property, partial
from math import fsum, isfinite
from types import FunctionType
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.formula.exact import HELPERS, simplify
from flopsheet.accounting.formula.program import compile_steps
from flopsheet.accounting.nonumber import NoNumberError
from flopsheet.accounting.picking import picker
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.formula.formula import Formula
    from flopsheet.accounting.line import Number

    Failed = Callable[[int, str, FormulaError], Number]
    """Gives what stands for the number of a formula in a row, by the row's place and the formula's name."""
    Instead = Callable[[str, FormulaError], Number]
    """The same of one row."""

PLAIN = {int, float}
"""The types of most numbers; all others are fractions, which may have become whole."""


class Steps(Struct, frozen=True, eq=False, dict=True):
    """Formulas by name, each of which may use the names before it; `of` says in errors whose they are."""

    formulas: Mapping[str, Formula]
    of: str = ""

    def evaluate(self, values: Mapping[str, Number]) -> dict[str, Number]:
        """Return the values and every formula's number, exactly as each formula alone gives it.

        FormulaError names the first formula that gives no number that a cell can hold.
        """
        numbers = self._numbers(values)
        if numbers is None:
            return self._one_by_one(values)
        return {**values, **dict(zip(self.formulas, numbers, strict=True))}

    def row(self, values: Mapping[str, Number], instead: Instead | None = None) -> Sequence[Number]:
        """Return every formula's number in their order; refuse what `evaluate` refuses, or take what is `instead`."""
        numbers = self._numbers(values)
        return self._alone(values, instead) if numbers is None else numbers

    def rows(self, inputs: Iterable[Sequence[Number]], on_failure: Failed | None = None) -> Iterator[Sequence[Number]]:
        """Give the same for rows of `inputs`, in the order of `given`.

        What `on_failure` returns stands for the number of a formula that gives none in a row, and all others are
        computed; a formula that reads what is no number gives that again.
        """
        for place, row in enumerate(inputs):
            numbers = self.together(row)
            if numbers is None:
                instead = partial(on_failure, place) if on_failure else None
                numbers = self._alone(dict(zip(self.given, row, strict=True)), instead)
            yield numbers

    def _alone(self, values: Mapping[str, Number], instead: Instead | None = None) -> list[Number]:
        numbers = self._one_by_one(values, instead)
        return [numbers[name] for name in self.formulas]

    def _numbers(self, values: Mapping[str, Number]) -> Sequence[Number] | None:
        """Return every formula's number, nothing where some formula gives none that a cell can hold."""
        try:
            inputs = self._pick_inputs(values)
        except KeyError:
            return None
        return self.together(inputs)

    def together(self, inputs: Sequence[Number]) -> Sequence[Number] | None:
        """Return every formula's number for the values of `given`, nothing where some formula gives none."""
        try:
            numbers = self._function(*inputs)
            sound = isfinite(fsum(numbers))  # which no number without an end leaves finite
        except (NameError, ZeroDivisionError, OverflowError, ValueError, NoNumberError):
            return None
        if not sound:
            return None
        if PLAIN.issuperset(map(type, numbers)):
            return numbers
        return [number if type(number) in PLAIN else simplify(number) for number in numbers]

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that some formula reads."""
        return frozenset(name for formula in self.formulas.values() for name in formula.names)

    @cached_property
    def given(self) -> tuple[str, ...]:
        """The names that no formula before their use gives: what has to be known."""
        earlier: set[str] = set()
        inputs: dict[str, None] = {}
        for name, formula in self.formulas.items():
            inputs.update(dict.fromkeys(other for other in formula.names if other not in earlier))
            earlier.add(name)
        return tuple(inputs)

    @cached_property
    def _pick_inputs(self) -> Callable[[Mapping[str, Number]], Sequence[Number]]:
        return picker(self.given)

    @cached_property
    def _function(self) -> Callable[..., Sequence[Number]]:
        """All formulas as one function of what is given."""
        code = compile_steps({name: formula.exact_tree for name, formula in self.formulas.items()}, self.given)
        return FunctionType(code, HELPERS)

    def _one_by_one(self, values: Mapping[str, Number], instead: Instead | None = None) -> dict[str, Number]:
        numbers = dict(values)
        for name, formula in self.formulas.items():
            try:
                numbers[name] = formula.evaluate(numbers)
            except FormulaError as error:
                if instead:
                    numbers[name] = instead(name, error)
                    continue
                raise FormulaError(f"line {name}{self.of}: {error}", name) from None
        return numbers


def needed_names(targets: Iterable[str], formulas: Mapping[str, Formula]) -> set[str]:
    """Return these names and all that their formulas read, of formulas in the order of their evaluation."""
    results = set(targets)
    for name in reversed([*formulas]):
        if name in results:
            results.update(formulas[name].names)
    return results
