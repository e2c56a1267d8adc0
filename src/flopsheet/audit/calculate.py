"""What a formula of a template gives with the values that its cells show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from flopsheet.audit.precedents import ranges
from flopsheet.audit.view import Cell
from livesheets.evaluate.context import alone
from livesheets.evaluate.grids import Grid
from livesheets.evaluate.reading import result
from livesheets.evaluate.scalars import Fault, Scalar, UnknownError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.audit.view import WorkbookView
    from livesheets.copies import Original
    from livesheets.evaluate.grids import Result
    from livesheets.evaluate.targets import Target
    from livesheets.references import Area

MAX_CELLS = 2_000
"""Cells that are looked through: more would take a spreadsheet's time."""


class Context(Struct):
    """Where a formula stands, what other cells would show, and the largest number that was added up on the way."""

    view: WorkbookView
    cell: Cell
    instead: Mapping[Cell, Scalar] = field(default_factory=dict)
    largest: float = 0
    original: Original | None = None
    """What the formula is a copy of, where that is evaluated in its place."""

    def show(self, cell: Cell) -> Scalar:
        """Return what a cell shows."""
        if cell in self.instead:
            return self.instead[cell]
        value = self.view.value(cell)
        is_unknown = value is None and cell in self.view.formulas
        if is_unknown or not isinstance(value, bool | int | float | str | None):
            raise UnknownError
        return value

    def down_to_here(self, *_: object) -> Result:
        """Return the cells of a column down to the formula's own: those of a foreign workbook are not known."""
        raise UnknownError

    def follow(self, target: Target) -> Result:
        """Return the cells that a reference means."""
        result = list(ranges(self.view, self.cell, target.text, self.original))
        home = self.view.template.book.sheets.get(result[0][0]) if len(result) == 1 else None
        if home is None:
            raise UnknownError
        area = result[0][1]
        if area.size == 1:
            return alone(self.show(Cell(home.name, area.top, area.left)))
        if self.instead or area.top == area.bottom:
            return self._grid(home.name, area)
        key = home.name, area
        if key not in self.view.grids:
            self.view.grids[key] = self._grid(*key)
        return self.view.grids[key]

    def _grid(self, sheet: str, area: Area) -> Grid:
        rows, columns = area.bottom - area.top + 1, area.right - area.left + 1

        def at(row: int, column: int) -> Scalar:
            return self.show(Cell(sheet, area.top + row, area.left + column))

        return Grid(rows, columns, at, _too_many if rows * columns > MAX_CELLS else None)


def _too_many() -> list[list[Scalar]]:
    raise UnknownError


def calculate(view: WorkbookView, cell: Cell, formula: str, instead: Mapping[Cell, Scalar] | None = None) -> Scalar:
    """Return what a formula gives, if other cells showed something else; None where that is not known."""
    return evaluate_in(Context(view, cell, instead or {}), formula)


def evaluate_in(context: Context, formula: str) -> Scalar:
    """Return what a formula gives in a context, None where that is not known or an error value."""
    try:
        results = result(formula, context)
    except (UnknownError, ArithmeticError, ValueError, TypeError, RecursionError):
        return None
    return None if isinstance(results, Fault) else results
