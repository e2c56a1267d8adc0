"""Rectangles of values: the cells that a reference means, and what a formula makes of them item by item."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Union

from livesheets.evaluate.scalars import FaultError, Scalar, UnknownError, key_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Grid:
    """Rows and columns of values, read when they are asked for and looked through once."""

    __slots__ = ("_places", "_values", "at", "columns", "every", "rows")

    def __init__(
        self,
        rows: int,
        columns: int,
        at: Callable[[int, int], Scalar],
        every: Callable[[], Iterable[Sequence[Scalar]]] | None = None,
        values: Sequence[Scalar] | None = None,
    ) -> None:
        """Keep the size and what gives a value by row and column, from 0.

        `every` gives all values column by column, `values` are they row by row.
        """
        self.rows, self.columns, self.at, self.every = rows, columns, at, every
        self._values = values
        self._places: dict[Scalar, list[int]] | None = None

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.rows * self.columns

    @property
    def values(self) -> Sequence[Scalar]:
        """Every value, row by row."""
        if self._values is None:
            self._values = self._each()
        return self._values

    def _each(self) -> Sequence[Scalar]:
        if self.every:
            columns = list(self.every())
            return columns[0] if len(columns) == 1 else list(chain.from_iterable(zip(*columns, strict=True)))
        at = self.at
        return [at(row, column) for row in range(self.rows) for column in range(self.columns)]

    def parts(self) -> Iterable[Sequence[Scalar]]:
        """Give every value in pieces, in any order: columns that are made when asked for need no room together."""
        return [self.values] if self._values is not None or not self.every else self.every()

    def item(self, place: int) -> Scalar:
        """Return one value, counted row by row."""
        return self.at(*divmod(place, self.columns)) if self._values is None else self._values[place]

    @property
    def places(self) -> dict[Scalar, list[int]]:
        """All places of each value, by what an exact lookup goes by."""
        if self._places is None:
            self._places = {}
            for place, value in enumerate(self.values):
                self._places.setdefault(key_of(value), []).append(place)
        return self._places

    def part(self, row: int | None, column: int | None) -> Grid:
        """Return one row, one column or one cell, counted from 0."""
        at, down, across = self.at, row or 0, column or 0
        rows = self.rows if row is None else 1
        columns = self.columns if column is None else 1
        return Grid(rows, columns, lambda r, c: at(r + down, c + across))


Result = Union[Scalar, Grid]  # noqa: UP007 - a type alias of forward references


def scalar(result: Result) -> Scalar:
    """Return the one value of a result; where there are several, a spreadsheet's choice is not known here."""
    if not isinstance(result, Grid):
        return result
    if result.size != 1:
        raise UnknownError
    return result.at(0, 0)


def make_grid(rows: int, columns: int, values: Sequence[Scalar]) -> Grid:
    """Return values, row by row, as a grid."""
    return Grid(rows, columns, lambda row, column: values[row * columns + column], values=values)


def each(action: Callable[..., Scalar], *results: Result) -> Result:
    """Apply an action to values, item by item where some of them are grids."""
    grids = [result for result in results if isinstance(result, Grid) and result.size != 1]
    if not grids:
        return action(*map(scalar, results))
    rows, columns = max(result.rows for result in grids), max(result.columns for result in grids)
    if any((result.rows, result.columns) != (rows, columns) for result in grids):
        raise UnknownError
    lists = [result.values if result in grids else [scalar(result)] * (rows * columns) for result in results]
    return make_grid(rows, columns, [_item(action, items) for items in zip(*lists, strict=True)])


def _item(action: Callable[..., Scalar], values: Sequence[Scalar]) -> Scalar:
    try:
        return action(*values)
    except FaultError as error:
        return error.fault
