"""Items about sheets: what is where, and what comes out of the printer."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.audit.formula_text import computes
from flopsheet.audit.view import Cell
from livesheets.engine.markup import attribute, child, decimal, tag
from livesheets.engine.sheet import is_empty
from livesheets.references import MAX_COLUMN, Area, read_area, references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table
    from livesheets.engine.markup import Element

FOOTER = {"&A": "the sheet's name", "&P": "the page", r"version|\d+\.\d+\.\d+": "the version"}
NEAR = 10
"""Rows from the top that belong to the top of a sheet."""
WORKINGS = re.compile(r"workings|calculations?", re.IGNORECASE)


def apart(view: WorkbookView) -> Iterator[str]:
    """Find results on a sheet of inputs, and a workbook whose inputs and lists share all sheets."""
    homes = {table.sheet for table in view.inputs}
    for name, cell in view.names.items():
        if name.startswith("out_") and cell.sheet in homes:
            yield f"{cell}: the result {name} is among the inputs"
    for chart in view.charts:
        if chart.sheet in homes:
            yield f"{chart.sheet}: a chart is among the inputs"
    if homes and not {table.sheet for table in view.tables} - homes:
        yield f"{min(homes)}: every list is on a sheet of inputs"
    yield from _calculations(view)
    results = {chart.sheet for chart in view.charts} | {c.sheet for n, c in view.names.items() if n.startswith("out_")}
    for name, cell in view.names.items():
        is_validated = name.startswith("in_") and cell not in view.formulas and view.validations(cell)
        if is_validated and cell.sheet in results - homes and not view.has_list(cell):
            yield f"{cell}: the input {name} is among results; only choices belong there"
    yield from _find_typed(view, homes)


def _find_typed(view: WorkbookView, homes: set[str]) -> Iterator[str]:
    """Find inputs without a name on other sheets than those of inputs; choices, and the samples of About, are none."""
    named_cells = set(view.names.values())
    numbers = (Cell(*place) for place, _, _ in view.survey.typed_numbers) if homes else ()
    for cell in (cell for cell in numbers if cell.sheet not in homes and cell not in named_cells):
        if view.style(cell).is_blue and not view.has_list(cell):
            yield f"{cell}: an input outside the lists of inputs"


def _calculations(view: WorkbookView) -> Iterator[str]:
    """Find formulas next to the inputs that do more than show a number."""
    for cell, text, _ in view.judge_formulas(computes) if view.inputs else ():
        beside = any(table.sheet == cell.sheet for table in view.inputs)
        if beside and not any(map(cell.is_in, view.inputs)):
            yield f"{cell}: a calculation among the inputs: ={text}"


def frozen(view: WorkbookView) -> Iterator[str]:
    """Find sheets whose first list has a header that scrolls away."""
    for sheet in view.sheets:
        header = _header_row(view, sheet)
        pane = next(view.xml(sheet).root.iter(tag("pane")), None)
        frozen_rows = 0 if pane is None or "frozen" not in attribute(pane, "state") else int(decimal(pane, "ySplit", 0))
        if frozen_rows < header:
            yield f"{sheet}: panes are not frozen below row {header}"


def _header_row(view: WorkbookView, sheet: str) -> int:
    """Return the row of the header of a sheet's first list, 0 for one further down or none."""
    return min((area.top for area in view.areas[sheet] if area.top <= NEAR), default=0)


def print_setup(view: WorkbookView) -> Iterator[str]:
    """Find sheets that print badly; workings may be wider than a page."""
    for sheet in view.sheets:
        root = view.xml(sheet).root
        if not WORKINGS.search(sheet) and not _one_wide(root):
            yield f"{sheet}: not fitted to one page wide"
        header, titles = _header_row(view, sheet), _titles(view, sheet)
        if header and not any(area.top <= header <= area.bottom + 1 for area in titles):  # or titles right above it
            yield f"{sheet}: row {header}, the header of its list, is not repeated on every page"
        yield from _cut(view, sheet)
        for place in _footers(root):
            footer = "".join(element.text or "" for element in root.iter(tag(place)))
            for code, what in FOOTER.items():
                if not re.search(code, footer, re.IGNORECASE):
                    yield f"{sheet}: the footer{'' if place == 'oddFooter' else f' ({place})'} lacks {what}"


def _footers(root: Element) -> list[str]:
    """Return the footers that are printed: first and even pages may have their own."""
    around = next(root.iter(tag("headerFooter")), None)
    own = {"differentFirst": "firstFooter", "differentOddEven": "evenFooter"}
    footers = [place for flag, place in own.items() if around is not None and attribute(around, flag) in ("1", "true")]
    return ["oddFooter", *footers]


def _one_wide(root: Element) -> bool:
    fit, setup = next(root.iter(tag("pageSetUpPr")), None), child(root, "pageSetup")
    is_fitted = fit is not None and attribute(fit, "fitToPage") in ("1", "true")
    return is_fitted and setup is not None and attribute(setup, "fitToWidth", "1") == "1"


def _titles(view: WorkbookView, sheet: str) -> list[Area]:
    """Return the rows that are printed on every page."""
    return [area for area in _areas(view, sheet, "Print_Titles") if (area.left, area.right) == (1, MAX_COLUMN)]


def _areas(view: WorkbookView, sheet: str, name: str) -> list[Area]:
    """Return the areas that one of Excel's own names of a sheet means."""
    parts = references(view.local_names(sheet).get(f"_xlnm.{name}", ""))
    return [part.reach for part in parts if part.reach]


def _cut(view: WorkbookView, sheet: str) -> Iterator[str]:
    """Find lists of which the print area takes some rows, or all but the header where no titles above it say it."""
    areas = _areas(view, sheet, "Print_Area")
    above = {area.bottom for area in _titles(view, sheet)}
    for table in (table for table in view.tables if table.sheet == sheet):
        own = [area for area in areas if area.meets(table.area)]
        top = table.area.top + (table.area.top - 1 in above)
        if own and not any(area.top <= top and area.bottom >= table.area.bottom for area in own):
            yield f"{sheet}: the print area {own[0]} leaves out rows of {table.name}"


def room(view: WorkbookView) -> Iterator[str]:
    """Find what is in the way of a list that grows: a cell, a merged range, another table."""
    for table in view.growing:
        below = Area(table.area.bottom + 1, table.area.left, 2**20, table.area.right)
        yield from islice(_in_the_way(view, table, below), 1)


def _in_the_way(view: WorkbookView, table: Table, below: Area) -> Iterator[str]:
    xml = view.xml(table.sheet)
    for other in view.tables:
        if other is not table and other.sheet == table.sheet and other.area.meets(below):
            rows = other.area.top - table.area.top - table.totals - 1
            yield f"{other.sheet}!{other.area}: the table {other.name} is in the way of {table.name} beyond {rows} rows"
    for merge in xml.root.iter(tag("mergeCell")):
        if read_area(attribute(merge, "ref"), f"a merged range on {table.sheet!r}").meets(below):
            yield f"{table.sheet}!{attribute(merge, 'ref')}: a merged range is in the way of {table.name}"
    for row in sorted(row for row in xml.cells if row >= below.top):
        for column, element in sorted(xml.cells[row].items()):
            if below.has(row, column) and not is_empty(element):
                rows = row - table.area.top - table.totals - 1
                yield f"{Cell(table.sheet, row, column)}: in the way of {table.name} beyond {rows} rows"
