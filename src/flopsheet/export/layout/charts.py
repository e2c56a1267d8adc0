"""The charts sheet of the shipped template: its data tables and the charts over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from openpyxl.chart.marker import Marker

from flopsheet.export.layout.drawing import (
    NAVY,
    bars,
    data,
    ends,
    fill_bars,
    lines,
    names,
    stroke,
    title_of,
    upright,
    width,
)
from flopsheet.export.layout.look import TINY_FIGURE, TYPED, mark_tiny, print_setup, put
from flopsheet.export.layout.question import BETWEEN, anchor
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import head, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

GROUPS = ("Embeddings", "Attention", "MLP", "Experts", "State space", "Head", "Other")
FILLS = (NAVY, "8FAADC", "2E75B6", "F4B183", "548235", "BFBFBF", "7F7F7F")
"""Dark and light in turn: neighbors differ in black and white too."""
TOP = 15
DATA = 60


def charts(book: Workbook) -> None:
    """Add the sheet Charts with three charts over one table, which is below them."""
    sheet = book.create_sheet("Charts")
    note = f"At most 15 models. Bars: live scenario; thin lines: {TITLES['low']} to {TITLES['high']}."
    head(sheet, "Charts", note, "K", "M")
    name(sheet, "chk_charts", "K1")
    put(sheet, f"A{DATA - 2}", "Data behind the charts", "section")
    columns = laid_out("top", {"unit": ["USD m"], "part": GROUPS})
    table(sheet, "top", DATA, columns, samples=TOP)
    mark_tiny(sheet, f"M{DATA + 1}:R{DATA + TOP}", TINY_FIGURE)
    half = width(sheet, "N") / 2 - BETWEEN
    _draw(sheet, _groups(sheet, (width(sheet, "N"), 11.5)), 4, 0)
    _draw(sheet, _range_chart(sheet, "Training cost of the most expensive models", COST, half), 28, 0)
    days = _range_chart(sheet, "Training days of the same models on the whole cluster", DAYS, half)
    _draw(sheet, days, 28, half + 2 * BETWEEN)
    sheet.sheet_format.customHeight = True
    print_setup(sheet, area=f"A1:N{DATA - 3}", high=1)


class Ranked(NamedTuple):
    """The columns of a chart over models: what it shows, the high end and its range, a line to compare with, labels."""

    shown: int
    high: int
    range: int
    line: int
    label: int


COST, DAYS = Ranked(13, 15, 16, 19, 22), Ranked(14, 17, 18, 20, 23)


def _draw(sheet: Worksheet, chart: BarChart, row: int, left: float) -> None:
    chart.anchor = anchor(sheet, row, left, (chart.width, chart.height))
    sheet.add_chart(chart)


def _groups(sheet: Worksheet, size: tuple[float, float]) -> BarChart:
    chart = bars("Parameters by component, largest models", "Model", "Share of parameters", size)
    chart.grouping, chart.overlap = "percentStacked", 100
    for place, color in enumerate(FILLS):
        chart.add_data(data(sheet, 4 + place, DATA, TOP), titles_from_data=True)
        chart.series[place].graphicalProperties = fill_bars(color)
    chart.set_categories(names(sheet, 21, DATA, TOP))
    chart.y_axis.number_format = "0%"
    chart.legend.position = "b"
    return chart


def _range_chart(sheet: Worksheet, title: str, columns: Ranked, wide: float) -> BarChart:
    """Return columns with range bars, and a line at what they are compared with."""
    size = (wide, 13.5)
    chart = bars(title, "Model", "", size, across=False)
    chart.y_axis.title = title_of(sheet, sheet.cell(DATA, columns.shown).coordinate, upwards=True)
    chart.add_data(data(sheet, columns.shown, DATA, TOP), titles_from_data=True)
    chart.set_categories(names(sheet, columns.label, DATA, TOP))
    chart.series[0].graphicalProperties = fill_bars("8FAADC")
    chart.y_axis.number_format = TYPED
    upright(chart)
    drawn = lines(title, "Model", "", size)
    drawn.add_data(data(sheet, columns.line, DATA, TOP), titles_from_data=True)
    drawn.add_data(data(sheet, columns.high, DATA, TOP), titles_from_data=True)
    drawn.set_categories(names(sheet, columns.label, DATA, TOP))
    drawn.series[0].graphicalProperties, drawn.series[0].smooth = stroke("C00000", "sysDash", 1.5), False
    drawn.series[0].marker = Marker(
        symbol="dash", size=12, spPr=fill_bars("C00000")
    )  # a line of one model has no length
    ends(drawn.series[1], names(sheet, columns.range, DATA, TOP))
    chart += drawn
    chart.legend.position = "b"
    return chart
