"""What transformers declares for each `model_type`: generated tables in `classes/`, one file a type.

A family says what its type needs beyond that. `complete_family` puts both together, so that a family of a type whose
fields have the usual names is a few lines.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.data import read_text
from flopsheet.accounting.line import NOTHING
from flopsheet.accounting.values import show_value
from flopsheet.configs.heads import ARCHITECTURES, heads_of
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Family

UNFILLED = frozenset({"sliding_window", "layer_types", "num_nextn_predict_layers"})
"""Fields whose absence says something: no default of a class table takes their place."""

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{,99}")


class ClassTable(Struct, frozen=True):
    """What transformers declares for one `model_type`.

    `classes` are the model classes by kind: `causal`, `seq2seq`, `masked`, `multimodal`, `base`. `defaults` are those
    of the config's fields before anything is derived from them, None where the class leaves a field open.
    `attribute_map` holds other names of fields: alias to field. `text` is the type of the language model inside a
    wrapper. `parts` are the configs inside it by field: `type`, `fixed` (whether the class is that type's whatever a
    config names), `optional` (null is none), and `absent`, the fields of one that is left out, which complete one that
    is there too where they are `merged`. A `tower` is inside other types only. `types` are the
    types of the fields' values, `activations` the fields that name one; `pads`, `turns`, `heads_divide` and `windowed`
    say what the class refuses (`declared`), `share` how much of a head rotary positions turn.
    """

    config: str
    classes: Mapping[str, str]
    defaults: Mapping[str, Any]
    attribute_map: Mapping[str, str]
    text: str = ""
    parts: Mapping[str, Mapping[str, Any]] = NOTHING
    tower: bool = False
    types: Mapping[str, str] = NOTHING
    activations: Sequence[str] = ()
    pads: bool = False
    turns: bool = False
    heads_divide: bool = False
    windowed: bool = False
    share: float = 1


@cache
def class_table(model_type: str) -> ClassTable | None:
    """Return the table of a type, or None where transformers has no language model of it."""
    if not _NAME.fullmatch(model_type):
        return None
    try:
        return ClassTable(**json.loads(read_text("flopsheet.configs", "classes", f"{model_type}.json")))
    except FileNotFoundError:
        return None


def part_fields(key: str, declaration: Mapping[str, Any], config: Any) -> Mapping[str, Any]:
    """Return the fields of a config inside another as the class makes it of what is given, None where it is left out.

    `key` is the field that holds it, `declaration` what the class table declares for it, one of its `parts`.
    ConfigError where it is not a table of fields.
    """
    absent: Mapping[str, Any] = declaration.get("absent", NOTHING)
    if config is None:
        return absent
    if not isinstance(config, dict):
        raise ConfigError(f"{key} = {show_value(config)} is not a table of fields")
    return {**absent, **config} if declaration.get("merged") else config


def complete_family(family: Family, read: Iterable[str], irrelevant: Iterable[str]) -> Family:
    """Return a family with the names, defaults and classes that its class table adds to its own.

    `read` are the fields that its architecture reads, `irrelevant` those that change no count: other names of these
    are not followed. Fields of the hint `unfilled`, a list, get no default from the table.
    """
    table = class_table(family.like or family.model_type)
    if table is None:
        return family
    rename = _names(family, table, frozenset(read), frozenset(irrelevant))
    classes = {**_classes(family, table)}
    if family.architecture in ARCHITECTURES and "n_other_matrices" not in family.values:
        classes |= {
            name: values for own in tuple(classes) for name, values in heads_of(own).items() if name not in classes
        }
    return family._replace(rename=rename, defaults=_defaults(family, table, rename), classes=classes)


def find_undeclared(family: Family, read: Iterable[str]) -> frozenset[str]:
    """Return the fields of `read` that the type's class does not have, and so does not look at.

    Some classes look at fields that their config does not declare: the family's hint `reads`, a list, names them.
    """
    table = class_table(family.like or family.model_type)
    if table is None:
        return frozenset()
    aliases = table.attribute_map
    own = {*table.defaults, *aliases, *aliases.values(), *family.rename, *family.hints.get("reads", ())}
    return frozenset(read) - own


def _names(family: Family, table: ClassTable, read: frozenset[str], irrelevant: frozenset[str]) -> dict[str, str]:
    """Return the new name of each field that the architecture reads by another name of it."""
    names = dict(family.rename)
    for alias, field in sorted(table.attribute_map.items()):
        if irrelevant & {alias, field} or alias in names:
            continue
        if alias in read and field not in read and field not in names:
            names[field] = alias
        elif names.get(field, field) != alias:
            names[alias] = names.get(field, field)
    return names


def _defaults(family: Family, table: ClassTable, names: Mapping[str, str]) -> dict[str, Any]:
    no_default = UNFILLED.union(family.hints.get("unfilled", ()))
    defaults = {names.get(key, key): value for key, value in table.defaults.items() if value is not None}
    return {key: value for key, value in defaults.items() if key not in no_default} | dict(family.defaults)


def _classes(family: Family, table: ClassTable) -> Mapping[str, Mapping[str, float | str]]:
    """Return the family's classes; where it names none, the type's language model, and the base without a head."""
    kinds = ("multimodal", "seq2seq", "causal") if table.parts else ("seq2seq", "causal")
    model = next((table.classes[kind] for kind in kinds if kind in table.classes), None)
    if family.classes or not model:
        return family.classes
    base = table.classes.get("base")
    return {model: {}} | ({base: {"has_head": 0}} if base and base != model else {})
