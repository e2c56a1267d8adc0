"""The charts of the template's own sheets, each over a list that sheets.toml puts there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from openpyxl.chart.legend import LegendEntry
from openpyxl.chart.marker import Marker

from flopsheet.accounting.data import read_table
from flopsheet.export.layout.drawing import (
    bars,
    data,
    ends,
    fill_bars,
    invisible,
    label_bars,
    lines,
    names,
    stroke,
    title_of,
    upright,
    width,
)
from flopsheet.export.layout.look import FORMATS, NAVY
from flopsheet.export.layout.question import BETWEEN, anchor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from openpyxl.chart import BarChart, Reference
    from openpyxl.chart.shapes import GraphicalProperties
    from openpyxl.worksheet.worksheet import Worksheet

GROUPS = (*read_table("flopsheet.export.layout", "groups.toml"), "Other")
FILLS = (NAVY, "8FAADC", "2E75B6", "F4B183", "548235", "BFBFBF", "7F7F7F")
"""Dark and light in turn: neighbors differ in black and white too."""
TOP, DATA = 15, 60
"""How many models the charts show, and the row of the header of their list."""
SWINGS, TORNADO = 8, 44
STEPS, TRAINING, PARAMETERS = 5, 54, 64
UNIT = "Change of the chosen result, in its unit as above"
"""LibreOffice keeps the title of an axis as it was when it opened the file, whatever cell it comes from."""


def draw_models(sheet: Worksheet) -> None:
    """Draw the largest models by component, and the cost and the days of the most expensive."""
    half = width(sheet, "N") / 2 - BETWEEN
    _draw(sheet, _groups(sheet), 4, 0)
    _draw(sheet, _range_chart(sheet, "Training cost of the most expensive models", COST, half), 28, 0)
    days = _range_chart(sheet, "Training days of the same models on the whole cluster", DAYS, half)
    _draw(sheet, days, 28, half + 2 * BETWEEN)


def draw_tornado(sheet: Worksheet) -> None:
    """Draw by how much each input moves the chosen result."""
    chart = bars("One-way sensitivity", "Input", UNIT, (width(sheet, "J"), 11.2))
    chart.overlap = 100
    columns = [data(sheet, column, TORNADO, SWINGS) for column in (8, 9)]
    _add_bars(chart, columns, (fill_bars("8FAADC"), fill_bars(NAVY)))
    for series in chart.series:
        label_bars(series, FORMATS["drawn"])  # an input that changes nothing has no label
    chart.set_categories(names(sheet, 1, TORNADO, SWINGS))
    chart.x_axis.tickLblPos = "low"
    chart.y_axis.number_format = "General"
    sheet.add_chart(chart, "A7")


def draw_bridges(sheet: Worksheet) -> None:
    """Draw the two waterfalls from a rule of thumb to the exact number of a model."""
    _draw_waterfall(sheet, "From 12 · layers · width² to the parameters", "L6", PARAMETERS, "A10")
    _draw_waterfall(sheet, "From 6 · parameters · tokens to the training compute", "L7", TRAINING, "A30")


class RangeColumns(Struct, frozen=True):
    """The columns of a chart over models: what it shows, the high end and its range, a line to compare with, labels."""

    value: int
    high: int
    range: int
    line: int
    label: int


COST, DAYS = RangeColumns(13, 15, 16, 19, 22), RangeColumns(14, 17, 18, 20, 23)


def _draw(sheet: Worksheet, chart: BarChart, row: int, left: float) -> None:
    chart.anchor = anchor(sheet, row, left, (chart.width, chart.height))
    sheet.add_chart(chart)


def _groups(sheet: Worksheet) -> BarChart:
    size = width(sheet, "N"), 11.5
    chart = bars("Parameters by component, largest models", "Model", "Share of parameters", size)
    chart.grouping, chart.overlap = "percentStacked", 100
    _add_bars(chart, [data(sheet, 4 + place, DATA, TOP) for place in range(len(FILLS))], map(fill_bars, FILLS))
    chart.set_categories(names(sheet, 21, DATA, TOP))
    chart.y_axis.number_format = "0%"
    return chart


def _range_chart(sheet: Worksheet, title: str, columns: RangeColumns, wide: float) -> BarChart:
    """Return columns with range bars, and a line at what they are compared with."""
    size = wide, 13.5
    chart = bars(title, "Model", "", size, across=False)
    chart.y_axis.title = title_of(sheet, sheet.cell(DATA, columns.value).coordinate)
    _add_bars(chart, [data(sheet, columns.value, DATA, TOP)], [fill_bars("8FAADC")])
    chart.set_categories(names(sheet, columns.label, DATA, TOP))
    chart.y_axis.number_format = FORMATS["typed"]
    upright(chart)
    overlay = lines(title, "Model", "", size)
    overlay.add_data(data(sheet, columns.line, DATA, TOP), titles_from_data=True)
    overlay.add_data(data(sheet, columns.high, DATA, TOP), titles_from_data=True)
    overlay.set_categories(names(sheet, columns.label, DATA, TOP))
    line, high = overlay.series
    line.graphicalProperties, line.smooth = stroke("C00000", "sysDash", 1.5), False
    line.marker = Marker(symbol="dash", size=12, spPr=fill_bars("C00000"))  # a line of one model has no length
    ends(high, names(sheet, columns.range, DATA, TOP))
    chart += overlay
    return chart


def _add_bars(chart: BarChart, columns: Iterable[Reference], looks: Iterable[GraphicalProperties]) -> None:
    """Add a series for each column, below its header, with its look."""
    for place, (cells, look) in enumerate(zip(columns, looks, strict=True)):
        chart.add_data(cells, titles_from_data=True)
        chart.series[place].graphicalProperties = look


def _draw_waterfall(sheet: Worksheet, title: str, unit: str, header: int, place: str) -> None:
    """Draw stacked columns, whose axis has the title in the cell `unit`: the first, the base, is not drawn."""
    chart = bars(title, "Step", "", (width(sheet, "M"), 10.2), across=False)
    chart.y_axis.title = title_of(sheet, unit)
    chart.grouping, chart.overlap = "stacked", 100
    looks = (invisible(), fill_bars(NAVY), fill_bars("8FAADC"), fill_bars("BFBFBF"))
    _add_bars(chart, [data(sheet, column, header, STEPS) for column in range(9, 13)], looks)
    chart.set_categories(names(sheet, 14, header, STEPS))
    chart.y_axis.number_format = FORMATS["typed"]
    chart.legend.legendEntry = [LegendEntry(idx=0, delete=True)]
    sheet.add_chart(chart, place)
