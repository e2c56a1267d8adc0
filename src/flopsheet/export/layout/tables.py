"""Tables and named cells: what every sheet of the shipped templates is laid out with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo

from flopsheet.export.layout.look import LOOKS, mark_check, put, reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.shipped_lists import Columns


def name(sheet: Worksheet, cell_name: str, address: str) -> None:
    """Give a cell a name of the workbook."""
    sheet.parent.defined_names[cell_name] = DefinedName(cell_name, attr_text=reference(sheet, address))


def local_name(sheet: Worksheet, cell_name: str, address: str) -> None:
    """Give a cell a name of its sheet."""
    sheet.defined_names[cell_name] = DefinedName(cell_name, attr_text=reference(sheet, address))


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
    below = LOOKS[look]
    if below.align == "center":
        return "heading_center"
    if below.form != "General":
        return "heading_right"
    return "heading_in" if below.indent else "heading"


def add_choice(sheet: Worksheet, cell: str, source: str, title: str, error: str, *, may_be_blank: bool = False) -> None:
    """Keep a cell to the values of a list, and say with an error what to choose."""
    hold(sheet, cell, DataValidation("list", formula1=source, allow_blank=may_be_blank), error, title)


def hold(sheet: Worksheet, cells: str, rule: DataValidation, error: str = "", title: str = "") -> None:
    """Hold cells to what may be typed into them, and say what that is."""
    rule.showErrorMessage, rule.error, rule.errorTitle = True, error or None, title or None
    sheet.add_data_validation(rule)
    rule.add(cells)


def head(sheet: Worksheet, title: str, note: str, check: str, last: str) -> None:
    """Write a sheet's title, what it is for, and the state of all checks, from narrow columns on to `last`."""
    put(sheet, "A1", title, "title")
    put(sheet, "A2", note, "note")
    put(sheet, f"{check}1", "All checks pass", "check")
    mark_check(sheet, f"{check}1", f"{last}1" if last else "")
    sheet.row_dimensions[1].height = 26
