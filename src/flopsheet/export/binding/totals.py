"""The totals row of a list: what its formulas give once the list is filled, where they are plain totals of a column."""

from __future__ import annotations

import re
import statistics
from typing import TYPE_CHECKING

from flopsheet.export.xlsx.cells import unescape
from flopsheet.export.xlsx.refs import Area, references, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet.export.binding.template import Template
    from flopsheet.export.xlsx import Value
    from flopsheet.export.xlsx.book import Table

TOTALS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "average": statistics.fmean,
    "min": min,
    "max": max,
    "stdDev": statistics.stdev,
    "var": statistics.variance,
}
"""The totals that Excel offers under a column of numbers; counts stand apart."""
LEAST_OF = {"sum": 0, "stdDev": 2, "var": 2}
"""How many numbers a total needs, where it is not one."""

_CODES = {1: "average", 2: "countNums", 3: "count", 4: "max", 5: "min", 7: "stdDev", 9: "sum", 10: "var"}
_WORDS = {
    "sum": "sum",
    "average": "average",
    "count": "countNums",
    "counta": "count",
    "max": "max",
    "min": "min",
    "stdev": "stdDev",
    "var": "var",
}
_FORMULA = re.compile(
    r"\s*(?:subtotal\s*\(\s*(?:10)?([0-9]{1,2})\s*[,;]|(\w+)\s*\()(.*)\)\s*", re.DOTALL | re.IGNORECASE
)
_COLUMN = re.compile(r"\s*([^\W\d][\w.]*)?\[(.*)\]\s*", re.DOTALL)


def total_of(template: Template, table: Table, place: int, column: Sequence[Value]) -> Value:
    """Return what the totals row shows of a filled column; None where nobody knows, or Excel gives an error.

    A formula counts, not what the table says of it: Excel keeps the two alike, others do not.
    """
    at = table.area.left + place
    formula = template.formula_text(table.sheet, table.area.bottom, at)
    return _total(_function(formula, table, place) if formula else table.functions[place], column)


def _function(formula: str, table: Table, place: int) -> str:
    """Return which total of its own column a formula is, "" for another formula."""
    match = _FORMULA.fullmatch(formula)
    if match is None or not _is_column(match[3], table, place):
        return ""
    return _CODES.get(int(match[1]), "") if match[1] else _WORDS.get(match[2].casefold(), "")


def _is_column(text: str, table: Table, place: int) -> bool:
    """Whether a reference means the data rows of one column of the table."""
    match = _COLUMN.fullmatch(text)
    if match:
        header = unescape(re.sub("'(.)", r"\1", match[2]))
        return (match[1] or table.name).casefold() == table.name.casefold() and (
            header.casefold() == table.columns[place].casefold()
        )
    at = table.area.left + place
    own = Area(table.area.top + 1, at, table.area.bottom - table.totals, at)
    here = {"", table.sheet.casefold()}
    alone = not rewrite(text, lambda _: "").strip()
    return alone and [one.area for one in references(text) if one.sheet.casefold() in here] == [own]


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
