"""Items about what people see: nothing hidden, nothing merged that holds data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.audit.survey import ABOUT
from flopsheet.audit.view import Cell
from livesheets.addresses import letters
from livesheets.engine.book import sheet_elements
from livesheets.engine.markup import attribute, decimal, tag, whole
from livesheets.references import read_area

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.references import Area
HEIGHT = re.compile(r' ht="([0-9]+[.]?[0-9]*)"')
HIDDEN_MARKER = "{{ hidden_sheets }}"
"""The marker in place of which a filled workbook says which sheets are hidden."""
LOW, NARROW = 2, 0.5
"""Points of a row, and characters of a column, that are still to be seen."""


def find_hidden(view: WorkbookView) -> Iterator[str]:
    """Find windows, sheets, rows, columns, cells and names that people do not see.

    A sheet may be hidden where the cover says so and Excel's menu shows it.
    """
    windows = view.template.book.root.iter(tag("workbookView"))
    if any(attribute(window, "visibility", "visible") != "visible" for window in windows):
        yield "the workbook's window is hidden"
    covers = filter(ABOUT.search, view.sheets)
    sentence = "\n".join(text for sheet in covers for _, text in view.texts(sheet))
    for element in sheet_elements(view.template.book.root):
        name, state = attribute(element, "name"), attribute(element, "state", "visible")
        if state != "visible" and not (state == "hidden" and (name in sentence or HIDDEN_MARKER in sentence)):
            yield f"{name}: the sheet is hidden, and the cover does not say so"
    for sheet in view.sheets:
        yield from _unseen(view, sheet)
    for element in view.template.book.root.iter(tag("definedName")):
        if attribute(element, "hidden") in ("1", "true") and not attribute(element, "name").startswith("_xlnm."):
            yield f"the name {attribute(element, 'name')} is hidden"


def _unseen(view: WorkbookView, sheet: str) -> Iterator[str]:
    xml = view.xml(sheet)
    for row, attributes in xml.attributes.items():
        height = HEIGHT.search(attributes)
        if re.search(r' hidden="(1|true)"', attributes) or (height and float(height[1]) < LOW):
            yield f"{sheet}: row {row} is hidden"
    for column in xml.root.iter(tag("col")):
        if attribute(column, "hidden") in ("1", "true") or decimal(column, "width", 1) < NARROW:
            yield f"{sheet}: column {letters(whole(column, 'min', least=1))} is hidden"
    if any(attribute(settings, "zeroHeight") in ("1", "true") for settings in xml.root.iter(tag("sheetFormatPr"))):
        yield f"{sheet}: rows without a height of their own are hidden"
    yield from (f"{Cell(*place)}: {why}" for place, why in view.survey.hidden_cells if place[0] == sheet)


def find_merged(view: WorkbookView) -> Iterator[str]:
    """Find merged cells that reach into a list, or hold more than one text."""
    for sheet in view.sheets:
        lists = [table for table in view.tables if table.sheet == sheet]
        for merge in view.xml(sheet).root.iter(tag("mergeCell")):
            area = read_area(attribute(merge, "ref"), f"a merged range on the sheet {sheet!r}")
            within = next((table.name for table in lists if area.meets(table.area)), "")
            if within:
                yield f"{sheet}!{area}: merged in the list {within}"
            elif not _is_text(view, sheet, area):
                yield f"{sheet}!{area}: merged, but more than one text"


def _is_text(view: WorkbookView, sheet: str, area: Area) -> bool:
    """Whether cells hold a text in the first one and nothing else, as a title does."""
    first = Cell(sheet, area.top, area.left)
    rest = [cell for cell in view.within(sheet.casefold(), area) if cell != first]
    number = isinstance(view.value(first), int | float)
    return not number and all(view.value(cell) is None and cell not in view.formulas for cell in rest)
