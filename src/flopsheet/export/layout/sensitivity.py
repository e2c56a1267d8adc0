"""The sheet Sensitivity of the shipped template: a tornado, and the table of inputs that it is drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.pagebreak import Break

from flopsheet.export.layout.drawing import NAVY, bars, data, filled, labelled, names, width
from flopsheet.export.layout.look import SIGNED, print_setup, put
from flopsheet.export.layout.tables import Columns, bound, head, name, table
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.questions.budget.lines import CLUSTER_LINES

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

TOP = 8
UNIT = "Change of the chosen result, in its unit as above"
"""LibreOffice keeps the title of an axis as it was when it opened the file, whatever cell it comes from."""
LOW, HIGH = TITLES["low"], TITLES["high"]
CHANGES = (f"{LOW} change", f"{HIGH} change")
TORNADO, INPUTS = 36, 48
"""The rows of the tables' headers."""
RESULTS = ",".join(line.label for line in CLUSTER_LINES)
HELPERS = (
    ("row", "Row of Budget", "id", 1),
    ("times", "Plain units", "id", 1),
    ("column", "Column of cases", "id", 1),
    ("base", "Base row", "id", 1),
)


def sensitivity(book: Workbook) -> None:
    """Lay out the choice of a result, the tornado, the largest swings, and every input."""
    sheet = book.create_sheet("Sensitivity")
    note = f"How the chosen result changes when one input goes to {LOW} or {HIGH} and all others stay live."
    head(sheet, "Sensitivity", note, "H")
    name(sheet, "chk_sensitivity", "H1")
    put(sheet, "A4", "Result: choose", "text")
    bound(sheet, "in_sensitivity", "B4", "Price of compute", "pick_text")
    put(sheet, "D4", "Base: live", "text")
    bound(sheet, "out_sensitivity", "E4", 1, "headline")
    bound(sheet, "out_sensitivity_unit", "F4", "USD/ZFLOP", "indented")
    choice = DataValidation("list", formula1=f'"{RESULTS}"', allow_blank=False, showErrorMessage=True)
    choice.error, choice.errorTitle = "Choose a result from the list", "Result"
    sheet.add_data_validation(choice)
    choice.add("B4")
    for row, (key, title, look, value) in enumerate(HELPERS, start=4):
        put(sheet, f"M{row}", title, "id")
        bound(sheet, f"out_sensitivity_{key}", f"N{row}", value, look)
    _tables(sheet)
    sheet.add_chart(_tornado(sheet), "A6")
    sheet.row_breaks.append(Break(id=INPUTS - 3))
    sheet.sheet_format.customHeight = True
    print_setup(sheet, area=f"A1:K{INPUTS + 1}")


def _tables(sheet: Worksheet) -> None:
    put(sheet, f"A{TORNADO - 2}", "The largest swings", "section")
    columns: Columns = [
        ("Input", "text", 34, "Input"),
        ("Rank", "no", 24, 1),
        ("Row", "no", 20, 1),
        *((header, "drawn", 20, 1) for header in CHANGES),
        ("Swing", "figure", 16, 1),
    ]
    table(sheet, "tornado", TORNADO, columns, samples=TOP)
    put(sheet, f"A{INPUTS - 2}", "Every input", "section")
    columns = [
        ("Input", "text", 34, "Input"),
        ("Unit", "text", 24, "unit"),
        *((case, "link_general", 20, 1) for case in (LOW, "Live", HIGH)),
        *((f"{title} result", "link_figure", 16, 1) for title in (LOW, HIGH)),
        *((header, "change", 16, 1) for header in CHANGES),
        ("Swing", "figure", 14, 1),
        ("Rank", "no", 7, 1),
        ("Row", "id", 6, 1),
        ("Name", "id", 20, "mfu"),
    ]
    table(sheet, "sensitivity", INPUTS, columns)


def _tornado(sheet: Worksheet) -> BarChart:
    chart = bars("What one input at a time changes", "Input", UNIT, (width(sheet, "K"), 14.2))
    chart.overlap = 100
    for place, look in enumerate((filled("2E75B6", "wdUpDiag"), filled(NAVY))):
        chart.add_data(data(sheet, 4 + place, TORNADO, TOP), titles_from_data=True)
        chart.series[place].graphicalProperties = look
        labelled(chart.series[place], f"{SIGNED};")  # an input that changes nothing has no label
    chart.set_categories(names(sheet, 1, TORNADO, TOP))
    chart.x_axis.tickLblPos = "low"
    chart.y_axis.number_format = "General"
    chart.legend.position = "b"
    return chart
