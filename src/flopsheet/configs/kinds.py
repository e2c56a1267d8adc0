"""Second stage: the type of a model, which is a family completed by its class table, and the class that is counted."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.formula.compose import names
from flopsheet.accounting.line import NOTHING, Architecture, Family
from flopsheet.accounting.values import show_value
from flopsheet.accounting.workload import MAX_POSITIONS, WORKLOAD
from flopsheet.configs.classes import class_table, complete_family, find_undeclared
from flopsheet.configs.fields import irrelevant, understood
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host

NUMERIC = (int, float)
MAX_KINDS = 1024
"""More types than there are; each is put together once."""


class Origins(Struct, frozen=True):
    """Where dimensions get their values in configs of one type that state the same fields.

    `blank` are the dimensions that such a config gives, with the value of those that null fields give; `fields` the
    field of each other. `class_defaults` are the values of fields that only the class has; `class_notes` says of which
    of these a note tells, and how: `num_hidden_layers = 32`. `fixed` are the dimensions that the type fixes
    although such a config states them, each with its field.
    """

    blank: Mapping[str, Any]
    fields: Sequence[tuple[str, str]]
    class_defaults: Mapping[str, Any]
    class_notes: Sequence[tuple[str, str]]
    fixed: Sequence[tuple[str, str]]


class Kind(Struct, frozen=True):
    """A `model_type` with all that is known of it before a config is seen.

    `known_fields` are those that something reads or that change no count. `passed_over` are fields that the
    architecture reads in other types and that this type's class does not look at. `numbers` are the numeric class
    defaults, `names` the dimensions that a reader may give. `origins` holds what `values` works out, by the fields that
    a config states and those of them that are null.

    """

    family: Family
    architecture: Architecture
    plugin: Plugin
    known_fields: frozenset[str]
    passed_over: frozenset[str]
    numbers: Mapping[str, float]
    names: frozenset[str]
    origins: dict[tuple[frozenset[str], frozenset[str]], Origins]


class Class(Struct, frozen=True):
    """The model class that is counted: the dimension values that it fixes, and what is to be said of the choice."""

    values: Mapping[str, float | str]
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@lru_cache(MAX_KINDS)
def kind_of(host: Host, model_type: str) -> Kind:
    """Return the type of this name; PluginError says why there is none. No line of it is asked for."""
    family = host.family(model_type)
    architecture = host.architecture(family.architecture)
    passing = irrelevant().union(family.irrelevant)
    family = complete_family(family, understood(architecture, family), passing)
    known_fields = frozenset(understood(architecture, family))
    read = {key for dimension in architecture.dimensions for key in dimension.keys}
    passed_over = find_undeclared(family, read).difference(MAX_POSITIONS.keys).union(family.irrelevant)
    return Kind(
        family,
        architecture,
        host.families[model_type][1],
        known_fields,
        passed_over,
        numbers(family.defaults),
        frozenset(dimension.name for dimension in (*WORKLOAD, *architecture.dimensions)),
        {},
    )


def unknown_names(host: Host, model_type: str) -> dict[str, str]:
    """Return the formulas of a family that name what is neither a dimension nor a field that anything states.

    Each is at its place, with what is wrong. Fields of configs inside a config are known to its class alone.
    """
    family, kind = host.family(model_type), kind_of(host, model_type)
    table = class_table(family.like or model_type)
    if kind.architecture.joins or (table and table.parts):
        return {}
    choices = {dimension.name for dimension in kind.architecture.dimensions if dimension.labels}
    valid = _stated_names(kind) | ({*table.defaults, *table.attribute_map} if table else set())
    tables = {"values": family.values, **{f"classes.{name}": values for name, values in family.classes.items()}}
    texts = {
        f"{where}.{name}": text
        for where, values in tables.items()
        for name, text in values.items()
        if isinstance(text, str) and name not in choices
    }
    texts |= {f"checks.{text}": text for text in family.checks}
    wrong = {place: next((name for name in names(text) if name not in valid), "") for place, text in texts.items()}
    return {place: f"{texts[place]!r} names {name!r}{names_like(name, valid)}" for place, name in wrong.items() if name}


def _stated_names(kind: Kind) -> set[str]:
    """Return the dimensions of a type, and the fields that these, its family and its architecture state."""
    family, dimensions = kind.family, (*WORKLOAD, *kind.architecture.dimensions)
    fields = {*family.defaults, *family.rename, *family.rename.values(), *family.irrelevant}
    more = {*kind.architecture.fields, *family.hints.get("reads", ())}
    return fields | more | {d.name for d in dimensions} | {key for d in dimensions for key in d.keys}


def numbers(fields: Mapping[str, Any]) -> dict[str, float]:
    """Return the fields that hold a number; a truth value is 0 or 1."""
    return {key: +value for key, value in fields.items() if isinstance(value, NUMERIC)}


def counted_class(family: Family, class_names: Any, *, is_borrowed: bool) -> Class:
    """Return the class that a config's `architectures` names, else the type's own with the reason.

    A type that is read as another has classes of its own, and a count has to confirm the reading anyway.
    """
    default = next(iter(family.classes), "")
    suffix = f": counted as {default}" if default else ""
    values = family.classes.get(default, NOTHING)
    if class_names and not isinstance(class_names, list):
        text = f"architectures = {show_value(class_names)} is not a list of class names{suffix}"
        return Class(values, problems=(text,))
    if not class_names:
        return Class(values, notes=(f"the config names no class{suffix}",) if default else ())
    first = class_names[0] if isinstance(class_names[0], str) else show_value(class_names[0])
    if first in family.classes or not family.classes:
        return Class(family.classes.get(first, NOTHING))
    unknown = (f"class {first} is not known{suffix}",)
    return Class(values, notes=unknown) if is_borrowed else Class(values, problems=unknown)
