"""Addresses of cells: columns in letters, and sheets in quotes."""

import pytest

from livesheets.addresses import letters, number, place_of, quote, write_place


@pytest.mark.parametrize(("column", "text"), [(1, "A"), (26, "Z"), (27, "AA"), (703, "AAA"), (16384, "XFD")])
def test_columns_have_letters(column, text):
    """A column's number and its letters are two spellings of one thing."""
    assert letters(column) == text
    assert number(text) == column


@pytest.mark.parametrize(
    ("sheet", "text"),
    [
        ("Models", "Models"),
        ("A1", "'A1'"),
        ("R1C1", "'R1C1'"),
        ("True", "'True'"),
        ("my sheet", "'my sheet'"),
        ("it's", "'it''s'"),
    ],
)
def test_sheet_names_are_quoted_where_needed(sheet, text):
    """A sheet name that is no plain word, or looks like a cell, stands in quotes."""
    assert quote(sheet) == text


@pytest.mark.parametrize(
    ("place", "sheet", "text"),
    [
        ((3, 2), "", "C4"),
        ((0, 27), "Data", "Data!AB1"),
        ((0, 0), "v. 2", "'v. 2'!A1"),
        ((0, 0), "H100", "'H100'!A1"),
    ],
)
def test_places_have_addresses(place, sheet, text):
    """A place is told as a formula would write it, and read back from its cell."""
    assert write_place(place, sheet) == text
    assert place_of(text.rpartition("!")[2]) == place
