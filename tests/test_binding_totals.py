from io import BytesIO

import pytest
from budget_template import budget, saved
from openpyxl import load_workbook

from flopsheet.export.binding.lists import total_of
from livesheets.template import read_template

COLUMN = [1.0, 2.5, None, "x", True]
"""What a filled column may hold: two numbers, a blank, a text, a flag."""


def total(formula, column, said="sum"):
    """Return what the totals row of the budget's parameters shows beside a formula, and what its table says of it."""
    book = load_workbook(BytesIO(budget()))
    table = book["Data"].tables["Data"]
    table.tableColumns[2].totalsRowFunction = said
    book["Data"].cell(5, 3).value = formula
    template = read_template(saved(book))
    return total_of(template, template.book.tables["data"], 2, column)


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("=SUBTOTAL(109,Data[Parameters (B)])", 3.5),
        ("=subtotal(9,[parameters (b)])", 3.5),
        ("=SUBTOTAL(101,Data[Parameters (B)])", 1.75),
        ("=SUBTOTAL(2,$C$4:$C$4)", 2),
        ("=SUM(data!$C$4:$C$4)", 3.5),
        ("=COUNTA(Data[Parameters (B)])", 4),
        ("=MAX(C4:C4)", 2.5),
        ("=SUBTOTAL(109,Data[Parameters (B)])/1000", None),
        ("=SUBTOTAL(109,Data[MFU])", None),
        ("=SUBTOTAL(106,Data[Parameters (B)])", None),
        ("=SUM(D4:D4)", None),
        ("=SUM(C4:C4,C1)", None),
        ("=SUM(Sums!C4:C4)", None),
        ('=COUNTIF(Data[Parameters (B)],">1")', None),
        (None, 3.5),
    ],
)
def test_a_total_is_what_its_formula_says(formula, value):
    """The formula counts, not what the table says of it; one that is no plain total of its own column is not known."""
    assert total(formula, COLUMN) == value


@pytest.mark.parametrize(
    ("said", "column", "value"),
    [("sum", [], 0), ("max", [], None), ("stdDev", [1], None), ("var", [1, 3], 2.0), ("custom", [1], None)],
)
def test_a_total_without_enough_numbers_is_not_known(said, column, value):
    """Where Excel shows an error, nothing is written."""
    assert total(None, column, said) == value
