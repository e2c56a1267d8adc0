"""Input cells of a filled workbook: the value of each, or why it has none that can be imported."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import check, plain
from flopsheet.export.roundtrip.rows import shown_cell
from flopsheet.export.workbook.assumptions import TIMES
from flopsheet.planning.inputs import read_typed
from flopsheet.units.named_values import DATE
from livesheets import Unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.accounting.line import Dimension, Input
    from flopsheet.export.roundtrip.rows import Key, Rows
    from livesheets import Cell

TRILLION, BILLION = 10**12, 10**9


def read_cell(
    rows: Rows,
    key: Key,
    header: str,
    read: Callable[[Cell], Any],
    problems: list[str],
    what: str = "",
    *,
    follows: bool = False,
) -> Any:
    """Return what `read` makes of an input cell; None, with the problem kept, where it raises ValueError.

    A formula and an error value are no input, whatever their value, unless the cell `follows` others.
    """
    where = f"{rows.address(key, header)} ({what or header})"
    formula, value = rows.formula(key, header), rows.value(key, header)
    if formula is not None and not follows:
        problems.append(f"{where}: found the formula ={formula}; type its value")
        return None
    if isinstance(value, Unusable):
        problems.append(f"{where}: found {value}")
        return None
    if isinstance(value, date) and read is not text_in and not holds_days(rows, key):
        problems.append(f"{where}: found the date {value}; expected a number: reset the cell's number format")
        return None
    try:
        return read(value)
    except ValueError as error:
        problems.append(f"{where}: {'is empty' if value is None else error}")
        return None


def holds_days(rows: Rows, key: Key) -> bool:
    """Tell whether a row of the table of inputs has dates."""
    return "Unit" in rows.columns and rows.value(key, "Unit") == DATE


def in_plain_units(rows: Rows, key: Key, read: Callable[[Cell], Any]) -> Callable[[Cell], Any]:
    """Return what reads a cell of the table of inputs, whose row says how many plain units the shown one is."""
    times = rows.value(key, TIMES)

    def plain_units(cell: Cell) -> Any:
        if isinstance(cell, bool) or not isinstance(cell, int | float) or not isinstance(times, int):
            return read(cell)
        return read(plain(Fraction(str(cell)) * times))

    return plain_units


def row_values(rows: Rows, key: Key, dimensions: Iterable[Dimension], problems: list[str]) -> dict[str, Any]:
    """Return the dimensions of a row by name, without those whose cells are empty or refused.

    A formula of what follows others counts by its value; one without a value, as below a table, is as good as none.
    """
    values: dict[str, Any] = {}
    for dimension in dimensions:
        cell = rows.value(key, dimension.name)
        if isinstance(cell, Unusable) and rows.formula(key, dimension.name) is not None:
            continue
        if cell is not None:
            read = partial(dimension_in, dimension)
            values[dimension.name] = read_cell(rows, key, dimension.name, read, problems, follows=True)
    return {name: value for name, value in values.items() if value is not None}


def dimension_in(dimension: Dimension, value: Cell) -> Cell:
    """Return the value of a dimension, as a portfolio states it."""
    check(dimension, value)
    return int(value) if isinstance(value, bool) else value


def text_in(value: Cell) -> str:
    """Return a text; a date as ISO writes it."""
    return "" if value is None else str(value)


def tokens_in(value: Cell) -> int | None:
    """Return a number of tokens from one in trillions; an empty cell is none."""
    tokens = _count_in(value, TRILLION, "trillions of tokens")
    if tokens == 0:
        raise ValueError(f"{shown_cell(value)} trillion is less than one token")
    return tokens


def published_in(value: Cell) -> int | None:
    """Return a published count of parameters from one in 1e9; an empty cell is none."""
    return _count_in(value, BILLION, "billions of parameters")


def _count_in(value: Cell, size: int, unit: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise ValueError(f"{shown_cell(value)}; expected a number above 0, in {unit}")
    return round(Fraction(str(value)) * size)


def own_in(input_: Input, value: Cell) -> Any:
    """Return what a model states of an input for itself; an empty cell is nothing."""
    return None if value is None else read_typed(input_, value)


def own_inputs(rows: Rows, key: Key, inputs: Mapping[str, Input], problems: list[str]) -> dict[str, Any]:
    """Return the inputs that a model states for itself; `inputs` has those that it may by their columns on Models."""
    result = {i.name: read_cell(rows, key, header, partial(own_in, i), problems) for header, i in inputs.items()}
    return {name: value for name, value in result.items() if value is not None}
