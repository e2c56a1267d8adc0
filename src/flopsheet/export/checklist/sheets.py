"""Items about sheets: what stands where, what people see of it, and what comes out of the printer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import letters
from flopsheet.export.checklist.look import Cell
from flopsheet.export.xlsx.book import sheet_elements
from flopsheet.export.xlsx.markup import attribute, child, tag
from flopsheet.export.xlsx.refs import Area, read_area
from flopsheet.export.xlsx.sheet import is_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table
    from flopsheet.export.xlsx.markup import Element

ABOUT = re.compile(r"about|cover|read ?me|introduction|summary|overview|contents", re.IGNORECASE)
SAYS = {"a version": r"version|\d+\.\d+\.\d+", "how to use it": r"how to|instructions"}
LOG = re.compile(r"change ?log|version history|history of changes|revisions", re.IGNORECASE)
HASH = re.compile(r"sha-?256", re.IGNORECASE)
NEAR = 10
"""Rows from the top within which a list's header belongs to the top of its sheet."""
WORKINGS = re.compile(r"workings|calculations?", re.IGNORECASE)


def about(look: Look) -> Iterator[str]:
    """Find what the first sheet does not say."""
    first = look.sheets[0] if look.sheets else ""
    if not ABOUT.search(first):
        yield f"{first!r} is the first sheet; one such as About is expected"
        return
    said = "\n".join(text for cell, text in look.texts if cell.sheet == first)
    for what, pattern in SAYS.items():
        if not re.search(pattern, said, re.IGNORECASE):
            yield f"{first}: nothing says {what}"


def change_log(look: Look) -> Iterator[str]:
    """Find that nothing tells what changed from version to version."""
    if not any(LOG.search(text) for text in (*look.sheets, *(text for _, text in look.texts))):
        yield "no sheet and no heading such as 'Change log'"


def provenance(look: Look) -> Iterator[str]:
    """Find that no sheet tells what made the workbook, and of which files."""
    said = {
        sheet: "\n".join([sheet, *(text for cell, text in look.texts if cell.sheet == sheet)]) for sheet in look.sheets
    }
    if not any("provenance" in text.casefold() and HASH.search(text) for text in said.values()):
        yield "no sheet has a heading 'Provenance' and the SHA-256 of the inputs"


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


def checks(look: Look) -> Iterator[str]:
    """Find that nothing checks the workbook, checks without a verdict, and checks that fail."""
    if "chk_master" not in look.template.names:
        yield "no cell is named chk_master"
    if not look.checks:
        yield "no list with the columns Check and Pass"
    for table in look.checks:
        for cell in look.column(table, "Pass"):
            if look.has_value(cell) and look.value(cell) not in (True, 1):
                yield f"{cell}: the check does not pass"


def master(look: Look) -> Iterator[str]:
    """Find sheets that do not show the state of the checks."""
    shown = {cell.sheet for cell, text in look.formulas.items() if "chk_master" in text.casefold()}
    home = look.names.get("chk_master")
    for sheet in look.sheets:
        if sheet not in shown and not (home and home.sheet == sheet):
            yield f"{sheet}: no cell shows chk_master; write =chk_master at its top"


def hidden(look: Look) -> Iterator[str]:
    """Find sheets, rows, columns, cells and names that people do not see."""
    for element in sheet_elements(look.template.book.root):
        if attribute(element, "state", "visible") != "visible":
            yield f"{attribute(element, 'name')}: the sheet is hidden"
    for sheet in look.sheets:
        yield from _unseen(look, sheet)
    for element in look.template.book.root.iter(tag("definedName")):
        if attribute(element, "hidden") in ("1", "true") and not attribute(element, "name").startswith("_xlnm."):
            yield f"the name {attribute(element, 'name')} is hidden"


def _unseen(look: Look, sheet: str) -> Iterator[str]:
    xml = look.xml(sheet)
    for row, attributes in xml.attributes.items():
        if re.search(r' hidden="(1|true)"| ht="0(\.0*)?"', attributes):
            yield f"{sheet}: row {row} is hidden"
    for column in xml.root.iter(tag("col")):
        if attribute(column, "hidden") in ("1", "true") or float(attribute(column, "width", "1")) == 0:
            yield f"{sheet}: column {letters(int(attribute(column, 'min')))} is hidden"
    for cell in look.cells(sheet):
        if look.template.number_format(cell.sheet, cell.row, cell.column) == ";;;":
            yield f"{cell}: its number format shows nothing"


def merged(look: Look) -> Iterator[str]:
    """Find merged cells that reach into a list."""
    for table in look.tables:
        for found in look.xml(table.sheet).root.iter(tag("mergeCell")):
            if read_area(attribute(found, "ref")).meets(table.area):
                yield f"{table.sheet}!{attribute(found, 'ref')}: merged in the list {table.name}"


def frozen(look: Look) -> Iterator[str]:
    """Find sheets whose first list has a header that scrolls away."""
    for sheet in look.sheets:
        headers = [table.area.top for table in look.tables if table.sheet == sheet and table.area.top <= NEAR]
        pane = next(look.xml(sheet).root.iter(tag("pane")), None)
        fixed = (
            0
            if pane is None or "frozen" not in attribute(pane, "state")
            else int(float(attribute(pane, "ySplit", "0")))
        )
        if headers and fixed < min(headers):
            yield f"{sheet}: panes are not frozen below row {min(headers)}"


def print_setup(look: Look) -> Iterator[str]:
    """Find sheets that print badly; workings may be wider than a page."""
    for sheet in look.sheets:
        root = look.xml(sheet).root
        if not WORKINGS.search(sheet) and not _one_wide(root):
            yield f"{sheet}: not fitted to one page wide"
        if any(t.sheet == sheet and t.area.top <= NEAR for t in look.tables) and not _repeats(look, sheet):
            yield f"{sheet}: the header of its list is not repeated on every page"
        footer = "".join(found.text or "" for found in root.iter(tag("oddFooter")))
        for code, what in (("&A", "the sheet's name"), ("&P", "the page"), ("version", "the version")):
            if code.casefold() not in footer.casefold() and not (
                code == "version" and re.search(r"\d+\.\d+\.\d+", footer)
            ):
                yield f"{sheet}: the footer lacks {what}"


def _one_wide(root: Element) -> bool:
    fit, setup = next(root.iter(tag("pageSetUpPr")), None), child(root, "pageSetup")
    asked = fit is not None and attribute(fit, "fitToPage") in ("1", "true")
    return asked and setup is not None and attribute(setup, "fitToWidth", "1") == "1"


def _repeats(look: Look, sheet: str) -> bool:
    return any(name == "_xlnm.Print_Titles" for name in look.local_names(sheet))


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
