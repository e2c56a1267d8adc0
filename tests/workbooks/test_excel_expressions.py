"""Excel formulas as trees: each sign, and the parentheses that its place needs."""

import pytest

from livesheets.excel import (
    above,
    add_all,
    arguments,
    array,
    call,
    cell,
    cells,
    column,
    column_of_row,
    headers,
    here,
    literal,
    multiply_all,
    read,
)

A, B, C = map(cell, ("a", "b", "c"))
WRITTEN = {
    "a sum in a product": ((A + B) * C, "(a+b)*c"),
    "a product in a sum": (A + B * C, "a+b*c"),
    "a sum less a sum": (A - (B + C), "a-(b+c)"),
    "over a quotient": (A / (B / C), "a/(b/c)"),
    "a test as a factor": ((A == B) * (A <= 2) * C, "(a=b)*(a<=2)*c"),
    "a test of sums": (A + 1 > B - 1, "a+1>b-1"),
    "texts join": ("in " & (A & " of ") & B, '"in "&a&" of "&b'),
    "a sum in a text": ("<" & A - B, '"<"&a-b'),
    "a test in a text": ("is " & (A != B), '"is "&(a<>b)'),
    "a negative": (-(A + B) * -C, "-(a+b)*-c"),
    "what is on the left": (1 - A + 2 / B - 3 * C, "1-a+2/b-3*c"),
    "signs turned": (call("AND", A > 1, B <= 2), "AND(a>1,b<=2)"),
    "an argument": (call("IF", A == 0, "", A / B), 'IF(a=0,"",a/b)'),
    "no argument": (call("NA"), "NA()"),
    "quotation marks": (literal('a "b"'), '"a ""b"""'),
    "numbers": (array(1, 0.5, 1e-05, "x"), '{1,0.5,1E-05,"x"}'),
    "a truth": (literal(value=False), "FALSE"),
    "a text with a sum for a name": (read("2 * unit", names={"unit": A + B}), "2*(a+b)"),
    "a text with a sum for an argument": (read("SUM(unit, 1)", names={"unit": A + B}), "SUM(a+b,1)"),
    "a text with arguments for a name": (read("MAX(every)", names={"every": arguments(A, B - C)}), "MAX(a,b-c)"),
    "a text with a name in quotes": (read('"unit " & unit', names={"unit": "m"}), '"unit "&"m"'),
    "a text in its table": (read("[@[Low cost]]\n / SUM([Total])", "t"), "t[[#This Row],[Low cost]]/SUM(t[Total])"),
    "a text in a product": (read("a + b") * C, "(a+b)*c"),
    "several": (add_all([A, B]) * multiply_all([B, C]), "(a+b)*(b*c)"),
    "a column": (column("t", "x"), "t[x]"),
    "columns": (column("t", "x", "y"), "t[[x]:[y]]"),
    "this row": (here("t", "x"), "t[[#This Row],[x]]"),
    "columns of this row": (here("t", "x", "y"), "t[[#This Row],[x]:[y]]"),
    "the row above": (above("t", "x"), "t[[#Above],[x]]"),
    "headers": (headers("t", "x", "y"), "t[[#Headers],[x]:[y]]"),
    "as shown": (column_of_row("x"), "[@x]"),
    "a range": (call("SUM", cells(call("INDEX", A, 1), B)), "SUM(INDEX(a,1):b)"),
}


@pytest.mark.parametrize(("expression", "text"), WRITTEN.values(), ids=WRITTEN)
def test_an_expression_is_written(expression, text):
    """Parentheses are where Excel would read something else without them, and nowhere else."""
    assert str(expression) == text


def test_an_expression_has_no_truth_value():
    """Whether two expressions are the same is for Excel to say: `if a == b` would always hold."""
    with pytest.raises(TypeError, match="no truth value"):
        bool(A == B)
