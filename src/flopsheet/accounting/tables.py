"""Families and rules as TOML tables beside a plugin's code."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import Family, Rule
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping


def families_from(package: str, architecture: str) -> list[Family]:
    """Return the families of `families.toml` in a package: a table a `model_type`, read by `architecture`."""
    return [_family(name, architecture, table) for name, table in _document(package, "families.toml").items()]


def rules_from(package: str) -> list[Rule]:
    """Return the rules of `rules.toml` in a package: a table a rule."""
    return [_rule(name, table) for name, table in _document(package, "rules.toml").items()]


def _document(package: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(files(package).joinpath(file).read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PluginError(f"{package}: {file} cannot be read: {error}") from None


def _family(name: str, architecture: str, table: Mapping[str, Any]) -> Family:
    parts = dict(table) | {"irrelevant": tuple(table.get("irrelevant", ()))}
    try:
        return Family(name, architecture, **parts)
    except TypeError as error:
        raise PluginError(f"families.toml: [{name}]: {error}") from None


def _rule(name: str, table: Mapping[str, Any]) -> Rule:
    try:
        return Rule(name, **table)
    except TypeError as error:
        raise PluginError(f"rules.toml: [{name}]: {error}") from None
