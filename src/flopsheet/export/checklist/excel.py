"""Functions of spreadsheets on the values of cells, as far as sums and lookups need them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from flopsheet.export.xlsx.refs import Area

Scalar = float | str | bool | None
Result = Union[Scalar, "Grid"]

MOST = 2_000
"""Cells that are looked through: more would take a spreadsheet's time."""


class UnknownError(Exception):
    """What a formula gives is not known."""


@dataclass(frozen=True)
class Grid:
    """Cells that a formula refers to, and what they show."""

    area: Area
    at: Callable[[int, int], Scalar]

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.area.bottom - self.area.top + 1

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return self.area.right - self.area.left + 1

    def values(self) -> Iterator[Scalar]:
        """Give every value, row by row."""
        if self.rows * self.columns > MOST:
            raise UnknownError
        for row in range(self.area.top, self.area.bottom + 1):
            for column in range(self.area.left, self.area.right + 1):
                yield self.at(row, column)


def scalar(result: Result) -> Scalar:
    """Return the one value of a result."""
    if not isinstance(result, Grid):
        return result
    if result.rows * result.columns != 1:
        raise UnknownError
    return result.at(result.area.top, result.area.left)


def number(value: Scalar) -> float:
    """Return a value as a number; texts are none."""
    if isinstance(value, str):
        raise UnknownError
    return float(value or 0)


def _numbers(arguments: tuple[Result, ...]) -> list[float]:
    """Return what SUM and its like count: the numbers in ranges, and every value by itself."""
    found: list[float] = []
    for one in arguments:
        if isinstance(one, Grid):
            found += [float(v) for v in one.values() if isinstance(v, int | float) and not isinstance(v, bool)]
        else:
            found.append(number(one))
    return found


def _flags(arguments: tuple[Result, ...]) -> list[bool]:
    return [bool(number(scalar(one))) for one in arguments]


def _index(grid: Result, row: Result, column: Result = 0) -> Result:
    if not isinstance(grid, Grid):
        raise UnknownError
    down, across = int(number(scalar(row))), int(number(scalar(column)))
    if grid.rows == 1 and not across:
        down, across = 1, down
    area = grid.area
    if not (0 <= down <= grid.rows and 0 <= across <= grid.columns):
        raise UnknownError
    if down:
        area = replace(area, top=area.top + down - 1, bottom=area.top + down - 1)
    if across:
        area = replace(area, left=area.left + across - 1, right=area.left + across - 1)
    return replace(grid, area=area)


def _match(wanted: Result, grid: Result, kind: Result = 1) -> float:
    key = _key(scalar(wanted))
    if not isinstance(grid, Grid) or scalar(kind) != 0:
        raise UnknownError
    places = [place for place, value in enumerate(grid.values(), start=1) if value is not None and _key(value) == key]
    if not places:
        raise UnknownError
    return places[0]


def _key(value: Scalar) -> Scalar:
    return value.casefold() if isinstance(value, str) else value


def _sumifs(summed: Result, *criteria: Result) -> float:
    if not isinstance(summed, Grid):
        raise UnknownError
    keep = [True] * (summed.rows * summed.columns)
    for grid, wanted in zip(criteria[::2], criteria[1::2], strict=True):
        key = scalar(wanted)
        if not isinstance(grid, Grid) or (isinstance(key, str) and (key[:1] in "<>=" or set(key) & set("*?~"))):
            raise UnknownError
        keep = [kept and _key(value) == _key(key) for kept, value in zip(keep, grid.values(), strict=True)]
    return math.fsum(number(value) for kept, value in zip(keep, summed.values(), strict=True) if kept)


def _countifs(*criteria: Result) -> float:
    first = criteria[0]
    if not isinstance(first, Grid):
        raise UnknownError
    return _sumifs(replace(first, at=lambda *_: 1), *criteria)


def _rows(grid: Result) -> float:
    return grid.rows if isinstance(grid, Grid) else 1


def _columns(grid: Result) -> float:
    return grid.columns if isinstance(grid, Grid) else 1


def _is_number(one: Result) -> bool:
    value = scalar(one)
    return isinstance(value, int | float) and not isinstance(value, bool)


FUNCTIONS: Mapping[str, Callable[..., Result]] = {
    "SUM": lambda *some: math.fsum(_numbers(some)),
    "MIN": lambda *some: min(_numbers(some), default=0),
    "MAX": lambda *some: max(_numbers(some), default=0),
    "COUNT": lambda *some: len(_numbers(some)),
    "PRODUCT": lambda *some: math.prod(_numbers(some)),
    "ABS": lambda one: abs(number(scalar(one))),
    "N": lambda one: number(scalar(one)) if not isinstance(scalar(one), str) else 0,
    "AND": lambda *some: all(_flags(some)),
    "OR": lambda *some: any(_flags(some)),
    "NOT": lambda one: not number(scalar(one)),
    "ISNUMBER": _is_number,
    "INDEX": _index,
    "MATCH": _match,
    "SUMIFS": _sumifs,
    "COUNTIF": _countifs,
    "COUNTIFS": _countifs,
    "IFERROR": lambda one, _: one,
    "ROWS": _rows,
    "COLUMNS": _columns,
}
