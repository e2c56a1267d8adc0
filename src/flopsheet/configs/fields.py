"""Which fields of a config are understood: declared, irrelevant, at their class default, or a problem."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.data import read_table
from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.line import NOTHING
from flopsheet.accounting.values import show_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.accounting.line import Architecture, Family

NO_VALUE: tuple[Any, ...] = (None, [], {}, "")
"""Values that ask for nothing, whatever the field means."""

BITS = "quantization_bit"
"""The field of ChatGLM's configs that says the bits of a stored weight, and nothing else of it."""
STORAGE = ("quantization_config", "quantization", BITS)
"""Fields that say how a checkpoint stores its weights."""


def understood(architecture: Architecture, family: Family) -> set[str]:
    """Return the fields that dimensions, the family's formulas or the family's irrelevant list name."""
    keys = {key for dimension in architecture.dimensions for key in dimension.keys}
    formulas = [value for value in family.values.values() if isinstance(value, str)]
    formulas += [value for values in family.classes.values() for value in values.values() if isinstance(value, str)]
    return keys.union(family.irrelevant, *map(names, formulas))


def unread(
    config: Mapping[str, Any],
    known_fields: Collection[str],
    family: Family,
    whole: Mapping[str, Any] = NOTHING,
    *,
    is_part: bool = False,
) -> list[str]:
    """Return a problem for each field that nothing reads and that could change the count.

    `whole` are all fields of the config, `is_part` says that it is of a part of a model, such as a tower.
    """
    return [
        f"field {key} = {show_value(value)} is not understood: it may change the count"
        for key, value in unread_fields(config, known_fields, family, whole, is_part=is_part).items()
    ]


def unread_fields(
    config: Mapping[str, Any],
    known_fields: Collection[str],
    family: Family,
    whole: Mapping[str, Any] = NOTHING,
    *,
    is_part: bool = False,
) -> dict[str, Any]:
    """Return the fields that nothing reads and that could change the count."""
    passing = irrelevant() | (inert().part.keys() if is_part else set())
    return {
        key: value
        for key, value in config.items()
        if key not in known_fields
        and key not in passing
        and value not in NO_VALUE
        and not key.startswith("_")
        and _differs(key, value, family)
        and not _is_inert(key, value, family, whole)
        and not (key in inert().inner and _is_inside(key, value, config))
    }


@cache
def irrelevant() -> frozenset[str]:
    """Return the fields that change no count in any model: training, generation, tokenizer, housekeeping."""
    document = read_table("flopsheet.configs", "irrelevant.toml")
    return frozenset(" ".join(document.values()).split())


class Inert(Struct, frozen=True):
    """Fields that no count depends on.

    `any` are those whatever their value, `part` those in configs of parts; `off` those that are off, with the
    dimensions that forbid it, `at` those with one value, `same` those that say the same as another field, and `inner`
    those that say the same as a config inside this one.
    """

    any: Mapping[str, str]
    part: Mapping[str, str]
    off: Mapping[str, tuple[str, ...]]
    at: Mapping[str, Any]
    same: Mapping[str, str]
    inner: Mapping[str, str]


@cache
def inert() -> Inert:
    """Return the fields of `inert.toml`, which holds the reason of each."""
    document = read_table("flopsheet.configs", "inert.toml")
    return Inert(
        document["any"],
        document["part"],
        {key: tuple(each.get("unless", ())) for key, each in document["off"].items()},
        {key: each["value"] for key, each in document["at"].items()},
        {key: each["field"] for key, each in document["same"].items()},
        document["inner"],
    )


def _is_inert(key: str, value: Any, family: Family, whole: Mapping[str, Any]) -> bool:
    fields = inert()
    if key in family.defaults or key in fields.any:
        return key not in family.defaults
    if fields.at.get(key) == value or (key in fields.same and whole.get(fields.same[key]) == value):
        return True
    off = key in fields.off and (value is False or (type(value) is int and value == 0))
    return off and not any(_is_fixed(name, family, whole) for name in fields.off[key])


def _is_inside(key: str, value: Any, config: Mapping[str, Any]) -> bool:
    return any(isinstance(part, dict) and part.get(key) == value for part in config.values())


def _is_fixed(name: str, family: Family, whole: Mapping[str, Any]) -> bool:
    """Tell whether the type gives a dimension a number other than 0; one that a field says may be off, as it is."""
    value = family.values.get(name, 0)
    if isinstance(value, str) and value.isidentifier():
        value = whole.get(value, family.defaults.get(value, value))
    return bool(value)


def _differs(key: str, value: Any, family: Family) -> bool:
    return key not in family.defaults or family.defaults[key] != value
