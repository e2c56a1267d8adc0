"""The lists of the shipped template, filled: rows of values, and the formulas that lists.toml gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.layout.shipped_lists import WRAPPED, columns_of, shipped_lists
from flopsheet.export.workbook.heights import heights
from livesheets import Column, TableFill
from livesheets.excel import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.export.layout.shipped_lists import Repeated
    from livesheets import Formula, Row, Value
    from livesheets.excel import Operand


def fill_list(
    name: str,
    rows: Iterable[Row],
    names: Mapping[str, Operand | None] | None = None,
    *,
    repeated: Repeated | None = None,
    where: str = "",
    table: str = "",
) -> TableFill:
    """Return a list with rows that give the values of the columns without formulas, in their order.

    `names` are what names in the formulas mean; a name without a meaning is a cell's, and a column whose formula is a
    name that means None has values. `table` is what the list is called in the workbook where that is not its name.
    """
    columns = list(columns_of(name, repeated or {}))
    others = shipped_lists()[name].where.get(where, {})
    meant = {word: meaning for word, meaning in (names or {}).items() if meaning is not None}
    valued = {"", *(names or {})} - meant.keys()
    texts = (others.get(one.header, one.formula) for one in columns)
    formulas = (None if text in valued else read(text, table or name, meant) for text in texts)
    filled = tuple(Column(one.header, text, one.like or None) for one, text in zip(columns, formulas, strict=True))
    wrapped = {at: (one.width, WRAPPED[one.look]) for at, one in enumerate(columns) if one.look in WRAPPED}
    places = [column.formula is None for column in filled]
    return TableFill([_spread(places, iter(row)) for row in rows], filled, height=heights(wrapped) if wrapped else None)


def _spread(places: Sequence[bool], given: Iterator[Value | Formula]) -> list[Value | Formula]:
    """Return a row that is given without the columns of formulas: blank where a formula gives the value."""
    row = [next(given) if is_given else None for is_given in places]
    if next(given, None) is not None:
        raise ValueError("a row gives more values than there are columns without a formula")
    return row
