"""A sheet on one page: figures, charts side by side, notes, and below them a table that may grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.drawing.spreadsheet_drawing import AnchorMarker, OneCellAnchor
from openpyxl.drawing.xdr import XDRPositiveSize2D
from openpyxl.utils import get_column_letter
from openpyxl.utils.units import cm_to_EMU

from flopsheet.export.layout.look import print_setup, put
from flopsheet.export.layout.question import CHART_SIZES, HEADER, chart, figures, table_at
from flopsheet.export.layout.tables import head, name

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import SheetLayout

COLUMNS = (1, 4, 5, 7, 8, 9, 10, 15)
"""The columns of a figure's cells: its words reach over narrow ones, which are as wide as the table wants them."""
CHECK_COLUMNS, CHECK_LAST = 4, 20
"""How many columns the state of the checks reaches over, and the last of them at most: it is on the page."""
HEAD = 2
"""The rows of title and purpose."""
TITLED = 5
"""The rows from a blank one to a table's header: its title, and titles and units of its columns."""
DRAWN = 0.97
"""Of the width of the columns, what charts take: programs differ in how wide a column is drawn."""
CHART_ROWS, CHART_HEIGHT = CHART_SIZES[1]
GAP = 0.3
"""Centimeters between two charts."""


def page(book: Workbook, spec: SheetLayout) -> None:
    """Lay out the sheet of a question that is to be one page; further tables are to its right, not printed.

    Where nothing is above the table, its header stays in sight.
    """
    sheet = book.create_sheet(spec.tab)
    last = min(spec.tables[0].printed, CHECK_LAST)
    check = get_column_letter(max(last - CHECK_COLUMNS + 1, 1))
    head(sheet, spec.title, spec.about, check, get_column_letter(last))
    name(sheet, f"chk_{spec.key}", f"{check}1")
    drawn = _figures(sheet, spec)
    row = drawn + CHART_ROWS * bool(spec.charts)
    for note in spec.notes:
        put(sheet, f"A{row}", note, "note")
        row += 1
    header = row + TITLED - 1
    column, places = 1, {}
    for one in spec.tables:
        places[one.name] = column, one
        table_at(sheet, one, column, header)
        column += len(one.columns) + 1
    first = spec.tables[0]
    wide = _width(sheet, first.printed) * DRAWN / max(len(spec.charts), 1) - GAP
    for at, shown in enumerate(spec.charts):
        made = chart(sheet, shown, *places[shown.table], header=header, size=(wide, CHART_HEIGHT))
        made.anchor = _anchor(sheet, drawn, at * (wide + GAP), (wide, CHART_HEIGHT))
        sheet.add_chart(made)
    sheet.row_dimensions[header - 2].height, sheet.row_dimensions[header].height = 50, 24
    sheet.sheet_format.customHeight = True
    titles = f"{header - 2}:{header}" if header == HEAD + TITLED else ""
    sheet.freeze_panes = f"A{header + 1}" if titles else None
    area = f"A1:{get_column_letter(first.printed)}{header + 1}"
    print_setup(sheet, titles, area=area, paper=spec.paper, high=1)


def _figures(sheet: Worksheet, spec: SheetLayout) -> int:
    """Write the figures over all printed columns; return the row in which what follows begins."""
    if not spec.figures:
        return HEAD + 1
    for place in range(COLUMNS[-1] + 1, spec.tables[0].printed + 1):
        put(sheet, f"{get_column_letter(place)}{HEADER}", None, "heading")
    sheet.row_dimensions[HEADER].height = 24
    return figures(sheet, spec, HEADER, COLUMNS)


def _width(sheet: Worksheet, columns: int) -> float:
    """Return the width of the first columns in cm: 7 pixels per letter and 5 more, 96 per inch."""
    return sum(_wide(sheet, place) for place in range(1, columns + 1))


def _wide(sheet: Worksheet, place: int) -> float:
    return (7 * sheet.column_dimensions[get_column_letter(place)].width + 5) / 96 * 2.54


def _anchor(sheet: Worksheet, row: int, left: float, size: tuple[float, float]) -> OneCellAnchor:
    """Return where something of a size in cm is drawn: at a row, so many centimeters from the left."""
    place = 1
    while left > (wide := _wide(sheet, place)):
        left, place = left - wide, place + 1
    marker = AnchorMarker(col=place - 1, colOff=cm_to_EMU(left), row=row - 1)
    return OneCellAnchor(marker, XDRPositiveSize2D(*map(cm_to_EMU, size)))
