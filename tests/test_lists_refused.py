"""A model list that cannot be read as a whole is refused in one line."""

import os

import openpyxl
import pytest
from click.testing import CliRunner
from model_lists import FIELDS, FOUR, LLAMA, PARAMETERS, changed, csv_file, dense, read

from flopsheet.cli import main
from flopsheet.errors import FlopsheetError

LISTS = {
    "same header twice": (
        f"name,model_type,{FIELDS},hidden_size",
        "I1: 'hidden_size' means the same as 'hidden_size' in C1",
    ),
    "two names": (f"name,model,model_type,{FIELDS}", "B1: 'model' means the same as 'name' in A1"),
    "unknown unit": (
        f"name,model_type,{FIELDS} (furlongs)",
        "H1: the unit 'furlongs' is not understood; it can be tokens, ",
    ),
    "unit of another kind": (f"name,model_type,{FIELDS} (GiB)", "H1: the unit 'GiB' is not understood"),
    "unit of a text": (f"name,model_type (B),{FIELDS}", "B1: the unit 'B' is not understood; this column has no unit"),
    "second list below": (
        f"name,model_type,{FIELDS}\nname,architecture,d_model",
        "A2: this row is another header",
    ),
    "no list": ("a,b,c", "models.csv has no model list: expected a header row"),
    "empty": ("", "models.csv has no model list"),
    "open quote": ('name,"model_type', "invalid CSV"),
}


@pytest.mark.parametrize(("head", "message"), LISTS.values(), ids=LISTS)
def test_a_bad_header_refuses_the_list(tmp_path, head, message):
    """What concerns every row is told once."""
    with pytest.raises(FlopsheetError) as caught:
        read(csv_file(tmp_path, head, f"Ours,{LLAMA}"))
    assert message in str(caught.value)


def test_the_sheet_with_the_list_is_found(tmp_path):
    """Other sheets, and titles above the table, do no harm."""
    path = dense(tmp_path)
    book = openpyxl.load_workbook(path)
    book.create_sheet("Notes", 0)["A1"] = "What this is about"
    book["Sheet1"].insert_rows(1, 2)
    book["Sheet1"]["A1"] = "Our models"
    book.save(path)
    assert read(path)[0].totals["parameters"] == PARAMETERS


def test_two_lists_ask_for_a_sheet(tmp_path):
    """`models.xlsx#Sheet` chooses; without it nothing is guessed."""
    path = dense(tmp_path)
    book = openpyxl.load_workbook(path)
    book.copy_worksheet(book["Sheet1"]).title = "v. 2"
    book.save(path)
    with pytest.raises(FlopsheetError, match=r"on the sheets 'Sheet1' and 'v\. 2'; choose one"):
        read(path)
    assert read(f"{path}#v. 2")[0].status == "ok"
    with pytest.raises(FlopsheetError, match=r"has no sheet 'x'; it has 'Sheet1', 'v\. 2'"):
        read(f"{path}#x")


MALFORMED = {
    "number": (
        FOUR,
        '<c r="D2" t="n"><v>4o96</v>',
        "'Sheet1' of .* cannot be read: D2 holds '4o96' of the kind 'n'; save",
    ),
    "truth value": (FOUR, '<c r="D2" t="b"><v>7</v>', "D2 holds '7' of the kind 'b'"),
    "kind": (FOUR, '<c r="D2" t="zz"><v>7</v>', "D2 holds '7' of the kind 'zz'"),
    "string": (FOUR, '<c r="D2" t="s"><v>999</v>', "cannot be read: .*shared strings"),
    "row": (FOUR, '<c r="D3"><v>4096</v>', "the sheet 'Sheet1' of .* has a cell 'D3' in row 2; save it again"),
    "address": (FOUR, '<c r="2D"><v>4096</v>', "has a cell '2D' in row 2"),
    "bytes": ("4096</v>", "4\udcff96</v>", r"sheet1\.xml in .* is not readable XML: .*; save it again"),
    "far cell": (
        "</sheetData>",
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>',
        "the sheet 'Sheet1' of .* reaches to XFD1048576, and nearly all of it is empty; delete",
    ),
}


@pytest.mark.parametrize(("before", "after", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_sheet_that_breaks_its_format_is_refused(tmp_path, before, after, message):
    """One line says where and what, whatever the reader of values makes of it."""
    with pytest.raises(FlopsheetError, match=message) as caught:
        read(changed(dense(tmp_path), before, after))
    assert "\n" not in str(caught.value)


def test_cells_without_addresses_follow_each_other(tmp_path):
    """Addresses are optional; a formula without a value is found all the same."""
    path = dense(tmp_path, d_model="=64*64")
    for place in (*(f'c r="{letter}2"' for letter in "ABCDEFGHI"), 'row r="2"'):
        changed(path, f"<{place}", f"<{place.split()[0]}")
    assert "Sheet1!D2 (d_model): found a formula without a value" in read(path)[0].problems[0]


@pytest.mark.parametrize(
    ("part", "before", "after", "message"),
    [
        ("xl/_rels/workbook.xml.rels", "sheet1.xml", "sheet9.xml", "the sheet 'Sheet1' of .* has no part"),
        ("xl/workbook.xml", "schemas.openxmlformats.org/spreadsheetml/2006", "x", "is a Strict Open XML Spreadsheet"),
    ],
    ids=["no part", "strict"],
)
def test_a_workbook_whose_sheets_are_not_found_is_refused(tmp_path, part, before, after, message):
    """A sheet that is not where it should be is never taken for an empty one."""
    with pytest.raises(FlopsheetError, match=message):
        read(changed(dense(tmp_path), before, after, part))


def test_a_pipe_is_refused(tmp_path):
    """A named pipe that nobody writes to would be waited for without end."""
    os.mkfifo(tmp_path / "models.csv")
    with pytest.raises(FlopsheetError, match="is a pipe; expected a file"):
        read(tmp_path / "models.csv")


WRONG = {
    "csv that is xlsx": ("models.csv", b"PK\x03\x04", "an Excel workbook (.xlsx), not a CSV file"),
    "csv that is xls": ("models.csv", b"\xd0\xcf\x11\xe0", "an Excel workbook (.xls), not a CSV file"),
    "xlsx that is csv": ("models.xlsx", b"name,model_type\n", "is not an Excel workbook"),
    "xls": ("models.xls", b"", ".xls files are not read; save it as .xlsx or as .csv"),
    "UTF-16": ("models.csv", "name".encode("utf-16"), "not UTF-8 text"),
}


@pytest.mark.parametrize(("name", "data", "message"), WRONG.values(), ids=WRONG)
def test_a_file_of_another_kind_is_named(tmp_path, name, data, message):
    """One line says what it is and what to do; nothing is written."""
    tmp_path.joinpath(name).write_bytes(data)
    result = CliRunner().invoke(main, ["report", str(tmp_path / name), "-o", str(tmp_path / "out.toml")])
    assert result.exit_code == 2
    assert message in result.stderr
    assert not tmp_path.joinpath("out.toml").exists()
