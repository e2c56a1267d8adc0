"""The charts sheet of the shipped template: its data tables and the charts over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from look import print_setup, put
from openpyxl.chart import BarChart, Reference
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.colors import ColorChoice
from openpyxl.drawing.fill import PatternFillProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.worksheet.pagebreak import Break

if TYPE_CHECKING:
    from collections.abc import Callable

    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

GROUPS = ("Tables", "Attention", "MLP", "Experts", "State space", "Head", "Other")
FILLS = (
    ("1F3864", None),
    ("8FAADC", "wdUpDiag"),
    ("2E75B6", None),
    ("F4B183", "pct30"),
    ("548235", "dkDnDiag"),
    ("7F7F7F", None),
    ("D9D9D9", "ltVert"),
)
TOP = 15
DATA = 84


def add_charts(
    book: Workbook, table: Callable[..., None], head: Callable[..., None], name: Callable[..., None]
) -> None:
    """Add the sheet Charts with three charts over two tables, which stand below them."""
    sheet = book.create_sheet("Charts")
    head(
        sheet,
        "Charts",
        "The largest and the dearest models, up to 15 of each; the numbers stand below the charts.",
        "K",
    )
    name(sheet, "chk_charts", "K1")
    put(sheet, f"A{DATA - 2}", "The numbers behind the charts", "section")
    columns: list[tuple[str, str, float, object]] = [
        ("Rank", "no", 6, 1),
        ("No", "no", 6, 1),
        ("Model", "text", 26, "Model"),
    ]
    columns += [(group, "percent", 11, 0.1) for group in GROUPS]
    columns += [("-", "text", 3, None), ("No by cost", "no", 9, 1), ("Model by cost", "text", 26, "Model")]
    columns += [("Training cost (USD m)", "figure", 24, 1), ("Training days", "figure", 15, 1)]
    table(sheet, "top", DATA, columns, samples=TOP)
    sheet.add_chart(_groups(sheet), "A4")
    sheet.add_chart(_bars(sheet, "Training cost of the dearest models, live scenario", "USD m", 14), "A31")
    sheet.add_chart(_bars(sheet, "Training days of the same models on the whole cluster", "Days", 15), "A57")
    for row in (56, DATA - 3):
        sheet.row_breaks.append(Break(id=row))
    print_setup(sheet)


def _groups(sheet: Worksheet) -> BarChart:
    chart = _chart("Where the parameters sit", "Share of parameters", 13.2)
    chart.grouping, chart.overlap, chart.gapWidth = "percentStacked", 100, 45
    for place, (color, pattern) in enumerate(FILLS):
        chart.add_data(_column(sheet, 4 + place, heading=True), titles_from_data=True)
        chart.series[place].graphicalProperties = _fill(color, pattern)
    chart.set_categories(_column(sheet, 3))
    chart.y_axis.number_format = "0%"
    chart.legend.position = "b"
    return chart


def _bars(sheet: Worksheet, title: str, unit: str, column: int) -> BarChart:
    chart = _chart(title, unit, 12.7)
    chart.gapWidth = 45
    chart.add_data(_column(sheet, column, heading=True), titles_from_data=True)
    chart.set_categories(_column(sheet, 13))
    chart.series[0].graphicalProperties = _fill("1F3864", None)
    chart.legend = None
    chart.y_axis.number_format = "General"
    labels = DataLabelList()
    labels.showVal, labels.numFmt = True, "#,##0.0"
    labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
    chart.series[0].dLbls = labels
    return chart


def _chart(title: str, unit: str, height: float) -> BarChart:
    chart = BarChart()
    chart.type, chart.style = "bar", 2
    chart.title, chart.y_axis.title = title, unit
    chart.x_axis.title = "Model"
    chart.height, chart.width = height, 40
    chart.x_axis.scaling.orientation = "maxMin"
    chart.y_axis.crosses = "max"
    chart.x_axis.delete = chart.y_axis.delete = False
    chart.y_axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill="D9D9D9"))
    return chart


def _column(sheet: Worksheet, column: int, *, heading: bool = False) -> Reference:
    return Reference(sheet, min_col=column, min_row=DATA if heading else DATA + 1, max_row=DATA + TOP)


def _fill(color: str, pattern: Any) -> GraphicalProperties:
    outline = LineProperties(solidFill="FFFFFF" if pattern is None else color, w=6350)
    if pattern is None:
        return GraphicalProperties(solidFill=color, ln=outline)
    properties = GraphicalProperties(ln=outline)
    properties.pattFill = PatternFillProperties(prst=pattern, fgClr=_rgb(color), bgClr=_rgb("FFFFFF"))
    return properties


def _rgb(color: str) -> Any:
    return ColorChoice(srgbClr=color)
