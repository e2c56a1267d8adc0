"""The ledger: all lines of one architecture in order, evaluated for one model or for columns of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.filling import Fillings
from flopsheet.accounting.formula.steps import needed_names
from flopsheet.accounting.line import OF_MEMORY
from flopsheet.accounting.numbers import Numbers
from flopsheet.accounting.picking import picker
from flopsheet.accounting.sentences import Sentences
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.errors import FormulaError, PluginError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy as np

    from flopsheet.accounting.formula import Formula
    from flopsheet.accounting.line import Architecture, Dimension, Line, Number
    from flopsheet.accounting.totals import Entry


Picker = Callable[[Any], tuple[Any, ...]]
WEIGHTS = "parameters"
WHOLE = frozenset((int,))
PLAIN = frozenset((int, float))
"""Types of numbers that are no fractions."""
ABSURD = 10**60
"""From here on a line holds more weights than the largest sizes that may be given make: a formula errs."""
ROUNDING = 1e-13
"""The part of a float64 number by which it may miss a whole one."""


class Ledger(Struct, frozen=True, eq=False, dict=True):
    """The dimensions and lines of one architecture, in the order of their evaluation."""

    architecture: Architecture
    dimensions: tuple[Dimension, ...]
    entries: tuple[Entry, ...]

    @cached_property
    def _checks(self) -> dict[tuple[tuple[str, str], ...], Sentences]:
        return {}

    @cached_property
    def formulas(self) -> dict[str, Formula]:
        """Each line's formula by the line's name; PluginError names the line that cannot be read."""
        names = {dimension.name for dimension in self.dimensions}
        formulas = {}
        for entry in self.entries:
            formulas[entry.line.name] = read_formula(self.architecture, entry.line, entry.line.formula, names)
            names.add(entry.line.name)
        return formulas

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of every dimension and line in the numbers of a model."""
        names = (*(dimension.name for dimension in self.dimensions), *(entry.line.name for entry in self.entries))
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def workload(self) -> tuple[Dimension, ...]:
        """The dimensions of the workload."""
        names = {dimension.name for dimension in WORKLOAD}
        return tuple(dimension for dimension in self.dimensions if dimension.name in names)

    def workload_of(self, numbers: Numbers) -> tuple[Number, ...]:
        """Return the numbers of the workload."""
        return self._workload(numbers.row)

    @cached_property
    def _workload(self) -> Picker:
        return picker([self.places[dimension.name] for dimension in self.workload])

    @cached_property
    def totals(self) -> tuple[str, ...]:
        """The names of the totals."""
        return tuple(entry.line.name for entry in self.entries if entry.role == "total")

    def fill(
        self, raw_values: Mapping[str, Any], fields: Mapping[str, Number], defaults: Mapping[str, float | str]
    ) -> tuple[dict[str, Number], dict[str, str]]:
        """Return the value of each dimension, and what is wrong with those without one, as `values.fill_in` does."""
        return self._fillings.fill(raw_values, fields, defaults)

    @cached_property
    def _fillings(self) -> Fillings:
        return Fillings(self.dimensions)

    @cached_property
    def notes(self) -> Sentences:
        """The architecture's notes."""
        return Sentences(self.architecture.notes, self.places)

    def checks(self, more: Mapping[str, str]) -> Sentences:
        """Return the architecture's checks of dimensions and fields, and more of them."""
        key = tuple(more.items())
        if key not in self._checks:
            names = {dimension.name for dimension in self.dimensions}
            self._checks[key] = Sentences({**self.architecture.checks, **more}, names)
        return self._checks[key]

    def evaluate(self, values: Mapping[str, Number]) -> Numbers:
        """Return the exact value of every line next to the given value of every dimension."""
        return Numbers(self.places, (*self._pick_dimensions(values), *self._steps.row(values)))

    @cached_property
    def _pick_dimensions(self) -> Picker:
        return picker([dimension.name for dimension in self.dimensions])

    def impossible(self, numbers: Numbers) -> Line | None:
        """Return the first line that counts what cannot be; None where all can be.

        Weights are whole and fewer than absurd; neither weights nor FLOP nor caches and states are negative, and a
        cache is no third of a byte.
        """
        row, (weights, counts) = numbers.row, self._pickers
        parameters, amounts = weights(row), counts(row)
        whole = WHOLE.issuperset(map(type, parameters)) and max(parameters, default=0) < ABSURD
        if whole and min(amounts, default=0) >= 0 and PLAIN.issuperset(map(type, amounts)):
            return None
        return next((line for line in self._lines if not _can_be(line, numbers[line.name])), None)

    def possible(self, columns: Mapping[str, Any]) -> Any:
        """Return where all lines of `amount_names`, as columns, count what can be: what `impossible` asks of one model.

        Weights are whole up to the rounding of float64, and thirds of a byte are not seen.
        """
        result: Any = True
        for line in self._lines:
            column = columns[line.name]
            result = result & (column >= 0)
            if line.unit == WEIGHTS:
                result = result & (abs(column % 1 - 0.5) >= 0.5 - ROUNDING * (1 + abs(column))) & (column < ABSURD)
        return result

    @property
    def amount_names(self) -> tuple[str, ...]:
        """The names of the lines that are looked at: weights, FLOP, caches and states."""
        return tuple(line.name for line in self._lines)

    @cached_property
    def _lines(self) -> list[Line]:
        """The lines of weights, FLOP, caches and states; bytes are also taken away, of weights that are quantized."""
        of_lines = [entry.line for entry in self.entries if entry.role == "line"]
        lines = [line for line in of_lines if line.additive and not line.signed]
        return [line for line in lines if line.unit in (WEIGHTS, "FLOP") or line.group in OF_MEMORY]

    @cached_property
    def _pickers(self) -> tuple[Picker, Picker]:
        """What picks the numbers of weights out of a row, and what picks all that is counted."""
        weights = [self.places[line.name] for line in self._lines if line.unit == WEIGHTS]
        return picker(weights), picker([self.places[line.name] for line in self._lines])

    @cached_property
    def _steps(self) -> formula.Steps:
        return formula.Steps(self.formulas, f" of {self.architecture.name}")

    def columns(
        self, values: Mapping[str, Any], names: Iterable[str] | None = None
    ) -> dict[str, np.ndarray[Any, Any] | float]:
        """Return lines as float64 columns: those of `names` and all that they read, or every line.

        Each dimension is a number or an array of one length.
        """
        scope = dict(values)
        wanted_names = self.formulas.keys() if names is None else needed_names(names, self.formulas)
        lines: dict[str, np.ndarray[Any, Any] | float] = {}
        for name, line in self.formulas.items():
            if name in wanted_names:
                lines[name] = scope[name] = line.columns(scope)
        return lines


def _can_be(line: Line, number: Number) -> bool:
    """Tell whether a line can count so much; bytes of an element may be any binary fraction, such as half a byte."""
    if line.unit == WEIGHTS:
        return 0 <= number < ABSURD and number == int(number)
    return number >= 0 and (line.unit == "FLOP" or _is_binary(number))


def _is_binary(number: Number) -> bool:
    """Tell whether a number is whole, halves, quarters and so on, as every float is."""
    parts: int = getattr(number, "denominator", 1)
    return parts & (parts - 1) == 0


def read_formula(architecture: Architecture, line: Line, text: str, names: Collection[str] | None = None) -> Formula:
    """Return a formula of a line that may use the known names; PluginError names the line where it cannot be read."""
    try:
        return formula.read(text, names)
    except FormulaError as error:
        raise PluginError(f"line {line.name} of {architecture.name}:\n{error}", line.name) from None
