"""The sheet Sensitivity of the shipped template: a tornado, what it is drawn from, and the workings next to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.formatting.rule import ColorScaleRule
from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.drawing import NAVY, bars, data, fill_bars, label_bars, names, width
from flopsheet.export.layout.look import SIGNED, mark_unit, print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import bound, head, name, table
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.sensitivity import POINTS

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

TOP = 8
HEAT = "F4B183"
UNIT = "Change of the chosen result, in its unit as above"
"""LibreOffice keeps the title of an axis as it was when it opened the file, whatever cell it comes from."""
LOW, HIGH = TITLES["low"], TITLES["high"]
GRID = 31
"""The row in which the grid of two inputs begins."""
TABLES = 44
"""The row of the tables' headers."""
RESULTS, INPUTS = 16, 24
"""The columns in which the tables of workings begin."""
HELPERS = (
    ("row", "Row of results", "id", 1),
    ("times", "Plain units", "id", 1),
    ("column", "Column of cases", "id", 1),
    ("base", "Base row", "id", 1),
    ("model_row", "Row of Models", "id", 1),
)
AXES = (("down", "Down"), ("across", "Across"))


def sensitivity(book: Workbook) -> None:
    """Lay out the choice of a result and a model, the tornado, the inputs that move the result, and the workings."""
    sheet = book.create_sheet("Sensitivity")
    note = (
        f"How the chosen result changes when one input goes to {LOW} or {HIGH} and all others stay live. Inputs that do"
        " not move it are left out."
    )
    head(sheet, "Sensitivity", note, "H", "J")
    name(sheet, "chk_sensitivity", "H1")
    put(sheet, "A4", "Choose a result", "text")
    bound(sheet, "in_sensitivity", "B4", "Price of compute", "pick_text")
    sheet.merge_cells("B4:C4")
    put(sheet, "D4", "Current value", "text")
    bound(sheet, "out_sensitivity", "E4", 1, "headline")
    bound(sheet, "out_sensitivity_unit", "F4", "USD/ZFLOP", "indented")
    put(sheet, "A5", "Choose a model number", "text")
    bound(sheet, "in_sensitivity_model", "B5", 1, "pick")
    bound(sheet, "out_sensitivity_model", "D5", "Model", "section")
    _grid(sheet)
    _choices(sheet)
    for row, (key, title, look, value) in enumerate(HELPERS, start=4):
        put(sheet, f"M{row}", title, "id")
        bound(sheet, f"out_sensitivity_{key}", f"N{row}", value, look)
    _tables(sheet)
    sheet.add_chart(_tornado(sheet), "A7")
    sheet.sheet_format.customHeight = True
    print_setup(sheet, area=f"A1:J{TABLES + TOP}", high=1)


def _choices(sheet: Worksheet) -> None:
    offered = f"$P${TABLES + 1}:$P${TABLES + 1}"
    inputs = f"$A${TABLES + 1}:$A${TABLES + TOP}"
    picks = (("B4", offered, "a result"), ("B5", "Models!$A$6:$A$6", "a model's number"))
    axes = ((f"B{GRID + row}", inputs, "an input that moves the result") for row in (1, 2))
    for cell, cells, what in (*picks, *axes):
        choice = DataValidation("list", formula1=cells, allow_blank=False, showErrorMessage=True)
        choice.error, choice.errorTitle = f"Choose {what} from the list", "Sensitivity"
        sheet.add_data_validation(choice)
        choice.add(cell)


def _grid(sheet: Worksheet) -> None:
    """Lay out the choice of two inputs, and the result at the points of both, the darker the larger."""
    bound(sheet, "out_grid_title", f"A{GRID}", "Result with two inputs at once", "section")
    for row, (side, title) in enumerate(AXES, start=GRID + 1):
        put(sheet, f"A{row}", f"{title}: choose an input", "text")
        bound(sheet, f"in_grid_{side}", f"B{row}", "Input", "pick_text")
        sheet.merge_cells(f"B{row}:C{row}")
        bound(sheet, f"out_grid_{side}_unit", f"D{row}", "unit", "indented")
    header = GRID + 4
    put(sheet, f"A{header - 1}", "Across", "text")
    for place, letter in enumerate("BCDEF", start=1):
        bound(sheet, f"out_grid_across_{place}", f"{letter}{header - 1}", 1, "link_input")
    table(sheet, "grid", header, laid_out("grid"), samples=POINTS)
    last = header + POINTS
    mark_unit(sheet, f"B{header - 1}:F{header - 1}", f"$D${GRID + 2}")
    mark_unit(sheet, f"A{header + 1}:A{last}", f"$D${GRID + 1}")
    colors = ColorScaleRule("min", start_color="FFFFFF", end_type="max", end_color=HEAT)
    sheet.conditional_formatting.add(f"B{header + 1}:F{last}", colors)
    note = f"Even steps from {LOW} to {HIGH} of each input. The same input twice moves it down alone."
    put(sheet, f"A{last + 1}", note, "note")
    for row, (side, title) in enumerate(AXES):
        for place, (key, what, value) in enumerate((("_row", "Row of drivers", 1), ("", "Name", "mfu"))):
            put(sheet, f"M{10 + 2 * row + place}", f"{title}: {what}", "id")
            bound(sheet, f"out_grid_{side}{key}", f"N{10 + 2 * row + place}", value, "id")


def _tables(sheet: Worksheet) -> None:
    put(
        sheet,
        f"A{TABLES - 1}",
        "The inputs that move it most, largest swing first. Column X lists every input",
        "section",
    )
    table(sheet, "tornado", TABLES, laid_out("tornado"), samples=TOP)
    mark_unit(sheet, f"C{TABLES + 1}:E{TABLES + TOP}", f"$B{TABLES + 1}")
    put(sheet, f"P{TABLES - 1}", "Results that may be chosen", "section")
    table(sheet, "results", TABLES, laid_out("results"), first=RESULTS)
    put(sheet, f"X{TABLES - 1}", "Every input that can move a result", "section")
    table(sheet, "sensitivity", TABLES, laid_out("sensitivity"), first=INPUTS)
    mark_unit(sheet, f"Z{TABLES + 1}:AB{TABLES + 1}", f"$Y{TABLES + 1}")


def _tornado(sheet: Worksheet) -> BarChart:
    chart = bars("One-way sensitivity", "Input", UNIT, (width(sheet, "J"), 11.2))
    chart.overlap = 100
    for place, look in enumerate((fill_bars("8FAADC"), fill_bars(NAVY))):
        chart.add_data(data(sheet, 8 + place, TABLES, TOP), titles_from_data=True)
        chart.series[place].graphicalProperties = look
        label_bars(chart.series[place], f"{SIGNED};")  # an input that changes nothing has no label
    chart.set_categories(names(sheet, 1, TABLES, TOP))
    chart.x_axis.tickLblPos = "low"
    chart.y_axis.number_format = "General"
    chart.legend.position = "b"
    return chart
