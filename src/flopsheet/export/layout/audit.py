"""The sheets that an auditor reads: rules, problems, checks, provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.look import TINY_SHARE, mark_status, mark_tiny, mark_verdict, print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.layout.tables import bound, head, name, table

if TYPE_CHECKING:
    from openpyxl import Workbook


def rules(book: Workbook) -> None:
    """Lay out a row a rule and model."""
    sheet = book.create_sheet("Rules")
    head(
        sheet,
        "Rules of thumb",
        "How far each rule of thumb is off, over the models that it is meant for. Choose a number to see one model.",
        "J",
    )
    name(sheet, "chk_rules", "J1")
    table(sheet, "rules", 4, laid_out("rules"))
    sheet.row_dimensions[4].height = 30
    mark_tiny(sheet, "F5:I5", TINY_SHARE)
    mark_tiny(sheet, "Q5:R5", TINY_SHARE)
    numbers = DataValidation("list", formula1="Models!$A$6:$A$6", allow_blank=False, showErrorMessage=True)
    numbers.error, numbers.errorTitle = "Choose a model's number from the list", "Example"
    sheet.add_data_validation(numbers)
    numbers.add("L5")
    sheet.freeze_panes = "C5"
    sheet.sheet_state = "hidden"
    print_setup(sheet, "4:4", area="A1:K5", high=2)


def problems(book: Workbook) -> None:
    """Lay out a row a problem or note."""
    sheet = book.create_sheet("Problems")
    head(
        sheet,
        "Problems and notes",
        "Errors: not costed. Approximate: costed with a caveat. Notes: conventions of exact counts.",
        "D",
    )
    name(sheet, "chk_problems", "D1")
    bound(sheet, "out_problems", "A3", "Not costed: 0 · caveats: 0 · notes: 0", "section")
    table(sheet, "problems", 4, laid_out("problems"))
    mark_status(sheet, "B5")
    sheet.freeze_panes = "A5"
    print_setup(sheet, "4:4")


def checks(book: Workbook) -> None:
    """Lay out a row a check."""
    sheet = book.create_sheet("Checks")
    head(sheet, "Checks", "Checks that this workbook runs on itself; Provenance has the models as issued.", "D", "E")
    name(sheet, "chk_checks", "D1")
    put(sheet, "A4", "Master check", "total_text")
    bound(sheet, "chk_master", "B4", "All checks pass", "total_unit")
    for column in "CDE":
        put(sheet, f"{column}4", None, "total_text")
    put(sheet, "A5", "Models changed since issue (a changed scenario counts too)", "text")
    bound(sheet, "out_edited", "B5", 0, "number")
    put(sheet, "C5", None, "text")
    table(sheet, "checks", 7, laid_out("checks"))
    mark_verdict(sheet, "C8")
    sheet.freeze_panes = "A8"
    print_setup(sheet, "7:7")


def provenance(book: Workbook) -> None:
    """Lay out the workbook's versions, what made it, the files that it was made of, and the models as issued.

    The models are next to rows of one height: texts of checks would pull theirs apart.
    """
    sheet = book.create_sheet("Provenance")
    head(
        sheet,
        "Provenance",
        "Software and source files behind this workbook, a log of changes, and models as issued.",
        "C",
    )
    name(sheet, "chk_provenance", "C1")
    put(sheet, "A4", "Version and change log: write down what you change", "section")
    for column, title in zip("ABC", ("Version", "What changed", "Date and who"), strict=True):
        put(sheet, f"{column}5", title, "heading")
    for column, text in zip("ABC", ("1", "{{ title }}, as delivered", "flopsheet {{ version }}"), strict=True):
        put(sheet, f"{column}6", text, "text")
    for row in range(7, 12):
        for column in "ABC":
            put(sheet, f"{column}{row}", None, "log")
    put(sheet, "A13", "Software and source files", "section")
    table(sheet, "provenance", 14, laid_out("provenance"))
    put(sheet, "E13", "As issued, next to the live numbers", "section")
    sheet.column_dimensions["D"].width = 3
    table(sheet, "delivered", 14, laid_out("delivered"), first=5)
    sheet.freeze_panes = "A4"
    sheet.sheet_state = "hidden"
    print_setup(sheet, "14:14", area="A1:C15", high=2)
