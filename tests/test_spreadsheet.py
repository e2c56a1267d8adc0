"""Workbooks as inputs: their tables and formulas, as the XML of their parts says them."""

import pytest
from openpyxl import Workbook
from xlsx_templates import patched, template

from flopsheet.configs.grid import open_workbook
from flopsheet.errors import TemplateError
from livesheets.cells import NOT_CALCULATED, FormulaText
from livesheets.reading import open_spreadsheet

TABLE = "xl/tables/table1.xml"


def opened(folder, data):
    """Return a workbook as an input."""
    return open_spreadsheet(data, str(folder / "book.xlsx"))


def test_a_table_is_told_by_its_headers_and_corners(tmp_path):
    """The header row comes first, and a totals row is no row of the table."""
    table = opened(tmp_path, template()).tables["models"]
    assert (table.sheet, table.headers) == ("Models", ("name", "size", "cost", "open"))
    assert (table.first, table.last) == ((4, 0), (6, 3))


def test_formulas_are_told_by_their_places(tmp_path):
    """A formula of another sheet is none of this one."""
    formulas = opened(tmp_path, template()).sheet("Notes").formulas
    assert formulas == {(1, 0): FormulaText("1+1")}


@pytest.mark.parametrize(
    ("before", "after"),
    [('ref="A5:D8"', 'ref="nowhere"'), ('totalsRowCount="1"', 'totalsRowCount="x"')],
    ids=["corners", "totals"],
)
def test_a_malformed_table_is_refused(tmp_path, before, after):
    """The message names the part and the remedy."""
    with pytest.raises(TemplateError, match=r"xl/tables/table1\.xml in .* describes no table: .*; save it again"):
        _ = opened(tmp_path, patched(template(), TABLE, (before, after))).tables


def test_far_corners_of_a_table_are_never_filled(tmp_path):
    """Where a table ends costs no memory; only cells that are there are read."""
    book = opened(tmp_path, patched(template(), TABLE, (' ref="A5:D8"', ' ref="A5:XFD1048576"')))
    assert book.tables["models"].last == (1048574, 16383)
    assert len(book.sheet("Models").rows) == 8


def test_rows_given_one_by_one_are_those_of_the_sheet(tmp_path):
    """With margins left of and above the first cell, and cells without a value, of which one is behind the last row."""
    book = Workbook()
    sheet = book.active
    sheet["C3"], sheet["D4"], sheet["B7"] = 5, "=1+1", "=A1"
    book.save(tmp_path / "book.xlsx")
    opened = open_workbook(tmp_path / "book.xlsx")
    nothing = [None] * 3
    expected = [nothing, nothing, [None, None, 5], [None, None, None, NOT_CALCULATED], [], [], [None, NOT_CALCULATED]]
    assert list(opened.rows("Sheet")) == opened.sheet("Sheet").rows == expected
