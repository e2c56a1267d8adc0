"""Rows and formulas of a filled workbook, as programs save them."""

from dataclasses import dataclass, field

import pytest

from flopsheet.export.roundtrip.rows import FilledWorkbook, rows_of, same_formula, same_value
from livesheets.cells import FormulaText
from livesheets.reading import Sheet, Table

SAME = {
    "exponent": ("A1/1E+21", "A1/1E+021"),
    "case": ("Sum(a1:b2)", "SUM(A1:B2)"),
    "blanks": ("IF(A1 = 1, 2, 3)", "IF(A1=1,2,3)"),
    "prefix of newer functions": ("_xlfn.CEILING.MATH(A1)", "CEILING.MATH(A1)"),
    "decimals": ("A1*0.50", "A1*.5"),
}
OTHER = {
    "text": ('A1&" of "', 'A1&" OF "'),
    "blanks in a text": ('"a b"', '"ab"'),
    "number": ("A1*2", "A1*20"),
    "constant": ("A1*2", None),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_spellings_of_one_formula(one, other):
    """What a program changes when it saves a formula is no edit."""
    assert same_formula(one, other)


@pytest.mark.parametrize(("one", "other"), OTHER.values(), ids=OTHER)
def test_other_formulas(one, other):
    """What a person changes is one."""
    assert not same_formula(one, other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1 / 3, 0.333333333333333, True), (0.38, 0.380001, False), (1, True, True), ("a", 1, False), (None, 0, False)],
)
def test_values_agree_to_what_is_stored(one, other, same):
    """LibreOffice stores 15 digits."""
    assert same_value(one, other) == same


@dataclass
class Book:
    """One sheet with one table."""

    rows: list
    formulas: dict = field(default_factory=dict)
    last: int = 1

    @property
    def tables(self):
        """The table, whose header stands in the first row."""
        return {"t": Table("t", "S", ("no", "model"), (0, 0), (self.last, 1))}

    def sheet(self, name):
        """Return the sheet."""
        return Sheet(name, self.rows, self.formulas)


def rows(*lines, last=1):
    """Return the rows of a table that ends in row `last`."""
    return rows_of(FilledWorkbook("plan.xlsx", Book([["no", "model"], *map(list, lines)], last=last)), "t", "no")


def test_rows_under_a_table_belong_to_it():
    """Up to the first empty one: what stands further down is something else."""
    assert list(rows([1, "a"], [5, "b"], [None, None], [9, "note"]).rows) == [1, 5]


def test_empty_rows_inside_a_table_are_passed_over():
    """A planner may clear a row."""
    assert list(rows([1, "a"], [None, None], [3, "c"], last=3).rows) == [1, 3]


def test_a_row_without_a_number_is_told():
    """It would be lost."""
    assert rows([1, "a"], [None, "b"]).problems == ("S!A3: this row has no number; give it one, or clear the row",)


def test_a_shared_formula_is_read_as_it_stands_in_its_cell():
    """Excel stores the text once, for the first cell of a column."""
    formulas = {(1, 1): FormulaText("A2*$C$1"), (2, 1): FormulaText("A2*$C$1", (1, 1))}
    filled = FilledWorkbook("plan.xlsx", Book([[1, 2], [1, 2], [1, 2]], formulas))
    assert [filled.formula("S", place) for place in ((1, 1), (2, 1), (0, 0))] == ["A2*$C$1", "A3*$C$1", None]


def test_truth_values_are_no_formulas():
    """LibreOffice writes them as TRUE() and FALSE()."""
    filled = FilledWorkbook("plan.xlsx", Book([[1]], {(0, 0): FormulaText("TRUE()")}))
    assert (filled.value("S", (0, 0)), filled.find_formula("S", (0, 0))) == (True, None)
