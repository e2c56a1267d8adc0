"""What every config has to be before anybody reads it: names that are text, few levels, numbers that can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import shown
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LEVELS = 100
"""Tables and lists inside each other; real configs have six."""
TABLES = (dict, list, tuple)
MAX_NUMBER = 10**308
"""Whole numbers from here on are no decimals."""


def check_plain(config: Mapping[str, Any]) -> None:
    """Raise ConfigError where a name is no text, at too many levels, and at a number without an end.

    It goes through the levels one by one, since a recursion would end before some configs do.
    """
    level: list[tuple[str, Any]] = [("", config)]
    for _ in range(MAX_LEVELS):
        for path, table in level:
            _check_names(path, table)
        level = [inner for path, table in level for inner in _inside(path, table)]
        if not level:
            return
    if first := next((path for path, table in level if table), ""):
        raise ConfigError(f"field {first.split('.')[0]}: nested more than {MAX_LEVELS} levels deep")


def _check_names(path: str, table: Any) -> None:
    for key in table if isinstance(table, Mapping) else ():
        if not isinstance(key, str):
            raise ConfigError(f"field {path}{shown(key)}: field names must be text; is it a transformers config.json?")


def _inside(path: str, table: Any) -> Iterator[tuple[str, Any]]:
    """Yield the tables and lists inside one, each with its path and a dot; ConfigError at a number without an end."""
    for key, value in table.items() if isinstance(table, Mapping) else enumerate(table):
        if isinstance(value, int):
            if abs(value) > MAX_NUMBER:
                raise ConfigError(f"{path}{key} = {shown(value)} is out of range: torch holds no such number")
        elif isinstance(value, TABLES):
            yield f"{path}{key}.", value
