"""RWKV-4: layers of time mixing, a linear recurrence, and channel mixing, a gated MLP; no attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet import Dimension, Family, Line, Rule, blocks

RWKV = Architecture(
    "rwkv",
    "RWKV-4",
    "A stack of time mixing, a linear recurrence, and channel mixing, a gated MLP, without attention",
)


def _stack() -> blocks.Block:
    """Return the lines, made when a config needs them: every start imports every plugin."""
    from flopsheet_rwkv.stack import STACK  # noqa: PLC0415 - few starts need it

    return STACK


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe RWKV-4."""
    return [RWKV]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read RWKV configs."""
    return families_from(__name__, "rwkv")


@hookimpl
def flopsheet_dimensions() -> Iterable[Dimension]:
    """Give the dimensions of these lines."""
    return _stack().dimensions


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give tables, mixing, norms and head."""
    return _stack().parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give projections and recurrence of one forward pass."""
    return _stack().flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the states of the recurrence and of the token shift."""
    return _stack().memory


@hookimpl
def flopsheet_activations() -> Iterable[Line]:
    """Give what the backward pass needs of a forward pass."""
    return _stack().activations


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for RWKV."""
    return rules_from(__name__)
