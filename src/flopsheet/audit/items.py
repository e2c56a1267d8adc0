"""The checklist: what each item of items.toml finds in a workbook."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.data import read_table

if TYPE_CHECKING:
    from collections.abc import Container

    from flopsheet.audit.view import WorkbookView


class Item(Struct, frozen=True):
    """One item: `find` names the function of this room that gives the places which fail it, and what is wrong there.

    A fill depends on those `of_fill`; the others are what a model review asks.
    """

    name: str
    asks: str
    find: str
    of_fill: bool = False


class Verdict(Struct, frozen=True):
    """What an item found: it passes without a failure."""

    name: str
    asks: str
    failures: tuple[str, ...]
    of_fill: bool = False


ITEMS = tuple(Item(name, **entry) for name, entry in read_table("flopsheet.audit", "items.toml").items())


def check(view: WorkbookView, only: Container[str] | None = None) -> list[Verdict]:
    """Return the verdict on every item, or on those with some names alone; each pays only for what it reads."""
    items = ITEMS if only is None else [item for item in ITEMS if item.name in only]
    return [Verdict(item.name, item.asks, _find_failures(item, view), item.of_fill) for item in items]


def _find_failures(item: Item, view: WorkbookView) -> tuple[str, ...]:
    return tuple(resolve_name(f"flopsheet.audit.{item.find}")(view))
