"""The totals row of a list: what its formulas give once the list is filled, where they are plain totals of a column."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from livesheets import unescape
from livesheets.references import Area, reference
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from livesheets import Table, Template, Value
    from livesheets.tokens import Token

TOTALS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "average": statistics.fmean,
    "min": min,
    "max": max,
    "stdDev": statistics.stdev,
    "var": statistics.variance,
}
"""The totals that Excel offers under a column of numbers; counts are apart."""
LEAST_OF = {"sum": 0, "stdDev": 2, "var": 2}
"""How many numbers a total needs, where it is not one."""

_PLAIN: dict[float, str] = {
    1: "average",
    2: "countNums",
    3: "count",
    4: "max",
    5: "min",
    7: "stdDev",
    9: "sum",
    10: "var",
}
_CODES: Mapping[float, str] = _PLAIN | {100 + code: total for code, total in _PLAIN.items()}
"""What the first number of SUBTOTAL means; from 101 on, hidden rows are left out."""
_WORDS = {total.lower(): total for total in TOTALS} | {"count": "countNums", "counta": "count"}
"""The total that a function of Excel gives, by its name in lower case."""


def total_of(template: Template, table: Table, place: int, column: Sequence[Value]) -> Value:
    """Return what the totals row shows of a filled column; None where nobody knows, or Excel gives an error.

    A formula counts, not what the table says of it: Excel keeps the two alike, others do not.
    """
    at = table.area.left + place
    formula = template.formula_text(table.sheet, table.area.bottom, at)
    return _total(_function(formula, table, place) if formula else table.functions[place], column)


def _function(formula: str, table: Table, place: int) -> str:
    """Return which total of its own column a formula is, "" for another formula."""
    pieces = [piece for piece in tokens(formula) if piece.kind != "blank"]
    match [(piece.kind, piece.text) for piece in pieces]:
        case ("function", _), ("sign", "("), ("number", code), ("sign", "," | ";"), _, ("sign", ")"):
            total = _CODES.get(float(code), "") if pieces[0].word == "subtotal" else ""
        case ("function", _), ("sign", "("), _, ("sign", ")"):
            total = _WORDS.get(pieces[0].word, "")
        case _:
            return ""
    return total if _is_column(pieces[-2], table, place) else ""


def _is_column(piece: Token, table: Table, place: int) -> bool:
    """Whether a piece of a formula means the data rows of one column of the table."""
    if piece.kind == "table":
        ref = read_structured(piece.text)
        headers = [unescape(header).casefold() for header in ref.columns]
        own = (ref.table or table.name).casefold() == table.name.casefold()
        return own and not ref.items and headers == [table.columns[place].casefold()]
    at = table.area.left + place
    rows = Area(table.area.top + 1, at, table.area.bottom - table.totals, at)
    result = reference(piece.text) if piece.kind == "cells" else None
    return result is not None and result.sheet.casefold() in {"", table.sheet.casefold()} and result.area == rows


def _total(function: str, column: Sequence[Value]) -> Value:
    """Return the total of a column; None where Excel gives an error or no total."""
    numbers = [float(value) for value in column if isinstance(value, int | float) and not isinstance(value, bool)]
    if function == "count":
        return sum(value is not None for value in column)
    if function == "countNums":
        return len(numbers)
    if function not in TOTALS or len(numbers) < LEAST_OF.get(function, 1):
        return None
    return TOTALS[function](numbers)
