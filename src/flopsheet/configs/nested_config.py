"""Configs inside a config of one family, as those of an encoder and its decoder: their fields under a prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING
from flopsheet.accounting.values import show_value
from flopsheet.configs.classes import class_table, part_fields
from flopsheet.configs.field_types import refused_values
from flopsheet.configs.fields import irrelevant
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.configs.kinds import Kind


def flatten(kind: Kind, config: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a config with the fields of its nested configs under their prefixes, and the class defaults of these.

    The hint `nested` of a family names the fields that hold configs, and the prefix of each. What changes no count, or
    is as the class has it, is left out.
    """
    prefixes: Mapping[str, str] = kind.family.hints.get("nested", NOTHING)
    if not prefixes:
        return config, NOTHING
    fields = {key: value for key, value in config.items() if key not in prefixes}
    defaults: dict[str, Any] = {}
    passing = irrelevant().union(kind.family.irrelevant).difference(kind.family.hints.get("reads", ()))
    for key, prefix in prefixes.items():
        part, inner = _read_nested(kind, key, config.get(key))
        defaults |= {f"{prefix}_{name}": value for name, value in inner.items()}
        fields |= {
            f"{prefix}_{name}": value
            for name, value in part.items()
            if name not in passing and not name.startswith("_") and (name not in inner or inner[name] != value)
        }
    return fields, defaults


def _read_nested(kind: Kind, key: str, config: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a nested config and its class defaults; ConfigError where it is of a type that the family does not name.

    Without the hint `nested_types` that is the one which the class makes where no type is named.
    """
    table = class_table(kind.family.like or kind.family.model_type)
    declaration: Mapping[str, Any] = table.parts[key] if table else {"type": "", "absent": {}}
    part = part_fields(key, declaration, config)
    model_type = part.get("model_type", declaration["type"])
    types = kind.family.hints.get("nested_types", NOTHING).get(key, [declaration["type"]])
    if model_type not in types:
        raise ConfigError(f"{key}: type {show_value(model_type)} is not counted here, only {', '.join(types)}")
    if problems := refused_values(model_type, part):
        raise ConfigError(f"{key}: {problems[0]}")
    inner = class_table(model_type)
    return part, {**(inner.defaults if inner else NOTHING), "model_type": model_type}
