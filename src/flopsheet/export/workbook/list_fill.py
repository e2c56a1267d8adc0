"""The lists of the shipped template, filled: rows of values, and the formulas that lists.toml gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.layout.shipped_lists import WRAPPED, columns_of, shipped_lists
from flopsheet.export.workbook.heights import heights
from livesheets import Column, TableFill
from livesheets.excel import read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from flopsheet.export.layout.shipped_lists import Repeated
    from livesheets import Formula, Row, Value
    from livesheets.excel import Operand


def fill_list(
    name: str,
    rows: Iterable[Row],
    names: Mapping[str, Operand | None] | None = None,
    *,
    repeats: Repeated | None = None,
    where: str = "",
    table: str = "",
    known: Collection[str] = (),
) -> TableFill:
    """Return a list with rows that give the values of the columns without formulas, in their order.

    `names` are what names in the formulas mean; a name without a meaning is a cell's, and a column whose formula is a
    name that means None has values. `table` is what the list is called in the workbook where that is not its name, and
    `known` are the columns with formulas whose values rows give too.
    """
    columns = list(columns_of(name, repeats or {}))
    others = shipped_lists()[name].where.get(where, {})
    meanings = {word: meaning for word, meaning in (names or {}).items() if meaning is not None}
    without_formula = {"", *(names or {})} - meanings.keys()
    texts = (others.get(spec.header, spec.formula) for spec in columns)
    formulas = (None if text in without_formula else read(text, table or name, meanings) for text in texts)
    result = [Column(spec.header, text, spec.like or None) for spec, text in zip(columns, formulas, strict=True)]
    wrapping = {at: (spec.width, WRAPPED[spec.look]) for at, spec in enumerate(columns) if spec.look in WRAPPED}
    height = heights(wrapping) if wrapping else None
    places = [column.formula is None or column.header in known for column in result]
    return TableFill([_spread(places, iter(row)) for row in rows], tuple(result), height=height)


def _spread(places: Sequence[bool], values: Iterator[Value | Formula]) -> list[Value | Formula]:
    """Return a row that is given without the columns of formulas: blank where a formula gives the value."""
    row = [next(values) if is_given else None for is_given in places]
    if next(values, None) is not None:
        raise ValueError("a row gives more values than there are columns without a formula")
    return row
