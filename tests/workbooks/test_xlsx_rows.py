"""Rows of a sheet that stay bytes: they say the same as those that a parser makes elements of."""

import pytest
from xlsx_templates import ROWS as GROWN
from xlsx_templates import filled, patched, template

from livesheets import TableFill
from livesheets.engine.active import _held_in
from livesheets.engine.markup import MAIN
from livesheets.engine.sheet import read_sheet, row_reach, row_text
from livesheets.errors import TemplateError

ROWS = (
    '<row r="1" spans="1:3" ht="20"><c r="A1" s="1"><v>1</v></c><c r="C1" t="str"><v>a&amp;b</v></c></row>'
    '<row r="2"><c r="A2"><f t="shared" si="0" ref="A2:A3">A1*2</f><v>2</v></c></row>'
    '<row r="3"><c r="A3"><f t="shared" si="0"/><v>4</v></c><c r="B3" t="inlineStr"><is><t>x</t></is></c></row>'
    '<row r="4"/><row r="7" hidden="1"><c r="B7" s="2"/></row>'
)


def sheet(rows, start=f'<worksheet xmlns="{MAIN}">', prefix=""):
    """Return a sheet's part with some rows."""
    name = f"{prefix}sheetData"
    return f"{start}<{name}>{rows}</{name}><{prefix}pageMargins/></{prefix}worksheet>".encode()


def said(data):
    """Return what a sheet says: cells by row, rows' attributes, formulas."""
    read = read_sheet(data, "sheet1.xml")
    cells = {
        (row, column): (cell.get("s"), cell.get("t"), "".join(cell.itertext()))
        for row, line in read.cells.items()
        for column, cell in line.items()
    }
    return cells, read.attributes, read.formulas


def prefixed(rows):
    """Return rows whose elements have a prefix."""
    return rows.replace("</", "</x:").replace("<", "<x:").replace("<x:/x:", "</x:")


PARSED = {
    "a comment": sheet(ROWS.replace("<row r=", "<!-- a --><row r=", 1)),
    "a namespace": sheet(ROWS.replace("<row ", '<row xmlns:y="y" ', 1)),
    "rows out of order": sheet(ROWS[ROWS.index('<row r="4"') :] + ROWS[: ROWS.index('<row r="4"')]),
    "two prefixes for one namespace": sheet(
        ROWS.replace("<f ", "<x:f ").replace("</f>", "</x:f>"), f'<worksheet xmlns="{MAIN}" xmlns:x="{MAIN}">'
    ),
    "CDATA": sheet(ROWS.replace("a&amp;b", "<![CDATA[a&b]]>")),
    "a comment in a value": sheet(ROWS.replace("a&amp;b", "a<!-- and -->&amp;b")),
}
RAW = {
    "plain": sheet(ROWS),
    "a prefix": sheet(prefixed(ROWS), f'<x:worksheet xmlns:x="{MAIN}">', "x:"),
    "quotes of the other kind": sheet(ROWS.replace('r="7"', "r='7'")),
    "the number last": sheet(ROWS.replace('r="1" spans="1:3" ht="20"', 'spans="1:3" ht="20" r = "1"')),
    "blanks between": sheet(ROWS.replace("<row", "\r\n  <row")),
    "a declaration": b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\n' + sheet(ROWS),
}


@pytest.mark.parametrize("data", [*PARSED.values(), *RAW.values()], ids=[*PARSED, *RAW])
def test_rows_say_the_same_however_they_are_written(data):
    """Comments, namespaces, prefixes, quotes and blanks change nothing; shared formulas have texts of their own."""
    cells, attributes, formulas = said(data)
    assert cells[1, 1] == ("1", None, "1")
    assert cells[1, 3] == (None, "str", "a&b")
    assert cells[3, 2] == (None, "inlineStr", "x")
    assert attributes == {1: ' ht="20"', 2: "", 3: "", 4: "", 7: ' hidden="1"'}
    assert formulas == {(2, 1): "A1*2", (3, 1): "A2*2"}
    assert cells[3, 1][2] == "A2*24"


@pytest.mark.parametrize("data", RAW.values(), ids=RAW)
def test_plain_rows_stay_bytes(data):
    """Only an unusual spelling is written again."""
    assert read_sheet(data, "sheet1.xml").cells.frame.data is data


@pytest.mark.parametrize("data", [*PARSED.values(), *RAW.values()], ids=[*PARSED, *RAW])
def test_a_row_that_stays_is_given_as_it_is(data):
    """Its text holds all its cells, and it is known how far they reach."""
    read = read_sheet(data, "sheet1.xml")
    assert "a&amp;b" in row_text(read, 1)
    assert row_reach(read, 1) == (1, 3)
    assert row_text(read, 4) == ""


def test_a_cell_without_an_address_follows_the_one_before():
    """Such a row is no text to copy: cells get their addresses."""
    read = read_sheet(sheet("<row><c><v>1</v></c><c><v>2</v></c></row>"), "sheet1.xml")
    assert (list(read.cells[1]), row_text(read, 1)) == ([1, 2], "")


@pytest.mark.parametrize("rows", ['<row r="1"/><row r="1"/>', '<row r="1048577"/>', '<row r="x"/>', "<row r='1'>"])
def test_odd_rows_are_refused(rows):
    """Two rows of one number, one beyond the last, no number, and no XML."""
    with pytest.raises(TemplateError):
        read_sheet(sheet(rows), "sheet1.xml")


def test_a_changed_row_stays_changed():
    """A row that is kept is not made anew of the template's bytes."""
    read = read_sheet(sheet(ROWS), "sheet1.xml")
    read.cells.keep(1)[1].set("s", "9")
    read.cells.cache.clear()
    assert read.style(1, 1) == 9
    assert row_text(read, 1) == ""


@pytest.mark.parametrize("data", RAW.values(), ids=RAW)
def test_whether_a_row_is_there_is_known_without_its_cells(data):
    """Ranges of many rows are asked for those that are there."""
    read = read_sheet(data, "sheet1.xml")
    read.cells.cache.clear()
    assert [row for row in range(9) if row in read.cells] == list(read.cells)
    assert not read.cells.cache


HOLDERS = {
    "a formula": ('<c r="A9"><f>DDE("a")&amp;1</f></c>', [], 'DDE("a")&1'),
    "a formula of another prefix": (f'<c r="A9"><y:f xmlns:y="{MAIN}">cmd|x!A0</y:f></c>', [], "cmd|x!A0"),
    "a shape among the cells": ('<sp macro="Evil"/>', ["macros"], "A1*2"),
}


@pytest.mark.parametrize(("inside", "words", "text"), HOLDERS.values(), ids=HOLDERS)
def test_what_is_active_is_found_among_rows_that_stay_bytes(inside, words, text):
    """Words and formulas are those that a parser finds."""
    result, texts = _held_in(sheet(f'{ROWS}<row r="9">{inside}</row>'), "sheet1.xml")
    assert result == words
    assert {"A1*2", text} <= set(texts)


def test_rows_of_another_namespace_are_refused(tmp_path):
    """Excel would see an empty sheet; whoever has such a file is told which part it is."""
    part = "xl/worksheets/sheet1.xml"
    data = patched(template(), part, (MAIN, f"{MAIN}/other"))
    with pytest.raises(TemplateError, match=rf"{part} in the template has rows of an unknown form"):
        filled(tmp_path, data, tables={"models": TableFill(GROWN)})
