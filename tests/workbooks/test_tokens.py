"""The one tokenizer: formulas that are awkward to take apart, and none of their characters lost."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from livesheets.tokens import Structured, Token, as_in_table, read_structured, tokens

SRC = Path(__file__).parents[2] / "src"
SOURCES = sorted(SRC.glob("**/*.py"))
SIGNS = {
    "texts in quotes": ('"(?:[^"]|""', ' "[^"]*"|', '|"[^"]*"'),
    "names of sheets": ("'(?:[^']", "'[^']*'"),
    "brackets of columns": ("[^\\[\\]", "#This Row", "#Data"),
    "calls of functions": ("\\s*\\(", "[\\w.]*\\("),
    "addresses of cells": ("[A-Za-z]{1,3}", "\\$?["),
}
"""What an expression that reads formulas has, by what it finds."""
OTHERS = {
    "livesheets/tokens.py": "the tokenizer",
    "flopsheet/units/formats.py": "number formats, which have texts in quotes and brackets of their own",
    "livesheets/spelling.py": "headers of columns, with units in brackets",
}
"""Where such expressions are, and what they read."""

AWKWARD = {
    "LOG10(A1)": "function LOG10|sign (|cells A1|sign )",
    "ATAN2 (LOG10,10)": "function ATAN2|blank  |sign (|cells LOG10|sign ,|number 10|sign )",
    "XFE1+yoy24*zip5": "name XFE1|sign +|name yoy24|sign *|name zip5",
    "1E5+E5-.5%": "number 1E5|sign +|cells E5|sign -|number .5|sign %",
    "1:3+$A:$B": "cells 1:3|sign +|cells $A:$B",
    "'It''s (a) sheet'!$A$1:B2": "cells 'It''s (a) sheet'!$A$1:B2",
    "SUM(Jan:Dec!B6,'Q1 x:Q4 x'!C:C)": "function SUM|sign (|cells Jan:Dec!B6|sign ,|cells 'Q1 x:Q4 x'!C:C|sign )",
    "[1]Sheet1!A1+[1]!rate": "cells [1]Sheet1!A1|sign +|cells [1]!|name rate",
    "'C:\\x\\[a b.xlsx]One'!A1": "cells 'C:\\x\\[a b.xlsx]One'!A1",
    "t[[#Data],[a'[x']]]*t[]": "table t[[#Data],[a'[x']]]|sign *|table t[]",
    "[@[b c]]+[@d]": "table [@[b c]]|sign +|table [@d]",
    't[A1]&"t[B2] ""\'C3\'"': 'table t[A1]|sign &|text "t[B2] ""\'C3\'"',
    '{1,-2;"a;b",TRUE}': 'sign {|number 1|sign ,|sign -|number 2|sign ;|text "a;b"|sign ,|name TRUE|sign }',
    "A1:INDEX(B2:B9,3)": "cells A1|sign :|function INDEX|sign (|cells B2:B9|sign ,|number 3|sign )",
    "#REF!A1+#N/A+Gone!#REF!": "error #REF!A1|sign +|error #N/A|sign +|cells Gone!|error #REF!",
    "SUM(A1#,@B1)": "function SUM|sign (|cells A1|odd #|sign ,|sign @|cells B1|sign )",
    "Models!out_total<>in.price": "cells Models!|name out_total|sign <>|name in.price",
    "cmd|'/c calc'!A0": "name cmd|sign ||cells '/c calc'!|name A0",
    "'file:///x.ods'#$S.A1": "quoted 'file:///x.ods'|odd #|odd $|name S.A1",
    '"open': 'odd "|name open',
}


@pytest.mark.parametrize(("formula", "said"), AWKWARD.items(), ids=AWKWARD)
def test_awkward_formulas_come_apart(formula, said):
    """Each piece is of the kind that Excel takes it for."""
    assert "|".join(f"{kind} {text}" for kind, text in tokens(formula)) == said


@given(st.text("aA1$!'\"[]#@:.(),\\ \n|é", max_size=40))
def test_nothing_is_lost(formula):
    """The tokens of any text, joined, are the text."""
    assert "".join(token.text for token in tokens(formula)) == formula


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t[size]", Structured("t", (), ("size",))),
        ("t[]", Structured("t", (), ())),
        ("t[#All]", Structured("t", ("#all",), ())),
        ("t[[#Headers],[#Data],[a]:[b]]", Structured("t", ("#headers", "#data"), ("a", "b"))),
        ("t[[#This Row],[a'[x'] ''n'' '#1]]", Structured("t", ("#this row",), ("a[x] 'n' #1",))),
        ("[@size]", Structured("", ("#this row",), ("size",))),
        ("t[@[b c]]", Structured("t", ("#this row",), ("b c",))),
        ("t['#1]", Structured("t", (), ("#1",))),
    ],
)
def test_structured_references_are_read(text, said):
    """Table, items and columns, the columns as their headers say."""
    assert read_structured(text) == said


def test_functions_are_named_without_what_files_write_before_them():
    """New functions have prefixes in files, and any case is the same function."""
    assert [Token("function", text).word for text in ("_xlfn._xlws.Filter", "_xlfn.xlookup", "SUM")] == [
        "filter",
        "xlookup",
        "sum",
    ]


def test_a_column_of_the_same_row_is_shown_short():
    """As Excel writes it inside the table, with brackets of its own where its title is no plain word."""
    assert as_in_table("t[[#This Row],[a]]*t[[#This Row],[b c]]+t[a]") == "=[@a]*[@[b c]]+t[a]"


def expressions(path):
    """Return the texts of a module that stand in a call of `re`."""
    calls = (
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and getattr(node.func.value, "id", "") == "re"
    )
    inside = (node for call in calls for node in ast.walk(call) if isinstance(node, ast.Constant))
    return [node.value for node in inside if isinstance(node.value, str)]


def test_no_other_module_reads_formulas_by_regular_expressions():
    """A module that needs to know what a formula says asks the tokenizer."""
    texts = [(str(path.relative_to(SRC)), text) for path in SOURCES for text in expressions(path)]
    found = {
        (path, what) for path, text in texts for what, signs in SIGNS.items() if any(sign in text for sign in signs)
    }
    assert {(path, what) for path, what in found if path not in OTHERS} == set()


def test_those_that_read_texts_are_there():
    """The list above names modules of today."""
    assert all((SRC / name).exists() for name in OTHERS)
