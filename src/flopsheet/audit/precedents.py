"""What formulas refer to, as ranges of cells, and whether they refer to themselves in the end."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.audit.formula_text import MANY, is_foreign
from flopsheet.audit.view import Cell
from livesheets.references import MAX_COLUMN, Area, Reference, reference
from livesheets.tokens import Structured, read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.copies import Original
    from livesheets.engine.book import Table

Range = tuple[str, Area]
"""A sheet's name in lower case, and cells of it."""
OpenRows = Mapping[str, Mapping[int, list[int]]]


class Reading(Struct, frozen=True):
    """What a formula refers to inside its workbook: cells, sheets, columns of tables, and names."""

    cells: tuple[Reference, ...]
    sheets: tuple[str, ...]
    columns: tuple[Structured, ...]
    names: tuple[str, ...]


@lru_cache(MANY)
def reading(formula: str) -> Reading:
    """Read a formula; the rows of a list say the same thing."""
    result = tokens(formula)
    cells = [reference(token.text) for token in result if token.kind == "cells" and "[" not in token.text]
    return Reading(
        tuple(cell for cell in cells if cell.first is not None),
        tuple(cell.sheet for cell in cells if cell.sheet and ":" not in cell.sheet),
        tuple(read_structured(token.text) for token in result if token.kind == "table"),
        tuple(token.text for token in result if token.kind == "name"),
    )


def ranges(view: WorkbookView, cell: Cell, formula: str, original: Original | None = None) -> Iterator[Range]:
    """Give every range that a formula in a cell refers to: cells, names, and columns of tables.

    With an original, the formula is that or a part of it, and what it refers to is moved along to the cell.
    """
    if formula not in view.reference_cache:
        view.reference_cache[formula] = list(_find_cells(view, formula))
    home = cell.sheet.casefold()
    rows, columns = original.distance(cell.row, cell.column) if original else (0, 0)
    for sheet, area, moving in view.reference_cache[formula]:
        if moving and (rows or columns):
            yield sheet or home, moving.move(rows, columns)
        else:
            yield sheet or home, area if area.top else Area(cell.row, area.left, cell.row, area.right)


def _find_cells(view: WorkbookView, formula: str) -> Iterator[tuple[str, Area, Reference | None]]:
    """Give what a formula refers to in whichever cell: no sheet is the cell's own, and no row the cell's own.

    References that move along when the formula is copied come with what they say.
    """
    result = reading(formula)
    yield from _plain(result.cells)
    for column in result.columns:
        table = view.template.book.tables.get(column.table.casefold())
        if table is not None:
            yield table.sheet.casefold(), _columns(view, table, column), None
    for name in result.names:
        targets = reading(view.targets.get(name.casefold(), "")).cells
        yield from ((sheet, area, None) for sheet, area, _ in _plain(targets))


def _plain(cells: Iterable[Reference]) -> Iterator[tuple[str, Area, Reference | None]]:
    for cell in cells:
        if cell.reach:
            yield cell.sheet.casefold(), cell.reach, cell if cell.moves else None


def _columns(view: WorkbookView, table: Table, target: Structured) -> Area:
    """Return the cells that a structured reference means; row 0 is that of the formula."""
    places, body = view.places(table), view.body(table)
    columns = [places[column.casefold()] for column in target.columns if column.casefold() in places]
    columns = columns or [0, len(table.columns) - 1]
    top, bottom = body.start, body.stop - 1
    if "#this row" in target.items:
        top = bottom = 0
    elif {"#headers", "#all"} & {*target.items}:
        top, bottom = table.area.top, table.area.top if "#all" not in target.items else table.area.bottom
    elif "#totals" in target.items:
        top = bottom = table.area.bottom
    return Area(top, table.area.left + min(columns), bottom, table.area.left + max(columns))


def unknown(view: WorkbookView, formula: str) -> list[str]:
    """Return what a formula names that is not there: sheets, tables, columns of tables, names."""
    if formula not in view.unknown_cache:
        view.unknown_cache[formula] = [] if is_foreign(formula) else list(_unknown(view, formula))
    return view.unknown_cache[formula]


def _unknown(view: WorkbookView, formula: str) -> Iterator[str]:
    result, book = reading(formula), view.template.book
    yield from (f"sheet {sheet!r}" for sheet in result.sheets if sheet.casefold() not in book.sheets)
    for target in result.columns:
        table = book.tables.get(target.table.casefold())
        if table is None and target.table:
            yield f"table {target.table!r}"
        elif table:
            missing = (column for column in target.columns if column.casefold() not in view.places(table))
            yield from (f"column {column!r} of {target.table}" for column in missing)
    namespaces = (view.targets, book.tables, view.own_names, ("true", "false"))
    strangers = [name for name in result.names if not any(name.casefold() in names for names in namespaces)]
    yield from (f"name {name!r}" for name in strangers if not name.casefold().startswith("_xl"))


def cycle(view: WorkbookView) -> list[Cell]:
    """Return the cells of a circular reference, each referring to the next; nothing without one.

    Formulas are followed until one is met again on the way; those that lead nowhere are closed and met no more. Runs
    of copies that are in no circle of runs, most of a workbook, are not followed.
    """
    starts = [cell for run in _circular_runs(view) for cell in run.cells]
    open_rows = _open_rows(starts)
    for start in starts:
        rows = open_rows[start.sheet.casefold()][start.column]
        is_open = start.row in rows[(at := bisect_left(rows, start.row)) : at + 1]
        path = {start: _open_precedents(view, open_rows, start)} if is_open else {}
        while path:
            cell, following = next(reversed(path.items()))
            result = next(following, None)
            if result is None:
                del path[cell]
                rows = open_rows[cell.sheet.casefold()][cell.column]
                del rows[bisect_left(rows, cell.row)]
            elif result in path:
                return list(path)[list(path).index(result) :]
            else:
                path[result] = _open_precedents(view, open_rows, result)
    return []


class _Run(Struct, frozen=True):
    """The copies of one formula in a column, from the top down."""

    original: Original
    cells: tuple[Cell, ...]

    def meets(self, top: int, bottom: int) -> bool:
        """Whether some of them may be in these rows."""
        return self.cells[0].row <= bottom and top <= self.cells[-1].row


def _circular_runs(view: WorkbookView) -> list[_Run]:
    """Return the runs of copies that refer to each other in a circle, or lie between such circles."""
    runs, reads = _runs(view), dict[int, set[int]]()
    places = sorted((*_place(run.cells[0]), at) for at, run in enumerate(runs))
    for at, run in enumerate(runs):
        reads[at] = set()
        for sheet, area, leads_up in _rows_read(view, run):
            first = bisect_left(places, (sheet, area.left, 0))
            last = bisect_left(places, (sheet, area.right + 1, 0), first)
            others = {other for _, _, other in places[first:last] if runs[other].meets(area.top, area.bottom)}
            reads[at] |= others - {at} if leads_up else others
    return [runs[at] for at in _in_circles(reads)]


def _place(cell: Cell) -> tuple[str, int]:
    return cell.sheet.casefold(), cell.column


def _runs(view: WorkbookView) -> list[_Run]:
    cells: defaultdict[tuple[str, int, Original], list[Cell]] = defaultdict(list)
    for cell, original in view.originals.items():
        cells[cell.sheet, cell.column, original].append(cell)
    return [_Run(original, tuple(copies)) for (_, _, original), copies in cells.items()]


def _rows_read(view: WorkbookView, run: _Run) -> Iterator[tuple[str, Area, bool]]:
    """Give what any copy of a run refers to, and whether that is always above it: its own rows there end in time."""
    first, last = run.cells[0], run.cells[-1]
    ends = (ranges(view, cell, run.original.text, run.original) for cell in (first, last))
    for (sheet, start), (_, end) in zip(*ends, strict=True):
        area = Area(min(start.top, end.top), start.left, max(start.bottom, end.bottom), start.right)
        yield sheet, area, start.bottom < first.row and end.bottom < last.row


def _in_circles(reads: Mapping[int, set[int]]) -> list[int]:
    """Return what is left of a graph without what reads nothing, and without what nothing reads, until none is."""
    while True:
        read = set().union(*reads.values())
        both = ((node, targets & reads.keys()) for node, targets in reads.items() if node in read)
        remaining = {node: targets for node, targets in both if targets}
        if remaining == reads:
            return [*remaining]
        reads = remaining


def _open_rows(cells: Iterable[Cell]) -> OpenRows:
    """Return the rows with formulas that are not closed, in order, by sheet, in lower case, and column."""
    rows: defaultdict[str, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for cell in sorted(cells):
        rows[cell.sheet.casefold()][cell.column].append(cell.row)
    return rows


def _open_precedents(view: WorkbookView, open_rows: OpenRows, cell: Cell) -> Iterator[Cell]:
    """Give the open formulas that one refers to; those that were given may be closed before the next is asked for."""
    original = view.originals[cell]
    for sheet, area in ranges(view, cell, original.text, original):
        own, wide = open_rows.get(sheet, {}), range(area.left, min(area.right, MAX_COLUMN) + 1)
        for column in wide if len(wide) < len(own) else [column for column in own if column in wide]:
            rows = own.get(column, ())
            while (at := bisect_left(rows, area.top)) < len(rows) and rows[at] <= area.bottom:
                yield Cell(view.template.book.sheets[sheet].name, rows[at], column)
