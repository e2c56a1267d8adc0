"""Lines of questions that are TOML tables."""

import importlib
import sys

import pytest

from flopsheet.accounting.line import Line
from flopsheet.errors import PluginError
from flopsheet.planning.inputs import inputs_from
from flopsheet.planning.written_lines import lines_from

FILE = """
[texts]
paper = "Somebody 2024"

[[spent]]
name = "spent"
formula = "days * price"
unit = "USD"
title = "Spent"
about = "{whose}"
source = "{paper}, {where}"

[[wrong]]
name = "lost"
formula = "days"
unit = "day"
source = "{papr}"

[[odd]]
name = "odd"
formula = "days"
unit = "day"
formla = "days"

[[open]]
name = "open"
formula = "days"
unit = "day"
about = "a { brace"

[[composed]]
name = "rest"
unit = "USD"

[single]
name = "single"
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a package with lines in a file, and with texts for all of its files."""
    folder = tmp_path / "spending"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (folder / "lines.toml").write_text(FILE, "utf-8")
    (folder / "texts.toml").write_text('where = "section 2"\n', "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield "spending"
    sys.modules.pop("spending", None)


def test_a_table_is_a_line(package):
    """Its texts are the file's, the package's, or given by code."""
    (line,) = lines_from(package, "lines.toml", "spent", whose="Ours")
    assert line == Line("spent", "days * price", "USD", title="Spent", about="Ours", source="Somebody 2024, section 2")


def test_code_gives_the_formulas_that_it_puts_together(package):
    """The line stands in its place in the file, without a formula."""
    (line,) = lines_from(package, "lines.toml", "composed", {"rest": "price - spent"})
    assert line == Line("rest", "price - spent", "USD")


@pytest.mark.parametrize(("table", "name"), [("composed", "remainder"), ("spent", "spent")])
def test_a_formula_without_a_line_that_waits_for_it_is_refused(package, table, name):
    """It would be lost, or there would be two."""
    reason = f"lines.toml: {table} has no line {name} without a formula, which code gives"
    with pytest.raises(PluginError, match=reason):
        lines_from(package, "lines.toml", table, {name: "price"}, whose="Ours")


WRONG = {
    "a line without a formula": ("composed", r"composed\[0\]: .*formula"),
    "a text that is not there": ("wrong", r"wrong\[0\]: 'papr' is none of the texts; did you mean 'paper'"),
    "a field that is not there": ("odd", r"odd\[0\]: .*'formla'; did you mean 'formula'"),
    "a brace alone": ("open", r"open\[0\]: expected '}'"),
    "a table that is not there": ("spend", r"no lines begin with \[\[spend\]\]"),
    "a table alone": ("single", r"no lines begin with \[\[single\]\]"),
}


@pytest.mark.parametrize(("table", "reason"), WRONG.values(), ids=WRONG)
def test_what_is_no_line_is_named(package, table, reason):
    """With the file, and the table's place in it."""
    with pytest.raises(PluginError, match=rf"spending/lines.toml: {reason}"):
        lines_from(package, "lines.toml", table)


def test_a_file_that_cannot_be_read_is_named(package, tmp_path):
    """One that is not there, and one that is no TOML."""
    (tmp_path / package / "broken.toml").write_text("[[spent", "utf-8")
    for file in ("gone.toml", "broken.toml"):
        with pytest.raises(PluginError, match=f"spending: {file} cannot be read"):
            lines_from(package, file, "spent")


def test_a_file_that_changes_is_read_again(package, tmp_path):
    """An author who edits a file sees the change in a program that goes on, such as a notebook."""
    file = tmp_path / package / "inputs.toml"
    text = '[[inputs]]\nname = "rent"\ntitle = "Rent"\nunit = "USD"\ndefault = {}\n'
    for default in (1, 2):
        file.write_text(text.format(default), "utf-8")
        assert [one.default for one in inputs_from(package)] == [default]
