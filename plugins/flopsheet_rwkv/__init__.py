"""RWKV-4 and RWKV-7: layers of time mixing, a linear recurrence, and channel mixing, an MLP; no attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, families_from, hookimpl, rules_from
from flopsheet_rwkv import seven

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
    """Describe RWKV-4 and RWKV-7."""
    return [RWKV, seven.RWKV7]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read RWKV configs."""
    return [*families_from(__name__, "rwkv"), *families_from(seven.__name__, "rwkv7")]


@hookimpl
def flopsheet_block(architecture: Architecture) -> Block:
    """Give tables, mixing, norms and head; few starts need them."""
    if architecture.name == RWKV.name:
        from flopsheet_rwkv.stack import STACK  # noqa: PLC0415 - few starts need it
    else:
        from flopsheet_rwkv.seven.stack import STACK  # noqa: PLC0415 - few starts need it
    return STACK


@hookimpl
def flopsheet_rules(architecture: Architecture) -> Iterable[Rule]:
    """Give the rules of thumb for RWKV-4."""
    return rules_from(__name__) if architecture.name == RWKV.name else ()
