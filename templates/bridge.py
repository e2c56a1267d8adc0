"""The sheet Bridge of the shipped template: two waterfalls of one model, and the tables that they are drawn from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drawing import GREY, NAVY, bars, data, filled, invisible, names
from look import print_setup, put
from openpyxl.chart.legend import LegendEntry
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.pagebreak import Break
from tables import Columns, bound, head, name, table

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.chart import BarChart
    from openpyxl.worksheet.worksheet import Worksheet

TRAINING, PARAMETERS = 66, 76
"""The rows of the tables' headers."""
STEPS = 5
QUANTITIES = (
    ("B6", "C6", "Layers", "layers", "number"),
    ("B7", "C7", "Width", "width", "number"),
    ("B8", "C8", "Layers · width²", "ld2", "number"),
    ("E6", "F6", "Parameters", "parameters", "number"),
    ("E7", "F7", "Active a token", "active", "number"),
    ("E8", "F8", "Training tokens", "tokens", "number"),
    ("H6", "J6", "Forward FLOP a token", "forward", "number"),
    ("H7", "J7", "of linear layers", "linear", "number"),
    ("H8", "J8", "their share", "share", "percent"),
)


def bridge(book: Workbook) -> None:
    """Lay out the choice of a model, the waterfalls, and their tables below them."""
    sheet = book.create_sheet("Bridge")
    note = "From a rule of thumb to the exact number of one model, step by step. Choose the model by its number."
    head(sheet, "Bridge", note, "H")
    name(sheet, "chk_bridge", "H1")
    put(sheet, "B4", "Model number: choose", "text")
    bound(sheet, "in_bridge_model", "C4", 1, "pick")
    bound(sheet, "out_bridge_model", "E4", "Model", "question")
    put(sheet, "H4", "Row of Models", "text")
    bound(sheet, "out_bridge_row", "J4", 1, "no")
    picks = DataValidation("list", formula1="Models!$A$6:$A$6", allow_blank=False, showErrorMessage=True)
    picks.error, picks.errorTitle = "Choose a model's number from the list", "Model"
    sheet.add_data_validation(picks)
    picks.add("C4")
    for label, cell, title, key, look in QUANTITIES:
        put(sheet, label, title, "text")
        bound(sheet, f"out_bridge_{key}", cell, 1, look)
    for cell in ("I4", "I6", "I7", "I8"):
        put(sheet, cell, None, "text")
    _tables(sheet)
    sheet.add_chart(
        _waterfall(sheet, "From 12 · layers · width² to the parameters", "B parameters", 9, PARAMETERS), "A10"
    )
    sheet.add_chart(
        _waterfall(sheet, "From 6 · parameters · tokens to the training compute", "ZFLOP", 9, TRAINING), "A38"
    )
    sheet.row_breaks.append(Break(id=TRAINING - 3))
    print_setup(sheet)


def _tables(sheet: Worksheet) -> None:
    put(sheet, f"A{TRAINING - 2}", "The numbers behind the charts", "section")
    columns: Columns = [
        ("Place", "no", 7, 1),
        ("Step", "text", 42, "step"),
        *(
            (part, "general", width, 1)
            for part, width in zip(("Parameters", "Active", "Linear", "Forward"), (18, 14, 14, 20), strict=True)
        ),
        ("Amount", "plain_big", 20, 1),
        ("Running", "plain_big", 20, 1),
        *_bars("ZFLOP"),
    ]
    table(sheet, "bridge_training", TRAINING, columns, samples=STEPS)
    columns = [
        ("Place", "no", 7, 1),
        ("Step", "text", 42, "step"),
        ("Of the rule", "general", 18, 1),
        ("Id", "id", 14, "parameters"),
        ("Column", "id", 14, 1),
        ("Value", "link_number", 20, 1),
        ("Amount", "number", 20, 1),
        ("Running", "number", 20, 1),
        *_bars("B"),
    ]
    table(sheet, "bridge", PARAMETERS, columns, samples=STEPS)


def _bars(unit: str) -> Columns:
    drawn: Columns = [(f"{part} ({unit})", "figure", 15, 1) for part in ("Base", "Whole", "More", "Less")]
    return [*drawn, ("Kind", "id", 9, "step")]


def _waterfall(sheet: Worksheet, title: str, unit: str, first: int, header: int) -> BarChart:
    """Return stacked columns: the first, which carries the steps, is not drawn."""
    chart = bars(title, "Step", unit, 13.4, across=False)
    chart.grouping, chart.overlap = "stacked", 100
    looks = (invisible(), filled(NAVY), filled("2E75B6", "wdUpDiag"), filled(GREY, "pct50"))
    for place, look in enumerate(looks):
        chart.add_data(data(sheet, first + place, header, STEPS), titles_from_data=True)
        chart.series[place].graphicalProperties = look
    chart.set_categories(names(sheet, 2, header, STEPS))
    chart.y_axis.number_format = "#,##0"
    chart.legend.position = "b"
    chart.legend.legendEntry = [LegendEntry(idx=0, delete=True)]
    return chart
