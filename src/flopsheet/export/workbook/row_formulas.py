"""A formula of cells of its own row, written once: the text for Excel, and the value in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.spreadsheet.engine import Value


class Cells(NamedTuple):
    """What a name of a formula stands for: how Excel refers to it, and its numbers, a row each."""

    reference: str
    numbers: Callable[[], Iterable[Number]]


def row_formula(text: str, cells: Mapping[str, Cells]) -> tuple[str, Callable[[], Iterable[Value]]]:
    """Return a formula for Excel, and what gives its values, computed in floats as spreadsheets do."""
    parsed = formula.read(text)

    def values() -> Iterable[Value]:
        columns = (map(float, one.numbers()) for one in cells.values())
        return (plain(parsed.evaluate(dict(zip(cells, row, strict=True)))) for row in zip(*columns, strict=False))

    return parsed.excel(lambda name: cells[name].reference), values
