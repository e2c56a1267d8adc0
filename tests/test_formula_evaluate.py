"""Evaluating formulas: exactly on one set of values, in float64 on columns."""

import math
from collections import ChainMap
from fractions import Fraction

import numpy as np
import pytest

from flopsheet.accounting.formula import Guarded, Steps, read
from flopsheet.errors import FormulaError
from flopsheet.export.workbook.excel_form import guarded_form
from livesheets.excel import cell

BIG = 10**24


def evaluate(text, **values):
    """Read and evaluate in one go."""
    return read(text).evaluate(values)


EXACT = [
    ("a + b * c", {"a": 1, "b": 2, "c": 3}, 7),
    ("-a - -b", {"a": 1, "b": 2}, 1),
    ("+a", {"a": 5}, 5),
    ("6 * n * d", {"n": 7 * 10**9, "d": 15 * 10**12}, 63 * 10**22),
    ("a * a + 1", {"a": BIG}, BIG * BIG + 1),
    ("a / b", {"a": 6, "b": 3}, 2),
    ("a / b", {"a": 1, "b": 3}, Fraction(1, 3)),
    ("a / b * c", {"a": 1, "b": 3, "c": 3}, 1),
    ("a / (b / c)", {"a": 1, "b": 2, "c": 3}, Fraction(3, 2)),
    ("a / b", {"a": 1, "b": 0.5}, 2.0),
    ("0.5 * a", {"a": 3}, 1.5),
    ("1_000 * 1e3", {}, 1e6),
    ("min(a, b, 4)", {"a": 5, "b": 9}, 4),
    ("max(a, 1 / 2)", {"a": 0.25}, Fraction(1, 2)),
    ("ceil(a / b)", {"a": BIG + 1, "b": BIG}, 2),
    ("floor(a / b)", {"a": -1, "b": 2}, -1),
    ("ceil(a)", {"a": BIG + 1}, BIG + 1),
    ("round_up(a, b)", {"a": BIG + 1, "b": 8}, BIG + 8),
    ("round_up(a, b)", {"a": 0.3, "b": 0.1}, 3 * 0.1),
    ("power(a, b)", {"a": 3, "b": 4}, 81),
    ("power(a, b)", {"a": -2, "b": 1023}, -(2**1023)),
    ("power(a, b)", {"a": 2, "b": -2}, Fraction(1, 4)),
    ("power(a / b, 2)", {"a": 1, "b": 3}, Fraction(1, 9)),
    ("power(a, 1 / 2)", {"a": 9}, 3.0),
    ("power(a, b)", {"a": 1, "b": 10**100}, 1),
    ("power(a, b)", {"a": 0, "b": 3}, 0),
    ("log(a)", {"a": 1}, 0.0),
    ("exp(a)", {"a": 0}, 1.0),
    ("1 if a else 2", {"a": 0}, 2),
    ("1 if a else 2", {"a": Fraction(1, 2)}, 1),
    ("1 if a == b else 2 if a < b else 3", {"a": 5, "b": 4}, 3),
]


@pytest.mark.parametrize(("text", "values", "expected"), EXACT)
def test_value_and_its_type(text, values, expected):
    """Whole numbers and fractions stay exact, and a number is a float only where a decimal took part."""
    result = evaluate(text, **values)
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(("text", "values", "expected"), EXACT)
def test_a_step_gives_what_its_formula_gives(text, values, expected):
    """Value and type are the same where formulas follow each other."""
    result = Steps({"result": read(text)}).evaluate(values)["result"]
    assert (result, type(result)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "values", "what"),
    [
        ("a / b", {"a": 1, "b": 0}, "divides by zero"),
        ("a / b", {"a": 1.0, "b": 0.0}, "divides by zero"),
        ("power(0, a)", {"a": -1}, "divides by zero"),
        ("a * a", {"a": 2**512}, "2**1024"),
        ("a * 1.5", {"a": 2**1025}, "2**1024"),
        ("a * a", {"a": 1e200}, "2**1024"),
        ("exp(a)", {"a": 1000}, "2**1024"),
        ("power(a, b)", {"a": 9, "b": 10**100}, "2**1024"),
        ("power(3, 1000) / power(3, 999)", {}, "2**1024"),
        ("power(0, a)", {"a": 0}, "power(0, 0)"),
        ("power(a, 0.5)", {"a": -1}, "has no value: power(-1, 0.5)"),
        ("log(a)", {"a": 0}, "has no value"),
        ("log(a)", {"a": -1}, "has no value"),
        ("ceil(a)", {"a": -1}, "ceil of a number below zero"),
        ("round_up(a, 2)", {"a": -1}, "round_up of a number below zero"),
        ("round_up(2, a)", {"a": 0}, "not above zero"),
        ("month_end(a, 1)", {"a": 60}, "before March 1900"),
        ("month_end(a, -1)", {"a": 61}, "before March 1900"),
        ("month_end(61, a)", {"a": 10**6}, "no calendar has"),
        ("a + b", {"a": 1}, "no value for 'b'"),
    ],
)
def test_what_has_no_value_is_refused(text, values, what):
    """The error shows the formula and says what happened."""
    with pytest.raises(FormulaError) as caught:
        evaluate(text, **values)
    shown, reason = str(caught.value).split("\n")
    assert shown == text
    assert what in reason


def test_branch_not_taken_is_not_computed():
    """A guard against a division by zero works."""
    assert evaluate("a / b if b else 0", a=1, b=0) == 0


def test_values_may_be_any_mapping():
    """A ledger can lay the values of one model over those of a workload."""
    assert read("a * b").evaluate(ChainMap({"a": 2}, {"a": 5, "b": 3})) == 6


def test_no_value_can_stand_in_for_a_function():
    """Values named like a function or a builtin change nothing."""
    assert evaluate("max(1, 2)", max=min) == 2


def test_builtins_are_out_of_reach():
    """A name that Python knows is no name here unless it has a value."""
    with pytest.raises(FormulaError, match="no value for 'open'"):
        evaluate("open")


ONE_ULP = math.ulp(1.0)

NEAR_WHOLE = [
    (3 - 4 * ONE_ULP, 3, 3),
    (3 + 4 * ONE_ULP, 3, 3),
    (2.9999999999, 3, 2),
    (3.0000000001, 4, 3),
    (1e-17, 1, 0),
    (0.1 * 3 / 0.1, 3, 3),
    (99.99999999999999, 100, 100),
    (2.0**41 + 0.5, 2**41 + 1, 2**41),
]


@pytest.mark.parametrize(("value", "up", "down"), NEAR_WHOLE)
def test_floats_next_to_whole_numbers_count_as_whole(value, up, down):
    """Rounding up and down looks at 15 digits, in Python and NumPy alike."""
    both = [read("ceil(a)"), read("floor(a)")]
    assert [formula.evaluate({"a": value}) for formula in both] == [up, down]
    assert [formula.columns({"a": np.array([value])})[0] for formula in both] == [up, down]


COMPARED = [
    (1.0, 1.0 + ONE_ULP, 0),
    (1.0, 1.0 + 32 * ONE_ULP, -1),
    (0.1 + 0.2, 0.3, 0),
    (0.0, 1e-300, -1),
    (2**53 - 1, 2**53 - 2, 1),
    (2**53, 2**53 + 2, 0),
    (Fraction(1, 3), 1 / 3, 0),
    (-1.0, -1.0 - ONE_ULP, 0),
    (-2, 1, -1),
]


@pytest.mark.parametrize(("a", "b", "order"), COMPARED)
def test_every_comparison_agrees_on_the_order(a, b, order):
    """The six comparisons take numbers for equal that differ by a rounding error, unless both are whole."""
    expected = [order < 0, order <= 0, order == 0, order != 0, order >= 0, order > 0]
    formulas = [read(f"1 if a {sign} b else 0") for sign in ("<", "<=", "==", "!=", ">=", ">")]
    assert [formula.evaluate({"a": a, "b": b}) for formula in formulas] == expected
    assert [formula.columns({"a": np.array([float(a)]), "b": float(b)})[0] for formula in formulas] == expected


def test_columns_never_overflow_like_integers():
    """The training FLOPs of a 7B model on 15T tokens do not fit int64."""
    result = read("6 * n * d").columns({"n": np.array([7 * 10**9]), "d": np.array([15 * 10**12])})
    assert (result.dtype, result[0]) == (np.float64, 6.3e23)


@pytest.mark.parametrize(
    ("text", "value"),
    [("ceil(a)", -1.5), ("round_up(a, 2)", -1.0), ("round_up(2, a)", 0.0), ("power(0, a)", 0.0), ("log(a)", -1.0)],
)
def test_columns_hold_nan_where_there_is_no_value(text, value):
    """What the exact side refuses is nan in a sweep."""
    assert np.isnan(read(text).columns({"a": np.array([value])})[0])


def test_columns_are_silent_about_the_branch_not_taken():
    """A guard against a division by zero gives its value and no warning."""
    result = read("a / b if b else 0").columns({"a": np.array([6, 6]), "b": np.array([0, 3])})
    assert result.tolist() == [0, 2]


def test_columns_of_scalars_are_a_float():
    """Without any column the result is a plain float."""
    assert type(read("1 if a < 2 else b").columns({"a": 1, "b": 10**30})) is float


def test_columns_name_a_missing_value():
    """A sweep without a name of the formula is refused by that name."""
    with pytest.raises(FormulaError, match="no value for 'b'"):
        read("a + b").columns({"a": 1.0})


def test_cells_are_computed_in_every_row():
    """Cells skip the branch that is not taken, and a difference that is nothing but rounding is 0."""
    rows = {"a": [2, 1, 0.1 + 0.2], "b": [1, 0, 0.3]}
    assert read("a / b - 1 if b else 7").cells(rows) == [1, 7, 0]


@pytest.mark.parametrize(("b", "what"), [(0, "divides by zero"), (1e-200, "no cell can hold")])
def test_cells_without_a_value_are_refused(b, what):
    """One row without a number refuses the formula."""
    with pytest.raises(FormulaError, match=what):
        read("a / b").cells({"a": [1, 1e200], "b": [1, b]})


@pytest.mark.parametrize(("published", "off"), [(8, 0.25), (0, None)])
def test_a_guarded_formula_is_a_number_only_where_it_has_one(published, off):
    """The same condition leaves a cell blank in Excel, and no number in Python."""
    result = Guarded(read("parameters / published - 1"), where=read("published"))
    assert result.evaluate({"parameters": 10, "published": published}) == off
    assert str(guarded_form(result, lambda name: cell(name.upper()))) == 'IF(PUBLISHED=0,"",PARAMETERS/PUBLISHED-1)'
