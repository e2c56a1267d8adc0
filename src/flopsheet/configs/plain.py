"""What every config has to be before anybody reads it: names that are text, few levels, numbers that can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import shown
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_LEVELS = 100
"""Tables and lists inside each other; real configs have six."""
MAX_NUMBER = 10**308
"""Whole numbers from here on are no decimals."""


def check_plain(config: Mapping[str, Any]) -> None:
    """Raise ConfigError where a name is no text, at too many levels, and at a number without an end.

    It goes through the levels one by one, since a recursion would end before some configs do.
    """
    level: list[tuple[str, Any]] = list(_inside("", config))
    for _ in range(MAX_LEVELS):
        for path, value in level:
            if isinstance(value, int) and abs(value) > MAX_NUMBER:
                raise ConfigError(f"{path} = {shown(value)} is out of range: torch holds no such number")
        level = [pair for path, value in level for pair in _inside(path, value)]
        if not level:
            return
    raise ConfigError(f"field {level[0][0].split('.')[0]}: nested more than {MAX_LEVELS} levels deep")


def _inside(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what stands inside a value, each with its path."""
    dot = f"{path}." if path else ""
    if isinstance(value, list | tuple):
        yield from ((f"{dot}{place}", each) for place, each in enumerate(value))
    if isinstance(value, dict):
        for key, each in value.items():
            if not isinstance(key, str):
                raise ConfigError(
                    f"field {dot}{shown(key)}: field names must be text; is it a transformers config.json?"
                )
            yield f"{dot}{key}", each
