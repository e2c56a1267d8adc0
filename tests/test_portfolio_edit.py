"""How import changes a portfolio's text: only what it has to, in the manner of its author."""

import tomllib

import pytest

from flopsheet.errors import UsageError
from flopsheet.export.roundtrip.changes import Changes
from flopsheet.export.roundtrip.edit import edit_portfolio

PORTFOLIO = """\
# What we plan for next year.
name = "Next year"  # shown on the cover

[[models]]
config = "llama/config.json"
tokens = 15e12  # as much as theirs
# the end
"""

STYLES = {
    "crlf": (PORTFOLIO.replace("\n", "\r\n"), b"\r\n"),
    "byte order mark": ("\ufeff" + PORTFOLIO, b"\xef\xbb\xbf"),
}


@pytest.mark.parametrize(("text", "sign"), STYLES.values(), ids=STYLES)
def test_line_ends_and_marks_stay(text, sign):
    """A file that an editor of Windows wrote stays one."""
    old = text.encode("utf-8")
    new = edit_portfolio(old, Changes(values={("models", 0, "tokens"): 16 * 10**12}))
    assert new == old.replace(b"tokens = 15e12", b"tokens = 16e12")
    assert new.count(sign) == old.count(sign)


SHAPES = {
    "no table yet": (
        '[[models]]\nname = "a"\n',
        {("drivers", "mfu"): 0.4},
        '[[models]]\nname = "a"\n\n[drivers]\nmfu = 0.4\n',
    ),
    "top of a file without keys": (
        '[[models]]\nname = "a"\n',
        {("scenario",): "low"},
        'scenario = "low"\n[[models]]\nname = "a"\n',
    ),
    "dotted": ("drivers.mfu = 0.4\n", {("drivers", "mfu"): 0.5}, "drivers.mfu = 0.5\n"),
    "models in a list": (
        'models = [\n  { name = "a" }, # c\n]\n',
        {("models", 0, "n"): 3},
        'models = [\n  { name = "a", n = 3 }, # c\n]\n',
    ),
    "table of dimensions": (
        '[[models]]\nname = "a"\n[models.dimensions]\nn = 1 # c\n\n# b\n[[models]]\nname = "b"\n',
        {("models", 0, "dimensions", "k"): 2, ("models", 1, "tokens"): 5},
        '[[models]]\nname = "a"\n[models.dimensions]\nn = 1 # c\nk = 2\n\n# b\n[[models]]\nname = "b"\ntokens = 5\n',
    ),
    "date in a table, which tomlkit would put closer": (
        "[drivers]\nmfu = { base = 0.4, date = 2026-03-01 } # c\npue = 1.3\n",
        {("drivers", "pue"): 1.2},
        "[drivers]\nmfu = { base = 0.4, date = 2026-03-01 } # c\npue = 1.2\n",
    ),
    "number that becomes a table": (
        "[drivers]\ntokens = 1e12 # c\n",
        {("drivers", "tokens"): {"low": 1e12, "high": 2e12}},
        "[drivers]\ntokens = { low = 1e12, high = 2e12 } # c\n",
    ),
    "quoted key": ('[drivers]\n"mfu" = 1e-1\n', {("drivers", "mfu"): 0.2}, '[drivers]\n"mfu" = 2e-1\n'),
}


@pytest.mark.parametrize(("text", "values", "expected"), SHAPES.values(), ids=SHAPES)
def test_a_portfolio_keeps_its_shape(text, values, expected):
    """TOML can be written in many ways; each stays as its author chose it."""
    assert edit_portfolio(text.encode(), Changes(values=values)).decode() == expected


MODEL = {"name": "b", "architecture": "dense", "dimensions": {"n": 1}}
WRITTEN = '[[models]]\nname = "b"\narchitecture = "dense"\ndimensions = { n = 1 }\n'
BEHIND = {
    "at the end": ('[[models]]\nname = "a" # c\n', '[[models]]\nname = "a" # c\n\n' + WRITTEN),
    "before another table": (
        '[[models]]\nname = "a"\n# of a\n\n# of drivers\n[drivers]\nmfu = 0.4\n',
        '[[models]]\nname = "a"\n# of a\n\n' + WRITTEN + "\n# of drivers\n[drivers]\nmfu = 0.4\n",
    ),
    "in a file without models": ("[drivers]\nmfu = 0.4\n", "[drivers]\nmfu = 0.4\n\n" + WRITTEN),
    "in a list": (
        'models = [{ name = "a" }]\n',
        'models = [{ name = "a" }, { name = "b", architecture = "dense", dimensions = { n = 1 } }]\n',
    ),
}


@pytest.mark.parametrize(("text", "expected"), BEHIND.values(), ids=BEHIND)
def test_a_new_model_stands_behind_the_last(text, expected):
    """Comments stay with what they are about."""
    assert edit_portfolio(text.encode(), Changes(models=[MODEL])).decode() == expected


def test_a_portfolio_that_cannot_be_kept_is_refused():
    """Tables in two places would be moved, and their comments lost from them."""
    text = '[[models]]\nname = "a"\n[drivers]\nmfu = 0.4\n# of b\n[[models]]\nname = "b"\n'
    with pytest.raises(UsageError, match="written in a way that import cannot keep"):
        edit_portfolio(text.encode(), Changes(values={("models", 0, "n"): 1}))


def test_a_short_table_of_a_new_model_comes_before_a_long_one():
    """Behind the head of the long one it would be part of that."""
    inputs = {f"an_input_with_a_long_name_{number}": number for number in range(5)}
    model = {"name": "b", "inputs": inputs, "dimensions": {"n": 1}}
    text = edit_portfolio(b'[[models]]\nname = "a"\n', Changes(models=[model])).decode()
    assert tomllib.loads(text)["models"] == [{"name": "a"}, model]
