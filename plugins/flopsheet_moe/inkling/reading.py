"""What Inkling's configs say of layers, windows and residuals."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import window_of
from flopsheet_moe.layers import of_length
from flopsheet_moe.reading import read_mixture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet import Family, Reading

    Config = Mapping[str, Any]

_PADDED = (
    "the head is counted with its padding to vocab_size rows, as checkpoints store it; transformers from 5.24 on drops"
    " the rows beyond unpadded_vocab_size"
)
LOCAL, GLOBAL = "hybrid_sliding", "hybrid"


def read(config: Config, family: Family) -> Reading:
    """Count layers by their windows, and whatever else the family's hints ask for."""
    return read_mixture(config, family, SPECIAL)


def _read_inkling(config: Config, reading: Reading) -> None:
    """Inkling: layers by their windows, and widths of experts, which two fields may say in older configs."""
    _read_kinds(config, reading)
    reading.keys.update(("local_layer_ids", "dense_intermediate_size"))
    if (width := config.get("dense_intermediate_size")) is not None:
        reading.values |= {"d_expert": config["intermediate_size"], "d_ff": width}
    if not config["n_shared_experts"]:
        reading.notes.append("n_shared_experts is 0: the class can be built but not run")


def _read_inkling2(config: Config, reading: Reading) -> None:
    """Inkling 2: layers read sums of earlier blocks; checkpoints pad the head to the rows of the token table."""
    kinds, block = _read_kinds(config, reading), config["n_layers_per_attn_res_block"]
    if block < 1:
        raise ValueError(f"n_layers_per_attn_res_block = {block}: the class divides the number of each layer by it")
    before = [(3 if kind == GLOBAL else 1, ceil(i / block) + 1) for i, kind in enumerate(kinds)][1:]
    inside = [(1, i // block + 2) for i in range(len(kinds))]
    reads = [*before, *inside, (1, ceil(len(kinds) / block) + 1)]
    reading.keys.update(("n_layers_per_attn_res_block", "unpadded_vocab_size"))
    reading.values |= {
        "n_residual_queries": sum(queries for queries, _ in reads),
        "n_residual_sources": sum(sources for _, sources in reads),
        "n_residual_pairs": sum(queries * sources for queries, sources in reads),
    }
    if (words := config["unpadded_vocab_size"]) > config["vocab_size"]:
        raise ValueError(f"unpadded_vocab_size = {words} is more than vocab_size: the head is padded to vocab_size")
    if words < config["vocab_size"]:
        reading.notes.append(_PADDED)


def _read_kinds(config: Config, reading: Reading) -> Sequence[Any]:
    """Return the kinds of the layers, whose counts and windows are read."""
    depth, local = config["num_hidden_layers"], config.get("local_layer_ids")
    local = [i for i in range(depth) if (i + 1) % 6] if local is None else local
    kinds = config.get("layer_types")
    kinds = [LOCAL if i in local else GLOBAL for i in range(depth)] if kinds is None else kinds
    n_local = of_length(kinds, depth, "layer_types", {LOCAL, GLOBAL}).count(LOCAL)
    reading.keys.update(("layer_types", "sliding_window"))
    reading.values |= {"n_local_layers": n_local, "n_global_layers": depth - n_local}
    reading.values |= dict.fromkeys(("local_window", "local_extent"), window_of(config)) if n_local else {}
    return kinds


SPECIAL: Mapping[str, Callable[[Config, Reading], None]] = {"inkling": _read_inkling, "inkling2": _read_inkling2}
"""The hint `special`: what else a type's configs say of its layers."""
