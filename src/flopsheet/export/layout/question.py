"""The sheet of a question: figures, charts and notes on the left, its tables side by side on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.chart import BarChart, Reference
from openpyxl.utils import get_column_letter

from flopsheet.export.layout.drawing import GREY, NAVY, add_series, bars, filled, lines, names, stroked, width
from flopsheet.export.layout.look import TYPED, mark_zero, of_unit, print_setup, put
from flopsheet.export.layout.spec import FIGURE_CELLS, figure_name
from flopsheet.export.layout.tables import bound, head, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openpyxl import Workbook
    from openpyxl.chart import LineChart
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import ChartLayout, FigureLayout, SheetLayout, TableLayout

HEADINGS = ("Figure", "Live", "Unit", *TITLES.values(), "What it is", "As delivered")
WIDTHS = (34, 16, 14, 16, 16, 16, 60, 34)
SAMPLES = {"lbl": "figure", "unit": "unit", "abt": "what it is", "since": ""} | dict.fromkeys(
    ("out", "low", "base", "high"), 1
)
CASES = ("low", "base", "high")
FIGURE_LOOKS = {
    "lbl": "text",
    "out": "headline",
    "unit": "indented",
    "low": "link_figure",
    "base": "link_figure",
    "high": "link_figure",
    "abt": "indented",
    "since": "small",
}
LAST = "H"
"""The last column of figures, charts and notes."""
FIRST = 10
"""The column in which the tables begin."""
HEADER = 6
"""The row of the tables' headers, below their titles and units, and of the figures'."""
CHART_ROWS, CHART_HEIGHT = 18, 8.7
SERIES = ((NAVY, "solid"), ("2E75B6", "dash"), ("548235", "sysDot"), ("C55A11", "dashDot"), (GREY, "lgDash"))
"""Colors, and strokes that tell lines apart in black and white."""
FILLS = (NAVY, "9DC3E6", "C55A11", "FFD966", "548235", "BFBFBF")
"""Colors of bars, which differ in black and white too."""
SAMPLE = {"text": "text", "wrapped": "text"}


def question(book: Workbook, spec: SheetLayout) -> None:
    """Lay out the sheet of a question."""
    sheet = book.create_sheet(spec.tab)
    head(sheet, spec.title, spec.about, "G")
    name(sheet, f"chk_{spec.key}", "G1")
    for letter, wide in zip("ABCDEFGH", WIDTHS, strict=True):
        sheet.column_dimensions[letter].width = wide
    row = _figures(sheet, spec)
    areas = [f"A1:{LAST}{{bottom}}"]
    places = {}
    column = FIRST
    for one in spec.tables:
        places[one.name] = column, one
        areas.append(_table(sheet, one, column))
        column += len(one.columns) + 1
    for chart in spec.charts:
        sheet.add_chart(_chart(sheet, chart, *places[chart.table]), f"A{row}")
        row += CHART_ROWS
    for note in spec.notes:
        put(sheet, f"A{row}", note, "note")
        row += 1
    areas[0] = areas[0].format(bottom=max(row, HEADER))
    sheet.row_dimensions[HEADER - 2].height, sheet.row_dimensions[HEADER].height = 30, 24
    sheet.freeze_panes = f"A{HEADER + 1}"
    sheet.sheet_format.customHeight = True
    print_setup(sheet, f"{HEADER - 2}:{HEADER}", area=",".join(areas), paper=spec.paper)


def figure_look(figure: FigureLayout, cell: str) -> str:
    """Return the look of a cell of a figure: live ones come from another sheet, cases of others are constants."""
    look = "delivered_figure" if cell in CASES and not figure.live else FIGURE_LOOKS[cell]
    return of_unit("link_headline" if cell == "out" and figure.live else look, figure.unit)


def _figures(sheet: Worksheet, spec: SheetLayout) -> int:
    """Write the figures; return the row in which what follows begins."""
    if not spec.figures:
        return HEADER + 1
    for column, text in zip("ABCDEFGH", HEADINGS, strict=True):
        look = "heading_right" if column in "BDEF" else "heading" if column == "A" else "heading_in"
        put(sheet, f"{column}{HEADER}", text, look)
    for row, figure in enumerate(spec.figures, start=HEADER + 1):
        for column, cell in zip("ABCDEFGH", FIGURE_CELLS, strict=True):
            look = figure_look(figure, cell)
            bound(sheet, figure_name(cell, figure.key), f"{column}{row}", SAMPLES[cell], look)
    return HEADER + 1 + len(spec.figures) + 1


def _table(sheet: Worksheet, spec: TableLayout, column: int) -> str:
    """Lay out a table from a column on; return the cells that it prints."""
    first = get_column_letter(column)
    last = get_column_letter(column + spec.printed - 1)
    put(sheet, f"{first}{HEADER - 3}", spec.title, "section")
    for place, one in enumerate(spec.columns, start=column):
        letter = get_column_letter(place)
        put(sheet, f"{letter}{HEADER - 2}", one.title, "column_title")
        put(sheet, f"{letter}{HEADER - 1}", one.unit or "-", "column_unit")
        if one.look == "pass":
            mark_zero(sheet, f"{letter}{HEADER + 1}")
    columns = [(one.header, one.look, one.width, SAMPLE.get(one.look, 1)) for one in spec.columns]
    table(sheet, spec.name, HEADER, list(columns), heading="column_id", first=column)
    return f"{first}{HEADER - 3}:{last}{HEADER + 1}"


def _chart(sheet: Worksheet, spec: ChartLayout, column: int, laid: TableLayout) -> BarChart | LineChart:
    """Return a chart of a table, in one of the kinds that a sheet may ask for."""
    places = {one.header: place for place, one in enumerate(laid.columns, start=column)}
    size = (width(sheet, "G"), CHART_HEIGHT)
    chart = lines(spec.title, spec.x, spec.y, size) if spec.kind == "line" else _columns(spec, size)
    for at, header in enumerate(spec.series):
        series = add_series(chart, _cells(sheet, places[header]), _title(sheet, places[header]))
        color, dash = SERIES[at % len(SERIES)]
        series.smooth = None if isinstance(chart, BarChart) else False
        series.graphicalProperties = (
            filled(FILLS[at % len(FILLS)]) if isinstance(chart, BarChart) else stroked(color, dash, 2)
        )
    chart.set_categories(_cells(sheet, places[spec.category]))
    chart.y_axis.number_format = TYPED
    if len(spec.series) + len(spec.references) > 1:
        chart.legend.position = "b"
    else:
        chart.legend = None
    if spec.references:
        _references(chart, sheet, spec, places)
    return chart


def _columns(spec: ChartLayout, size: tuple[float, float]) -> BarChart:
    chart = bars(spec.title, spec.x, spec.y, size, across=False)
    if spec.kind == "stacked":
        chart.grouping, chart.overlap = "stacked", 100
    return chart


def _references(chart: BarChart | LineChart, sheet: Worksheet, spec: ChartLayout, places: Mapping[str, int]) -> None:
    """Draw thin lines at a height over all categories; over bars they are a chart of their own on the same axes."""
    drawn = lines(spec.title, spec.x, spec.y, (chart.width, chart.height)) if isinstance(chart, BarChart) else chart
    for header in spec.references:
        series = add_series(drawn, _cells(sheet, places[header]), _title(sheet, places[header]))
        series.graphicalProperties, series.smooth = stroked("C00000", "sysDash", 1.25), False
    if drawn is not chart:
        drawn.set_categories(_cells(sheet, places[spec.category]))
        chart += drawn


def _cells(sheet: Worksheet, column: int) -> Reference:
    return names(sheet, column, HEADER, 1)


def _title(sheet: Worksheet, column: int) -> Reference:
    return Reference(sheet, min_col=column, min_row=HEADER - 2)
