"""Large workbooks cost as much more as they are larger: CPU time of four times the size in the same run."""

import gc
from time import process_time

import pytest
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.table import Table
from xlsx_templates import save

from flopsheet.audit.audit import audit
from flopsheet.host.loading import load
from livesheets.engine import Fill, TableFill, fill

SIZE, TIMES = 400, 4
MOST = 2.2 * TIMES
"""What four times the size may take: four times as much, and noise; what is quadratic takes sixteen times."""


def book(headers=("name", "size"), rows=2):
    """Return a workbook with the table `models`, whose first two rows hold numbers."""
    made = Workbook()
    sheet = made.active
    add_table(sheet, "models", headers, rows)
    for row in (2, 3):
        sheet.cell(row, 1, f"m{row}")
        sheet.cell(row, 2, row)
    return made, sheet


def add_table(sheet, name, headers, rows):
    """Write a table's headers, and its range of so many rows."""
    for at, header in enumerate(headers, 1):
        sheet.cell(1, at, header)
    sheet.add_table(Table(displayName=name, ref=f"A1:{get_column_letter(len(headers))}{rows + 1}"))


def empty_rows(size):
    """Return a table over many rows that are not there."""
    return book(rows=20 * size)[0]


def chained(size):
    """Return cells each of which refers to the one above and to the table."""
    made, sheet = book()
    for row in range(2, size):
        sheet.cell(row, 6, f"=F{row - 1}+B2")
    return made


def formulas(size):
    """Return formulas that are alike in every row of another sheet, and sums over all of those above."""
    made, _ = book()
    other = made.create_sheet("Other")
    for row in range(1, size):
        other.cell(row, 1, f"=A{row - 1}+1" if row > 1 else 1)
        other.cell(row, 2, f"=SUM(A$1:A{row})")
    return made


def unknown_headers(size):
    """Return a table with columns that nobody knows."""
    return book(("name", "size", *(f"unknown {at}" for at in range(size))))[0]


def inputs(size):
    """Return a list of inputs, each with its cases, a unit and a source."""
    made, _ = book()
    sheet = made.create_sheet("Inputs")
    add_table(sheet, "inputs", ("Input", "Low cost", "Base", "High cost", "Unit", "Source"), size)
    for row in range(2, size + 2):
        for column, value in enumerate((f"i{row}", 1, 2, 3, "share", "me"), 1):
            sheet.cell(row, column, value)
    return made


CHECKED = (empty_rows, formulas, unknown_headers, inputs)
FILLED = (chained, unknown_headers)


def cpu(work):
    """Return the seconds of CPU that some work takes, without a search for garbage, which other tests may have left.

    It is the least of three: whatever else runs on the machine adds to the others.
    """
    gc.disable()
    try:
        return min(_spent(work) for _ in range(3))
    finally:
        gc.enable()


def _spent(work):
    start = process_time()
    work()
    return process_time() - start


@pytest.mark.parametrize("kind", CHECKED, ids=lambda kind: kind.__name__)
def test_a_check_costs_as_much_more_as_a_workbook_is_larger(kind, tmp_path):
    """Every item of the checklist is for workbooks of any size."""
    host, spent = load(()), []
    for size in (SIZE, SIZE * TIMES):
        path = tmp_path / f"{size}.xlsx"
        path.write_bytes(save(kind(size)))
        spent.append(cpu(lambda path=path: audit(host, str(path))))
    assert spent[1] < MOST * spent[0], spent


@pytest.mark.parametrize("kind", FILLED, ids=lambda kind: kind.__name__)
def test_a_fill_costs_as_much_more_as_a_workbook_is_larger(kind, tmp_path):
    """Rows are filled in, and what refers to them follows."""
    spent = []
    for size in (SIZE, SIZE * TIMES):
        made = kind(size)
        wide = size + 2 if kind is unknown_headers else 2
        rows, data = [(f"m{at}", at, *[None] * (wide - 2)) for at in range(5)], save(made)
        asked = Fill(tables={"models": TableFill(rows)})
        spent.append(cpu(lambda data=data, asked=asked: fill(data, asked, tmp_path / "filled.xlsx")))
    assert spent[1] < MOST * spent[0], spent
