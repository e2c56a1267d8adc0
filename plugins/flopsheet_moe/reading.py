"""From a config of a mixture of experts to counts of its layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Family, Reading, read_windows
from flopsheet_moe.fixed_fields import hold
from flopsheet_moe.layers import SPARSE, layer_kinds, sparse_layers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Config = Mapping[str, Any]

OLD_KINDS = {
    "mamba": "linear_attention",
    "attention": "full_attention",
    "deepseek_sparse_attention": "indexed_attention",
    "qwen_sparse_attention": "indexed_attention",
}
"""Kinds of layers by the names that transformers gave them before."""
PREDICTION = ("num_nextn_predict_layers", "num_mtp_layers", "num_mtp_modules", "mtp_num_hidden_layers")


def read_mixture(config: Config, family: Family, special: Mapping[str, Callable[[Config, Reading], None]]) -> Reading:
    """Count the layers with experts and with windows, and whatever else the family's hints ask for.

    `kinds` and `experts` name rules of `layers`, `special` one of the readers given; `only` holds fields to the one
    value that the class builds, `only_kind` all layers to one kind.
    """
    depth = _depth(config)
    kinds = layer_kinds(config, depth, family.hints["kinds"]) if "kinds" in family.hints else None
    reading = read_windows({**config, "layer_types": kinds} if kinds else config, family)
    if kinds:
        reading.keys.add("layer_types")
    note_prediction(config, reading)
    _round_heads(config, family, reading)
    hold(config, reading, family.hints.get("only", {}))
    if "only_kind" in family.hints:
        _hold_kind(config, reading, family.hints["only_kind"], depth)
    if "experts" in family.hints:
        _count_experts(config, family.hints["experts"], depth, reading)
    if "special" in family.hints:
        special[family.hints["special"]]({"sliding_window": family.hints.get("default_window"), **config}, reading)
    return reading


def _hold_kind(config: Config, reading: Reading, kind: str, depth: int) -> None:
    """Add a problem where the layers are of another kind than the one that the class builds, by any of its names."""
    kinds = config.get("layer_types")
    if isinstance(kinds, list):
        kinds = [OLD_KINDS.get(each, each) if isinstance(each, str) else each for each in kinds]
    hold({"layer_types": kinds}, reading, {"layer_types": [kind] * depth})


def _depth(config: Config) -> int:
    depth = config.get("num_hidden_layers", 0)
    if not isinstance(depth, int) or depth < 0:
        raise ValueError(f"num_hidden_layers = {depth!r} is not a number of layers")
    return depth


def note_prediction(config: Config, reading: Reading) -> None:
    """Say how many prediction layers are left out."""
    extra = next((config[key] for key in PREDICTION if config.get(key)), 0)
    reading.keys.update(PREDICTION)
    if extra:
        reading.notes.append(f"multi-token prediction layers are not counted ({extra}): no model class includes them")


def _round_heads(config: Config, family: Family, reading: Reading) -> None:
    """Round a head size that no field names as the classes do, which drop what is left of the width."""
    width, heads = config.get("hidden_size"), config.get("num_attention_heads")
    if "d_head" not in family.values and "head_dim" not in config and isinstance(width, int) and isinstance(heads, int):
        reading.values["d_head"] = width // heads


def _count_experts(config: Config, rule: str, depth: int, reading: Reading) -> None:
    sparse = sum(sparse_layers(config, depth, rule))
    reading.keys.update(SPARSE[rule][0])
    reading.values |= {"n_moe_layers": sparse, "n_dense_layers": depth - sparse}
