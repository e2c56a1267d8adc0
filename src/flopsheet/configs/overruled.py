"""Fields of dimensions that a type fixes: a config that says another number than is counted is not understood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.values import check, show_value
from flopsheet.accounting.workload import MAX_POSITIONS
from flopsheet.configs.classes import class_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.accounting.line import Dimension, Number, Reading
    from flopsheet.configs.completing import Fields
    from flopsheet.configs.kinds import Kind, Origins


def overruled_fields(
    kind: Kind, fields: Fields, origins: Origins, reading: Reading, count: Callable[[], Mapping[str, Number]]
) -> tuple[str, ...]:
    """Return a problem for each field that says another number than the one that the type fixes.

    `count` gives the dimensions as they are counted, and is asked where a config states such a field. Of a type in the
    class tables it is known which fields its class passes over.
    """
    if not origins.fixed or class_table(kind.family.like or kind.family.model_type):
        return ()
    overruled = _overruled(kind, fields, origins, reading)
    counted = count() if overruled else {}
    dimensions = {dimension.name: dimension for dimension in kind.architecture.dimensions}
    return tuple(
        f"field {key} = {show_value(fields.own[key])} is not understood: it may change the count, and "
        f"{name} = {show_value(counted[name])} was counted"
        for name, key in overruled
        if name in counted and not _agrees(dimensions[name], fields.own[key], counted[name])
    )


def _overruled(kind: Kind, fields: Fields, origins: Origins, reading: Reading) -> list[tuple[str, str]]:
    """Return the fixed dimensions with their stated fields that nothing else reads."""
    family = kind.family
    formulas = [value for value in family.values.values() if isinstance(value, str)]
    known = {key for _, key in origins.fields}.union(reading.keys, family.irrelevant, *map(names, formulas))
    return [
        (name, key)
        for name, key in origins.fixed
        if key not in known
        and name not in reading.values
        and name != MAX_POSITIONS.name
        and not (key in family.defaults and fields.own[key] == family.defaults[key])
    ]


def _agrees(dimension: Dimension, stated: Any, counted: Any) -> bool:
    try:
        return bool(check(dimension, stated) == check(dimension, counted))
    except ValueError:
        return False
