"""What dots3's configs say of layers with a window, which have a shape of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import window_of
from flopsheet_moe.layers import FULL, SLIDING, of_length

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Reading

    Config = Mapping[str, Any]

INDEXED = "indexed_attention"
SHAPE = {
    "num_attention_heads": "n_heads",
    "q_lora_rank": "q_rank",
    "kv_lora_rank": "kv_rank",
    "qk_nope_head_dim": "d_head_nope",
    "qk_rope_head_dim": "d_head_rope",
    "v_head_dim": "d_head_v",
}
"""Fields of a layer's shape, and the dimensions that they give."""
UNSAID = {
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "q_lora_rank": 1024,
    "kv_lora_rank": 1024,
    "head_dim": 256,
    "qk_nope_head_dim": 192,
    "v_head_dim": 128,
}
"""The shape of layers with a window where no field says it."""
FIELDS = (*UNSAID, "qk_rope_head_dim")
READ = ("layer_types", "use_dsa", "use_sliding_window", "sliding_window", "sliding_window_size", "per_layer_config")


def read_dots(config: Config, reading: Reading) -> None:
    """dots3: three of four layers slide; the others have an indexer, unless `use_dsa` says no."""
    kinds = _kinds(config)
    n_sliding, n_indexed = kinds.count(SLIDING), kinds.count(INDEXED)
    reading.keys |= {*READ, *FIELDS, *(f"swa_{field}" for field in FIELDS), "moe_shared_expert_intermediate_size"}
    reading.values |= {"n_latent_layers": len(kinds) - n_sliding, "n_sliding_layers": n_sliding}
    reading.values |= {"n_index_layers": n_indexed, "n_chosen_latent_layers": n_indexed}
    if (width := config.get("moe_shared_expert_intermediate_size")) is not None:
        reading.values["d_shared_expert"] = width
    shapes = _shapes(config, kinds, reading)
    for kind, shape in shapes.items():
        _check(shape, reading, is_whole=kind == SLIDING)
    if n_sliding:
        _read_sliding(config, shapes[SLIDING], reading)


def _read_sliding(config: Config, shape: Mapping[str, Any], reading: Reading) -> None:
    window = config.get("sliding_window")
    window = config.get("sliding_window_size", 512) if window is None else window
    reading.values |= {f"sliding_{name}": shape[field] for field, name in SHAPE.items()}
    reading.values |= {
        "sliding_gate_width": shape["num_attention_heads"],
        "window": window_of({"sliding_window": window}),
    }


def _kinds(config: Config) -> Sequence[str]:
    """Return the kind of each layer; `use_dsa` says whether layers that see everything have an indexer."""
    depth, kinds = config["num_hidden_layers"], config.get("layer_types")
    chooses = config.get("use_dsa", None if "per_layer_config" in config else True)
    if kinds is None:
        whole, slides = FULL if chooses is False else INDEXED, config.get("use_sliding_window", True)
        kinds = [SLIDING if slides and i > 1 and i % 4 != 1 else whole for i in range(depth)]
    swapped = {} if chooses is None else {FULL: INDEXED} if chooses else {INDEXED: FULL}
    kinds = [swapped.get(kind, kind) for kind in kinds]
    return of_length(kinds, depth, "layer_types", {SLIDING, FULL, INDEXED})


def _shapes(config: Config, kinds: Sequence[str], reading: Reading) -> dict[str, Mapping[str, Any]]:
    """Return the shape of each kind of layers, of `per_layer_config` where a saved config has it."""
    common = {field: config[field] for field in FIELDS}
    if "per_layer_config" in config:
        own = {int(layer): shape for layer, shape in (config["per_layer_config"] or {}).items()}
    else:
        own = dict.fromkeys((i for i, kind in enumerate(kinds) if kind == SLIDING), _own_fields(config))
    shapes = [common | own.get(i, {}) for i in range(len(kinds))]
    by_kind = dict(zip(reversed(kinds), reversed(shapes), strict=True))
    expected = [{**common, **by_kind[kind]} if kind == SLIDING else common for kind in kinds]
    if shapes != expected or by_kind.get(SLIDING, common).keys() != common.keys():
        reading.problems.append("per_layer_config differs within layers of one kind: it may change the count")
    return by_kind


def _own_fields(config: Config) -> dict[str, Any]:
    shape = {field: config.get(f"swa_{field}", default) for field, default in UNSAID.items()}
    rope = config.get("swa_qk_rope_head_dim", shape["head_dim"] - shape["qk_nope_head_dim"])
    return {**shape, "qk_rope_head_dim": rope}


def _check(shape: Mapping[str, Any], reading: Reading, *, is_whole: bool) -> None:
    """Refuse a shape that the class refuses; `is_whole` asks for heads of nothing but their two parts."""
    if not (shape["q_lora_rank"] and shape["kv_lora_rank"]):
        raise ValueError("q_lora_rank and kv_lora_rank must be at least 1: the class divides by them")
    if shape["num_key_value_heads"] != shape["num_attention_heads"]:
        raise ValueError("num_key_value_heads must be num_attention_heads in each layer")
    if is_whole and shape["head_dim"] != shape["qk_nope_head_dim"] + shape["qk_rope_head_dim"]:
        raise ValueError("head_dim of sliding layers must be the sum of qk_nope_head_dim and qk_rope_head_dim")
    if shape["qk_rope_head_dim"] % 2:
        reading.notes.append("qk_rope_head_dim is odd: the class can be built but not run")
