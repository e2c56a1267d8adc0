"""The sheets of a plan: assumptions, budget, models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.look import (
    TINY_FIGURE,
    TINY_SHARE,
    mark_status,
    mark_tiny,
    mark_typed,
    mark_zero,
    print_setup,
    put,
)
from flopsheet.export.layout.tables import Columns, bound, head, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from openpyxl import Workbook


def assumptions(book: Workbook) -> None:
    """Lay out a row a driver."""
    sheet = book.create_sheet("Assumptions")
    head(
        sheet,
        "Assumptions",
        "Change the blue cells. Formulas use the column Live: the scenario chosen on About.",
    )
    name(sheet, "chk_assumptions", "F1")
    columns: Columns = [
        ("Block", "text", 12, "cluster"),
        ("Input", "text", 35, "Accelerators"),
        ("Unit", "text", 16, "accelerators"),
        *((title, "assumption", 20, 1) for title in TITLES.values()),
        ("Live", "live", 20, 1),
        ("Source", "small", 52, "source"),
        ("Date", "small", 11, "2026"),
        ("Comment", "small", 44, "about"),
        ("Name", "id", 19, "accelerators"),
    ]
    put(sheet, "A4", "Fixed units", "section")
    for row, (key, title, value, source) in enumerate(UNITS, start=5):
        put(sheet, f"B{row}", title, "text")
        put(sheet, f"C{row}", "bytes", "text")
        for column in "DEF":
            put(sheet, f"{column}{row}", None, "text")
        bound(sheet, key, f"G{row}", value, "delivered")
        put(sheet, f"H{row}", source, "small")
    table(sheet, "drivers", 8, columns)
    amount = DataValidation("custom", formula1='AND(ISNUMBER(D9),D9>=0,OR($C9<>"share",D9<=1))', showErrorMessage=True)
    amount.error, amount.errorTitle = "A number of at least 0 is expected, a share of at most 1", "Assumption"
    sheet.add_data_validation(amount)
    amount.add("D9:F9")
    sheet.freeze_panes = "C9"
    print_setup(sheet, "8:8", paper=8)


UNITS = (
    ("in_gib", "Bytes in a GiB", 1024**3, "IEC 80000-13: 2 to the power of 30"),
    ("in_mib", "Bytes in a MiB", 1024**2, "IEC 80000-13: 2 to the power of 20"),
)


def budget(book: Workbook) -> None:
    """Lay out a row a driver or line, the scenarios across."""
    sheet = book.create_sheet("Budget")
    head(
        sheet, "Budget", "What the cluster buys under each scenario, and of what; Live is the scenario chosen on About."
    )
    name(sheet, "chk_budget", "F1")
    columns: Columns = [
        ("Part", "text", 12, "Result"),
        ("Line", "text", 34, "FLOP budget"),
        ("Unit", "text", 16, "ZFLOP"),
        *((title, "link_mixed", 16, 1) for title in TITLES.values()),
        ("Live", "mixed", 16, 1),
        ("In words", "words", 74, "a · b"),
        ("Plain unit", "id", 12, "FLOP"),
        ("Times", "id", 24, 1),
        ("Id", "id", 22, "budget_flop"),
    ]
    table(sheet, "budget", 4, columns)
    mark_typed(sheet, "D5:G5", '$A5="Driver"')
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4", area="A1:H5")


def cases(book: Workbook) -> None:
    """Lay out a row a scenario: all drivers, then what the cluster buys."""
    sheet = book.create_sheet("Workings budget")
    head(sheet, "Workings of the budget", "Every row carries all drivers of one case, and the same formulas.")
    name(sheet, "chk_cases", "F1")
    columns: Columns = [
        ("no", "no", 5, 1),
        ("case", "text", 36, TITLES["low"]),
        ("scenario", "no", 10, 1),
        ("changed", "text", 20, ""),
        ("side", "no", 7, None),
        ("driver", "link_general", 19, 1),
        ("result", "general", 17, 1),
        ("big", "number", 40, 1),
    ]
    for place, row in enumerate((4, 5), start=0):
        for column, (_, _, width, _) in zip("ABCDEFGH", columns, strict=True):
            put(sheet, f"{column}{row}", "-", ("column_title", "column_unit")[place])
            sheet.column_dimensions[column].width = width
    table(sheet, "cases", 6, columns, heading="column_id")
    sheet.freeze_panes = "C7"
    sheet.row_dimensions[4].height = 40
    print_setup(sheet, "4:6", columns="A:B", paper=8)


def models(book: Workbook) -> None:
    """Lay out a row a costed model: results for people on the left, plain units on the right."""
    sheet = book.create_sheet("Models")
    head(
        sheet,
        "Models",
        "Every costed model. Blue cells change the tokens of one model. Workings in plain units stand on the right.",
        "G",
    )
    name(sheet, "chk_models", "G1")
    kinds = (
        ("no", "no", 5, 1),
        ("name", "wrapped", 32, "Model"),
        ("status", "mark", 13, "ok"),
        ("text", "indented", 13, "dense"),
        ("tenth", "tenth", 14, 1),
        ("computed", "figure", 15, 1),
        ("percent", "percent", 8, 1),
        ("difference", "difference", 11, 0),
        ("fact", "fact", 14, 1),
        ("input", "assumption", 12, None),
        ("yes", "yes", 8, 1),
        ("end", "yes", 9, 1),
        ("link", "link_general", 26, 1),
        ("raw", "general", 22, 1),
    )
    for place, kind in enumerate(kinds, start=1):
        letter = sheet.cell(1, place).column_letter
        put(sheet, f"{letter}4", "-", "band")
        sheet.column_dimensions[letter].width = kind[2]
    table(sheet, "models", 5, list(kinds))
    sheet.row_dimensions[5].height = 42
    mark_status(sheet, "C6")
    mark_tiny(sheet, "E6:F6", TINY_FIGURE)
    mark_tiny(sheet, "H6", TINY_SHARE)
    mark_zero(sheet, "K6:L6")
    tokens = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)
    tokens.error, tokens.errorTitle = "A number of tokens in 1e12, or blank for the plan's", "Tokens"
    sheet.add_data_validation(tokens)
    tokens.add("J6")
    sheet.freeze_panes = "C6"
    print_setup(sheet, "4:5", area="A1:L6", paper=8)
