"""Rows of a CSV file or a sheet, made when they are asked for, are those that are read at once."""

import csv
import datetime as dt
import io

import pytest

from flopsheet.configs.packed_rows import PackedRows
from flopsheet.configs.text_rows import TextRows
from livesheets.cells import NOT_CALCULATED

TEXTS = {
    "plain": "a,b\n1,2\n",
    "no end": "a,b\n1,2",
    "lines inside": 'a,b\n"one\ntwo","x\r\ny"\n3,4\n',
    "other ends": "a,b\r\n1,\r2,3\n",
    "blank lines": "\n\na,b\n\n1,2\n\n",
    "quotes": 'a;"b ""c"""\n;\n"";x\n',
    "lines of Unicode": "a,b\u2028c\n\x0b1,\x1c2\n",
    "nothing": "",
}


@pytest.mark.parametrize("name", TEXTS)
def test_rows_are_those_of_csv(name):
    """In any order, with cells that go over several lines and every end of a line."""
    text = TEXTS[name]
    sign = ";" if ";" in text else ","
    expected = [[cell or None for cell in row] for row in csv.reader(io.StringIO(text, newline=""), delimiter=sign)]
    rows = TextRows(text, sign)
    assert [rows[at] for at in reversed(range(len(rows)))][::-1] == expected


def test_what_is_no_csv_is_found_at_once():
    """A quote that does not end is an error before any row is asked for."""
    with pytest.raises(csv.Error):
        TextRows('a,"b\n1,2\n', ",")


def test_packed_rows_are_those_that_were_given():
    """In any order, with every kind of cell; behind the last one is none."""
    rows = [["a", 1, 0.5, True], [], [None, dt.date(2026, 1, 2), NOT_CALCULATED], ["b"]]
    packed = PackedRows(iter(rows))
    assert [packed[at] for at in reversed(range(len(packed)))][::-1] == rows
    with pytest.raises(IndexError):
        packed[len(rows)]
