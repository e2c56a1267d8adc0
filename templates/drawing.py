"""Charts of the shipped templates: one look, made to be read in black and white."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openpyxl.chart import BarChart, Reference
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.colors import ColorChoice
from openpyxl.drawing.fill import PatternFillProperties
from openpyxl.drawing.line import LineProperties

if TYPE_CHECKING:
    from openpyxl.chart.series import Series
    from openpyxl.worksheet.worksheet import Worksheet

WIDTH = 47.0
"""Width of a chart, in cm: nearly that of the sheet's columns."""
NAVY, GREY, PALE = "1F3864", "7F7F7F", "D9D9D9"


def bars(title: str, categories: str, unit: str, height: float, *, across: bool = True) -> BarChart:
    """Return an empty chart of bars, first category on top or, not `across`, of columns."""
    chart = BarChart()
    chart.type, chart.style = ("bar" if across else "col"), 2
    chart.title, chart.x_axis.title, chart.y_axis.title = title, categories, unit
    chart.height, chart.width, chart.gapWidth = height, WIDTH, 70
    if across:
        chart.x_axis.scaling.orientation = "maxMin"
        chart.y_axis.crosses = "max"
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill=PALE))
    return chart


def data(sheet: Worksheet, column: int, header: int, rows: int) -> Reference:
    """Return the cells of a column of a table, with its header."""
    return Reference(sheet, min_col=column, min_row=header, max_row=header + rows)


def names(sheet: Worksheet, column: int, header: int, rows: int) -> Reference:
    """Return the cells of a column of a table, without its header."""
    return Reference(sheet, min_col=column, min_row=header + 1, max_row=header + rows)


def filled(color: str, pattern: Any = None) -> GraphicalProperties:
    """Return the look of bars: one colour, or a pattern of it on white."""
    outline = LineProperties(solidFill="FFFFFF" if pattern is None else color, w=6350)
    if pattern is None:
        return GraphicalProperties(solidFill=color, ln=outline)
    properties = GraphicalProperties(ln=outline)
    properties.pattFill = PatternFillProperties(prst=pattern, fgClr=_rgb(color), bgClr=_rgb("FFFFFF"))
    return properties


def invisible() -> GraphicalProperties:
    """Return the look of bars that only carry others."""
    return GraphicalProperties(noFill=True, ln=LineProperties(noFill=True))


def labelled(series: Series, form: str) -> None:
    """Write each bar's value beside it."""
    labels = DataLabelList()
    labels.showVal, labels.numFmt = True, form
    labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
    series.dLbls = labels


def _rgb(color: str) -> Any:
    return ColorChoice(srgbClr=color)
