"""Quantized weights: which lines they are, and the bytes that their format saves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.blocks.kinds import bytes_each, share_of
from flopsheet.accounting.formula.compose import call, minus, plus, times
from flopsheet.accounting.line import Line, write_group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flopsheet.accounting.line import Group

SOURCE = "The config's quantization_config"
SHARE = "quantized_"
EXPERTS: Group = "experts"
FROZEN = "frozen_saved"
"""The line of the bytes that frozen weights save in training."""
GROUPS: tuple[Group, ...] = (
    *("embedding", "attention", "cross_attention", "mlp", EXPERTS, "shared_experts", "router", "ssm", "conv"),
    *("lm_head", "other"),
)
"""Groups whose matrices a format may quantize; norms, biases and convolutions keep their type."""
SHAPED = ("embedding", "conv", "other")
"""Groups that hold other weights too: only lines that say their rows are matrices."""

DIMENSIONS = (
    bytes_each(
        "quantized_bytes",
        "Bytes per quantized weight",
        default=0,
        about="On average, scales and zero points included; 0: quantized weights take the bytes of all others",
    ),
    bytes_each(
        "quantized_expert_bytes",
        "Bytes per quantized weight of routed experts",
        default=0,
        about="Where it differs from that of the others; 0: that of all quantized weights",
    ),
    *(
        share_of(
            f"{SHARE}{group}",
            f"Quantized: {write_group(group)}",
            about="The share of this group's matrices that is stored quantized",
        )
        for group in GROUPS
    ),
)
"""How a checkpoint stores its matrices."""


def quantizable(parameters: Iterable[Line], flops: Iterable[Line]) -> list[Line]:
    """Return the lines of matrices that a format may quantize.

    These are the weights that a linear layer multiplies by, whose line has a FLOP line of linear work; of tables and
    of what is in no group of its own, those whose line says its rows.
    """
    parameters = list(parameters)
    linear = {line.name for line in linear_layers(parameters, flops)}
    lines = [line for line in parameters if line.additive and line.group in GROUPS]
    matrices = [line for line in lines if line.rows or line.group not in SHAPED]
    return [line for line in matrices if line.name in linear or line.group == "embedding"]


def linear_layers(parameters: Iterable[Line], flops: Iterable[Line]) -> list[Line]:
    """Return the lines of weights that a linear layer multiplies by."""
    linear = {line.name.removesuffix("_flops") for line in flops if line.work == "linear"}
    return [line for line in parameters if line.additive and line.name in linear]


def quantized_lines(parameters: Iterable[Line], flops: Iterable[Line]) -> list[Line]:
    """Return the helpers that count quantized weights, and the line of the bytes that they save."""
    matrices = quantizable(parameters, flops)
    sums = [
        _matrices(group, results) for group in GROUPS if (results := [x.name for x in matrices if x.group == group])
    ]
    if not sums:
        return []
    return [
        *sums,
        Line(
            "quantized_weights",
            plus(*(times(f"{SHARE}{line.group}", line.name) for line in sums)),
            "parameters",
            "weights",
            title="Quantized weights",
            about="The matrices of the groups that the format quantizes",
            source=SOURCE,
            additive=False,
        ),
        Line(
            "weights_quantized",
            call("floor", plus(_saved_bytes(sums), "1 / 2")),
            "bytes",
            "weights",
            title="Less: saved by quantization",
            about="What the format takes, less what these weights would take in their own type, in whole bytes",
            source=SOURCE,
        ),
        *_frozen(sums),
    ]


def _frozen(sums: Sequence[Line]) -> list[Line]:
    """Return the lines of the bytes that frozen weights save in training, where they stay as they are stored."""
    own, each = "training_dtype_bytes", "quantized_expert_bytes if quantized_expert_bytes else quantized_bytes"
    expert_bytes = times(f"{SHARE}{EXPERTS}", f"matrices_{EXPERTS}", minus(each, own), "1 if quantized_bytes else 0")
    of_experts = expert_bytes if any(line.group == EXPERTS for line in sums) else "0"
    return [
        Line(
            name,
            times("frozen_share", formula),
            "bytes",
            "weights",
            title=title,
            about="Frozen weights stay quantized in training",
            source="Dettmers et al. 2305.14314 (QLoRA), section 3",
            additive=False,
        )
        for name, title, formula in (
            (FROZEN, "Less: saved by frozen weights in training", _saved_bytes(sums, own)),
            (f"{FROZEN}_{EXPERTS}", "Less: saved by frozen experts in training", of_experts),
        )
    ]


def _saved_bytes(sums: Iterable[Line], own: str = "weight_dtype_bytes") -> str:
    """Return the formula of the bytes that the format saves: routed experts may have a width of their own."""
    result = times("quantized_weights", minus("quantized_bytes", own))
    if any(line.group == EXPERTS for line in sums):
        of_experts = times(f"{SHARE}{EXPERTS}", f"matrices_{EXPERTS}", "quantized_expert_bytes - quantized_bytes")
        result = plus(result, times(of_experts, "1 if quantized_expert_bytes else 0"))
    return times(result, "1 if quantized_bytes else 0")


def _matrices(group: Group, names: Iterable[str]) -> Line:
    title = f"Weights of matrices: {write_group(group)}"
    return Line(f"matrices_{group}", plus(*names), "parameters", group, title, additive=False)
