"""What formulas refer to, as ranges of cells, and whether they refer to themselves in the end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.audit.formula_text import MANY, is_foreign
from flopsheet.audit.view import Cell
from flopsheet.spreadsheet.references import MAX_COLUMN, Area, Reference, reference
from flopsheet.spreadsheet.tokens import Structured, structured, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.audit.view import WorkbookView
    from flopsheet.spreadsheet.engine.book import Table

Range = tuple[str, Area]
"""A sheet's name in lower case, and cells of it."""


class Reading(NamedTuple):
    """What a formula refers to inside its workbook: cells, sheets, columns of tables, and names."""

    cells: tuple[Reference, ...]
    sheets: tuple[str, ...]
    columns: tuple[Structured, ...]
    names: tuple[str, ...]


@lru_cache(MANY)
def reading(formula: str) -> Reading:
    """Read a formula; the rows of a list say the same thing."""
    found = tokens(formula)
    cells = [reference(one.text) for one in found if one.kind == "cells" and "[" not in one.text]
    return Reading(
        tuple(one for one in cells if one.first is not None),
        tuple(one.sheet for one in cells if one.sheet and ":" not in one.sheet),
        tuple(structured(one.text) for one in found if one.kind == "table"),
        tuple(one.text for one in found if one.kind == "name"),
    )


def ranges(view: WorkbookView, cell: Cell, formula: str) -> Iterator[Range]:
    """Give every range that a formula in a cell refers to: cells, names, and columns of tables."""
    if formula not in view.meant:
        view.meant[formula] = list(_meant(view, formula))
    home = cell.sheet.casefold()
    for sheet, area in view.meant[formula]:
        yield sheet or home, area if area.top else Area(cell.row, area.left, cell.row, area.right)


def _meant(view: WorkbookView, formula: str) -> Iterator[Range]:
    """Give what a formula refers to in whichever cell: no sheet is the cell's own, and no row the cell's own."""
    found = reading(formula)
    yield from _plain(found.cells)
    for one in found.columns:
        table = view.template.book.tables.get(one.table.casefold())
        if table is not None:
            yield table.sheet.casefold(), _columns(view, table, one)
    for name in found.names:
        yield from _plain(reading(view.targets.get(name.casefold(), "")).cells)


def _plain(cells: Iterable[Reference]) -> Iterator[Range]:
    return ((found.sheet.casefold(), found.reach) for found in cells if found.reach)


def _columns(view: WorkbookView, table: Table, found: Structured) -> Area:
    """Return the cells that a structured reference means; row 0 is that of the formula."""
    places = view.places(table)
    wanted = [places[one.casefold()] for one in found.columns if one.casefold() in places]
    wanted = wanted or [0, len(table.columns) - 1]
    body = view.body(table)
    top, bottom = body.start, body.stop - 1
    if "#this row" in found.items:
        top = bottom = 0
    elif {"#headers", "#all"} & {*found.items}:
        top, bottom = table.area.top, table.area.top if "#all" not in found.items else table.area.bottom
    elif "#totals" in found.items:
        top = bottom = table.area.bottom
    return Area(top, table.area.left + min(wanted), bottom, table.area.left + max(wanted))


def unknown(view: WorkbookView, formula: str) -> list[str]:
    """Return what a formula names that is not there: sheets, tables, columns of tables, names."""
    if formula not in view.strangers:
        view.strangers[formula] = [] if is_foreign(formula) else list(_unknown(view, formula))
    return view.strangers[formula]


def _unknown(view: WorkbookView, formula: str) -> Iterator[str]:
    found, book = reading(formula), view.template.book
    yield from (f"sheet {sheet!r}" for sheet in found.sheets if sheet.casefold() not in book.sheets)
    for one in found.columns:
        table = book.tables.get(one.table.casefold())
        if table is None and one.table:
            yield f"table {one.table!r}"
        elif table:
            strangers = (column for column in one.columns if column.casefold() not in view.places(table))
            yield from (f"column {column!r} of {one.table}" for column in strangers)
    yield from (f"name {name!r}" for name in found.names if not _is_known(view, name.casefold()))


def _is_known(view: WorkbookView, name: str) -> bool:
    known = (view.targets, view.template.book.tables, view.own_names, ("true", "false"))
    return name.startswith("_xl") or any(name in some for some in known)


def cycle(view: WorkbookView) -> list[Cell]:
    """Return the cells of a circular reference, each referring to the next; nothing without one."""
    rows: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for cell in sorted(view.formulas):
        rows[cell.sheet.casefold(), cell.column].append(cell.row)
    graph: dict[Cell | Range, list[Cell] | list[Range]] = {}
    for cell, text in view.formulas.items():
        graph[cell] = found = list(ranges(view, cell, text))
        for sheet, area in found:
            if (sheet, area) not in graph:
                graph[sheet, area] = list(_formulas(view, rows, sheet, area))
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return [node for node in reversed(error.args[1][1:]) if isinstance(node, Cell)]
    return []


def _formulas(view: WorkbookView, rows: Mapping[tuple[str, int], list[int]], sheet: str, area: Area) -> Iterator[Cell]:
    """Give the formulas in a range; `rows` are those of all formulas by sheet and column."""
    home = view.template.book.sheets.get(sheet)
    if home is None:
        return
    wide = range(area.left, min(area.right, MAX_COLUMN) + 1)
    columns = wide if len(wide) < len(rows) else [column for own, column in rows if own == sheet and column in wide]
    for column in columns:
        found = rows.get((sheet, column), ())
        for row in found[bisect_left(found, area.top) : bisect_right(found, area.bottom)]:
            yield Cell(home.name, row, column)
