"""The sheets that an auditor reads: rules, problems, checks, provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.export.layout.look import TINY_SHARE, mark_status, mark_tiny, mark_zero, print_setup, put
from flopsheet.export.layout.tables import Columns, bound, head, name, table

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
    columns: Columns = [
        ("Architecture", "text", 12, "dense"),
        ("Rule", "wrapped", 30, "12·L·d²"),
        ("Formula as published", "words", 38, "12 · L · d²"),
        ("Unit", "indented", 13, "parameters"),
        ("Models", "no", 8, 1),
        ("Lowest error", "difference", 10, 0),
        ("Highest error", "difference", 10, 0),
        ("Corrected lowest", "difference", 10, 0),
        ("Corrected highest", "difference", 10, 0),
        ("Erratum", "small", 46, "none"),
        ("Source", "small", 34, "paper"),
        ("Example no", "pick", 10, 1),
        ("Example", "text", 26, "Model"),
        ("Published", "number", 26, 1),
        ("Corrected", "number", 26, 1),
        ("Exact", "number", 26, 1),
        ("Published error", "difference", 10, 0),
        ("Corrected error", "difference", 10, 0),
    ]
    table(sheet, "rules", 4, columns)
    sheet.row_dimensions[4].height = 30
    mark_tiny(sheet, "F5:I5", TINY_SHARE)
    mark_tiny(sheet, "Q5:R5", TINY_SHARE)
    numbers = DataValidation("list", formula1="Models!$A$6:$A$6", allow_blank=False, showErrorMessage=True)
    numbers.error, numbers.errorTitle = "Choose a model's number from the list", "Example"
    sheet.add_data_validation(numbers)
    numbers.add("L5")
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4", area="A1:K5", paper=8)


def problems(book: Workbook) -> None:
    """Lay out a row a problem or note."""
    sheet = book.create_sheet("Problems")
    head(
        sheet,
        "Problems and notes",
        "Errors: not costed. Approximate: costed with a reservation. Notes: conventions of exact counts.",
        "D",
    )
    name(sheet, "chk_problems", "D1")
    bound(sheet, "out_problems", "A3", "Not costed: 0 · reservations: 0 · notes: 0", "section")
    columns: Columns = [
        ("Model", "wrapped", 28, "Model"),
        ("Status", "mark", 14, "ok"),
        ("Kind", "indented", 12, "note"),
        ("What", "wrapped", 92, "text"),
        ("File", "small", 44, "config.json"),
    ]
    table(sheet, "problems", 4, columns)
    mark_status(sheet, "B5")
    sheet.freeze_panes = "A5"
    print_setup(sheet, "4:4")


def checks(book: Workbook) -> None:
    """Lay out a row a check, and the headline values as delivered."""
    sheet = book.create_sheet("Checks")
    head(sheet, "Checks", "Checks that this workbook makes of itself, and what was edited since it was issued.", "D")
    name(sheet, "chk_checks", "D1")
    put(sheet, "A4", "Master check", "total_text")
    bound(sheet, "chk_master", "B4", "All checks pass", "total_text")
    put(sheet, "C4", None, "total_text")
    put(sheet, "A5", "Models changed since issue (a changed scenario counts too)", "text")
    bound(sheet, "out_edited", "B5", 0, "number")
    put(sheet, "C5", None, "text")
    columns: Columns = [
        ("Check", "wrapped", 56, "check"),
        ("Off by", "general", 24, 0),
        ("Pass", "pass", 8, 1),
        ("Why", "words", 62, "why"),
    ]
    table(sheet, "checks", 7, columns)
    mark_zero(sheet, "C8")
    put(sheet, "F6", "As issued, next to the live numbers", "section")
    sheet.column_dimensions["E"].width = 3
    columns = [
        ("No", "no", 6, 1),
        ("Model", "wrapped", 32, "Model"),
        ("Parameters delivered", "delivered", 21, 1),
        ("Parameters live", "link_number", 21, 1),
        ("Cost delivered (USD)", "delivered", 21, 1),
        ("Cost live (USD)", "link_number", 21, 1),
        ("Edited", "yes", 9, 0),
    ]
    table(sheet, "delivered", 7, columns, first=6)
    sheet.freeze_panes = "A8"
    print_setup(sheet, "7:7", area="A1:D8,F6:L8")


def provenance(book: Workbook) -> None:
    """Lay out the workbook's versions, what made it, and the files that it was made of."""
    sheet = book.create_sheet("Provenance")
    head(sheet, "Provenance", "Software and source files behind this workbook, and a log of changes.", "C")
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
    columns: Columns = [
        ("What", "text", 14, "Program"),
        ("Name", "text", 78, "flopsheet"),
        ("Version or SHA-256", "text", 72, "0.1.0"),
    ]
    table(sheet, "provenance", 14, columns)
    sheet.freeze_panes = "A4"
    print_setup(sheet, "14:14")
