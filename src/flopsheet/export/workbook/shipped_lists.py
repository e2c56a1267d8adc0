"""The lists of the shipped template: their names, keys, fixed sizes and looks, from lists.toml alone."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class ShippedList(NamedTuple):
    """A list of the shipped template.

    `key` is the column by which import tells its rows apart, "" where it compares none; a `fixed` one has as many rows
    whatever the batch. `looks` say which columns show each look, of which a template has one.
    """

    key: str = ""
    fixed: bool = False
    looks: Mapping[str, list[str]] = {}


@cache
def shipped_lists() -> Mapping[str, ShippedList]:
    """Return the lists by their names in the workbook; each is a table of this name on one of the shipped sheets."""
    found = tomllib.loads((files("flopsheet.export.workbook") / "lists.toml").read_text("utf-8"))
    return {name: ShippedList(**one) for name, one in found.items()}


def keys() -> dict[str, str]:
    """Return the column by which rows are told apart, of each list that import compares."""
    return {name: one.key for name, one in shipped_lists().items() if one.key}
