"""The prototypes that are cloned for each architecture: the card, and the table of workings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.look import TINY_SHARE, mark_check, mark_status, mark_tiny, print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import Columns, local_name, table

if TYPE_CHECKING:
    from openpyxl import Workbook


def card(book: Workbook) -> None:
    """Lay out the prototype of a card: an architecture's lines for three models."""
    sheet = book.create_sheet("Card")
    put(sheet, "A1", "Line by line", "title")
    sheet.row_dimensions[1].height = 26
    put(sheet, "A2", "what it is", "note")
    put(sheet, "A3", "what is left out", "note")
    put(sheet, "H1", "All checks pass", "check")
    mark_check(sheet, "H1", "I1")
    local_name(sheet, "title", "A1")
    local_name(sheet, "about", "A2")
    local_name(sheet, "left_out", "A3")
    local_name(sheet, "check", "H1")
    put(sheet, "D5", "Choose a model", "column_title")
    put(sheet, "D6", "Model", "column_title")
    put(sheet, "D7", "Status", "column_title")
    put(sheet, "D8", "Row of the workings", "column_unit")
    picks = DataValidation("list", formula1="Workings!$A$6:$A$6", allow_blank=True, showErrorMessage=True)
    picks.error, picks.errorTitle = "Choose a model's number from the list", "Model"
    sheet.add_data_validation(picks)
    for letter, side in zip("EFG", "abc", strict=True):
        put(sheet, f"{letter}5", 1, "pick")
        put(sheet, f"{letter}6", "Model", "column_title")
        put(sheet, f"{letter}7", "ok", "mark")
        put(sheet, f"{letter}8", 1, "place")
        for row, what in ((5, "pick"), (6, "model"), (7, "status"), (8, "place")):
            local_name(sheet, f"{what}_{side}", f"{letter}{row}")
        picks.add(f"{letter}5")
    mark_status(sheet, "E7:G7")
    sheet.row_dimensions[6].height = 40
    table(sheet, "card_prototype", 9, laid_out("card"), samples=3)
    for row, kind in ((11, "subtotal"), (12, "total")):
        ends = ("_text", "_text", "_words", "_unit", "", "", "", "_percent", "_small", "_id", "_id", "_id")
        looks = [kind + end for end in ends]
        for letter, look in zip("ABCDEFGHIJKL", looks, strict=True):
            put(sheet, f"{letter}{row}", sheet[f"{letter}10"].value, look)
    put(sheet, "J11", "sum_parameters_attention", "subtotal_id")
    put(sheet, "J12", "parameters", "total_id")
    sheet.freeze_panes = "C10"
    sheet.sheet_state = "hidden"
    print_setup(sheet, "5:9", area="A1:I12", high=4)


def workings(book: Workbook) -> None:
    """Lay out the prototype of workings: a row per model, a column per dimension or line."""
    sheet = book.create_sheet("Workings")
    put(sheet, "A1", "Workings", "title_fit")
    sheet.merge_cells("A1:B1")  # the columns that each page repeats: what reaches over them would be cut on the next
    sheet.row_dimensions[1].height = 26
    put(sheet, "G1", "All checks pass", "check")
    mark_check(sheet, "G1", "J1")
    local_name(sheet, "title", "A1")
    local_name(sheet, "check", "G1")
    kinds: Columns = [
        ("no", "no", 5, 1),
        ("model", "text", 26, "Model"),
        ("status", "mark", 13, "ok"),
        ("file", "path", 30, "config.json"),
        ("fact", "fact", 18, 1),
        ("flag", "fact", 10, 1),
        ("assumption", "assumption", 16, 1),
        ("choice", "assumption_text", 11, "full"),
        ("helper", "number", 24, 1),
        ("difference", "difference", 12, 0),
        ("line", "number", 24, 1),
        ("subtotal", "subtotal", 25, 1),
        ("total", "total", 26, 1),
    ]
    for place in range(1, len(kinds) + 1):
        letter = sheet.cell(2, place).column_letter
        for row, look in ((2, "band"), (3, "column_title"), (4, "column_unit")):
            put(sheet, f"{letter}{row}", "-", look)
    table(sheet, "prototype", 5, kinds, heading="column_id")
    sheet.row_dimensions[3].height = 38
    sheet.row_dimensions[5].height = 24
    mark_status(sheet, "C6")
    mark_tiny(sheet, "J6", TINY_SHARE)
    for ref, validation in (
        ("F6", DataValidation("list", formula1='"0,1"', showErrorMessage=True)),
        ("H6", DataValidation("list", formula1='"full,causal,window"', showErrorMessage=True)),
        ("E6", DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)),
        ("G6", DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)),
    ):
        sheet.add_data_validation(validation)
        validation.add(ref)
    sheet.freeze_panes = "C6"
    sheet.sheet_state = "hidden"
    print_setup(sheet, "2:5", area="D1")
