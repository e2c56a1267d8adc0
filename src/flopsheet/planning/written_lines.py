"""Lines that need no code: a TOML table each, next to the question that they belong to."""

from __future__ import annotations

from typing import Any

from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import Line
from flopsheet.errors import PluginError

SPOKEN = ("title", "about", "source")
"""What may name a text, in braces."""


def lines_from(package: str, file: str, table: str, **texts: str) -> tuple[Line, ...]:
    """Return the lines of a table of a package's TOML file; PluginError names one that is no line.

    In braces they name texts: of the file's table `texts`, of the package's texts.toml, or those that are given, which
    code needs too.
    """
    document = read_table(package, file)
    known = _common(package) | document.get("texts", {}) | texts
    return tuple(_line(f"{package}/{file}: {table}", row, known) for row in document[table])


def _common(package: str) -> dict[str, str]:
    try:
        return read_table(package, "texts.toml")
    except FileNotFoundError:
        return {}


def _line(where: str, row: dict[str, Any], texts: dict[str, str]) -> Line:
    try:
        return Line(**{key: value.format_map(texts) if key in SPOKEN else value for key, value in row.items()})
    except (TypeError, KeyError) as error:
        raise PluginError(f"{where}: {row.get('name', '')}: {error}") from None
