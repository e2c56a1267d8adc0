"""Mamba-2: a stack of state-space mixers with heads, without attention and without MLPs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet import Architecture, Family, Rule, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flopsheet import Block

STACK = blocks.MAMBA2 + blocks.EMBEDDING + blocks.LAYER_NORMS + blocks.FINAL_NORM + blocks.HEAD
MAMBA2 = Architecture(
    "mamba2",
    "Mamba-2",
    "A stack of state-space mixers with heads, without attention and without MLPs",
    STACK.dimensions,
    checks={
        "1 if n_ssm_heads * d_ssm_head == d_inner else 0": "state heads × their size must be the inner width",
        "1 if floor(n_ssm_heads / n_groups) * n_groups == n_ssm_heads else 0": "state heads must be a multiple of"
        " groups",
    },
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe Mamba-2."""
    return [MAMBA2]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mamba-2 configs."""
    return families_from(__name__, "mamba2")


@hookimpl
def flopsheet_block() -> Block:
    """Give tables, mixers, norms and head."""
    return STACK


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for Mamba-2."""
    return rules_from(__name__)
