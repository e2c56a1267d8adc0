"""A table as TOML, written quickly, is what tomli_w writes."""

from fractions import Fraction

import pytest
import tomli_w

from flopsheet.export.toml import storable
from flopsheet.export.toml_text import entry_of

TABLES = {
    "numbers": {
        "a": 1,
        "b": -2.5,
        "c": 1e300,
        "d": 2**63,
        "e": Fraction(1, 3),
        "f": True,
        "g": float("inf"),
        "h": None,
    },
    "texts": {"a": "plain ü 漢", "b": 'a "quote" \\ \n line\t', "c": "\x7f\x00", "d": "\ud800 half", "e": ""},
    "keys": {"a b": 1, "": 2, "ä": {"c.d": 3, '"': {"e": 4}}, "f-g_1": 5},
    "lists": {"none": [], "texts": ["x", 'y"'], "numbers": [1, 2.0], "nested": [[1], []], "long": ["word " * 9] * 3},
    "tables": {"only": {"inner": {"a": 1}, "empty": {}}, "b": {"c": 2, "d": {}}, "e": {}},
}


@pytest.mark.parametrize("name", TABLES)
def test_an_entry_is_what_tomli_w_writes(name):
    """Of numbers of every kind, texts to be escaped, keys in quotes, lists, and tables inside tables."""
    table = {"title": "an entry that is too long for one line", "problems": ["so that none is tried"], **TABLES[name]}
    assert entry_of("models", table, storable) == tomli_w.dumps({"models": [storable(table)]})
