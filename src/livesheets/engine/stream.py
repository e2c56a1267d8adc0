"""A sheet as a stream of bytes: its head, its rows one after the other, its tail."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from livesheets.engine.kept_cells import KeptCells
from livesheets.engine.placeholders import encode_batches
from livesheets.engine.sheet import as_shown, head_and_tail, row_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from livesheets.engine.layout import LaidOut
    from livesheets.engine.placeholders import Placeholders
    from livesheets.engine.plan import SheetPlan
    from livesheets.engine.rows import TableRows

_HEIGHT = re.compile(r' ht="([^"]+)"')


def sheet_stream(
    plan: SheetPlan, laid_out: LaidOut, tables: Sequence[TableRows], placeholders: Placeholders
) -> Iterator[bytes]:
    """Give a sheet's XML piece by piece."""
    head, tail = head_and_tail(plan.xml)
    yield head
    yield from encode_batches(_rows(plan, laid_out, tables))
    yield from placeholders.fill(tail)


def _rows(plan: SheetPlan, laid_out: LaidOut, tables: Sequence[TableRows]) -> Iterator[str]:
    """Give each row that has cells or attributes of its own, from the top down."""
    attributes, texts = _attributes(plan), laid_out.cells
    sources = [(table.plan.resize, iter(table)) for table in tables]
    proof = KeptCells(plan)
    rows_of_all = chain(texts, plan.xml.cells, attributes, (resize.bottom for resize, _ in sources))
    for at in range(1, max(rows_of_all, default=0) + 1):
        own = attributes.get(at, "")
        if at in laid_out.standing:
            text = row_text(plan.xml, at)
            proof.see_row(at, text)
            yield f'<row r="{at}"{own}>{text}</row>'
            continue
        proof.see_cells(at, texts.get(at, {}))
        cells = list(texts[at].items()) if at in texts else []
        from_tables = None
        for resize, rows in sources:
            if resize.first <= at <= resize.bottom:
                style, text = next(rows)
                from_tables = style if from_tables is None else _higher(from_tables, style)
                cells.append((resize.area.left, text))
        style = own if from_tables is None else from_tables
        if not cells and not style:
            continue
        if len(cells) > 1:
            cells.sort()
        yield f'<row r="{at}"{style}>{"".join([text for _, text in cells])}</row>'
    proof.check()
    for _, rows in sources:
        next(rows, None)  # lets a table say that it gave fewer or more rows than it announced


def _higher(one: str, other: str) -> str:
    """Return the attributes of a row in which two tables stand: those that make it higher, else the first ones."""
    return max(one, other, key=lambda style: float(match[1]) if (match := _HEIGHT.search(style)) else 0.0)


def _attributes(plan: SheetPlan) -> dict[int, str]:
    """Return the rows' own attributes; a totals row takes its own along."""
    attributes = dict(plan.xml.attributes)
    for table in plan.plans:
        resize = table.resize
        if resize.totals and resize.bottom != resize.last and resize.last + 1 in plan.xml.attributes:
            attributes.pop(resize.last + 1, None)
            attributes[resize.bottom + 1] = plan.xml.attributes[resize.last + 1]
    return attributes | {row: as_shown(attributes[row]) for row in plan.shown_rows if row in attributes}
