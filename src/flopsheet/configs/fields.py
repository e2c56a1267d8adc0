"""Which fields of a config are understood: declared, irrelevant, at their class default, or a problem."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_text
from flopsheet.accounting.values import shown
from flopsheet.accounting.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.accounting.line import Architecture, Family

NO_VALUE: tuple[Any, ...] = (None, [], {}, "")
"""Values that ask for nothing, whatever the field means."""

STORAGE = ("quantization_config", "quantization")
"""Fields that say how a checkpoint stores its weights."""


def understood(architecture: Architecture, family: Family) -> set[str]:
    """Return the fields that dimensions, the family's formulas or the family's irrelevant list name."""
    declared = {key for dimension in architecture.dimensions for key in dimension.keys}
    formulas = [value for value in family.values.values() if isinstance(value, str)]
    formulas += [value for fixed in family.classes.values() for value in fixed.values() if isinstance(value, str)]
    return declared.union(family.irrelevant, *map(words, formulas))


def unread(config: Mapping[str, Any], known: Iterable[str], family: Family) -> list[str]:
    """Return a problem for each field that nothing reads and that could change the count."""
    known = {*known, *irrelevant()}
    return [
        f"field {key} = {shown(value)} is not understood: it may change the count"
        for key, value in config.items()
        if key not in known and value not in NO_VALUE and not key.startswith("_") and _differs(key, value, family)
    ]


@cache
def irrelevant() -> frozenset[str]:
    """Return the fields that change no count in any model: training, generation, tokenizer, housekeeping."""
    document = tomllib.loads(read_text("flopsheet.configs", "irrelevant.toml"))
    return frozenset(" ".join(document.values()).split())


def _differs(key: str, value: Any, family: Family) -> bool:
    return key not in family.defaults or family.defaults[key] != value
