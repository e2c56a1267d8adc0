"""Items about sheets: what stands where, and what comes out of the printer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.export.checklist.look import Cell
from flopsheet.export.checklist.tokens import computes
from flopsheet.export.checklist.typed import typed
from flopsheet.export.xlsx.markup import attribute, child, decimal, tag
from flopsheet.export.xlsx.refs import MAX_COLUMN, Area, read_area, references
from flopsheet.export.xlsx.sheet import is_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table
    from flopsheet.export.xlsx.markup import Element

FOOTER = {"&A": "the sheet's name", "&P": "the page", r"version|\d+\.\d+\.\d+": "the version"}
NEAR = 10
"""Rows from the top that belong to the top of a sheet."""
WORKINGS = re.compile(r"workings|calculations?", re.IGNORECASE)


def apart(look: Look) -> Iterator[str]:
    """Find results on a sheet of inputs, and a workbook whose inputs and lists share all sheets."""
    homes = {table.sheet for table in look.inputs}
    for name, cell in look.names.items():
        if name.startswith("out_") and cell.sheet in homes:
            yield f"{cell}: the result {name} stands among the inputs"
    for chart in look.charts:
        if chart.sheet in homes:
            yield f"{chart.sheet}: a chart stands among the inputs"
    if homes and not {table.sheet for table in look.tables} - homes:
        yield f"{min(homes)}: no list stands apart from the inputs"
    yield from _calculations(look)
    results = {chart.sheet for chart in look.charts} | {c.sheet for n, c in look.names.items() if n.startswith("out_")}
    for name, cell in look.names.items():
        guarded = name.startswith("in_") and cell not in look.formulas and look.validations(cell)
        if guarded and cell.sheet in results - homes and not look.validates(cell, "list"):
            yield f"{cell}: the input {name} stands among results; choices alone belong there"
    yield from _typed(look, homes)


def _typed(look: Look, homes: set[str]) -> Iterator[str]:
    """Find inputs without a name on other sheets than those of inputs; choices, and the samples of About, are none."""
    named = set(look.names.values())
    for cell in (cell for cell in typed(look) if homes and cell.sheet not in homes and cell not in named):
        if look.style(cell).is_blue and not look.validates(cell, "list"):
            yield f"{cell}: an input outside of the lists of inputs"


def _calculations(look: Look) -> Iterator[str]:
    """Find formulas beside the inputs that do more than show a number."""
    for cell, text in look.formulas.items():
        tables = [table for table in look.inputs if table.sheet == cell.sheet]
        if tables and computes(text) and not any(table.area.has(cell.row, cell.column) for table in tables):
            yield f"{cell}: a calculation among the inputs: ={text}"


def frozen(look: Look) -> Iterator[str]:
    """Find sheets whose first list has a header that scrolls away."""
    for sheet in look.sheets:
        headers = [table.area.top for table in look.tables if table.sheet == sheet and table.area.top <= NEAR]
        pane = next(look.xml(sheet).root.iter(tag("pane")), None)
        fixed = 0 if pane is None or "frozen" not in attribute(pane, "state") else int(decimal(pane, "ySplit", 0))
        if headers and fixed < min(headers):
            yield f"{sheet}: panes are not frozen below row {min(headers)}"


def print_setup(look: Look) -> Iterator[str]:
    """Find sheets that print badly; workings may be wider than a page."""
    for sheet in look.sheets:
        root = look.xml(sheet).root
        if not WORKINGS.search(sheet) and not _one_wide(root):
            yield f"{sheet}: not fitted to one page wide"
        headers = [t.area.top for t in look.tables if t.sheet == sheet and t.area.top <= NEAR]
        if headers and not _repeats(look, sheet, min(headers)):
            yield f"{sheet}: row {min(headers)}, the header of its list, is not repeated on every page"
        yield from _cut(look, sheet)
        for place in _footers(root):
            footer = "".join(found.text or "" for found in root.iter(tag(place)))
            for code, what in FOOTER.items():
                if not re.search(code, footer, re.IGNORECASE):
                    yield f"{sheet}: the footer{'' if place == 'oddFooter' else f' ({place})'} lacks {what}"


def _footers(root: Element) -> list[str]:
    """Return the footers that are printed: first and even pages may have their own."""
    around = next(root.iter(tag("headerFooter")), None)
    own = {"differentFirst": "firstFooter", "differentOddEven": "evenFooter"}
    asked = [place for said, place in own.items() if around is not None and attribute(around, said) in ("1", "true")]
    return ["oddFooter", *asked]


def _one_wide(root: Element) -> bool:
    fit, setup = next(root.iter(tag("pageSetUpPr")), None), child(root, "pageSetup")
    asked = fit is not None and attribute(fit, "fitToPage") in ("1", "true")
    return asked and setup is not None and attribute(setup, "fitToWidth", "1") == "1"


def _repeats(look: Look, sheet: str, row: int) -> bool:
    """Whether a row is among those that are printed on every page."""
    titles = references(look.local_names(sheet).get("_xlnm.Print_Titles", ""))
    reaches = [one.reach for one in titles if one.reach]
    return any(one.top <= row <= one.bottom for one in reaches if (one.left, one.right) == (1, MAX_COLUMN))


def _cut(look: Look, sheet: str) -> Iterator[str]:
    """Find lists of which the print area takes some rows, or all but the header."""
    printed = references(look.local_names(sheet).get("_xlnm.Print_Area", ""))
    areas = [one.reach for one in printed if one.reach]
    for table in (one for one in look.tables if one.sheet == sheet):
        own = [area for area in areas if area.meets(table.area)]
        if own and not any(area.top <= table.area.top and area.bottom >= table.area.bottom for area in own):
            yield f"{sheet}: the print area {own[0]} leaves out rows of {table.name}"


def room(look: Look) -> Iterator[str]:
    """Find what stands in the way of a list that grows: a cell, a merged range, another table."""
    for table in look.growing:
        below = Area(table.area.bottom + 1, table.area.left, 2**20, table.area.right)
        found = next(_in_the_way(look, table, below), "")
        if found:
            yield found


def _in_the_way(look: Look, table: Table, below: Area) -> Iterator[str]:
    xml = look.xml(table.sheet)
    for other in look.tables:
        if other is not table and other.sheet == table.sheet and other.area.meets(below):
            rows = other.area.top - table.area.top - table.totals - 1
            yield f"{other.sheet}!{other.area}: the table {other.name} is in the way of {table.name} beyond {rows} rows"
    for merge in xml.root.iter(tag("mergeCell")):
        if read_area(attribute(merge, "ref")).meets(below):
            yield f"{table.sheet}!{attribute(merge, 'ref')}: a merged range is in the way of {table.name}"
    for row in sorted(xml.cells):
        for column, element in sorted(xml.cells[row].items()):
            if below.has(row, column) and not is_empty(element):
                rows = row - table.area.top - table.totals - 1
                yield f"{Cell(table.sheet, row, column)}: in the way of {table.name} beyond {rows} rows"
