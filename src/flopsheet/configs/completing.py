"""Third stage: fields by the names that the architecture reads, with class defaults where the config has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.values import show_value
from flopsheet.configs.classes import class_table
from flopsheet.configs.kinds import numbers
from flopsheet.configs.nested_config import flatten
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Family
    from flopsheet.configs.kinds import Kind


class Fields(Struct, frozen=True):
    """A config's fields: `own` are the renamed ones that its type reads, `foreign` those that its class passes over.

    `raw` are all of them by the config's names, `with_defaults` the own ones over the class defaults.
    """

    raw: Mapping[str, Any]
    own: Mapping[str, Any]
    foreign: Mapping[str, Any]
    with_defaults: Mapping[str, Any]


def fields_of(kind: Kind, config: Mapping[str, Any], rename: Mapping[str, str]) -> Fields:
    """Return the completed fields; ConfigError where two fields of one meaning differ, or where one is missing.

    A field that is null is the config's own word: no default takes its place. The hint `needs` of a family names fields
    that the class computes with, though it lets them be null, `words` the words that it knows for a field.
    """
    raw, inner = flatten(kind, _rename_fields(config, rename))
    foreign = {key: value for key, value in raw.items() if key in kind.passed_over}
    own = _rename_fields({key: value for key, value in raw.items() if key not in foreign}, kind.family.rename)
    with_defaults = {**kind.family.defaults, **inner, **own}
    check_hints(kind.family, {**with_defaults, **foreign})
    return Fields(raw, own, foreign, with_defaults)


def check_hints(family: Family, fields: Mapping[str, Any]) -> None:
    """Refuse a config without a field that the class computes with, or with a word that its class does not know.

    Of the hint `needs`, "a or b" asks for one of both, "a with b" for both or none.
    """
    table = class_table(family.like or family.model_type)
    defaults = table.defaults if table else {}
    for need in family.hints.get("needs", ()):
        names = need.replace(" with ", " or ").split(" or ")
        values = [fields.get(family.rename.get(name, name), defaults.get(name, name)) for name in names]
        present = [value is not None for value in values]
        if " with " in need and len(set(present)) > 1:
            raise ConfigError(f"{need}: the class takes both or neither")
        if " with " not in need and not any(present):
            raise ConfigError(f"{need} is null or missing, but the class needs it")
    for name, words in family.hints.get("words", {}).items():
        if fields.get(name) not in words:
            raise ConfigError(f"{name} = {show_value(fields.get(name))}: one of {', '.join(words)} is expected")


def numeric(kind: Kind, fields: Fields) -> dict[str, float]:
    """Return the numbers among the completed fields, which formulas of the family may name.

    Fields that change no count are among them: checks hold them against each other.
    """
    foreign = {key: fields.foreign[key] for key in kind.family.irrelevant if key in fields.foreign}
    return numbers({**fields.with_defaults, **foreign})


def _rename_fields(config: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    if names.keys().isdisjoint(config):
        return dict(config)
    result = {key: value for key, value in config.items() if key not in names}
    for key, name in ((key, name) for key, name in names.items() if key in config):
        earlier = result.setdefault(name, config[key])
        if earlier is not config[key] and earlier != config[key]:
            raise ConfigError(f"{key} = {config[key]!r} contradicts {name} = {earlier!r}; leave one out")
    return result
