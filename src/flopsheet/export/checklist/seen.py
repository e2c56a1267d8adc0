"""Items about what people see: nothing hidden, nothing merged that holds data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import letters
from flopsheet.export.checklist.look import Cell
from flopsheet.export.xlsx.book import sheet_elements
from flopsheet.export.xlsx.markup import attribute, decimal, tag, whole
from flopsheet.export.xlsx.refs import read_area

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.refs import Area
HEIGHT = re.compile(r' ht="([0-9]+[.]?[0-9]*)"')
LOW, NARROW = 2, 0.5
"""Points of a row, and characters of a column, that are still to be seen."""


def hidden(look: Look) -> Iterator[str]:
    """Find windows, sheets, rows, columns, cells and names that people do not see."""
    windows = look.template.book.root.iter(tag("workbookView"))
    if any(attribute(one, "visibility", "visible") != "visible" for one in windows):
        yield "the workbook's window is hidden"
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
        height = HEIGHT.search(attributes)
        if re.search(r' hidden="(1|true)"', attributes) or (height and float(height[1]) < LOW):
            yield f"{sheet}: row {row} is hidden"
    for column in xml.root.iter(tag("col")):
        if attribute(column, "hidden") in ("1", "true") or decimal(column, "width", 1) < NARROW:
            yield f"{sheet}: column {letters(whole(column, 'min', least=1))} is hidden"
    if any(attribute(one, "zeroHeight") in ("1", "true") for one in xml.root.iter(tag("sheetFormatPr"))):
        yield f"{sheet}: rows without a height of their own are hidden"
    for cell in look.cells(sheet):
        if look.template.number_format(cell.sheet, cell.row, cell.column) == ";;;":
            yield f"{cell}: its number format shows nothing"
        elif look.value(cell) is not None and look.style(cell).is_unseen:
            yield f"{cell}: its font has the colour of its fill"


def merged(look: Look) -> Iterator[str]:
    """Find merged cells that reach into a list, or hold more than one text."""
    for sheet in look.sheets:
        lists = [table for table in look.tables if table.sheet == sheet]
        for found in look.xml(sheet).root.iter(tag("mergeCell")):
            area = read_area(attribute(found, "ref"))
            within = next((table.name for table in lists if area.meets(table.area)), "")
            if within:
                yield f"{sheet}!{area}: merged in the list {within}"
            elif not _is_text(look, sheet, area):
                yield f"{sheet}!{area}: merged, but more than one text"


def _is_text(look: Look, sheet: str, area: Area) -> bool:
    """Whether cells hold a text in the first one and nothing else, as a title does."""
    first = Cell(sheet, area.top, area.left)
    rest = [cell for cell in look.within(sheet.casefold(), area) if cell != first]
    number = isinstance(look.value(first), int | float)
    return not number and all(look.value(cell) is None and cell not in look.formulas for cell in rest)
