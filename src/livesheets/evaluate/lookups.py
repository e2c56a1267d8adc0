"""Functions that look through ranges: INDEX, MATCH, and sums and counts of what meets some conditions."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import TYPE_CHECKING

from livesheets.evaluate.grids import Grid, Result, make_grid, scalar
from livesheets.evaluate.scalars import (
    COMPARISONS,
    NA,
    REFERENCE,
    VALUE,
    Fault,
    FaultError,
    Scalar,
    UnknownError,
    compare,
    divide,
    is_number,
    key_of,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WILD = frozenset("*?~")


def _grid(result: Result) -> Grid:
    """Return a range; a value by itself is a range of one cell."""
    if isinstance(result, Grid):
        return result
    if isinstance(result, Fault):
        raise FaultError(result)
    return make_grid(1, 1, [result])


def _index(grid: Result, row: Result, column: Result = 0) -> Result:
    result, down, across = _grid(grid), int(number(scalar(row))), int(number(scalar(column)))
    if result.rows == 1 and not across:
        down, across = 1, down
    if not (0 <= down <= result.rows and 0 <= across <= result.columns):
        raise FaultError(REFERENCE)
    if down and across:
        return result.part(down - 1, across - 1)
    return result.part(down - 1 if down else None, across - 1 if across else None)


def _match(lookup: Result, grid: Result, kind: Result = 1) -> float:
    key, result, way = scalar(lookup), _grid(grid), number(scalar(kind))
    if isinstance(key, Fault):
        raise FaultError(key)
    if way < 0 or (isinstance(key, str) and set(key) & _WILD):
        raise UnknownError
    if way:
        values = [number(value) for value in result.values]
        place = bisect_right(values, number(key)) - 1
    else:
        place = result.places.get(key_of(0 if key is None else key), [-1])[0]
    if place < 0:
        raise FaultError(NA)
    return place + 1


def _places(criteria: tuple[Result, ...]) -> list[int]:
    """Return the places at which all conditions hold, a range and what is wanted of it by turns."""
    pairs = zip(criteria[::2], criteria[1::2], strict=True)
    first, *others = [_meeting(_grid(grid), scalar(criterion)) for grid, criterion in pairs] or [[]]
    return sorted(set(first).intersection(*others)) if others else first


def _meeting(grid: Grid, criterion: Scalar) -> list[int]:
    """Return the places of a range whose values meet a condition such as 3, "step" or "<>exact"."""
    if isinstance(criterion, Fault):
        raise FaultError(criterion)
    if criterion is None:
        raise UnknownError
    if not isinstance(criterion, str):
        return grid.places.get(key_of(criterion), [])
    sign = next((text for text in COMPARISONS if criterion.startswith(text)), "")
    key = _read(criterion[len(sign) :])
    if isinstance(key, str) and set(key) & _WILD:
        raise UnknownError
    if sign in ("", "="):
        if key == "":
            raise UnknownError
        return grid.places.get(key_of(key), [])
    return [place for place, value in enumerate(grid.values) if _holds(sign, value, key)]


def _holds(sign: str, value: Scalar, key: Scalar) -> bool:
    """Whether a value meets a condition; one of another kind is only ever different."""
    same = is_number(value) if is_number(key) else isinstance(value, str)
    if not same or isinstance(value, Fault):
        return sign == "<>"
    return COMPARISONS[sign](compare(value, key), 0)


def _read(text: str) -> Scalar:
    """Return the number that a condition's text spells, or the text."""
    try:
        return float(text)
    except ValueError:
        return text


def sums(values: Result, places: list[int]) -> float:
    """Return the sum of the numbers at some places of a range."""
    grid, result = _grid(values), []
    take = grid.item if len(places) == 1 else grid.values.__getitem__
    for place in places:
        value = take(place)
        if isinstance(value, Fault):
            raise FaultError(value)
        if is_number(value):
            result.append(float(value or 0))
    return result[0] if len(result) == 1 else math.fsum(result)


def _sumifs(values: Result, *criteria: Result) -> float:
    size = _grid(values).size
    if any(_grid(grid).size != size for grid in criteria[::2]):
        raise FaultError(VALUE)
    return sums(values, _places(criteria))


def _sumif(grid: Result, criterion: Result, values: Result | None = None) -> float:
    return _sumifs(grid if values is None else values, grid, criterion)


def _countifs(*criteria: Result) -> float:
    return len(_places(criteria))


def _averageifs(values: Result, *criteria: Result) -> float:
    return divide(_sumifs(values, *criteria), len(_places(criteria)))


LOOKUPS: Mapping[str, Callable[..., Result]] = {
    "INDEX": _index,
    "MATCH": _match,
    "SUMIF": _sumif,
    "SUMIFS": _sumifs,
    "COUNTIF": _countifs,
    "COUNTIFS": _countifs,
    "AVERAGEIFS": _averageifs,
    "ROWS": lambda grid: _grid(grid).rows,
    "COLUMNS": lambda grid: _grid(grid).columns,
}
"""By name."""
