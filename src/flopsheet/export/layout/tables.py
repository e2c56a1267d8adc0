"""Tables and named cells: what every sheet of the shipped templates is laid out with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo

from flopsheet.export.layout.look import LOOKS, mark_check, put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.shipped_lists import Columns


def name(sheet: Worksheet, cell_name: str, address: str) -> None:
    """Give a cell a name of the workbook."""
    column, row = address.rstrip("0123456789"), address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    reference = f"'{sheet.title}'!${column}${row}"
    sheet.parent.defined_names[cell_name] = DefinedName(cell_name, attr_text=reference)


def local_name(sheet: Worksheet, cell_name: str, address: str) -> None:
    """Give a cell a name of its sheet."""
    column, row = address.rstrip("0123456789"), address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    sheet.defined_names[cell_name] = DefinedName(cell_name, attr_text=f"'{sheet.title}'!${column}${row}")


def put_named(sheet: Worksheet, cell_name: str, address: str, value: object, look: str) -> None:
    """Write a sample value and give its cell a name."""
    put(sheet, address, value, look)
    name(sheet, cell_name, address)


def table(
    sheet: Worksheet,
    title: str,
    row: int,
    columns: Columns,
    samples: int = 1,
    heading: str = "heading",
    first: int = 1,
    rows: Sequence[Sequence[str]] = (),
) -> None:
    """Lay out a table with its header in `row`, from column `first` on, and sample rows below it.

    With `rows` there is one for each, with a look for each column.
    """
    looks = rows or [[look for _, look, _, _ in columns]] * samples
    for place, (header, look, width, value) in enumerate(columns, start=first):
        cell = sheet.cell(row, place)
        put(sheet, cell.coordinate, header, _heading(look) if heading == "heading" else heading)
        sheet.column_dimensions[cell.column_letter].width = width
        for below, own in enumerate(looks, start=1):
            put(sheet, f"{cell.column_letter}{row + below}", value, own[place - first])
    corners = (sheet.cell(row, first).coordinate, sheet.cell(row + len(looks), first + len(columns) - 1).coordinate)
    shape = Table(displayName=title, ref=":".join(corners))
    shape.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
    sheet.add_table(shape)


def _heading(look: str) -> str:
    """Return the look of a heading over cells of a look: to the right over numbers, else as they stand."""
    if look in NUMERIC:
        return "heading_right"
    if LOOKS[look].align == "center":
        return "heading_center"
    return "heading_in" if LOOKS[look].indent else "heading"


NUMERIC = {
    "number",
    "figure",
    "sparse",
    "balance",
    "signed",
    "loss",
    "tenth",
    "general",
    "percent",
    "difference",
    "change",
    "drawn",
    "plain_big",
    "assumption",
    "fact",
    "fact_known",
    "fact_price",
    "fact_figure",
    "live",
    "link_number",
    "link_figure",
    "link_general",
    "link_input",
    "link_percent",
    "input_seen",
    "link_mixed",
    "mixed",
    "total",
    "subtotal",
    "delivered",
}


def validate_numbers(sheet: Worksheet, cell: str, *, allow_blank: bool) -> None:
    """Keep a cell to the numbers of the models."""
    picks = DataValidation("list", formula1="Models!$A$6:$A$6", allow_blank=allow_blank, showErrorMessage=True)
    picks.error, picks.errorTitle = "Choose a model's number from the list", "Model"
    sheet.add_data_validation(picks)
    picks.add(cell)


def head(sheet: Worksheet, title: str, note: str, check: str = "F", last: str = "") -> None:
    """Write a sheet's title, what it is for, and the state of all checks, from narrow columns on to `last`."""
    put(sheet, "A1", title, "title")
    put(sheet, "A2", note, "note")
    put(sheet, f"{check}1", "All checks pass", "check")
    mark_check(sheet, f"{check}1", f"{last}1" if last else "")
    sheet.row_dimensions[1].height = 26
