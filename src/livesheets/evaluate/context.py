"""Where a formula stands, and what the references in it mean there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from livesheets.evaluate.grids import Grid, Result, make_grid
from livesheets.evaluate.scalars import NAME, REFERENCE, FaultError, Scalar, UnknownError, is_number

if TYPE_CHECKING:
    from livesheets.evaluate.book import Block, Book
    from livesheets.evaluate.targets import Target
    from livesheets.references import Area


@dataclass(slots=True)
class CellContext:
    """Where a formula stands: its sheet, and its row of a table."""

    book: Book
    sheet: str
    block: Block | None = None
    row: int = 0
    largest: float = 0.0

    def follow(self, target: Target) -> Result:
        """Return the cells that a reference means."""
        if target.table:
            return self._columns(target)
        if target.area:
            return self._cells(target.sheet or self.sheet, target.area)
        if target.name not in self.book.names:
            raise FaultError(NAME)
        return alone(self.book.evaluate_name(target.name))

    def down_to_here(self, column: Result, first: int) -> Result:
        """Return the cells of a column of the formula's own table from a row, counted from 0, down to its own."""
        if not isinstance(column, Grid) or self.block is None or column.rows != self.block.count:
            raise UnknownError
        return Grid(self.row - first + 1, 1, lambda down, _: column.at(first + down, 0))

    def _columns(self, target: Target) -> Result:
        block = self.book.tables.get(target.table)
        if block is None:
            raise FaultError(NAME)
        first, last = block.span(target.columns)
        if target.part == "#headers":
            return block.titles(first, last)
        if not target.part:
            return block.grid(first, last)
        if target.part != "#this row" or block is not self.block:
            raise UnknownError
        if first == last:
            return alone(block.value(self.row, first))
        return Grid(1, last - first + 1, lambda _, place: block.value(self.row, first + place))

    def _cells(self, sheet: str, area: Area) -> Result:
        book, top, left, right = self.book, area.top, area.left, area.right
        if sheet not in book.sheets:
            raise FaultError(REFERENCE)
        if area.size == 1:
            return alone(book.value(sheet, top, left))
        bottom = max(top, min(area.bottom, book.sheets[sheet].bottom))
        return Grid(bottom - top + 1, right - left + 1, lambda row, place: book.value(sheet, top + row, left + place))


def alone(value: Scalar) -> Result:
    """Return the value of one cell: functions of ranges pass over its text, and over a blank."""
    return value if is_number(value) else make_grid(1, 1, [value])
