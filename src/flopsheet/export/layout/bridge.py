"""The sheet Bridge of the shipped template: two waterfalls of one model, and the tables that they are drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.chart.legend import LegendEntry

from flopsheet.export.layout.drawing import NAVY, bars, data, fill_bars, invisible, names, title_of, width
from flopsheet.export.layout.look import TYPED, print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import bound, head, name, table, validate_numbers

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

TRAINING, PARAMETERS = 54, 64
"""The rows of the tables' headers."""
STEPS = 5
EVERY_STEP = 16
"""The column in which the table of every step begins."""
QUANTITIES = (
    ("B6", "C6", "Layers", "layers", "number"),
    ("B7", "C7", "Width", "width", "number"),
    ("B8", "C8", "Layers · width²", "ld2", "number"),
    ("E6", "F6", "Parameters", "parameters", "number"),
    ("E7", "F7", "Active per token", "active", "number"),
    ("E8", "F8", "Training tokens", "tokens", "input_seen"),
    ("H5", "J5", "Row of Models", "row", "number"),
    ("H6", "J6", "Forward FLOP per token", "forward", "number"),
    ("H7", "J7", "Linear layers, per token", "linear", "number"),
    ("H8", "J8", "Share of linear layers", "share", "percent"),
)


def bridge(book: Workbook) -> None:
    """Lay out the choice of a model, the waterfalls, and their tables below them."""
    sheet = book.create_sheet("Bridge")
    note = "From a rule of thumb to the exact number of one model, step by step. Choose a model by its number."
    head(sheet, "Bridge", note, "H", "J")
    name(sheet, "chk_bridge", "H1")
    put(sheet, "B4", "Choose a model number", "text")
    bound(sheet, "in_bridge_model", "C4", 1, "pick")
    bound(sheet, "out_bridge_model", "E4", "Model", "question")
    validate_numbers(sheet, "C4", allow_blank=False)
    for label, cell, title, key, look in QUANTITIES:
        put(sheet, label, title, "text")
        bound(sheet, f"out_bridge_{key}", cell, 1, look)
    for cell in ("I5", "I6", "I7", "I8"):
        put(sheet, cell, None, "text")
    put(sheet, "L5", "Axes of the charts", "note")
    bound(sheet, "out_bridge_axis_parameters", "L6", "Parameters (B)", "note")
    bound(sheet, "out_bridge_axis_training_flops", "L7", "Training compute (ZFLOP)", "note")
    _tables(sheet)
    first, second = (
        "From 12 · layers · width² to the parameters",
        "From 6 · parameters · tokens to the training compute",
    )
    sheet.add_chart(_waterfall(sheet, first, "L6", 9, PARAMETERS), "A10")
    sheet.add_chart(_waterfall(sheet, second, "L7", 9, TRAINING), "A30")
    sheet.sheet_format.customHeight = True
    sheet.sheet_state = "hidden"
    print_setup(sheet, area=f"A1:M{TRAINING - 3}", high=1)


def _tables(sheet: Worksheet) -> None:
    put(sheet, f"A{TRAINING - 2}", "Data behind the training compute chart", "section")
    table(sheet, "bridge_training", TRAINING, laid_out("bridge_training"), samples=STEPS)
    put(sheet, f"A{PARAMETERS - 2}", "Data behind the parameter chart", "section")
    table(sheet, "bridge", PARAMETERS, laid_out("bridge"), samples=STEPS)
    put(sheet, f"P{PARAMETERS - 1}", "Every step, also those that are zero for the chosen model", "section")
    table(sheet, "bridge_steps", PARAMETERS, laid_out("bridge_steps"), samples=STEPS, first=EVERY_STEP)


def _waterfall(sheet: Worksheet, title: str, unit: str, first: int, header: int) -> BarChart:
    """Return stacked columns, whose axis has the title in the cell `unit`: the first, the base, is not drawn."""
    chart = bars(title, "Step", "", (width(sheet, "M"), 10.2), across=False)
    chart.y_axis.title = title_of(sheet, unit, upwards=True)
    chart.grouping, chart.overlap = "stacked", 100
    looks = (invisible(), fill_bars(NAVY), fill_bars("8FAADC"), fill_bars("BFBFBF"))
    for place, look in enumerate(looks):
        chart.add_data(data(sheet, first + place, header, STEPS), titles_from_data=True)
        chart.series[place].graphicalProperties = look
    chart.set_categories(names(sheet, 14, header, STEPS))
    chart.y_axis.number_format = TYPED
    chart.legend.position = "b"
    chart.legend.legendEntry = [LegendEntry(idx=0, delete=True)]
    return chart
