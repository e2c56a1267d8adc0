"""Conditions: comparisons joined by and, or and not."""

import pytest

from flopsheet.accounting.formula.condition import condition
from flopsheet.errors import FormulaError

VALUES = {"a": 0, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("b", True),
        ("b < c", True),
        ("b < c and a", False),
        ("a or b < c", True),
        ("not a and b == 2", True),
        ("not (a or b) or c != 3", False),
        ("(a or b) and (c < 3 or c >= 3) and -b", True),
        ("a and b or c", True),
        ("a and (b or c)", False),
    ],
)
def test_what_holds(text, holds):
    """A condition means what Python means by it, and what compares nothing holds where it is not 0."""
    assert bool(condition(text).evaluate(VALUES)) is holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a < b < c", "one comparison at a time"),
        ("a and", "found 'and'"),
        ("a and (b if c else a)", "a condition joins comparisons"),
        ("a and b[0]", "found '['"),
        ("a == 'x' or b", "formulas hold numbers, no text"),
    ],
)
def test_what_is_refused(text, said):
    """A text that is no condition is shown with what to write."""
    with pytest.raises(FormulaError) as refused:
        condition(text)
    assert said in str(refused.value)
