"""The best designs of a sweep as a workbook: one table with units, its chart, and what each column means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.errors import UsageError
from flopsheet.export.sweeps.described import describe_column
from flopsheet.export.sweeps.page import summarize_counts
from flopsheet.export.text import clean
from flopsheet.planning.designs.sweep import MODEL
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from pathlib import Path

    from openpyxl import Workbook
    from openpyxl.cell import Cell
    from openpyxl.chart import ScatterChart
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.planning.designs.kept import Table
    from flopsheet.planning.designs.sweep import Counts, DesignSweep

MOST_ROWS = 10_000
"""Designs that a person can make use of in a workbook; more are for Parquet."""
HEADER, FIRST = 4, 5
"""The rows of headers and of the first design."""
CHART = (9_300_000, 6_000_000)
"""Width and height of the chart in EMU: a page that lies on its side."""
COLOR = "1F3864"
LARGE, HUGE = 1_000, 1e15
"""From here on, numbers have no decimals, and are written with an exponent."""
FORMS = {"count": "#,##0", "share": "0.0%"}
WIDTHS = {"title": 34, "name": 28, "unit": 16, "formula": 60, "about": 60, "source": 60}


def write_sweep(path: Path, sweep: DesignSweep, counts: Counts, table: Table) -> None:
    """Write the kept designs; UsageError where there are more than a workbook is good for."""
    from openpyxl import Workbook  # noqa: PLC0415 - heavy, and only workbooks need it

    from flopsheet.export.layout.book import save_book  # noqa: PLC0415 - same reason

    rows = len(table[MODEL]) if table else 0
    if rows > MOST_ROWS:
        raise UsageError(
            f"{path.name}: {rows:,} designs are too many for a workbook; set keep in [sweep] to at most {MOST_ROWS:,},"
            " or write .parquet or .csv"
        )
    book = Workbook()
    book.remove(book.worksheets[0])
    designs = book.create_sheet("Designs")
    _designs(designs, sweep, counts, table, rows)
    if rows > 1:
        _chart_sheet(book, _chart(designs, sweep, rows))
    _columns(book.create_sheet("Columns"), sweep)
    path.write_bytes(save_book(book))


def _chart_sheet(book: Workbook, chart: ScatterChart) -> None:
    """Add a sheet that is a chart; it has a size, without which LibreOffice draws nothing."""
    from openpyxl.drawing.spreadsheet_drawing import AbsoluteAnchor  # noqa: PLC0415 - as above
    from openpyxl.drawing.xdr import XDRPositiveSize2D  # noqa: PLC0415 - as above

    sheet = book.create_chartsheet("Chart")
    sheet.add_chart(chart)
    chart.anchor = AbsoluteAnchor(ext=XDRPositiveSize2D(*CHART))  # type: ignore[assignment]


def _designs(sheet: Worksheet, sweep: DesignSweep, counts: Counts, table: Table, rows: int) -> None:
    from openpyxl.styles import Font  # noqa: PLC0415 - as above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above

    from flopsheet.export.layout.look import FONT  # noqa: PLC0415 - as above

    _cell(sheet, 1, 1, clean(sweep.plan.name)).font = Font(name=FONT, bold=True, size=16)
    how = "Values as computed; sheet Columns has the formulas."
    _cell(sheet, 2, 1, f"{summarize_counts(counts)}. Case: {TITLES[sweep.case]}. {how}")
    for column, name in enumerate([MODEL, *sweep.names], 1):
        _head(sheet, column, "Model" if name == MODEL else _title_of(sweep, name))
        form = "General" if name == MODEL else _form(sweep, name, table[name]) if rows else "General"
        for row, value in enumerate(_show_column(sweep, table, name)[:rows], FIRST):
            _cell(sheet, row, column, value, form)
    sheet.freeze_panes = f"B{FIRST}"
    _print_across(sheet)
    sheet.auto_filter.ref = f"A{HEADER}:{get_column_letter(len(sweep.names) + 1)}{max(FIRST, FIRST + rows - 1)}"
    sheet.row_dimensions[HEADER].height = 45


def _print_across(sheet: Worksheet) -> None:
    from openpyxl.worksheet.properties import PageSetupProperties  # noqa: PLC0415 - as above

    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def _head(sheet: Worksheet, column: int, text: str) -> None:
    from openpyxl.styles import Alignment, Font, PatternFill  # noqa: PLC0415 - as above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above

    from flopsheet.export.layout.look import FONT  # noqa: PLC0415 - as above

    head = _cell(sheet, HEADER, column, text)
    head.font, head.fill = Font(name=FONT, bold=True, color="FFFFFF"), PatternFill("solid", fgColor=COLOR)
    head.alignment = Alignment(wrap_text=True, vertical="center")
    sheet.column_dimensions[get_column_letter(column)].width = 18


def _show_column(sweep: DesignSweep, table: Table, name: str) -> list[Any]:
    """Return a column as people read it: models and choices by name."""
    axis = next((axis for axis in sweep.design.axes if axis.name == name), None)
    values = [float(value) for value in table.get(name, ())]
    if name == MODEL:
        return [clean(sweep.plan.costed[int(value)].name) for value in values]
    return [axis.state_value(value) for value in values] if axis is not None else values


def _cell(sheet: Worksheet, row: int, column: int, value: Any, form: str = "General") -> Cell:
    from flopsheet.export.layout.look import write  # noqa: PLC0415 - as above

    cell: Cell = sheet.cell(row, column)  # type: ignore[assignment]  # nothing is merged
    write(cell, None if value != value else value)  # noqa: PLR0124 - nan, which no cell can hold
    cell.number_format = form
    return cell


def _form(sweep: DesignSweep, name: str, column: Any) -> str:
    most = abs(column).max()
    if most >= HUGE:
        return "0.00E+00"
    return FORMS.get(getattr(sweep.line(name), "kind", "")) or ("#,##0" if most >= LARGE else "0.000")


def _chart(sheet: Worksheet, sweep: DesignSweep, rows: int) -> ScatterChart:
    """Return a chart of the designs by two columns: objectives, or the first axis and line."""
    from openpyxl.chart import Reference, ScatterChart, Series  # noqa: PLC0415 - as above
    from openpyxl.chart.shapes import GraphicalProperties  # noqa: PLC0415 - as above

    across, up = choose_axes(sweep)
    names = [MODEL, *sweep.names]
    chart = ScatterChart()
    chart.style, chart.scatterStyle, chart.legend = 13, "lineMarker", None
    chart.title = "Pareto front" if sweep.design.pareto else "Designs that are kept"
    chart.x_axis.title, chart.y_axis.title = (_title_of(sweep, name) for name in (across, up))
    chart.x_axis.delete = chart.y_axis.delete = False
    x, y = (Reference(sheet, names.index(name) + 1, FIRST, max_row=FIRST + rows - 1) for name in (across, up))
    series = Series(y, x)
    series.marker.symbol, series.graphicalProperties.line.noFill = "circle", True
    series.marker.graphicalProperties = GraphicalProperties(solidFill=COLOR)
    chart.series.append(series)
    return chart


def choose_axes(sweep: DesignSweep) -> tuple[str, str]:
    """Return the two columns of numbers that a chart of the designs shows."""
    objectives = [*sweep.design.pareto, *([sweep.design.best] if sweep.design.best else [])]
    targets = [objective.formula.names[0] for objective in objectives if objective.formula.names]
    words = {axis.name for axis in sweep.design.axes if axis.words}
    axes = [axis.name for axis in sweep.design.axes if not axis.words]
    numbers = [name for name in sweep.names if name not in words]
    across, *others = list(dict.fromkeys([*targets[:2], *axes, *numbers])) if len(targets) > 1 else [*axes, *numbers]
    return across, next((name for name in [*targets, *others, *numbers] if name != across), across)


def _title_of(sweep: DesignSweep, name: str) -> str:
    facts = describe_column(sweep, name)
    return f"{facts['title']} ({facts['unit']})" if "unit" in facts else facts["title"]


def _columns(sheet: Worksheet, sweep: DesignSweep) -> None:
    """Write what each column is: name, unit, formula and source."""
    from openpyxl.styles import Alignment, Font  # noqa: PLC0415 - as above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415 - as above

    from flopsheet.export.layout.look import FONT, SIZE  # noqa: PLC0415 - as above
    from flopsheet.export.workbook.heights import heights  # noqa: PLC0415 - as above

    for column, (key, width) in enumerate(WIDTHS.items(), 1):
        _cell(sheet, 1, column, key.capitalize()).font = Font(name=FONT, bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = width
    height = heights({place: (width, SIZE) for place, width in enumerate(WIDTHS.values())})
    for row, name in enumerate(sweep.names, 2):
        facts = {**describe_column(sweep, name), "name": name}
        sheet.row_dimensions[row].height = height([facts.get(key, "") for key in WIDTHS])
        for column, key in enumerate(WIDTHS, 1):
            cell = _cell(sheet, row, column, facts.get(key, ""))
            cell.alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "B2"
    _print_across(sheet)
