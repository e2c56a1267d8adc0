"""Fourth stage: from completed fields to dimension values.

A dimension's value is the first of these that there is:

1. a setting: `--set`, a portfolio's workload or entry, a column of a model list
2. what the architecture's `read` makes of the fields
3. the config's field, by the first of the dimension's keys that is there; not where 6 fixes the value
4. the class default of such a field: the family's `defaults`, else the class table's
5. what the counted class fixes: `Family.classes`
6. what the type fixes: `Family.values`
7. `Dimension.default`

`given` are 2 and 3, `defaults` 4 to 6; settings and 7 are added when a model is costed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.line import Reading
from flopsheet.accounting.values import check, show_value
from flopsheet.configs.completing import numeric
from flopsheet.configs.fields import STORAGE
from flopsheet.configs.kinds import Origins
from flopsheet.configs.overruled import overruled_fields
from flopsheet.errors import ConfigError, PluginError
from flopsheet.host.shelter import RaisedError, shelter
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Dimension, Number
    from flopsheet.configs.completing import Fields
    from flopsheet.configs.kinds import Class, Kind
    from flopsheet.configs.quantization_config import Storage
    from flopsheet.host.host import Host


class Values(Struct, frozen=True):
    """The dimension values of a config, with problems of fields that they overrule, and the stored format's.

    `assumed` says of each required dimension that takes a class default which one: `num_hidden_layers = 32`.
    """

    given: Mapping[str, Any]
    defaults: Mapping[str, float | str]
    assumed: Mapping[str, str]
    reading: Reading
    overruled: tuple[str, ...]
    storage_notes: tuple[str, ...]
    storage_problems: tuple[str, ...]


SENTENCES = ("problems", "notes", "misfits")
"""What a reading tells people."""
MOST_ORIGINS = 256
"""Kinds of configs of a type that are kept: with other fields stated."""


def values_of(host: Host, kind: Kind, fields: Fields, model_class: Class) -> Values:
    """Return what the fields give and what the class assumes; ConfigError where the plugin cannot read them."""
    reading = _read(kind, fields)
    origins = _origins(kind, fields)
    field_values = {name: fields.with_defaults[key] for name, key in origins.fields}
    config_values = {**origins.blank, **field_values, **reading.values}
    defaults = {**kind.family.values, **model_class.values, **origins.class_defaults}
    storage = _storage(host, kind, fields, config_values, defaults)
    return Values(
        {**config_values, **storage.values} if storage else config_values,
        defaults,
        {name: text for name, text in origins.class_notes if name not in reading.values},
        reading,
        overruled_fields(kind, fields, origins, reading, partial(_fill, host, kind, fields, config_values, defaults)),
        storage.notes if storage else (),
        storage.problems if storage else (),
    )


def _read(kind: Kind, fields: Fields) -> Reading:
    if kind.architecture.read is None:
        return Reading()
    try:
        result = shelter(partial(_call_read, kind, fields), f"read of {kind.plugin}")
    except RaisedError as error:
        raise ConfigError(f"plugin {kind.plugin} failed on the config: {error}") from None
    except PluginError as error:
        raise ConfigError(f"plugin {kind.plugin} refuses the config: {error}") from None
    if not isinstance(result, Reading):
        raise ConfigError(f"plugin {kind.plugin}: read gave {show_value(result)}: a Reading is expected")
    for name in SENTENCES:
        if not _are_texts(texts := getattr(result, name)):
            raise ConfigError(
                f"plugin {kind.plugin}: read gave {name} = {show_value(texts)}: a list of texts is expected"
            )
    if unknown := result.values.keys() - kind.names:
        name = min(unknown)
        raise ConfigError(f"plugin {kind.plugin}: read gave {name!r}: no such dimension{names_like(name, kind.names)}")
    return result


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(text, str) for text in value)


def _call_read(kind: Kind, fields: Fields) -> Reading | None:
    """Return what the architecture reads; a ValueError is what it says of the config, whatever the line of its code."""
    assert kind.architecture.read is not None  # noqa: S101 - who calls looked
    try:
        return kind.architecture.read(fields.with_defaults, kind.family)
    except ValueError as error:
        raise PluginError(str(error)) from None


def _origins(kind: Kind, fields: Fields) -> Origins:
    """Return where dimensions get their values: worked out once for configs of a type that state the same fields."""
    null = frozenset(key for key, value in fields.own.items() if value is None)
    state = frozenset(fields.own), null
    if kind.family.hints.get("nested"):
        return _find_origins(kind, fields)
    if state not in kind.origins:
        if len(kind.origins) >= MOST_ORIGINS:
            kind.origins.clear()
        kind.origins[state] = _find_origins(kind, fields)
    return kind.origins[state]


def _find_origins(kind: Kind, fields: Fields) -> Origins:
    """Return where the values come from: fields that the config has, and those that only the class has.

    A required field that is null is kept, so that its error can say so.
    """
    blank: dict[str, Any] = {}
    sources: list[tuple[str, str]] = []
    class_defaults: dict[str, tuple[str, Any]] = {}
    fixed: list[tuple[str, str]] = []
    for dimension in kind.architecture.dimensions:
        if dimension.name in kind.family.values:
            fixed += [(dimension.name, key) for key in dimension.keys if fields.own.get(key) is not None]
            continue
        key = next((key for key in dimension.keys if fields.with_defaults.get(key) is not None), "")
        if not key:
            if dimension.kind == "flag" and any(key in fields.own for key in dimension.keys):
                blank[dimension.name] = 0  # null is off to a class
            elif dimension.default is None and any(key in fields.own for key in dimension.keys):
                blank[dimension.name] = None
        elif key in fields.own or not _fits(dimension, fields.with_defaults[key]):
            blank[dimension.name] = None
            sources.append((dimension.name, key))
        else:
            class_defaults[dimension.name] = key, check(dimension, fields.with_defaults[key])
    class_notes = [
        (d.name, f"{class_defaults[d.name][0]} = {kind.family.defaults[class_defaults[d.name][0]]}")
        for d in kind.architecture.dimensions
        if d.name in class_defaults and d.kind == "count" and d.default != class_defaults[d.name][1]
    ]
    return Origins(blank, sources, {name: value for name, (_, value) in class_defaults.items()}, class_notes, fixed)


def _fits(dimension: Dimension, value: Any) -> bool:
    try:
        check(dimension, value)
    except ValueError:
        return False
    return True


def _storage(
    host: Host, kind: Kind, fields: Fields, config_values: Mapping[str, Any], defaults: Mapping[str, float | str]
) -> Storage | None:
    """Return how the checkpoint stores the weights of these dimension values; None where the config says nothing."""
    if fields.own.keys().isdisjoint(STORAGE) and fields.raw.keys().isdisjoint(STORAGE):
        return None
    from flopsheet.configs.quantization_config import read_quantization  # noqa: PLC0415 - few configs are of quantized weights

    values = _fill(host, kind, fields, config_values, defaults)
    if not values:
        return None
    ledger = host.ledger(kind.architecture.name)
    config = {**fields.with_defaults, **fields.raw, **fields.own}
    return read_quantization(host, ledger, ledger.evaluate(values), config)


def _fill(
    host: Host, kind: Kind, fields: Fields, config_values: Mapping[str, Any], defaults: Mapping[str, float | str]
) -> dict[str, Number]:
    """Return the value of each dimension; nothing where one has none."""
    values, wrong = host.ledger(kind.architecture.name).fill(config_values, numeric(kind, fields), defaults)
    return {} if wrong else values
