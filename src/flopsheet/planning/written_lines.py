"""Lines that need no code: a TOML table each, next to the question that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import Line
from flopsheet.accounting.tables import package_table
from flopsheet.accounting.values import show_value
from flopsheet.errors import PluginError
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = "texts"
"""The table of a file, and the file of a package, whose texts lines may name in braces."""
SPOKEN = ("title", "about", "source")
"""The fields of a line that may name them."""


def lines_from(
    package: str, file: str, table: str, formulas: Mapping[str, str] | None = None, **texts: str
) -> tuple[Line, ...]:
    """Return the lines of a table of a package's TOML file; PluginError names one that is no line.

    `formulas` are those of lines that the file has without one: code puts them together. In braces lines name texts: of
    the file's table `texts`, of the package's texts.toml, or those that are given, which code needs too. Values are
    held to the fields' types with all of the question.
    """
    document, where = package_table(package, file), f"{package}/{file}"
    if not isinstance(document.get(table), list):
        raise PluginError(f"{where}: no lines begin with [[{table}]]")
    all_texts, open_formulas = _common(package) | document.get(TEXTS, {}) | texts, dict(formulas or {})
    rows = [_compose(row, open_formulas) for row in document[table]]
    if open_formulas:
        raise PluginError(f"{where}: {table} has no line {min(open_formulas)} without a formula, which code gives")
    return tuple(_line(f"{where}: {table}[{at}]", row, all_texts) for at, row in enumerate(rows))


def _compose(row: Any, formulas: dict[str, str]) -> Any:
    """Return a line with the formula that code gives it, which is taken out."""
    waits = isinstance(row, dict) and "formula" not in row and row.get("name") in formulas
    return {**row, "formula": formulas.pop(row["name"])} if waits else row


def _common(package: str) -> dict[str, str]:
    try:
        return read_table(package, f"{TEXTS}.toml")
    except OSError:
        return {}


def _line(where: str, row: Any, texts: Mapping[str, str]) -> Line:
    if not isinstance(row, dict):
        raise PluginError(f"{where}: {show_value(row)}; a table is expected")
    try:
        return Line(**{key: _fill_in(value, texts) if key in SPOKEN else value for key, value in row.items()})
    except KeyError as error:
        raise PluginError(f"{where}: {error} is none of the texts{names_like(str(error.args[0]), texts)}") from None
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        raise PluginError(f"{where}: {error}") from None


def _fill_in(value: Any, texts: Mapping[str, str]) -> Any:
    return value.format_map(texts) if isinstance(value, str) else value
