"""Formulas that are copies of one another, as a spreadsheet copies them."""

import pytest

from livesheets.copies import Originals
from livesheets.references import references, shift

HOME = (5, 3)
FORMULAS = (
    "H2+$B3*C$3-$D$4",
    "SUM(H2:$K$4,$C:$D,E:F,3:4,$5:6)",
    "'My sheet'!D2&Other!$B3&\"A1\"",
    "models[[#This Row],[size]]*D5",
    "LOG10(D5)+R5C3+B5.x+name",
    "D$1:E5 + #REF! + ",
)


def originals(*cells):
    """Return the originals of formulas, each with its row and column, on one sheet."""
    return list(Originals().of({(row, column): text for row, column, text in cells}))


@pytest.mark.parametrize("moved", [(0, 1), (1, 0), (7, 30), (-1, -2)], ids=str)
@pytest.mark.parametrize("formula", FORMULAS)
def test_what_a_spreadsheet_copies_is_a_copy(formula, moved):
    """Next to the original or far from it."""
    there = HOME[0] + moved[0], HOME[1] + moved[1]
    text = shift(formula, *moved)
    first, copy = originals((*HOME, formula), (*there, text))
    assert copy is first
    assert (first.text, first.row, first.column) == (formula, *HOME)


@pytest.mark.parametrize("other", ["H2+$B3*C$3-$D$4", "H3+$B3*C$3-$D$4", "H3+$B4*C$4-$D$4", "H3+B4*C$3-$D$4"])
def test_what_means_other_cells_is_no_copy(other):
    """One row further down, with numbers that did not move along, or did though they are fixed."""
    first, second = originals((*HOME, FORMULAS[0]), (HOME[0] + 1, HOME[1], other))
    assert second.text == other
    assert first != second


def test_what_leads_beyond_the_sheet_is_read_anew():
    """B0 and XFE1 are names, not cells."""
    result = originals((2, 2, "B1"), (1, 2, "B0"), (2, 3, "XFD1"), (2, 4, "XFE1"))
    assert [one.text for one in result] == ["B1", "B0", "XFD1", "XFE1"]


@pytest.mark.parametrize("moved", [(0, 1), (3, 0), (4, 2)], ids=str)
def test_a_reference_means_what_its_copy_says(moved):
    """Corners may cross as one of them moves."""
    for text in ("A1", "A$1:B2", "$A5:A$3", "C:$D", "$C:$D", "5:$6", "$A$1:B$2"):
        (reference,), (copy,) = references(text), references(shift(text, *moved))
        assert reference.move(*moved) == copy.reach, text
        assert reference.moves == (text != "$C:$D"), text


def test_copies_that_mean_the_same_are_counted_together():
    """A formula that moves down alone means the same in every column of a row."""
    one, two, below = originals((1, 2, "$A1"), (1, 3, "$A1"), (2, 2, "$A2"))
    assert one is two is below
    assert one.distance(1, 3) == (0, 0) != one.distance(2, 2)
