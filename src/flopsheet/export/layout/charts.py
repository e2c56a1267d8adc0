"""The charts sheet of the shipped template: its data tables and the charts over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.pagebreak import Break

from flopsheet.export.layout.drawing import bars, data, filled, labelled, names, title_of, width
from flopsheet.export.layout.look import BESIDE, TINY_FIGURE, TYPED, mark_tiny, print_setup, put
from flopsheet.export.layout.tables import Columns, head, name, table

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

GROUPS = ("Tables", "Attention", "MLP", "Experts", "State space", "Head", "Other")
FILLS = (
    ("1F3864", None),
    ("8FAADC", "wdUpDiag"),
    ("2E75B6", None),
    ("F4B183", "pct30"),
    ("548235", "dkDnDiag"),
    ("BFBFBF", None),
    ("D9D9D9", "ltVert"),
)
TOP = 15
DATA = 68


def charts(book: Workbook) -> None:
    """Add the sheet Charts with three charts over two tables, which stand below them."""
    sheet = book.create_sheet("Charts")
    note = "The largest and the dearest models, up to 15 of each; the numbers stand below the charts."
    head(sheet, "Charts", note, "K")
    name(sheet, "chk_charts", "K1")
    put(sheet, f"A{DATA - 2}", "The numbers behind the charts", "section")
    columns: Columns = [
        ("Rank", "no", 6, 1),
        ("No", "no", 6, 1),
        ("Model", "wrapped", 26, "Model"),
    ]
    columns += [(group, "percent", 11, 0.1) for group in GROUPS]
    columns += [("No by cost", "no", 11, 1), ("Model by cost", "wrapped", 26, "Model")]
    columns += [("Training cost (USD m)", "figure", 24, 1), ("Training days", "figure", 15, 1)]
    columns += [("Label", "id", 36, "Model"), ("Label by cost", "id", 36, "Model")]
    table(sheet, "top", DATA, columns, samples=TOP)
    mark_tiny(sheet, f"M{DATA + 1}:N{DATA + TOP}", TINY_FIGURE)
    sheet.add_chart(_groups(sheet), "A4")
    sheet.add_chart(_ranked(sheet, "Training cost of the dearest models, live scenario", 13), "A25")
    sheet.add_chart(_ranked(sheet, "Training days of the same models on the whole cluster", 14), "A46")
    sheet.row_breaks.append(Break(id=44))
    sheet.sheet_format.customHeight = True
    print_setup(sheet, area=f"A1:N{DATA + TOP}")


def _groups(sheet: Worksheet) -> BarChart:
    chart = bars("Where the parameters sit", "Model", "Share of parameters", (width(sheet, "N"), 10.8))
    chart.grouping, chart.overlap = "percentStacked", 100
    for place, (color, pattern) in enumerate(FILLS):
        chart.add_data(data(sheet, 4 + place, DATA, TOP), titles_from_data=True)
        chart.series[place].graphicalProperties = filled(color, pattern)
    chart.set_categories(names(sheet, 15, DATA, TOP))
    chart.y_axis.number_format = "0%"
    chart.legend.position = "b"
    return chart


def _ranked(sheet: Worksheet, title: str, column: int) -> BarChart:
    """Return bars of a column of the table, whose header is the title of the axis."""
    chart = bars(title, "Model", "", (width(sheet, "N"), 9.9))
    chart.y_axis.title = title_of(sheet, sheet.cell(DATA, column).coordinate)
    chart.add_data(data(sheet, column, DATA, TOP), titles_from_data=True)
    chart.set_categories(names(sheet, 16, DATA, TOP))
    chart.series[0].graphicalProperties = filled("1F3864")
    chart.legend = None
    chart.y_axis.number_format = TYPED
    labelled(chart.series[0], BESIDE)
    return chart
