"""Mamba: a stack of selective state-space mixers, without attention and without MLPs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, Family, Reading, Rule, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet import Block

STACK = blocks.MAMBA1 + blocks.EMBEDDING + blocks.LAYER_NORMS + blocks.FINAL_NORM + blocks.HEAD


def read(config: Mapping[str, Any], _: Family) -> Reading:
    """Read an inner width that is said next to `expand`, and a step-size rank of `auto`: width / 16, rounded up."""
    reading = Reading()
    if config.get("intermediate_size", 0) is None:
        raise TypeError("intermediate_size = null is not a width: leave the field out for expand * hidden_size")
    if "intermediate_size" in config:
        reading.values["d_inner"] = config["intermediate_size"]
    if config.get("time_step_rank") == "auto":
        reading.values["dt_rank"] = -(-config["hidden_size"] // 16)
    return reading


MAMBA1 = Architecture(
    "mamba1",
    "Mamba",
    "A stack of selective state-space mixers, without attention and without MLPs",
    STACK.dimensions,
    read=read,
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe Mamba."""
    return [MAMBA1]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read Mamba configs."""
    return families_from(__name__, "mamba1")


@hookimpl
def flopsheet_block() -> Block:
    """Give tables, mixers, norms and head."""
    return STACK


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for Mamba."""
    return rules_from(__name__)
