"""What every config has to be before anybody reads it: names that are text, few levels, numbers that can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import show_value
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LEVELS = 100
"""Tables and lists inside each other; real configs have six."""
TABLES = (dict, list, tuple)
TEXT = frozenset((str,))
WORDS = frozenset((str, float, bool, type(None)))
SOME_LEVELS = 3
TAG = "__float__"
NO_JSON = ("Infinity", "-Infinity", "NaN")
MAX_NUMBER = 10**308
"""Whole numbers from here on are no decimals."""


def read_tagged(table: dict[str, Any]) -> Any:
    """Return the number that transformers 5 saves as a table, since JSON has none; any other table as it is."""
    return float(table[TAG]) if len(table) == 1 and table.get(TAG) in NO_JSON else table


def check_plain(config: Mapping[str, Any]) -> None:
    """Raise ConfigError where a name is no text, at too many levels, and at a number without an end.

    It goes through the levels one by one, since a recursion would end before some configs do.
    """
    if _is_plain(config):
        return
    level: list[tuple[str, Any]] = [("", config)]
    for _ in range(MAX_LEVELS):
        for path, table in level:
            _check_names(path, table)
        level = [inner for path, table in level for inner in _inside(path, table)]
        if not level:
            return
    if first := next((path for path, table in level if table), ""):
        raise ConfigError(f"field {first.split('.')[0]}: nested more than {MAX_LEVELS} levels deep")


def _is_plain(table: Mapping[str, Any], levels: int = SOME_LEVELS) -> bool:
    """Tell whether a table holds nothing to look for: names that are text, and values as most configs have them."""
    others = [value for value in table.values() if type(value) not in WORDS]
    return TEXT.issuperset(map(type, table)) and all(
        (type(value) is int and -MAX_NUMBER < value < MAX_NUMBER)
        or (type(value) is list and WORDS.issuperset(map(type, value)))
        or (type(value) is dict and levels > 0 and _is_plain(value, levels - 1))
        for value in others
    )


def _check_names(path: str, table: Any) -> None:
    for key in table if isinstance(table, Mapping) else ():
        if not isinstance(key, str):
            raise ConfigError(f"field {path}{show_value(key)}: names of fields must be text")


def _inside(path: str, table: Any) -> Iterator[tuple[str, Any]]:
    """Yield the tables and lists inside one, each with its path and a dot; ConfigError at a number without an end."""
    for key, value in table.items() if isinstance(table, Mapping) else enumerate(table):
        if isinstance(value, int):
            if abs(value) > MAX_NUMBER:
                raise ConfigError(f"{path}{key} = {show_value(value)} is out of range: torch cannot hold such a number")
        elif isinstance(value, TABLES):
            yield f"{path}{key}.", value
