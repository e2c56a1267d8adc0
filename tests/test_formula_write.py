"""Writing formulas: for a cell of Excel, and for people."""

from functools import partial

import pytest

from flopsheet.accounting.formula import read
from flopsheet.export.workbook.excel_form import excel_form
from livesheets.excel import cell, here

EXCEL = [
    ("a*b + c/2", "a*b+c/2"),
    ("(a + b) * c", "(a+b)*c"),
    ("(a * b) + c", "a*b+c"),
    ("a - (b - c)", "a-(b-c)"),
    ("(a - b) - c", "a-b-c"),
    ("a / (b * c)", "a/(b*c)"),
    ("a / b * c", "a/b*c"),
    ("-(a + b) * -c", "-(a+b)*-c"),
    ("-(a * b)", "-(a*b)"),
    ("+(a + b) * +c", "(a+b)*c"),
    ("--a", "--a"),
    ("ceil(a / 8)", "CEILING(a/8,1)"),
    ("round_up(a, 64)", "CEILING(a,64)"),
    ("floor(a + b)", "INT(a+b)"),
    ("power(a, 2) * log(b) + exp(c)", "POWER(a,2)*LN(b)+EXP(c)"),
    ("min(a, b, (c))", "MIN(a,b,c)"),
    ("max(a, b - 1)", "MAX(a,b-1)"),
    ("a if b else c", "IF(b,a,c)"),
    ("a if b == 1 else c if b != 2 else 0", "IF(b=1,a,IF(b<>2,c,0))"),
    ("2 * (a if b + 1 <= c * 2 else -c)", "2*IF(b+1<=c*2,a,-c)"),
    ("1 if (2 if a > b else 0) else 3", "IF(IF(a>b,2,0),1,3)"),
    ("1_000 * 0.5 + 0.00001", "1000*0.5+1E-05"),
]


@pytest.mark.parametrize(("text", "expected"), EXCEL)
def test_excel(text, expected):
    """Parentheses stand where Excel needs them to compute in the same order, and nowhere else."""
    assert str(excel_form(read(text), cell)) == expected


def test_excel_refers_as_asked():
    """Names become whatever the workbook calls them."""
    formula = read("n_layers * d_model")
    written = str(excel_form(formula, partial(here, "dense")))
    assert written == "dense[[#This Row],[n_layers]]*dense[[#This Row],[d_model]]"


MARKDOWN = [
    ("a*b - c/2", "a · b - c / 2"),
    ("(a + b) * -c", "(a + b) · -c"),
    ("a * 1_000_000_000_000", "a · 1e12"),
    ("a * 3_600_000 + 100_000 + 1_000_001", "a · 3600000 + 100000 + 1000001"),
    ("ceil(a / 8)", "ceil(a / 8)"),
    ("round_up(a, 64)", "round up(a, 64)"),
    ("a + b if c else 0", "a + b if c, else 0"),
    ("a if b <= c else b if a != c else c", "a if b ≤ c, else b if a ≠ c, else c"),
    ("(a if b else c) if a >= 2 else 0", "(a if b, else c) if a ≥ 2, else 0"),
    ("2 * (a if b else c)", "2 · (a if b, else c)"),
    ("2 * (a if a else b * c)", "2 · (a, or where that is 0 b · c)"),
    ("max(a if b == 1 else c, 2)", "max((a if b = 1, else c), 2)"),
    ("1 if (2 if a < b else 0) > 1 else 3", "1 if (2 if a < b, else 0) > 1, else 3"),
]


@pytest.mark.parametrize(("text", "expected"), MARKDOWN)
def test_markdown(text, expected):
    """People read products as dots, comparisons as signs and choices as sentences."""
    assert read(text).markdown(str) == expected


def test_markdown_quotes_bare_names():
    """Without titles a name stands in backticks, where Markdown leaves its underscores alone."""
    assert read("n_layers * d_model").markdown() == "`n_layers` · `d_model`"


TITLES = {
    "MFU, dense models": "“MFU, dense models” · b",
    "tokens + 1": "“tokens + 1” · b",
    "peak - idle": "“peak - idle” · b",
    "speed if measured": "“speed if measured” · b",
    "pairs (counted)": "“pairs (counted)” · b",
    "key/value heads": "key/value heads · b",
    "query-key pairs": "query-key pairs · b",
    "elsewhere": "elsewhere · b",
}


@pytest.mark.parametrize(("title", "expected"), TITLES.items())
def test_titles_that_look_like_several_are_quoted(title, expected):
    """A comma or sign inside a title is not one of the formula."""
    assert read("a * b").markdown({"a": title, "b": "b"}.__getitem__) == expected


def test_markdown_uses_titles():
    """With titles the formula reads as a sentence."""
    titles = {"n_layers": "layers", "d_model": "hidden size"}
    assert read("n_layers * d_model").markdown(titles.__getitem__) == "layers · hidden size"
