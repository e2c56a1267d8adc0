"""CSV: no spreadsheet takes a text for a formula, whatever it takes for a separator (flopsheet.export.csv_text)."""

import csv
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopsheet.export.csv_text import csv_row, harmless

HARMLESS = {
    "=1+1": "'=1+1",
    "@SUM(A1)": "'@SUM(A1)",
    "\t=1": "'\t'=1",
    " =1": "' =1",
    "\u00a0=1": "'\u00a0=1",
    "\u200b=1": "'\u200b=1",
    "\u200b \ufeff-1": "'\u200b \ufeff-1",
    "\uff1d1": "'\uff1d1",
    "a;=cmd|'/C calc'!A0;b": "a;'=cmd|'/C calc'!A0;b",
    'a; "=1"': 'a;\' "=1"',
    "a\t+1": "a\t'+1",
    "a\r\n=1": "a\n'=1",
    "Llama-3.1; a = b, x@y": "Llama-3.1; a = b, x@y",
}


@pytest.mark.parametrize(("text", "guarded"), HARMLESS.items(), ids=HARMLESS)
def test_formulas_are_guarded(text, guarded):
    """An apostrophe stands before what a spreadsheet would calculate, wherever it takes a cell to begin."""
    assert harmless(text) == guarded


TEXTS = st.text(st.sampled_from("=+-@;,\t\n\r \"'a\u200b\u00a0\uff1d"), max_size=8)
ACTIVE = re.compile('[\\s\u200b"]*[=+@\uff1d-]')


@given(st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_no_reader_finds_a_formula(texts, separator):
    """Whichever separator a reader guesses, no cell of the line begins a formula."""
    line = csv_row(map(harmless, texts))
    cells = [cell for row in csv.reader(line.splitlines(keepends=True), delimiter=separator) for cell in row]
    assert not [cell for cell in cells if ACTIVE.match(cell)]


@given(st.lists(TEXTS, min_size=1, max_size=4).filter(any))
def test_a_line_reads_back(texts):
    """Quotes stand around what has a separator, a quote or a blank end, and the fields read back as they were."""
    assert next(csv.reader([csv_row(texts)])) == texts
