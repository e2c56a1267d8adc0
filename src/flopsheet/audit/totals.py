"""The item about values: every formula shows what it gives, and sums miss no row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.audit.calculate import Context, evaluate_in
from flopsheet.audit.formula_text import arguments, numbers
from flopsheet.audit.precedents import ranges
from flopsheet.audit.view import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine import Value

CLOSE = 1e-9


def totals(view: WorkbookView) -> Iterator[str]:
    """Find values that are not what their formula gives, sums without some rows, and values not as delivered."""
    for table in view.checks:
        for cell in view.column(table, "Pass"):
            if any(CLOSE < number < 1 for number in numbers(view.formulas.get(cell, ""))):
                yield f"{cell}: lets totals be off by more than {CLOSE}: ={view.formulas[cell]}"
    yield from _stale(view)
    yield from _parts(view)
    yield from _find_differing(view)
    for table in view.tables:
        for place, (header, function) in enumerate(zip(table.columns, table.functions, strict=True)):
            cell = Cell(table.sheet, table.area.bottom, table.area.left + place)
            if not table.totals or function != "sum" or (total := view.value(cell)) is None:
                continue
            result = math.fsum(_number(view.value(part)) for part in view.column(table, header))
            if not math.isclose(_number(total), result, rel_tol=CLOSE, abs_tol=CLOSE):
                yield f"{cell}: shows {total}, but the column {header!r} adds up to {result}"


def _stale(view: WorkbookView) -> Iterator[str]:
    """Find formulas that show another number than they give; sums of large numbers may lose their last digits.

    Verdicts are for `checks`.
    """
    verdicts = {cell for table in view.checks for cell in view.column(table, "Pass")}
    for cell, original in view.originals.items():
        value = view.value(cell)
        if cell in verdicts or not isinstance(value, int | float):
            continue
        context = Context(view, cell, original=original)
        result = evaluate_in(context, original.text)
        room = CLOSE * max(context.largest, CLOSE)
        if isinstance(result, int | float) and not math.isclose(value, result, rel_tol=CLOSE, abs_tol=room):
            yield f"{cell}: shows {value}, but ={view.formulas[cell]} gives {result}; calculate and save the file again"


def _parts(view: WorkbookView) -> Iterator[str]:
    """Find sums over a list, from outside of it, that leave out its first or last row; lists of checks have an item."""
    tables = [table for table in view.tables if table not in view.checks]
    for cell, text, sums in view.judge_formulas(lambda text: arguments(text, "sum")):
        sums_of_ranges = (argument for argument in sums if ":" in argument)
        inside = (area for argument in sums_of_ranges for area in ranges(view, cell, argument, view.originals[cell]))
        for sheet, area in inside:
            for table in (table for table in tables if table.sheet.casefold() == sheet and area.meets(table.area)):
                body = view.body(table)
                rows = range(max(area.top, body.start), min(area.bottom + 1, body.stop))
                if not cell.is_in(table) and 1 < len(rows) == len(body) - 1:
                    yield f"{cell}: the sum leaves out a row of {table.name}: ={text}"


def _find_differing(view: WorkbookView) -> Iterator[str]:
    """Find live values that differ from the constants next to them, by headers such as "Cost delivered"."""
    for table in view.tables:
        for header in table.columns:
            live = view.column(table, header.replace("delivered", "live")) if "delivered" in header else []
            for constant, cell in zip(view.column(table, header), live, strict=False):
                values = view.value(constant), view.value(cell)
                if view.has_value(cell) and not math.isclose(*map(_number, values), rel_tol=CLOSE):
                    yield f"{cell}: {values[1]} live, but {values[0]} as delivered in {constant}"


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
