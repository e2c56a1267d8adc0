"""RWKV-4: layers of time mixing, a linear recurrence, and channel mixing, a gated MLP; no attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, Family, Line, Rule, families_from, hookimpl, rules_from
from flopsheet_rwkv.stack import STACK

if TYPE_CHECKING:
    from collections.abc import Iterable

RWKV = Architecture(
    "rwkv",
    "RWKV-4",
    "A stack of time mixing, a linear recurrence, and channel mixing, a gated MLP, without attention",
    STACK.dimensions,
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
def flopsheet_parameters() -> Iterable[Line]:
    """Give tables, mixing, norms and head."""
    return STACK.parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give projections and recurrence of one forward pass."""
    return STACK.flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the states of the recurrence and of the token shift."""
    return STACK.memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for RWKV."""
    return rules_from(__name__)
