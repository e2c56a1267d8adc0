"""Quantized weights: which lines they are, and the bytes that their format saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.formula.compose import plus, times
from flopsheet.accounting.line import Dimension, Line, spoken

if TYPE_CHECKING:
    from collections.abc import Iterable

SOURCE = "The config's quantization_config"
FLAG = "quantized_"
EXPERTS = "experts"
GROUPS = ("attention", "cross_attention", "mlp", EXPERTS, "shared_experts", "ssm", "lm_head")
"""Groups whose matrices a format may quantize; tables, routers, convolutions and vectors keep their type."""

DIMENSIONS = (
    Dimension(
        "quantized_bytes",
        "Bytes per quantized weight",
        unit="bytes",
        kind="ratio",
        default=0,
        minimum=0,
        about="Scales and zero points included; 0: quantized weights take the bytes of all others",
    ),
    Dimension(
        "quantized_expert_bytes",
        "Bytes per quantized weight of routed experts",
        unit="bytes",
        kind="ratio",
        default=0,
        minimum=0,
        about="Where a format stores them apart; 0: those of all quantized weights",
    ),
    *(
        Dimension(
            f"{FLAG}{group}",
            f"Quantized: {spoken(group)}",
            kind="flag",
            default=0,
            about="1: the matrices of this group are stored quantized",
        )
        for group in GROUPS
    ),
)
"""How a checkpoint stores its matrices."""


def quantized_lines(parameters: Iterable[Line], flops: Iterable[Line]) -> list[Line]:
    """Return the helpers that count quantized weights, and the line of the bytes that they save.

    A weight can be quantized where a linear layer multiplies by it: its line has a FLOP line of linear work.
    """
    linear = {line.name.removesuffix("_flops") for line in flops if line.work == "linear"}
    matrices = [line for line in parameters if line.additive and line.name in linear]
    sums = [_matrices(group, found) for group in GROUPS if (found := [x.name for x in matrices if x.group == group])]
    if not sums:
        return []
    return [
        *sums,
        Line(
            "quantized_weights",
            plus(*(times(f"{FLAG}{line.group}", line.name) for line in sums)),
            "parameters",
            "weights",
            title="Quantized weights",
            about="The matrices of the groups that the format quantizes",
            source=SOURCE,
            additive=False,
        ),
        Line(
            "weights_quantized",
            _saved(sums),
            "bytes",
            "weights",
            title="Less: saved by quantization",
            about="What the format takes, less what these weights would take in their own type",
            source=SOURCE,
        ),
    ]


def _saved(sums: Iterable[Line]) -> str:
    """Return the formula of the bytes that the format saves: routed experts may have a width of their own."""
    saved = times("quantized_weights", "quantized_bytes - weight_dtype_bytes")
    if any(line.group == EXPERTS for line in sums):
        of_experts = times(f"{FLAG}{EXPERTS}", f"matrices_{EXPERTS}", "quantized_expert_bytes - quantized_bytes")
        saved = plus(saved, times(of_experts, "1 if quantized_expert_bytes else 0"))
    return times(saved, "1 if quantized_bytes else 0")


def _matrices(group: str, names: Iterable[str]) -> Line:
    title = f"Weights of linear layers: {spoken(group)}"
    return Line(f"matrices_{group}", plus(*names), "parameters", group, title, additive=False)
