"""Lines of questions that are TOML tables."""

import importlib

import pytest

from flopsheet.accounting.line import Line
from flopsheet.errors import PluginError
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
source = "{elsewhere}"

[[odd]]
name = "odd"
formula = "days"
unit = "day"
formla = "days"
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
    monkeypatch.delitem(importlib.sys.modules, "spending")


def test_a_table_is_a_line(package):
    """Its texts are the file's, the package's, or given by code."""
    (line,) = lines_from(package, "lines.toml", "spent", whose="Ours")
    assert line == Line("spent", "days * price", "USD", title="Spent", about="Ours", source="Somebody 2024, section 2")


@pytest.mark.parametrize(("table", "reason"), [("wrong", "lost: 'elsewhere'"), ("odd", "odd: .*formla.*formula")])
def test_what_is_no_line_is_named(package, table, reason):
    """With the file, the table and the line."""
    with pytest.raises(PluginError, match=rf"spending/lines.toml: {table}: {reason}"):
        lines_from(package, "lines.toml", table)
