"""One table as TOML, the bytes that `tomli_w` writes: a batch writes a table of a hundred numbers for each model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import tomli_w

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = re.compile('[^\x00-\x1f"\\\\\x7f\ud800-\udfff]*')
"""A text that stands in quotation marks as it is."""
NUMBERS = frozenset((int, float))


def entry_of(name: str, table: Mapping[str, Any], storable: Callable[[Any], Any]) -> str:
    """Return a table as the entry of an array of tables, such as `[[models]]`, with its values made `storable`."""
    found: list[str] = []
    _write(table, name, f"[[{name}]]\n", storable, found)
    return "".join(found)


def _write(table: Mapping[str, Any], name: str, head: str, storable: Callable[[Any], Any], found: list[str]) -> None:
    """Write values first and the tables inside after them; the head of a table that holds only tables is left out."""
    literals = [f"{_key(k)} = {_literal(v, storable)}\n" for k, v in table.items() if not _is_table(v)]
    tables = [(key, value) for key, value in table.items() if isinstance(value, Mapping)]
    own = [head] if literals or not tables or head.startswith("[[") else []
    found += [*own, *literals]
    for place, (key, value) in enumerate(tables):
        if place or own:
            found.append("\n")
        inner = f"{name}.{_key(key)}"
        _write(value, inner, f"[{inner}]\n", storable, found)


def _is_table(value: Any) -> bool:
    """Tell a table, and what no file holds, from a value."""
    return type(value) not in NUMBERS and (value is None or isinstance(value, Mapping))


def _literal(value: Any, storable: Callable[[Any], Any]) -> str:
    if type(value) is float:
        return repr(value)
    stored = storable(value)
    if type(stored) is int:
        return repr(stored)
    if type(stored) is str and PLAIN.fullmatch(stored):
        return f'"{stored}"'
    return tomli_w.dumps({"x": stored})[len("x = ") : -1]


@lru_cache(2**14)
def _key(key: str) -> str:
    return tomli_w.dumps({key: 0})[: -len(" = 0\n")]
