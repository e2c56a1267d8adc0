"""The charts on the sheet of a question, in the kinds that a sheet may ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.chart import BarChart
from openpyxl.chart.marker import Marker

from flopsheet.export.layout.drawing import (
    add_points,
    add_series,
    bars,
    fill_bars,
    invisible,
    label_bars,
    lines,
    names,
    points,
    stroke,
    upright,
)
from flopsheet.export.layout.look import FORMATS, GREY, NAVY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from openpyxl.chart import LineChart, ScatterChart
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import ChartLayout, TableLayout

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
