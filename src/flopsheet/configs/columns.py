"""What a column of a model list means to a model: a field of its config, a dimension, or what flopsheet counts."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.configs.words import aliases
from livesheets.spelling import as_field, fold, readings
from livesheets.suggestions import is_near, names_like

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from flopsheet.accounting.ledger import Ledger
    from flopsheet.accounting.line import Dimension
    from flopsheet.configs.headers import Column


def field_of(column: Column, fields: AbstractSet[str]) -> str:
    """Return the config field that a header names, spelled as it is or alike; "" where the type has none."""
    name = as_field(column.name)
    return name if name in fields else {fold(field): field for field in sorted(fields)}.get(column.word, "")


@lru_cache(maxsize=64)
def dimensions_of(ledger: Ledger) -> dict[str, Dimension]:
    """Return the dimensions by what headers call them; a name goes before titles, config fields and planners' words."""
    return dimensions_by_word(ledger.dimensions)


@lru_cache(maxsize=64)
def dimensions_by_word(dimensions: tuple[Dimension, ...]) -> dict[str, Dimension]:
    """Return some dimensions by what headers call them, as `dimensions_of` does those of a ledger."""
    names = {dimension.name: dimension for dimension in dimensions}
    result = {word: names[name] for word, name in aliases().items() if name in names}
    result |= {fold(key): d for d in reversed(dimensions) for key in reversed(d.keys)}
    return result | {fold(word): d for d in dimensions for word in (d.title, d.name)}


def is_result(column: Column, ledger: Ledger) -> bool:
    """Whether a header names what flopsheet counts, in whatever unit."""
    results = {*aliases(), *map(fold, aliases().values())}
    results |= {fold(name) for entry in ledger.entries for name in (entry.line.name, entry.line.label)}
    return any(fold(name) in results for name, _ in readings(column.text))


@lru_cache(maxsize=1024)
def hint_for(name: str, ledger: Ledger) -> str:
    """Return what may have been meant by a header that nothing reads, as the end of a message."""
    return names_like(as_field(name), _names(ledger))


@lru_cache(maxsize=1024)
def is_misspelled(name: str, ledger: Ledger) -> bool:
    """Whether a header that nothing reads is a letter or two away from one that would be read."""
    return is_near(as_field(name), _names(ledger))


def _names(ledger: Ledger) -> list[str]:
    return [name for dimension in ledger.dimensions for name in (dimension.name, *dimension.keys)]
