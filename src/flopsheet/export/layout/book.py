"""A whole template: the shipped sheets, and those of further questions, as the bytes of a workbook."""

from __future__ import annotations

import re
import zipfile
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

from lxml import etree
from openpyxl import Workbook

from flopsheet.export.layout.charts import GROUPS, draw_bridges, draw_models, draw_tornado
from flopsheet.export.layout.cover import about
from flopsheet.export.layout.look import FONT, GREEN, GREY, NAVY, SIZE
from flopsheet.export.layout.question import question
from flopsheet.export.layout.sheets_toml import Described
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from flopsheet.export.layout.spec import CoverLayout, SheetLayout

INPUTS, CALCULATIONS = "FFC000", "9DC3E6"
"""Colors of the tabs with inputs and with calculations; results are green, summaries navy, audit gray."""
AUDITED = ("Bridge", "Card dense", "Rules", "Problems", "Checks", "Provenance")
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
FONT_ORDER = (
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
)


def save_book(book: Workbook) -> bytes:
    """Return the workbook with fixed dates, so that the same template gives the same bytes."""
    moment = datetime(2026, 1, 1)  # noqa: DTZ001 - a date that never changes needs no zone
    book.properties.created = book.properties.modified = moment
    book.properties.creator = "flopsheet"
    raw, out = BytesIO(), BytesIO()
    book.save(raw)
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, _mend_part(entry.filename, source.read(entry)))
    return out.getvalue()


def _mend_part(part: str, data: bytes) -> bytes:
    """Return a part as openpyxl does not write it: without the moment of saving, in our font, as the schema orders.

    Labels on bars say that their format is their own: LibreOffice takes that of the cells otherwise.
    """
    if part == "docProps/core.xml":
        return re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2026-01-01T00:00:00Z", data)
    if part == "xl/theme/theme1.xml":
        return re.sub(rb'(<a:latin typeface=)"[^"]+"', rf'\g<1>"{FONT}"'.encode(), data)
    if part.startswith("xl/charts/"):
        return re.sub(rb'(<numFmt formatCode="[^"]*") ?/>', rb'\g<1> sourceLinked="0"/>', data)
    if part != "xl/styles.xml":
        return data
    root = etree.fromstring(data)
    fonts = list(root.iter(f"{{{MAIN}}}font"))
    for child, value in (("name", FONT), ("sz", SIZE)):
        fonts[0].find(f"{{{MAIN}}}{child}").set("val", str(value))
    for font in fonts:
        font[:] = sorted(font, key=lambda child: FONT_ORDER.index(etree.QName(child).localname))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def plan(cover: CoverLayout, questions: Sequence[SheetLayout] = ()) -> Workbook:
    """Return the template of a training plan as it is laid out: every look of a list in a column of its own.

    The sheets up to Sensitivity are the print set: first, in a row, and on one size of paper.

    Each question has its figures on About, and a sheet of its own behind Budget, or right behind About if it asks so.
    """
    book = Workbook()
    book.remove(book.worksheets[0])
    about(book, cover, questions)
    add = partial(_add, book, cover)
    first = [layout for layout in questions if layout.first]
    workings = [layout for layout in questions if layout.workings]
    for layout in first:
        question(book, layout, brief=cover.brief)
    add("Assumptions", "Budget")
    for layout in questions:
        if not (layout.first or layout.workings):
            question(book, layout, brief=cover.brief)
    add("Models", *[tab for tab in ("Charts",) if tab not in cover.without])
    add("Sensitivity", "Bridge", "Card", "Rules", "Problems", "Checks", "Provenance", "Workings budget")
    for layout in workings:
        question(book, layout, brief=cover.brief)
    add("Workings")
    for sheet in book.worksheets:
        if sheet.title in cover.hidden:
            sheet.sheet_state = "hidden"
    _color(book, {layout.tab for layout in first}, {layout.tab for layout in workings})
    return book


CHARTS = {"Charts": draw_models, "Sensitivity": draw_tornado, "Bridge": draw_bridges}


def _add(book: Workbook, cover: CoverLayout, *tabs: str) -> None:
    """Add sheets that sheets.toml describes, with their charts."""
    titles = (*TITLES.values(), *cover.scenarios)
    placeholders = {"case": titles, "choice": ["1"], "unit": ["USD m"], "part": GROUPS}
    for tab in tabs:
        sheet = Described(tab, titles, placeholders, brief=cover.brief and tab == "Assumptions").add_to(book)
        if tab in CHARTS:
            CHARTS[tab](sheet)


def _color(book: Workbook, first: Collection[str], workings: Collection[str]) -> None:
    """Color each tab by what its sheet is for: summary, inputs, results, audit or calculations."""
    kinds = dict.fromkeys(("About", *first), NAVY) | {"Assumptions": INPUTS} | dict.fromkeys(AUDITED, GREY)
    for sheet in book.worksheets:
        is_working = sheet.title in workings or sheet.title.startswith("Workings")
        sheet.sheet_properties.tabColor = CALCULATIONS if is_working else kinds.get(sheet.title, GREEN)


def template_bytes(cover: CoverLayout, questions: Sequence[SheetLayout] = ()) -> bytes:
    """Return the template with the sheets of further questions, always the same bytes."""
    return save_book(plan(cover, questions))
