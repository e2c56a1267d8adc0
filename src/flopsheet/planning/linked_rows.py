"""How the rows that a link means make one number, exactly: of other tables in groups of keys, or of the row's own."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.nonumber import first_gap, no_number, numbers_of
from flopsheet.accounting.values import add
from flopsheet.planning.question import SAME_TO

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.accounting.line import Number

Keys = tuple["Number", ...]
"""The keys of a row: the model's place, the month, …"""


def begin(groups: Sequence[Keys]) -> set[int]:
    """Return the places of the first row of each group."""
    return {at for at in range(len(groups)) if at == 0 or groups[at] != groups[at - 1]}


def _previous(groups: Sequence[Keys], column: Sequence[Number]) -> list[Number]:
    starts = begin(groups)
    return [0 if place in starts else column[place - 1] for place in range(len(column))]


def _running(groups: Sequence[Keys], column: Sequence[Number]) -> list[Number]:
    starts = begin(groups)
    sums: list[Number] = []
    total: Number = 0
    for at, number in enumerate(column):
        total = number if at in starts else _sum_of(total, number)
        sums.append(total)
    return sums


def _sum_of(total: Any, number: Any) -> Any:
    lacking = first_gap((total, number))
    return total + number if lacking is None else lacking


def _below(groups: Sequence[Keys], column: Sequence[Number]) -> list[Number]:
    """Return for each row how many rows of its group have a clearly smaller number.

    Rows without a number are smaller than none.
    """
    numbers: dict[Keys, list[Number]] = {}
    for group, number in zip(groups, column, strict=True):
        numbers.setdefault(group, []).append(number)
    in_order = {group: sorted(numbers_of(group_numbers)) for group, group_numbers in numbers.items()}
    return [_smaller(in_order[group], number) for group, number in zip(groups, column, strict=True)]


def _smaller(numbers: Sequence[Number], number: Number) -> Number:
    return number if no_number(number) is not None else bisect_left(numbers, number - max(number, -number) / SAME_TO)


WITHIN: Mapping[str, Callable[[Sequence[Keys], Sequence[Number]], list[Number]]] = {
    "previous": _previous,
    "running": _running,
    "below": _below,
}
"""How links read rows of their own table: from the group of each row, and its number."""


def find_rows(
    groups: Mapping[Keys, Sequence[tuple[Keys, Number]]], places: Sequence[tuple[Number, Keys]], place: int
) -> dict[Keys, list[tuple[Keys, Number]]]:
    """Return the rows of each group that are in a place; where none is and some row's place is unknown, that one."""
    group_places: dict[Keys, list[Any]] = {}
    for at, common in places:
        group_places.setdefault(common, []).append(at)
    result: dict[Keys, list[tuple[Keys, Number]]] = {}
    for common, rows in groups.items():
        own = [row for at, row in zip(group_places[common], rows, strict=True) if no_number(at) is None and at == place]
        lacking: Any = first_gap(group_places[common])
        result[common] = own or ([] if lacking is None else [((), lacking)])
    return result


def gather(how: str, values: Sequence[tuple[Keys, Number]], gap: Any = None) -> Number:
    """Return one number of several rows; a single row is itself. Of rows of which one has no number there is none."""
    numbers = [number for _, number in values]
    lacking: Any = first_gap(numbers) if gap is None else gap
    if lacking is not None:
        return lacking  # type: ignore[no-any-return]
    if how == "first":
        return next((keys[-1] for keys, number in values if number), 0)
    if how in ("min", "max"):
        return (min if how == "min" else max)(numbers, default=0)
    return add(numbers)
