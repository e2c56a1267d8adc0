"""Where a TOML file says what: the line of each table, key and item of a list, which messages name.

tomli gives values without their lines. A TOML file is a sequence of statements, each a header or a key with its
value, that are TOML by themselves: tomli is given as many lines as make the next statement, and says what it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli
from msgspec import Struct

from flopsheet.accounting.data import read_text
from flopsheet.errors import FlopsheetError, SeveralPluginError
from flopsheet.host.local import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.host.candidate import Plugin

FAMILIES = "families.toml"
NAMES = (".name", ".accelerator", ".method")
"""Keys whose value is what messages call an item of a list."""


class Entry(Struct, frozen=True):
    """A value and the line, from 1, at which it stands."""

    line: int
    value: Any


def reason_of(plugin: Plugin, error: BaseException) -> str:
    """Return why a plugin failed, a sentence for each thing, with the file and line of a plugin without code."""
    if isinstance(error, SeveralPluginError):
        return "\n".join(reason_of(plugin, part) for part in error.each)
    text = str(error) if isinstance(error, FlopsheetError) else f"{type(error).__name__}: {error}"
    return text + place_of(plugin, getattr(error, "of", ""))


def place_of(plugin: Plugin, of: str) -> str:
    """Return file and line at which a plugin without code says something, in parentheses; nothing for another.

    `of` is a place, such as `prices[0].low`, or the name of an item of a list.
    """
    file = Path(plugin.package)
    if not of or file.suffix != WRITTEN:
        return ""
    try:
        return _show_place(file.name, file.read_text("utf-8"), of)
    except (OSError, ValueError):
        return ""  # it has gone, or is being changed


def place_in_code(module: str, of: str) -> str:
    """Return the file and line of a module, or of its package, at which a name is quoted first, in parentheses."""
    path = Path(module)
    pattern = re.compile(rf"""["']{re.escape(of)}["']""")
    for file in sorted(path.parent.rglob("*.py")) if path.stem == "__init__" else [path]:
        try:
            lines = file.read_text("utf-8").split("\n")
        except (OSError, ValueError):
            continue
        result = next((number for number, line in enumerate(lines, 1) if pattern.search(line)), 0)
        if result:
            return f" ({file.name}, line {result})"
    return ""


def place_of_family(package: str, of: str) -> str:
    """Return the line of a package's families.toml at which it says something, in parentheses."""
    return place_in(package, FAMILIES, of.removeprefix("families.")) if package and of else ""


def place_in(package: str, file: str, of: str) -> str:
    """Return the line of a file of a package at which it says something, in parentheses."""
    return _show_place(file, read_text(package, file), of)


def _show_place(file: str, text: str, of: str) -> str:
    line = _line(places(text), of)
    return f" ({file}, line {line})" if line else ""


def _line(values: dict[str, Entry], of: str) -> int:
    """Return the line of a place, of what holds it, or of the item of a name; 0 where there is none.

    A linear layer `x` is the item of its lines `x_flops` and `x_bias` too.
    """
    place = of
    while place:
        if place in values:
            return values[place].line
        place = place.rpartition("[" if place.endswith("]") else ".")[0]
    lines = {str(value.value): value.line for place, value in values.items() if place.endswith(NAMES)}
    fitting = [name for name in lines if of == name or of.startswith(f"{name}_")]
    return lines[max(fitting, key=len)] if fitting else 0


def places(text: str) -> dict[str, Entry]:
    """Return what a file says by its place; tables of a list are counted from 0."""
    result: dict[str, Entry] = {}
    table, counts = "", Counter[str]()
    for first, lines, statement in _statements(text.split("\n")):
        if lines[0].lstrip().startswith("["):
            table = _header(statement, counts)
            for place in (table, table.rpartition("[")[0] if table.endswith("]") else table):
                result.setdefault(place, Entry(first, None))
        else:
            _enter(result, table, statement, first, lines)
    return result


def _statements(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str], dict[str, Any]]]:
    """Give each statement: its first line, its lines and what it says; nothing of comments."""
    first = 0
    for end in range(1, len(lines) + 1):
        statement = _parse_lines(lines[first:end])
        if statement:
            yield first + 1, lines[first:end], statement
        if statement is not None:
            first = end


def _parse_lines(lines: Sequence[str], *more: str) -> dict[str, Any] | None:
    """Return what some lines say, None where they are no TOML by themselves."""
    try:
        return tomli.loads("\n".join([*lines, *more]))
    except tomli.TOMLDecodeError:
        return None


def _header(statement: dict[str, Any], counts: Counter[str]) -> str:
    """Return the place of a table; one below a list is in its last item so far."""
    place, inner = "", statement
    while inner:
        ((name, below),) = inner.items()
        place = f"{place}.{name}" if place else name
        inner = below[0] if isinstance(below, list) else below
        if isinstance(below, list) and not inner:
            counts[place] += 1
        place += f"[{counts[place] - 1}]" if counts[place] else ""
    return place


def _enter(result: dict[str, Entry], place: str, value: Any, line: int, lines: Sequence[str]) -> None:
    """Enter a value and all that it holds; items of a list that is written on several lines have their own."""
    if place:
        result.setdefault(place, Entry(line, value))
    if isinstance(value, dict):
        for name, item in value.items():
            _enter(result, f"{place}.{name}" if place else name, item, line, lines)
    elif isinstance(value, list):
        starts = _items(lines)
        for number, item in enumerate(value):
            begins = starts[number] if number < len(starts) else 0
            _enter(result, f"{place}[{number}]", item, line + begins, lines[begins : begins + 1])


def _items(lines: Sequence[str]) -> list[int]:
    """Return behind how many lines of a statement each item of its list is; nothing where no list is so written."""
    results: list[int] = []
    for end in range(1, len(lines)):
        value: Any = _parse_lines(lines[:end], "]")
        while isinstance(value, dict) and len(value) == 1:
            (value,) = value.values()
        if isinstance(value, list):
            results += [end - 1] * (len(value) - len(results))
    return results
