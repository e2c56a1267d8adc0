"""The best designs of a sweep as a workbook: one table with units, its chart, and what each column means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openpyxl import Workbook
from openpyxl.chart import Reference, ScatterChart, Series
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.spreadsheet_drawing import AbsoluteAnchor
from openpyxl.drawing.xdr import XDRPositiveSize2D
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.worksheet.properties import PageSetupProperties

from flopsheet.export.layout.book import save_book
from flopsheet.export.layout.look import FONT, SIZE, write
from flopsheet.export.sweeps.column_facts import choose_axes, describe_column, state_values, title_with_unit
from flopsheet.export.sweeps.page import summarize_counts
from flopsheet.export.text import clean
from flopsheet.export.workbook.heights import heights
from flopsheet.planning.designs.sweep import MODEL
from flopsheet.planning.inputs import TITLES
from livesheets.addresses import letters

if TYPE_CHECKING:
    from pathlib import Path

    from openpyxl.cell import Cell
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import Counts, DesignSweep

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
    """Write the kept designs."""
    rows = len(table[MODEL]) if table else 0
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
    sheet = book.create_chartsheet("Chart")
    sheet.add_chart(chart)
    chart.anchor = AbsoluteAnchor(ext=XDRPositiveSize2D(*CHART))  # type: ignore[assignment]


def _designs(sheet: Worksheet, sweep: DesignSweep, counts: Counts, table: Table, rows: int) -> None:
    _cell(sheet, 1, 1, clean(sweep.plan.name)).font = Font(name=FONT, bold=True, size=16)
    how = "Values as computed; sheet Columns has the formulas."
    _cell(sheet, 2, 1, f"{summarize_counts(counts)}. Case: {TITLES[sweep.case]}. {how}")
    for column, name in enumerate([MODEL, *sweep.names], 1):
        _head(sheet, column, "Model" if name == MODEL else title_with_unit(sweep, name))
        form = "General" if name == MODEL else _form(sweep, name, table[name]) if rows else "General"
        for row, value in enumerate(_show_column(sweep, table, name)[:rows], FIRST):
            _cell(sheet, row, column, value, form)
    sheet.freeze_panes = f"B{FIRST}"
    _print_across(sheet)
    sheet.auto_filter.ref = f"A{HEADER}:{letters(len(sweep.names) + 1)}{max(FIRST, FIRST + rows - 1)}"
    sheet.row_dimensions[HEADER].height = 45


def _print_across(sheet: Worksheet) -> None:
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)


def _head(sheet: Worksheet, column: int, text: str) -> None:
    head = _cell(sheet, HEADER, column, text)
    head.font, head.fill = Font(name=FONT, bold=True, color="FFFFFF"), PatternFill("solid", fgColor=COLOR)
    head.alignment = Alignment(wrap_text=True, vertical="center")
    sheet.column_dimensions[letters(column)].width = 18


def _show_column(sweep: DesignSweep, table: Table, name: str) -> list[Any]:
    """Return a column as people read it: models and choices by name."""
    if name == MODEL:
        return [clean(sweep.plan.costed[int(value)].name) for value in table.get(name, ())]
    return state_values(sweep, name, table.get(name, ()))


def _cell(sheet: Worksheet, row: int, column: int, value: Any, form: str = "General") -> Cell:
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
    across, up = choose_axes(sweep)
    names = [MODEL, *sweep.names]
    chart = ScatterChart()
    chart.style, chart.scatterStyle, chart.legend = 13, "lineMarker", None
    chart.title = "Pareto front" if sweep.design.pareto else "Designs that are kept"
    chart.x_axis.title, chart.y_axis.title = (title_with_unit(sweep, name) for name in (across, up))
    chart.x_axis.delete = chart.y_axis.delete = False
    x, y = (Reference(sheet, names.index(name) + 1, FIRST, max_row=FIRST + rows - 1) for name in (across, up))
    series = Series(y, x)
    series.marker.symbol, series.graphicalProperties.line.noFill = "circle", True
    series.marker.graphicalProperties = GraphicalProperties(solidFill=COLOR)
    chart.series.append(series)
    return chart


def _columns(sheet: Worksheet, sweep: DesignSweep) -> None:
    """Write what each column is: name, unit, formula and source."""
    for column, (key, width) in enumerate(WIDTHS.items(), 1):
        _cell(sheet, 1, column, key.capitalize()).font = Font(name=FONT, bold=True)
        sheet.column_dimensions[letters(column)].width = width
    height = heights({place: (width, SIZE) for place, width in enumerate(WIDTHS.values())})
    for row, name in enumerate(sweep.names, 2):
        facts = {**describe_column(sweep, name), "name": name}
        sheet.row_dimensions[row].height = height([facts.get(key, "") for key in WIDTHS])
        for column, key in enumerate(WIDTHS, 1):
            _cell(sheet, row, column, facts.get(key, "")).alignment = Alignment(wrap_text=True, vertical="top")
    sheet.freeze_panes = "B2"
    _print_across(sheet)
