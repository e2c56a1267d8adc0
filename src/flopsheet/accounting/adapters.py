"""Low-rank adapters: two small matrices next to each matrix of a linear layer, trained in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.blocks.kinds import optional, share_of
from flopsheet.accounting.formula.compose import call, names, plus, substitute, times
from flopsheet.accounting.line import Dimension, Line, write_group
from flopsheet.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.accounting.line import Group

LORA = "Hu et al. 2106.09685, section 4.1"
RANK = "lora_"
GROUPS: tuple[Group, ...] = ("attention", "mlp", "shared_experts")
"""Groups whose matrices can have adapters; routed experts, routers, tables and heads have none."""

FROZEN = share_of(
    "frozen_share",
    "Frozen share",
    about="The share of the weights, adapters apart, that training leaves as they are: they take no gradient and no"
    " optimizer state. 1 where there are adapters, unless set",
)
DIMENSIONS = (
    *(
        optional(
            f"{RANK}{group}",
            f"LoRA rank: {write_group(group)}",
            about="The rank r of an adapter next to each matrix of the group, of r numbers per row and column; 0: none",
            source=LORA,
        )
        for group in GROUPS
    ),
    FROZEN,
)
"""What training adds to a model, and what of it stays as it is."""


def freezing(dimensions: Iterable[Dimension], groups: Sequence[Group], parameters: Sequence[Line]) -> list[Dimension]:
    """Return the dimensions with all weights but adapters frozen, where there are any.

    Adapters are those of these groups, and the lines of the group `adapters` that plugins give.
    """
    helpers = {line.name: line.formula for line in parameters if not line.additive}
    more = [of_dimensions(line.formula, helpers) for line in parameters if line.additive and line.group == "adapters"]
    if not groups and not more:
        return list(dimensions)
    any_rank = call("min", plus(*(f"{RANK}{group}" for group in groups), *more), "1")
    return [d._replace(default=any_rank) if d is FROZEN else d for d in dimensions]


def of_dimensions(text: str, helpers: Mapping[str, str]) -> str:
    """Return a formula with helper lines put in, until it names dimensions alone."""
    while meanings := {name: helpers[name] for name in names(text) if name in helpers}:
        text = substitute(text, meanings)
    return text


def adapter_lines(
    parameters: Iterable[Line], flops: Iterable[Line], groups: Sequence[Group]
) -> tuple[list[Line], list[Line]]:
    """Return the parameter and FLOP lines of the adapters of some groups.

    A group's adapters take the rank for each row and column of its matrices, which their lines say as `sides`.
    PluginError names a matrix whose line does not.
    """
    linear = {line.name.removesuffix("_flops") for line in flops if line.work == "linear"}
    matrices = [line for line in parameters if line.name in linear and line.group in groups]
    if silent := [line.name for line in matrices if not line.sides]:
        raise PluginError(
            f"line {silent[0]}: its group has adapters; give it sides='…', its rows and columns", silent[0]
        )
    weights, passes = [], []
    for group in groups:
        name, title = f"adapters_{group}", f"Adapters: {write_group(group)}"
        sides = plus(*(line.sides for line in matrices if line.group == group))
        weights += [
            Line(f"sides_{group}", sides, "numbers", group, f"{title}, rows and columns", source=LORA, additive=False),
            Line(
                name,
                times(f"{RANK}{group}", f"sides_{group}"),
                "parameters",
                "adapters",
                title,
                "The rank for each row and each column of every matrix, as PEFT's all-linear has it",
                LORA,
            ),
        ]
        passes.append(
            Line(
                f"{name}_flops",
                times("2", "tokens", name),
                "FLOP",
                "adapters",
                title,
                "Not merged: a multiply and an add for each weight and token, on top of the matrices' own",
                LORA,
                work="linear",
            )
        )
    return weights, passes
