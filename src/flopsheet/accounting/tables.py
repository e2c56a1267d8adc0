"""Families and rules as TOML tables next to a plugin's code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import tomli

from flopsheet.accounting.data import read_table, read_text
from flopsheet.accounting.line import Family, Rule
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
HEAD = re.compile(r'\n[ \t]*\["?((?<=")[\w.-]+(?=")|[\w-]+)"?\]', re.ASCII)
"""The head of a table that is not part of another, in quotation marks where its name has a dot."""

LIKE = re.compile(r'^like = "([^"]*)"', re.MULTILINE)
"""The field of a table that names another type."""


def families_from(package: str, architecture: str) -> list[Family]:
    """Return the families of `families.toml` in a package: a table a `model_type`, read by `architecture`.

    Only the heads of the tables are read. A start of the program needs few of them, so `whole` parses each when it is
    asked for.
    """
    text = "\n" + _read(read_text, package, "families.toml")
    heads = list(HEAD.finditer(text))
    ends = [*(head.start() for head in heads), len(text)]
    stray = [line for line in text[: ends[0]].splitlines() if line.strip() and not line.startswith("#")]
    if stray:
        raise PluginError(f"{package}: families.toml: {stray[0]!r} comes before the first [model_type]")
    tables = {head[1]: text[head.start() : end] for head, end in zip(heads, ends[1:], strict=True)}
    bases = {name: like[1] for name, table in tables.items() if (like := LIKE.search(table))}
    return [
        Family(name, architecture, table=table + tables.get(bases.get(name, ""), ""), package=package)
        for name, table in tables.items()
    ]


def whole(family: Family) -> Family:
    """Return a family with all that its table says; PluginError says what is wrong with the table."""
    if not family.table:
        return family
    name = family.model_type
    try:
        document = tomli.loads(family.table)
        table = _merge_tables(document, document[name])
        parts = table | {"irrelevant": tuple(table.get("irrelevant", ()))}
        return Family(name, family.architecture, **parts)
    except (tomli.TOMLDecodeError, TypeError) as error:
        raise PluginError(f"families.toml: [{name}]: {error}", f"families.{name}") from None


def _merge_tables(document: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table over that of the type that it is like; lists and tables of both are put together."""
    like = table.get("like")
    if like is None:
        return dict(table)
    if like not in document:
        raise TypeError(f"like = {like!r}: families.toml has no such type")
    base = document[like]
    both = {key: _join_values(base[key], table[key]) for key in base.keys() & table.keys()}
    return {**base, **table, **both}


def _join_values(base: Any, own: Any) -> Any:
    if isinstance(own, dict):
        return {**base, **own}
    return [*base, *own] if isinstance(own, list) else own


def rules_from(package: str) -> list[Rule]:
    """Return the rules of `rules.toml` in a package: a table a rule."""
    return [_rule(name, table) for name, table in package_table(package, "rules.toml").items()]


def package_table(package: str, file: str) -> dict[str, Any]:
    """Return what a TOML file next to a plugin's code holds; PluginError where there is none, or where it is broken."""
    return _read(read_table, package, file)


def _read(reader: Callable[..., T], package: str, file: str) -> T:
    try:
        return reader(package, file)
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise PluginError(f"{package}: {file} cannot be read: {error}") from None


def _rule(name: str, table: Mapping[str, Any]) -> Rule:
    try:
        return Rule(name, **table)
    except TypeError as error:
        raise PluginError(f"rules.toml: [{name}]: {error}") from None
