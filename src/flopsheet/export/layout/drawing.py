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

from flopsheet.export.layout.look import FORMATS, GREY, NAVY, SIZE, reference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openpyxl.chart.series import Series
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import ChartLayout, TableLayout

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


SERIES = ((NAVY, "solid"), ("2E75B6", "dash"), ("548235", "sysDot"), ("C55A11", "dashDot"), (GREY, "lgDash"))
"""Colors, and strokes that tell lines apart in black and white."""
REFERENCES = (("C00000", "sysDash"), ("7F6000", "lgDashDot"), ("7030A0", "sysDot"))
"""The same of the thin lines that say where a bound is."""
MARKERS = ("circle", "square", "triangle", "diamond", "x")
"""Shapes that tell points apart in black and white."""
FILLS = (NAVY, "9DC3E6", "C55A11", "FFD966", "548235", "BFBFBF")
"""Colors of bars, which differ in black and white too."""
AXES = {"percent": FORMATS["whole_percent"], "loss": FORMATS["loss"]}
"""Digits along an axis, by the look of what it measures; others have as many as they need."""


def chart(
    sheet: Worksheet, spec: ChartLayout, column: int, table: TableLayout, *, header: int, size: tuple[float, float]
) -> BarChart | LineChart | ScatterChart:
    """Return a chart of a table with its header in a row, in one of the kinds that a sheet may ask for."""
    places = {one.header: place for place, one in enumerate(table.columns, start=column)}
    if spec.kind == "scatter":
        return _scatter_chart(sheet, spec, places, header, size)
    chart = lines(spec.title, spec.x_title, spec.y_title, size) if spec.kind == "line" else _columns(spec, size)
    for at, column_name in enumerate(spec.series):
        series = add_series(chart, sheet, places[column_name], header)
        color, dash = SERIES[at % len(SERIES)]
        series.smooth = None if isinstance(chart, BarChart) else False
        series.graphicalProperties = (
            fill_bars(FILLS[at % len(FILLS)]) if isinstance(chart, BarChart) else stroke(color, dash, 2)
        )
    if spec.kind == "steps":
        chart.series[0].graphicalProperties = invisible()
    chart.set_categories(names(sheet, places[spec.category], header, 1))
    chart.y_axis.number_format = AXES.get(spec.look, FORMATS["typed"])
    if spec.log:
        chart.y_axis.scaling.logBase = spec.log
    if isinstance(chart, BarChart):
        _finish(chart, spec)
    # a series that is named after a model says so in the legend, also after one model alone
    has_model_title = any(one.title_cell for one in table.columns if one.header in spec.series)
    if spec.kind == "steps" or (not has_model_title and len((*spec.series, *spec.over, *spec.references)) <= 1):
        chart.legend = None
    if spec.references or spec.over:
        _lines_over(chart, sheet, spec, places, header)
    return chart


def _finish(chart: BarChart, spec: ChartLayout) -> None:
    """Let bars begin at 0, and write their values on them where that is asked for."""
    if not spec.signed:
        chart.y_axis.scaling.min = 0
    if spec.wide and spec.kind == "bar":
        upright(chart)
    visible = chart.series[1:] if spec.kind == "steps" else chart.series
    for series in visible if spec.labels else ():
        label_bars(series, FORMATS["share_on_bars" if spec.look == "percent" else "on_bars"])


def _scatter_chart(
    sheet: Worksheet, spec: ChartLayout, places: Mapping[str, int], header: int, size: tuple[float, float]
) -> ScatterChart:
    """Return a chart of points, joined by lines where a series has several."""
    chart = points(spec.title, spec.x_title, spec.y_title, size)
    for at, (across, up) in enumerate(zip(spec.across, spec.series, strict=True)):
        series = add_points(chart, sheet, places[across], places[up], header)
        color, dash = SERIES[at % len(SERIES)]
        series.graphicalProperties, series.smooth = stroke(color, dash, 1.25), False
        series.marker = Marker(symbol=MARKERS[at % len(MARKERS)], size=8, spPr=fill_bars(color))
    chart.x_axis.number_format = chart.y_axis.number_format = FORMATS["typed"]
    if spec.log:
        chart.y_axis.scaling.logBase = spec.log
    return chart


def _columns(spec: ChartLayout, size: tuple[float, float]) -> BarChart:
    chart = bars(spec.title, spec.x_title, spec.y_title, size, across=False)
    if spec.kind != "bar":
        chart.overlap = 100
    if spec.kind in ("stacked", "steps"):
        chart.grouping = "stacked"
    return chart


def _lines_over(
    chart: BarChart | LineChart, sheet: Worksheet, spec: ChartLayout, places: Mapping[str, int], header: int
) -> None:
    """Draw lines over all categories, references thin; over bars they are a chart of their own on the same axes."""
    overlay = (
        lines(spec.title, spec.x_title, spec.y_title, (chart.width, chart.height))
        if isinstance(chart, BarChart)
        else chart
    )
    looks = [(color, dash, 2.0) for color, dash in SERIES[1 : 1 + len(spec.over)]]
    looks += [(*REFERENCES[at % len(REFERENCES)], 1.25) for at in range(len(spec.references))]
    for column_name, (color, dash, wide) in zip(
        (*spec.over, *(line.of for line in spec.references)), looks, strict=True
    ):
        series = add_series(overlay, sheet, places[column_name], header)
        series.graphicalProperties, series.smooth = stroke(color, dash, wide), False
        if overlay is not chart:  # over the bars of one model a line has no length
            series.marker = Marker(symbol="dash", size=8, spPr=fill_bars(color))
    if overlay is not chart:
        overlay.set_categories(names(sheet, places[spec.category], header, 1))
        chart += overlay
