"""Parts of parts: configs whose fields and parts count as the model's own, as those of an omni model's thinker.

The hint `lifted` of a family names the fields that hold such configs, and the prefix that their fields get.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.classes import class_table, part_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.configs.classes import ClassTable

OWN = ("model_type", "architectures", "transformers_version")
"""Fields of a config inside that say nothing of the whole."""


def lift(family: Family, config: Mapping[str, Any], table: ClassTable) -> tuple[dict[str, Any], ClassTable]:
    """Return a config and its class table with the fields and parts of the configs that the family lifts.

    ConfigError where one of them is not a table of fields.
    """
    prefixes: Mapping[str, str] = family.hints.get("lifted", NOTHING)
    fields = {key: value for key, value in config.items() if key not in prefixes}
    for key, prefix in prefixes.items():
        declaration = table.parts.get(key, NOTHING)
        inside = part_fields(key, declaration, config.get(key))
        fields |= {f"{prefix}{name}": value for name, value in inside.items() if name not in OWN}
        if inner := class_table(str(declaration.get("type"))):
            table = _join_tables(table, inner, prefix)
    return fields, table


def _join_tables(table: ClassTable, inner: ClassTable, prefix: str) -> ClassTable:
    defaults, parts = ({f"{prefix}{key}": value for key, value in of.items()} for of in (inner.defaults, inner.parts))
    return replace(table, defaults={**table.defaults, **defaults}, parts={**table.parts, **parts})
