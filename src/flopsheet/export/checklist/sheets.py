"""Items about sheets: what stands where, what people see of it, and what comes out of the printer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import letters
from flopsheet.export.checklist.look import Cell
from flopsheet.export.checklist.tokens import computes
from flopsheet.export.xlsx.book import sheet_elements
from flopsheet.export.xlsx.markup import attribute, child, decimal, tag, whole
from flopsheet.export.xlsx.refs import MAX_COLUMN, Area, read_area, references
from flopsheet.export.xlsx.sheet import is_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table
    from flopsheet.export.xlsx.markup import Element

ABOUT = re.compile(r"about|cover|read ?me|introduction|summary|overview|contents", re.IGNORECASE)
SAYS = {
    "a version": r"version|\d+\.\d+\.\d+",
    "a date": r"\bdate|as of|\{\{ date|\d{4}-\d\d|\b(19|20)\d\d\b",
    "how to use it": r"how to use|instructions|\busage\b",
}
MARKER = re.compile(r"\{\{.*?\}\}")
TITLE, WORDS = 12, 5
"""Words that a title has at most, and a purpose at least."""
LOG = re.compile(r"change ?log|version history|history of changes|revisions", re.IGNORECASE)
HASH = re.compile(r"sha-?256", re.IGNORECASE)
HEX, DIGITS = re.compile(r"[0-9a-f]{16,}"), 64
FOOTER = {"&A": "the sheet's name", "&P": "the page", r"version|\d+\.\d+\.\d+": "the version"}
NEAR = 10
"""Rows from the top that belong to the top of a sheet."""
WORKINGS = re.compile(r"workings|calculations?", re.IGNORECASE)


def about(look: Look) -> Iterator[str]:
    """Find what the first sheet does not say."""
    first = look.sheets[0] if look.sheets else ""
    if not ABOUT.search(first):
        yield f"{first!r} is the first sheet; one such as About is expected"
        return
    texts = [(cell, text) for cell, text in look.texts if cell.sheet == first and cell not in look.formulas]
    top = min(texts, key=lambda found: (found[0].row, found[0].column), default=None)
    if top is None or top[0].row > NEAR or len(top[1].split()) > TITLE:
        yield f"{first}: its first text is no title"
    if not any(1 < cell.row <= NEAR and len(MARKER.sub("", text).split()) >= WORDS for cell, text in texts):
        yield f"{first}: nothing below the title says what the workbook is for"
    said = "\n".join(text for _, text in texts)
    for what, pattern in SAYS.items():
        if not re.search(pattern, said, re.IGNORECASE):
            yield f"{first}: nothing says {what}"


def change_log(look: Look) -> Iterator[str]:
    """Find that nothing tells what changed from version to version."""
    heads = [cell for cell, text in look.texts if LOG.search(text)]
    logs = [sheet for sheet in look.sheets if LOG.search(sheet)]
    if not heads and not logs:
        yield "no sheet and no heading such as 'Change log'"
    for head in heads:
        below = Area(head.row + 2, 1, head.row + 3, MAX_COLUMN)
        entries = look.within(head.sheet.casefold(), below)
        if head.sheet not in logs and all(look.value(cell) is None for cell in entries):
            yield f"{head}: no version stands below it"


def provenance(look: Look) -> Iterator[str]:
    """Find that no sheet tells what made the workbook, and of which files."""
    said = {
        sheet: "\n".join([sheet, *(text for cell, text in look.texts if cell.sheet == sheet)]) for sheet in look.sheets
    }
    yield from _unvouched(look)
    if not any("provenance" in text.casefold() and HASH.search(text) for text in said.values()):
        yield "no sheet has a heading 'Provenance' and the SHA-256 of the inputs"


def _unvouched(look: Look) -> Iterator[str]:
    """Find rows of what the workbook was made of without a version or hash, and hashes that are cut."""
    for table in look.tables:
        for header in (one for one in table.columns if HASH.search(one)):
            for cell in look.column(table, header):
                said = str(look.value(cell) or "")
                if not said and any(look.value(one) for one in look.within(cell.sheet.casefold(), _row(table, cell))):
                    yield f"{cell}: no {header.lower().replace('sha', 'SHA')} of what stands beside it"
                elif HEX.fullmatch(said) and len(said) != DIGITS:
                    yield f"{cell}: {said} is no SHA-256, which has {DIGITS} digits"


def _row(table: Table, cell: Cell) -> Area:
    return Area(cell.row, table.area.left, cell.row, table.area.right)


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
        typed = name.startswith("in_") and cell not in look.formulas and look.validations(cell)
        if typed and cell.sheet in results - homes and not look.validates(cell, "list"):
            yield f"{cell}: the input {name} stands among results; choices alone belong there"


def _calculations(look: Look) -> Iterator[str]:
    """Find formulas beside the inputs that do more than show a number."""
    for cell, text in look.formulas.items():
        tables = [table for table in look.inputs if table.sheet == cell.sheet]
        if tables and computes(text) and not any(table.area.has(cell.row, cell.column) for table in tables):
            yield f"{cell}: a calculation among the inputs: ={text}"


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
        if attribute(column, "hidden") in ("1", "true") or decimal(column, "width", 1) == 0:
            yield f"{sheet}: column {letters(whole(column, 'min', least=1))} is hidden"
    for cell in look.cells(sheet):
        if look.template.number_format(cell.sheet, cell.row, cell.column) == ";;;":
            yield f"{cell}: its number format shows nothing"
        elif look.value(cell) is not None and look.style(cell).is_unseen:
            yield f"{cell}: its font has the colour of its fill"


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
