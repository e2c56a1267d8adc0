"""The item about values: every formula shows what it gives, and sums miss no row."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from flopsheet.export.checklist.calculate import Context, calculated
from flopsheet.export.checklist.look import Cell
from flopsheet.export.checklist.reach import ranges
from flopsheet.export.checklist.tokens import pieces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx import Value

CLOSE = 1e-9
SUM = re.compile(r"\bSUM\(([^()]*)\)", re.IGNORECASE)


def totals(look: Look) -> Iterator[str]:
    """Find values that are not what their formula gives, sums without some rows, and values not as delivered."""
    for table in look.checks:
        for cell in look.column(table, "Pass"):
            room = [float(p.text) for p in pieces(look.formulas.get(cell, "")) if p.kind == "number"]
            if any(CLOSE < one < 1 for one in room):
                yield f"{cell}: lets totals be off by more than {CLOSE}: ={look.formulas[cell]}"
    yield from _stale(look)
    yield from _parts(look)
    yield from _delivered(look)
    for table in look.tables:
        for place, (header, function) in enumerate(zip(table.columns, table.functions, strict=True)):
            cell = Cell(table.sheet, table.area.bottom, table.area.left + place)
            said = look.value(cell) if table.totals and function == "sum" else None
            found = math.fsum(_number(look.value(one)) for one in look.column(table, header))
            if said is not None and not math.isclose(_number(said), found, rel_tol=CLOSE, abs_tol=CLOSE):
                yield f"{cell}: shows {said}, but the column {header!r} adds up to {found}"


def _stale(look: Look) -> Iterator[str]:
    """Find formulas that show another number than they give; sums of large numbers may lose their last digits.

    Verdicts are for `checks`.
    """
    verdicts = {cell for table in look.checks for cell in look.column(table, "Pass")}
    for cell, text in look.formulas.items():
        said, context = look.value(cell), Context(look, cell)
        if cell in verdicts or not isinstance(said, int | float):
            continue
        found = calculated(context, text)
        room = CLOSE * max(context.largest, CLOSE)
        if isinstance(found, int | float) and not math.isclose(said, found, rel_tol=CLOSE, abs_tol=room):
            yield f"{cell}: shows {said}, but ={text} gives {found}; calculate and save the file again"


def _parts(look: Look) -> Iterator[str]:
    """Find sums over a list, from outside of it, that leave out its first or last row; lists of checks have an item."""
    tables = [table for table in look.tables if table not in look.checks]
    for cell, text in look.formulas.items():
        inside = (area for one in SUM.findall(text) if ":" in one for area in ranges(look, cell, one))
        for sheet, area in inside:
            for table in (one for one in tables if one.sheet.casefold() == sheet and area.meets(one.area)):
                body = look.body(table)
                rows = range(max(area.top, body.start), min(area.bottom + 1, body.stop))
                own = table.sheet == cell.sheet and table.area.has(cell.row, cell.column)
                if not own and 1 < len(rows) == len(body) - 1:
                    yield f"{cell}: the sum leaves out a row of {table.name}: ={text}"


def _delivered(look: Look) -> Iterator[str]:
    """Find live values that differ from the constants beside them, by headers such as "Cost delivered"."""
    for table in look.tables:
        for header in table.columns:
            live = look.column(table, header.replace("delivered", "live")) if "delivered" in header else []
            for constant, cell in zip(look.column(table, header), live, strict=False):
                values = look.value(constant), look.value(cell)
                if look.has_value(cell) and not math.isclose(*map(_number, values), rel_tol=CLOSE):
                    yield f"{cell}: {values[1]} live, but {values[0]} as delivered in {constant}"


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
