"""Families and rules as TOML tables beside a plugin's code."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_text
from flopsheet.accounting.line import Family, Rule
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = re.compile(r"\n[ \t]*\[([\w-]+)\]", re.ASCII)
"""The head of a table that is not part of another."""


def families_from(package: str, architecture: str) -> list[Family]:
    """Return the families of `families.toml` in a package: a table a `model_type`, read by `architecture`.

    Only the heads of the tables are read. A start of the program needs few of them, so `whole` parses each when it is
    asked for.
    """
    text = "\n" + _text(package, "families.toml")
    heads = list(HEAD.finditer(text))
    ends = [*(head.start() for head in heads), len(text)]
    stray = [line for line in text[: ends[0]].splitlines() if line.strip() and not line.startswith("#")]
    if stray:
        raise PluginError(f"{package}: families.toml: {stray[0]!r} stands before the first [model_type]")
    return [
        Family(head[1], architecture, table=text[head.start() : end]) for head, end in zip(heads, ends[1:], strict=True)
    ]


def whole(family: Family) -> Family:
    """Return a family with all that its table says; PluginError says what is wrong with the table."""
    if not family.table:
        return family
    name = family.model_type
    try:
        table = tomllib.loads(family.table)[name]
        parts = table | {"irrelevant": tuple(table.get("irrelevant", ()))}
        return Family(name, family.architecture, **parts)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise PluginError(f"families.toml: [{name}]: {error}") from None


def rules_from(package: str) -> list[Rule]:
    """Return the rules of `rules.toml` in a package: a table a rule."""
    return [_rule(name, table) for name, table in _document(package, "rules.toml").items()]


def _document(package: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(package, file))
    except tomllib.TOMLDecodeError as error:
        raise PluginError(f"{package}: {file} cannot be read: {error}") from None


def _text(package: str, file: str) -> str:
    try:
        return read_text(package, file)
    except (OSError, UnicodeDecodeError) as error:
        raise PluginError(f"{package}: {file} cannot be read: {error}") from None


def _rule(name: str, table: Mapping[str, Any]) -> Rule:
    try:
        return Rule(name, **table)
    except TypeError as error:
        raise PluginError(f"rules.toml: [{name}]: {error}") from None
