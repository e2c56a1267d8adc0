"""RWKV-4: layers of time mixing, a linear recurrence, and channel mixing, a gated MLP; no attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet import Block, Family, Rule

RWKV = Architecture(
    "rwkv",
    "RWKV-4",
    "A stack of time mixing, a linear recurrence, and channel mixing, a gated MLP, without attention",
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe RWKV-4."""
    return [RWKV]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read RWKV configs."""
    return families_from(__name__, "rwkv")


@hookimpl
def flopsheet_block() -> Block:
    """Give tables, mixing, norms and head; few starts need them."""
    from flopsheet_rwkv.stack import STACK  # noqa: PLC0415 - few starts need it

    return STACK


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for RWKV."""
    return rules_from(__name__)
