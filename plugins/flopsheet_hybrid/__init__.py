"""Hybrids: stacks that mix attention, state-space layers, linear recurrences, convolutions, MLPs and experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, Family, Line, Rule, families_from, hookimpl, rules_from
from flopsheet_hybrid.reading import read
from flopsheet_hybrid.shapes import CHECKS, STACK

if TYPE_CHECKING:
    from collections.abc import Iterable

HYBRID = Architecture(
    "hybrid",
    "Hybrid",
    "A stack that mixes attention with state-space layers, linear recurrences, convolutions, MLPs and experts",
    STACK.dimensions,
    read=read,
    checks=CHECKS,
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the hybrid."""
    return [HYBRID]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Jamba, Bamba, Nemotron-H, Granite 4, Falcon-H1, Zamba, RecurrentGemma, LFM2, Qwen3-Next and their like."""
    return families_from(__name__, "hybrid")


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give tables, mixers of every kind, MLPs, experts, norms and head."""
    return STACK.parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give matrix products, convolutions and scans of one forward pass."""
    return STACK.flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give key/value caches and the recurrent and convolution states."""
    return STACK.memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for hybrids."""
    return rules_from(__name__)
