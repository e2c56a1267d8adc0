"""The sheet of a question: figures, charts and notes on the left, its tables side by side on the right."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from openpyxl.chart import BarChart, Reference
from openpyxl.chart.data_source import StrRef
from openpyxl.chart.marker import Marker
from openpyxl.chart.series import SeriesLabel
from openpyxl.utils import get_column_letter

from flopsheet.export.layout.drawing import (
    GREY,
    NAVY,
    add_points,
    add_series,
    bars,
    filled,
    labeled,
    lines,
    names,
    points,
    stroked,
    width,
)
from flopsheet.export.layout.look import (
    LOSS,
    ON_BARS,
    SHARE_ON_BARS,
    TYPED,
    WHOLE_PERCENT,
    mark_large,
    mark_warned,
    mark_zero,
    of_unit,
    print_setup,
    put,
)
from flopsheet.export.layout.spec import FIGURE_CELLS, figure_name
from flopsheet.export.layout.tables import bound, head, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from openpyxl import Workbook
    from openpyxl.chart import LineChart, ScatterChart
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import ChartLayout, FigureLayout, SheetLayout, TableLayout

HEADINGS = ("Figure", "Live", "Unit", *TITLES.values(), "What it is", "Note")
WIDTHS = (34, 16, 14, 16, 16, 16, 60, 34)
SAMPLES = {"lbl": "figure", "unit": "unit", "abt": "what it is", "since": ""} | dict.fromkeys(
    ("out", "low", "base", "high"), 1
)
CASES = ("low", "base", "high")
MARKS = {"pass": mark_zero, "warned": mark_warned} | dict.fromkeys(("figure", "sparse", "tenth"), mark_large)
"""What marks columns by their look: those of checks get colors, large figures lose their decimals."""
UNSAID = {"": None, "flag": None, "output": None}
"""What stands for units that say nothing: a column of yes and no says what it is."""
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
HEADING_LOOKS = (
    "heading",
    "heading_right",
    "heading_in",
    "heading_right",
    "heading_right",
    "heading_right",
    "heading_open",
    "heading_open",
)
LAST = "H"
"""The last column of figures, charts and notes."""
FIRST = 10
"""The column in which the tables begin."""
HEADER = 6
"""The row of the tables' headers, below their titles and units."""
LETTERS = 240
"""Letters of a note that have room on a line."""
CHART_SIZES = {1: (18, 8.7), 2: (15, 7.2)}
"""The rows that charts take, by how many are side by side, and their heights in cm: with the notes, a page has room."""
LONG_LIST = 40
"""Lines of notes that are more than a page has room for, below the rows that it repeats."""
WIDE_SIZE = (24, 11.7)
"""The same of a chart with many names, which are slanted and take a third of it."""
LAST_ROW, NEXT_PAGE = 47, 50
"""The last row that the first page surely has room for, and one that is surely not on it: no chart is on two."""
ONE_SIDE, SIDES = (("A", "G"),), (("A", "E"), ("F", "H"))
"""The columns that charts take: a single one nearly all of them, several half of them each."""
SERIES = ((NAVY, "solid"), ("2E75B6", "dash"), ("548235", "sysDot"), ("C55A11", "dashDot"), (GREY, "lgDash"))
"""Colors, and strokes that tell lines apart in black and white."""
REFERENCES = (("C00000", "sysDash"), ("7F6000", "lgDashDot"), ("7030A0", "sysDot"))
"""The same of the thin lines that say where a bound is."""
MARKERS = ("circle", "square", "triangle", "diamond", "x")
"""Shapes that tell points apart in black and white."""
FILLS = (NAVY, "9DC3E6", "C55A11", "FFD966", "548235", "BFBFBF")
"""Colors of bars, which differ in black and white too."""
AXES = {"percent": WHOLE_PERCENT, "loss": LOSS}
"""Digits along an axis, by the look of what it measures; others have as many as they need."""
SAMPLE = {"text": "text", "wrapped": "text"}


def question(book: Workbook, spec: SheetLayout) -> None:
    """Lay out the sheet of a question."""
    sheet = book.create_sheet(spec.tab)
    head(sheet, spec.title, spec.about, "G")
    name(sheet, f"chk_{spec.key}", "G1")
    for letter, wide in zip("ABCDEFGH", WIDTHS, strict=True):
        sheet.column_dimensions[letter].width = wide
    row = figures(sheet, spec, HEADER + 1)  # below the rows that each page repeats
    areas = [f"A1:{LAST}{{bottom}}"]
    places = {}
    column = FIRST
    for one in spec.tables:
        places[one.name] = column, one
        area = table_at(sheet, one, column)
        areas += [area] if one.printed else []
        column += len(one.columns) + 1
    for group in by_row(spec.charts):
        sides = ONE_SIDE if group[0].wide or len(spec.charts) == 1 else SIDES
        rows, high = WIDE_SIZE if group[0].wide else CHART_SIZES[len(sides)]
        row = NEXT_PAGE if row < NEXT_PAGE and row + rows - 1 > LAST_ROW else row
        for drawn, (first, last) in zip(group, sides, strict=False):
            made = chart(sheet, drawn, *places[drawn.table], header=HEADER, size=(width(sheet, last, first), high))
            sheet.add_chart(made, f"{first}{row}")
        row += rows
    behind, row = _notes(sheet, spec.notes, row)
    areas[0] = areas[0].format(bottom=max(behind - 1 if behind else row, HEADER))
    areas += [f"A{behind}:{LAST}{row}"] if behind else []
    sheet.row_dimensions[HEADER - 2].height, sheet.row_dimensions[HEADER].height = 30, 24
    sheet.freeze_panes = f"A{HEADER + 1}"
    sheet.sheet_format.customHeight = True
    print_setup(sheet, f"{HEADER - 2}:{HEADER}", area=",".join(areas), paper=spec.paper)


def _notes(sheet: Worksheet, notes: Sequence[str], row: int) -> tuple[int, int]:
    """Write notes from a row on; return the row of the list that prints behind the tables, or 0, and the row below all.

    A note that ends with a colon begins a list; one that is longer than a page would be between charts and tables.
    """
    begins = 0
    for note in notes:
        begins = row if note.endswith(":") else begins
        for at, part in enumerate(wrap(note, LETTERS, break_on_hyphens=False)):
            put(sheet, f"A{row}", part, "note_in" if at else "note")
            row += 1
    return (begins if begins and row - begins > LONG_LIST else 0), row


def by_row(charts: Sequence[ChartLayout]) -> list[list[ChartLayout]]:
    """Return the charts that are side by side: a wide one is alone."""
    found: list[list[ChartLayout]] = []
    for one in charts:
        if one.wide or not found or found[-1][0].wide or len(found[-1]) == len(SIDES):
            found.append([one])
        else:
            found[-1].append(one)
    return found


def figure_look(figure: FigureLayout, cell: str) -> str:
    """Return the look of a cell of a figure: cases that follow come from another sheet, others are constants."""
    look = "delivered_figure" if cell in CASES and not figure.follows else FIGURE_LOOKS[cell]
    return of_unit("link_headline" if cell == "out" and figure.shared else look, figure.unit)


def figures(sheet: Worksheet, spec: SheetLayout, header: int, columns: Sequence[int] = range(1, 9)) -> int:
    """Write the figures below a header, each cell in its column; return the row in which what follows begins."""
    if not spec.figures:
        return HEADER + 1
    letters = [get_column_letter(column) for column in columns]
    between = (get_column_letter(column) for column in {*range(columns[0], columns[-1])} - {*columns})
    for letter in between:
        put(sheet, f"{letter}{header}", None, "heading")
        for row in range(header + 1, header + 1 + len(spec.figures)):
            put(sheet, f"{letter}{row}", None, "text")
    for letter, text, look in zip(letters, HEADINGS, HEADING_LOOKS, strict=True):
        put(sheet, f"{letter}{header}", text, look)
    for row, figure in enumerate(spec.figures, start=header + 1):
        for letter, cell in zip(letters, FIGURE_CELLS, strict=True):
            look = figure_look(figure, cell)
            bound(sheet, figure_name(cell, figure.key), f"{letter}{row}", SAMPLES[cell], look)
    for letter in (letters[1], *letters[3:6]):
        mark_large(sheet, f"{letter}{header + 1}:{letter}{header + len(spec.figures)}")
    return header + 1 + len(spec.figures) + 1


def table_at(sheet: Worksheet, spec: TableLayout, column: int, header: int = HEADER) -> str:
    """Lay out a table from a column on, its header in a row; return the cells that it prints."""
    first = get_column_letter(column)
    last = get_column_letter(column + spec.printed - 1)
    put(sheet, f"{first}{header - 3}", spec.title, "section")
    for place, one in enumerate(spec.columns, start=column):
        letter = get_column_letter(place)
        put(sheet, f"{letter}{header - 2}", one.title, "link_title" if one.named else "column_title")
        if one.named:
            name(sheet, one.named, f"{letter}{header - 2}")
        put(sheet, f"{letter}{header - 1}", UNSAID.get(one.unit, one.unit), "column_unit")
        if mark := MARKS.get(one.look):
            mark(sheet, f"{letter}{header + 1}")
    columns = [(one.header, one.look, one.width, SAMPLE.get(one.look, 1)) for one in spec.columns]
    table(sheet, spec.name, header, list(columns), heading="column_id", first=column)
    return f"{first}{header - 3}:{last}{header + 1}"


def chart(
    sheet: Worksheet, spec: ChartLayout, column: int, laid: TableLayout, *, header: int, size: tuple[float, float]
) -> BarChart | LineChart | ScatterChart:
    """Return a chart of a table with its header in a row, in one of the kinds that a sheet may ask for."""
    places = {one.header: place for place, one in enumerate(laid.columns, start=column)}
    if spec.kind == "scatter":
        return _scattered(sheet, spec, places, header, size)
    chart = lines(spec.title, spec.x, spec.y, size) if spec.kind == "line" else _columns(spec, size)
    for at, shown in enumerate(spec.series):
        series = add_series(chart, names(sheet, places[shown], header, 1), _title(sheet, places[shown], header))
        color, dash = SERIES[at % len(SERIES)]
        series.smooth = None if isinstance(chart, BarChart) else False
        series.graphicalProperties = (
            filled(FILLS[at % len(FILLS)]) if isinstance(chart, BarChart) else stroked(color, dash, 2)
        )
    chart.set_categories(names(sheet, places[spec.category], header, 1))
    chart.y_axis.number_format = AXES.get(spec.look, TYPED)
    if spec.log:
        chart.y_axis.scaling.logBase = spec.log
    if isinstance(chart, BarChart):
        _finish(chart, spec)
    named = any(one.named for one in laid.columns if one.header in spec.series)  # after a model, also after one alone
    if named or len(spec.series) + len(spec.over) + len(spec.references) > 1:
        chart.legend.position = "b"
    else:
        chart.legend = None
    if spec.references or spec.over:
        _lines_over(chart, sheet, spec, places, header)
    return chart


def _finish(chart: BarChart, spec: ChartLayout) -> None:
    """Let bars begin at 0, and write their values on them where that is asked for."""
    if not spec.signed:
        chart.y_axis.scaling.min = 0
    for series in chart.series if spec.labels else ():
        labeled(series, SHARE_ON_BARS if spec.look == "percent" else ON_BARS)


def _scattered(
    sheet: Worksheet, spec: ChartLayout, places: Mapping[str, int], header: int, size: tuple[float, float]
) -> ScatterChart:
    """Return a chart of points, joined by lines where a series has several."""
    chart = points(spec.title, spec.x, spec.y, size)
    for at, (across, up) in enumerate(zip(spec.across, spec.series, strict=True)):
        series = add_points(chart, *(names(sheet, places[one], header, 1) for one in (across, up)))
        series.tx = SeriesLabel(strRef=StrRef(f=str(_title(sheet, places[up], header))))
        color, dash = SERIES[at % len(SERIES)]
        series.graphicalProperties, series.smooth = stroked(color, dash, 1.25), False
        series.marker = Marker(symbol=MARKERS[at % len(MARKERS)], size=8, spPr=filled(color))
    chart.x_axis.number_format = chart.y_axis.number_format = TYPED
    chart.legend.position = "b"
    if spec.log:
        chart.y_axis.scaling.logBase = spec.log
    return chart


def _columns(spec: ChartLayout, size: tuple[float, float]) -> BarChart:
    chart = bars(spec.title, spec.x, spec.y, size, across=False)
    if spec.kind != "bar":
        chart.overlap = 100
    if spec.kind == "stacked":
        chart.grouping = "stacked"
    return chart


def _lines_over(
    chart: BarChart | LineChart, sheet: Worksheet, spec: ChartLayout, places: Mapping[str, int], header: int
) -> None:
    """Draw lines over all categories, references thin; over bars they are a chart of their own on the same axes."""
    drawn = lines(spec.title, spec.x, spec.y, (chart.width, chart.height)) if isinstance(chart, BarChart) else chart
    looks = [(color, dash, 2.0) for color, dash in SERIES[1 : 1 + len(spec.over)]]
    looks += [(*REFERENCES[at % len(REFERENCES)], 1.25) for at in range(len(spec.references))]
    for shown, (color, dash, wide) in zip((*spec.over, *spec.references), looks, strict=True):
        series = add_series(drawn, names(sheet, places[shown], header, 1), _title(sheet, places[shown], header))
        series.graphicalProperties, series.smooth = stroked(color, dash, wide), False
        if drawn is not chart:  # over the bars of one model a line has no length
            series.marker = Marker(symbol="dash", size=8, spPr=filled(color))
    if drawn is not chart:
        drawn.set_categories(names(sheet, places[spec.category], header, 1))
        chart += drawn


def _title(sheet: Worksheet, column: int, header: int) -> Reference:
    return Reference(sheet, min_col=column, min_row=header - 2)
