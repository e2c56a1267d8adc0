"""Charts of the shipped templates: one look, made to be read in black and white."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.chart import BarChart, LineChart, Reference, ScatterChart
from openpyxl.chart.data_source import NumDataSource, NumRef, StrRef
from openpyxl.chart.error_bar import ErrorBars
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.marker import Marker
from openpyxl.chart.series import SeriesLabel
from openpyxl.chart.series_factory import SeriesFactory
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import (
    CharacterProperties,
    Paragraph,
    ParagraphProperties,
    RegularTextRun,
    RichTextProperties,
)
from openpyxl.utils import column_index_from_string, get_column_letter

from flopsheet.export.layout.look import NAVY, SIZE, reference

if TYPE_CHECKING:
    from openpyxl.chart.series import Series
    from openpyxl.worksheet.worksheet import Worksheet

SMALL = 8
"""Size of the texts along the axes and on bars: fifteen names stand one above the other."""
HEADING = 12
"""Size of the title of a chart."""
PALE = "D9D9D9"
UPWARD = -5400000
"""A quarter turn of a text, so that it is read from below."""


def width(sheet: Worksheet, last: str, first: str = "A") -> float:
    """Return the width of some columns of a sheet, in cm: 7 pixels per letter and 5 more, 96 per inch."""
    places = range(column_index_from_string(first), column_index_from_string(last) + 1)
    columns = [sheet.column_dimensions[get_column_letter(place)] for place in places]
    return sum(7 * column.width + 5 for column in columns) / 96 * 2.54


def bars(title: str, categories: str, unit: str, size: tuple[float, float], *, across: bool = True) -> BarChart:
    """Return an empty chart of bars, first category on top or, not `across`, of columns; `size` is in cm."""
    chart = BarChart()
    chart.type, chart.gapWidth = ("bar" if across else "col"), 70
    _frame(chart, title, categories, unit, size)
    if across:
        chart.x_axis.scaling.orientation = "maxMin"
        chart.y_axis.crosses = "max"
        chart.x_axis.txPr = chart.y_axis.txPr = _letters(SMALL)
    chart.x_axis.tickLblSkip = 1
    return chart


def lines(title: str, categories: str, unit: str, size: tuple[float, float]) -> LineChart:
    """Return an empty chart of lines; `size` is in cm."""
    chart = LineChart()
    _frame(chart, title, categories, unit, size)
    return chart


def points(title: str, across: str, up: str, size: tuple[float, float]) -> ScatterChart:
    """Return an empty chart of points; `size` is in cm."""
    chart = ScatterChart()
    chart.scatterStyle = "lineMarker"
    _frame(chart, title, across, up, size)
    chart.x_axis.majorGridlines = None
    return chart


def add_points(chart: ScatterChart, sheet: Worksheet, across: int, up: int, header: int) -> Series:
    """Add a series of points from two columns, with the title of the second; return it."""
    series: Series = SeriesFactory(names(sheet, up, header, 1), names(sheet, across, header, 1))
    series.tx = _series_title(sheet, up, header)
    chart.series.append(series)
    return series


def _frame(
    chart: BarChart | LineChart | ScatterChart, title: str, categories: str, unit: str, size: tuple[float, float]
) -> None:
    chart.style = 2
    chart.title, chart.x_axis.title, chart.y_axis.title = _heading(title), categories, unit
    chart.width, chart.height = size
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.x_axis.txPr = chart.y_axis.txPr = _letters(SIZE)
    chart.y_axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill=PALE))
    chart.legend.position = "b"


def _heading(text: str) -> Title:
    """Return the title of a chart: bold, and no larger than the headings of its sheet."""
    look = CharacterProperties(b=True, sz=100 * HEADING)
    part = Paragraph(ParagraphProperties(defRPr=look), r=[RegularTextRun(rPr=look, t=text)])
    return Title(tx=Text(rich=RichText(p=[part])), overlay=False)


def add_series(chart: BarChart | LineChart, sheet: Worksheet, column: int, header: int) -> Series:
    """Add a series of a row below a header, with the title above; return it."""
    chart.add_data(names(sheet, column, header, 1), titles_from_data=False)
    series: Series = chart.series[-1]
    series.tx = _series_title(sheet, column, header)
    return series


def _series_title(sheet: Worksheet, column: int, header: int) -> SeriesLabel:
    return SeriesLabel(strRef=StrRef(f=str(Reference(sheet, min_col=column, min_row=header - 2))))


def stroke(color: str, dash: str, points: float) -> GraphicalProperties:
    """Return the look of a line: its color, its stroke and its width."""
    return GraphicalProperties(ln=LineProperties(solidFill=color, prstDash=dash, w=int(12700 * points)))


def title_of(sheet: Worksheet, address: str) -> Title:
    """Return an upright axis title that a cell holds, one that stays as delivered: LibreOffice does not follow it."""
    look = _letters(SIZE, bold=True, turn=UPWARD)
    return Title(tx=Text(strRef=StrRef(f=reference(sheet, address))), overlay=False, txPr=look)


def _letters(points: float, *, bold: bool = False, turn: int | None = None) -> RichText:
    """Return the look of a text in a chart."""
    look = ParagraphProperties(defRPr=CharacterProperties(b=bold, sz=int(100 * points)))
    body = None if turn is None else RichTextProperties(rot=turn, vert="horz")
    return RichText(bodyPr=body, p=[Paragraph(look)])


def data(sheet: Worksheet, column: int, header: int, rows: int) -> Reference:
    """Return the cells of a column of a table, with its header."""
    return Reference(sheet, min_col=column, min_row=header, max_row=header + rows)


def names(sheet: Worksheet, column: int, header: int, rows: int) -> Reference:
    """Return the cells of a column of a table, without its header."""
    return Reference(sheet, min_col=column, min_row=header + 1, max_row=header + rows)


def fill_bars(color: str) -> GraphicalProperties:
    """Return the look of bars."""
    return GraphicalProperties(solidFill=color, ln=LineProperties(solidFill="FFFFFF", w=6350))


def ends(series: Series, reach: Reference) -> None:
    """Draw each point of a line as a short dash with a thin line that reaches so much below it."""
    series.graphicalProperties, series.smooth = GraphicalProperties(ln=LineProperties(noFill=True)), False
    series.marker = Marker(symbol="dash", size=7, spPr=fill_bars(NAVY))
    below = NumDataSource(numRef=NumRef(f=str(reach)))
    series.errBars = ErrorBars(errDir="y", errBarType="minus", errValType="cust", minus=below, noEndCap=False)
    series.errBars.spPr = stroke(NAVY, "solid", 1.25)


def upright(chart: BarChart) -> None:
    """Turn the names along the axis upward, so that thirty have room."""
    chart.x_axis.txPr = _letters(SMALL, turn=UPWARD)


def invisible() -> GraphicalProperties:
    """Return the look of bars that only carry others."""
    return GraphicalProperties(noFill=True, ln=LineProperties(noFill=True))


def label_bars(series: Series, form: str) -> None:
    """Write each bar's value next to it."""
    labels = DataLabelList()
    labels.showVal, labels.numFmt, labels.txPr = True, form, _letters(SMALL)
    labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
    series.dLbls = labels
