"""Dense decoders: one stack of attention and feed-forward layers, and every token passes every weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, Family, Line, Rule, blocks, families_from, hookimpl, read_windows, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

STACK = (
    blocks.ATTENTION
    + blocks.MLP
    + blocks.EMBEDDING
    + blocks.POSITIONS
    + blocks.PROJECTIONS
    + blocks.LAYER_NORMS
    + blocks.FINAL_NORM
    + blocks.HEAD
)
DENSE = Architecture(
    "dense",
    "Dense decoder",
    "A stack of attention and feed-forward layers in which every token passes every weight",
    STACK.dimensions,
    read=read_windows,
    checks=blocks.HEADS_FIT | blocks.WINDOWS_FIT,
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the dense decoder."""
    return [DENSE]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Llama, GPT-2, Mistral, Qwen, GPT-NeoX, OPT and Gemma 2."""
    return families_from(__name__, "dense")


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give tables, attention, MLP, norms and head."""
    return STACK.parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give the matrix products of one forward pass."""
    return STACK.flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the key/value cache."""
    return STACK.memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for dense decoders."""
    return rules_from(__name__)
