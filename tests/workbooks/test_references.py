import pytest

from livesheets.errors import TemplateError
from livesheets.references import (
    Area,
    areas_text,
    read_area,
    read_areas,
    references,
    rewrite,
    shift,
    stack_areas,
)


@pytest.mark.parametrize(
    ("text", "area"),
    [("B5:H6", Area(5, 2, 6, 8)), ("$B$5", Area(5, 2, 5, 2)), ("H6:B5", Area(5, 2, 6, 8))],
)
def test_ranges_are_read(text, area):
    """A range is read with or without dollars, from whichever corner."""
    assert read_area(text) == area


@pytest.mark.parametrize("text", ["", "B", "5:6", "A0", "XFE1", "A1048577", "models"])
def test_what_is_no_range_is_refused(text):
    """Text that names no cells of a sheet is refused."""
    with pytest.raises(TemplateError, match="not a range"):
        read_area(text)


def test_sqrefs_hold_several_ranges():
    """A list of ranges survives reading and writing; whole columns become cells."""
    assert areas_text(read_areas("A1 C3:D4")) == "A1 C3:D4"
    assert read_areas("C:D") == [Area(1, 3, 1_048_576, 4)]


def test_cells_listed_one_by_one_are_a_range():
    """Cells of a column that stand below each other are one range, whatever stands between them in the list."""
    assert areas_text(stack_areas(read_areas("B2 D2 B3 D3 B5 F1:G1"))) == "B2:B3 D2:D3 B5 F1:G1"


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        ("A1+$B$2", ["A1", "$B$2"]),
        ("SUM(Models!B6:B8)", ["Models!B6:B8"]),
        ("'It''s here'!A1", ["'It''s here'!A1"]),
        ('"A1"&B2', ["B2"]),
        ("models[[#This Row],[A1]]+C3", ["C3"]),
        ("LOG10(100)+D4", ["D4"]),
        ("in_price*FY2024x", []),
        ("1E5+E5", ["E5"]),
        ("[1]Other!A1+F6", ["'[1]Other'!A1", "F6"]),
        ("'[1]My Sheet'!A1+[book.xlsx]Other!B2", ["'[1]My Sheet'!A1", "'[book.xlsx]Other'!B2"]),
        ("#REF!A1+'Gone'!#REF!", ["Gone!"]),
        ("SUM($A:$B,3:4)", ["$A:$B", "3:4"]),
        ("Models!out_total", ["Models!"]),
        ("A1:INDEX(B2:B9,3)", ["A1", "B2:B9"]),
        ("sum(models!b6:$b$8,xfd1)", ["models!B6:$B$8", "XFD1"]),
        ("XFE1+yoy24*zip5", []),
        ("SUM(Jan:Dec!B6:B8,Jan!A1:Jan!A2)", ["'Jan:Dec'!B6:B8", "Jan!A1:A2"]),
    ],
)
def test_references_are_found(formula, found):
    """References are found outside texts, column names, function names and errors; those of other workbooks say so."""
    assert [str(reference) for reference in references(formula)] == found


def test_unchanged_references_keep_their_spelling():
    """A rewriting that changes nothing gives the same text, quotes included."""
    formula = "SUM('Models'!$B$6:$B$8)/\"'Models'!B6\""
    assert rewrite(formula, lambda reference: reference) == formula


@pytest.mark.parametrize(
    ("formula", "moved"),
    [
        ("A1*$B$2+C$3", "B3*$B$2+D$3"),
        ("SUM(Models!A1:B2)", "SUM(Models!B3:C4)"),
        ("models[size]+A1", "models[size]+B3"),
        ("SUM(Jan:Dec!A1)", "SUM('Jan:Dec'!B3)"),
        ("[1]Other!A1+'[1]My Sheet'!A1", "'[1]Other'!B3+'[1]My Sheet'!B3"),
        ("XFD1", "#REF!"),
    ],
)
def test_formulas_shift_as_excel_copies_them(formula, moved):
    """Relative parts move, dollars stay, and what leaves the sheet is an error."""
    assert shift(formula, 2, 1) == moved
