"""What single types say of layers that differ in attention or width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import hold, uniform, window_of
from flopsheet_moe.layers import FULL, SLIDING, layer_kinds, layers_with_positions, of_length, sparse_layers
from flopsheet_moe.reading import read_mixture
from flopsheet_moe.varied.step import read_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet import Family, Reading

    Config = Mapping[str, Any]


def read(config: Config, family: Family) -> Reading:
    """Count layers by what they see, and whatever else the family's hints ask for."""
    return read_mixture(config, family, SPECIAL)


def _read_chunks(config: Config, reading: Reading) -> None:
    """Llama 4: layers with rotary positions see their chunk, the others everything."""
    depth = config["num_hidden_layers"]
    kinds, rotary = config.get("layer_types"), config.get("no_rope_layers") or layers_with_positions(config, depth)
    if kinds is None:
        kinds = ["chunked_attention" if has else FULL for has in rotary]
    kinds = of_length(kinds, depth, "layer_types", {"chunked_attention", FULL})
    reading.keys.update(("layer_types", "no_rope_layers", "no_rope_layer_interval", "attention_chunk_size"))
    chunk = config.get("attention_chunk_size")
    if chunk:
        reading.values |= {"n_local_layers": kinds.count("chunked_attention"), "local_window": chunk}
    reading.notes.append(_EVERY_EXPERT)


_EVERY_EXPERT = "FLOP are of the active experts; transformers' Llama 4 class passes each token through all of them"


def _mimo(config: Config, reading: Reading) -> None:
    """MiMo-V2: windows in all but the first and every sixth layer."""
    depth = config["num_hidden_layers"]
    kinds = of_length(layer_kinds(config, depth, "sixth_and_first"), depth, "layer_types", {SLIDING, FULL})
    sizes = config.get("sliding_window_size")
    n_local = kinds.count(SLIDING)
    reading.keys.update(("layer_types", "sliding_window", "sliding_window_size"))
    reading.values |= {"n_local_layers": n_local, "n_global_layers": depth - n_local}
    reading.values["local_window"] = window_of(config) if sizes is None else sizes + 1
    hold(config, reading, _published_mimo(config, kinds))


def _published_mimo(config: Config, kinds: Sequence[str]) -> dict[str, Any]:
    """Return what fields of the published configs must say for transformers' class to be the model."""
    return {
        "hybrid_layer_pattern": [int(kind == SLIDING) for kind in kinds],
        "moe_layer_freq": [int(sparse) for sparse in sparse_layers(config, len(kinds), "headed")],
        "swa_num_attention_heads": config["num_attention_heads"],
        "swa_num_key_value_heads": 2 * config["num_key_value_heads"],
        "swa_head_dim": config["head_dim"],
        "swa_v_head_dim": config["v_head_dim"],
        "add_swa_attention_sink_bias": True,
        "add_full_attention_sink_bias": False,
    }


_WHOLE_PROMPT = (
    "a prefill passes every token through the layers that reuse keys and values; transformers spares all but the last"
)


def _gemma(config: Config, reading: Reading) -> None:
    """Gemma 4: five of six layers slide, the last never does; the last layers reuse keys and values."""
    depth = config["num_hidden_layers"]
    kinds = [*of_length(layer_kinds(config, depth, "sixth"), depth, "layer_types", {SLIDING, FULL})]
    kinds[-1] = FULL
    _read_reuse(config, kinds, reading)
    if config.get("num_kv_shared_layers"):
        reading.notes.append(_WHOLE_PROMPT)
    _global_shape(config, kinds, reading)
    if not config.get("enable_moe_block"):
        reading.values |= {"n_experts": 1, "top_k": 1}
    elif config.get("moe_intermediate_size") is None:
        raise ValueError("enable_moe_block asks for experts, but moe_intermediate_size is missing")


def _gemma3n(config: Config, reading: Reading) -> None:
    """Gemma 3n: every fifth layer sees all; the last layers reuse keys and values; MLPs may differ in width."""
    depth = config["num_hidden_layers"]
    kinds = of_length(layer_kinds(config, depth, "fifth"), depth, "layer_types", {SLIDING, FULL})
    _read_reuse(config, kinds, reading)
    reading.keys.add("intermediate_size")
    reading.values |= {"n_experts": 1, "top_k": 1}
    reading.values["d_ff"] = uniform(config["intermediate_size"], "intermediate_size", reading)


def _read_reuse(config: Config, kinds: Sequence[str], reading: Reading) -> None:
    """Count the layers of each kind, and those of them with keys and values of their own: the first ones."""
    own = kinds[: max(len(kinds) - config.get("num_kv_shared_layers", 0), 0)]
    if set(own) != set(kinds):
        raise ValueError("num_kv_shared_layers leaves layers without keys and values to reuse")
    reading.keys.update(("layer_types", "num_kv_shared_layers", "sliding_window"))
    for side, kind in (("local", SLIDING), ("global", FULL)):
        reading.values |= {f"n_{side}_layers": kinds.count(kind), f"{side}_kv_layers": own.count(kind)}
    reading.values["local_window"] = window_of(config)


def _global_shape(config: Config, kinds: Sequence[str], reading: Reading) -> None:
    """Read heads of Gemma 4's global layers: of `per_layer_config` where a saved config has it, else of own fields."""
    reading.keys.update(("per_layer_config", "global_head_dim", "num_global_key_value_heads"))
    if "per_layer_config" in config:
        shape = _only_shape(config["per_layer_config"] or {}, kinds, reading)
        heads, width = shape.get("num_key_value_heads"), shape.get("head_dim", config["head_dim"])
    else:
        heads = config.get("num_global_key_value_heads") if config.get("attention_k_eq_v") else None
        width = config.get("global_head_dim", 512)
    reading.values["global_d_head"] = width
    reading.values["global_kv_heads"] = config["num_key_value_heads"] if heads is None else heads


def _only_shape(by_layer: Mapping[Any, Any], kinds: Sequence[str], reading: Reading) -> Mapping[str, Any]:
    """Return the one shape of the global layers in `per_layer_config`, layer number to fields that differ."""
    shapes = {int(layer): shape for layer, shape in by_layer.items()}
    mine = [shapes.get(i, {}) for i, kind in enumerate(kinds) if kind == FULL]
    local = any(shapes.get(i) for i, kind in enumerate(kinds) if kind != FULL)
    if local or any(shape != mine[0] or shape.keys() - {"head_dim", "num_key_value_heads"} for shape in mine):
        reading.problems.append("per_layer_config differs within layers of one kind: it may change the count")
    return dict(mine[0])


SPECIAL: Mapping[str, Callable[[Config, Reading], None]] = {
    "chunked": _read_chunks,
    "mimo": _mimo,
    "gemma": _gemma,
    "gemma3n": _gemma3n,
    "step": read_step,
}
"""The hint `special`: what else a type's configs say of its layers."""
