"""What single types say of their layers in ways of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import hold, window_of
from flopsheet_moe.inkling_reading import read_inkling, read_inkling2
from flopsheet_moe.latent import read_unrotated
from flopsheet_moe.layers import FULL, SLIDING, layer_kinds, of_length, sparse_layers
from flopsheet_moe.longcat import read_longcat
from flopsheet_moe.pictures import read_pictures
from flopsheet_moe.step import read_step

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet import Reading

    Config = Mapping[str, Any]


def _read_chunks(config: Config, reading: Reading) -> None:
    """Llama 4: layers with rotary positions see their chunk, the others everything."""
    depth = config["num_hidden_layers"]
    kinds, rotary = config.get("layer_types"), config.get("no_rope_layers") or _rotary(config, depth)
    if kinds is None:
        kinds = ["chunked_attention" if has else FULL for has in rotary]
    kinds = of_length(kinds, depth, "layer_types", {"chunked_attention", FULL})
    reading.keys.update(("layer_types", "no_rope_layers", "no_rope_layer_interval", "attention_chunk_size"))
    chunk = config.get("attention_chunk_size")
    if chunk:
        reading.values |= {"n_local_layers": kinds.count("chunked_attention"), "local_window": chunk}
    reading.notes.append(_EVERY_EXPERT)


_EVERY_EXPERT = "FLOP are of the active experts; transformers' Llama 4 class passes each token through all of them"


def _rotary(config: Config, depth: int) -> list[bool]:
    if not config["no_rope_layer_interval"]:
        raise ValueError("no_rope_layer_interval = 0: the class divides the number of each layer by it")
    return [(i + 1) % config["no_rope_layer_interval"] != 0 for i in range(depth)]


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
    reading.values["d_ff"] = _uniform(config["intermediate_size"], "intermediate_size", reading)


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


def _dbrx(config: Config, reading: Reading) -> None:
    """DBRX keeps heads and experts in tables of their own."""
    heads, experts = config.get("attn_config") or {}, config.get("ffn_config") or {}
    if "rope_theta" not in heads:
        raise ValueError("attn_config has no rope_theta, and the class computes with it")
    reading.keys.update(("attn_config", "ffn_config"))
    reading.values |= {
        "n_kv_heads": heads.get("kv_n_heads", 1),
        "n_experts": experts.get("moe_num_experts", 4),
        "top_k": experts.get("moe_top_k", 1),
        "d_expert": experts.get("ffn_hidden_size", 3584),
    }
    if config["hidden_size"] % config["num_attention_heads"]:  # its output projection does not round: no exact head
        reading.values.pop("d_head", None)


def _hunyuan(config: Config, reading: Reading) -> None:
    """HunYuan: what its configs may say layer by layer must be the same in all."""
    _hold_head(config, reading)
    for field, name in (("num_local_experts", "n_experts"), ("num_experts_per_tok", "top_k")):
        reading.values[name] = _uniform(config[field], field, reading)
    for field, value in (("num_shared_expert", 1), ("moe_intermediate_size", config["intermediate_size"])):
        if field in config:
            hold({field: _uniform(config[field], field, reading)}, reading, {field: value})


def _hunyuan_first(config: Config, reading: Reading) -> None:
    """Hunyuan A13B's first form: experts' width and the number of shared ones are fields, layer by layer or one.

    Its first layers may be without experts, and all layers without shared ones.
    """
    for field, name, default in (
        ("num_local_experts", "n_experts", None),
        ("num_experts_per_tok", "top_k", None),
        ("moe_intermediate_size", "d_expert", config["intermediate_size"]),
        ("num_shared_expert", "n_shared_experts", 1),
    ):
        value = config.get(field)
        reading.keys.add(field)
        reading.values[name] = default if value is None else _uniform(value, field, reading)
    depth, front = config["num_hidden_layers"], config.get("moe_layer_num_skipped") or 0
    reading.values |= {"n_dense_layers": min(front, depth), "n_moe_layers": max(depth - front, 0)}
    if config.get("use_mixed_mlp_moe") is False:
        reading.values["n_shared_experts"] = 0
    if config.get("mlp_bias"):
        reading.problems.append("mlp_bias = true: the biases of MLPs and experts of this type are not counted")
    reading.keys |= {"moe_layer_num_skipped", "use_mixed_mlp_moe", "mlp_bias"}
    _hold_head(config, reading)


def _hold_head(config: Config, reading: Reading) -> None:
    """Hold the older name of the head size, which the class does not read, to what the class builds."""
    head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    hold(config, reading, {"attention_head_dim": head})


def _uniform(value: Any, field: str, reading: Reading) -> Any:
    """Return the one value of a field that may be a list of one value a layer."""
    if not isinstance(value, list):
        return value
    if any(each != value[0] for each in value):
        reading.problems.append(f"field {field} differs between layers: only the first is counted")
    return value[0]


def _cohere(config: Config, reading: Reading) -> None:
    """Command A MoE: dense layers may be wider than experts."""
    reading.keys.update(("prefix_dense_intermediate_size", "prefix_dense_sliding_window_pattern"))
    reading.keys.add("sliding_window_pattern")
    reading.values["d_ff"] = config.get("prefix_dense_intermediate_size") or config["intermediate_size"]


def _laguna(config: Config, reading: Reading) -> None:
    """Laguna: heads that differ between layers are not counted; their gates are one per head or one per channel."""
    reading.keys.update(("num_attention_heads_per_layer", "gating"))
    heads, gating = config["num_attention_heads"], config.get("gating", True)
    if any(own != heads for own in config.get("num_attention_heads_per_layer") or ()):
        reading.problems.append("num_attention_heads_per_layer differs between layers: num_attention_heads is counted")
    by_head = gating is True or gating == "per-head"
    reading.values["gate_width"] = heads if by_head else heads * config["head_dim"]


def _minimax(config: Config, reading: Reading) -> None:
    """MiniMax-M2: its list of attention types must say that all layers see everything."""
    hold(config, reading, {"attn_type_list": [1] * config["num_hidden_layers"]})


def _minimax_blocks(config: Config, reading: Reading) -> None:
    """MiniMax-M3: some layers choose blocks by an indexer, said in fields or in a table of older configs."""
    depth, older = config["num_hidden_layers"], config.get("sparse_attention_config") or {}
    kinds = config.get("layer_types")
    if kinds is None:
        choices = older.get("sparse_attention_freq") or [0] * depth
        kinds = [_BLOCKS if choice else FULL for choice in choices]
    n_index_layers = of_length(kinds, depth, "layer_types", {_BLOCKS, FULL}).count(_BLOCKS)
    reading.keys.update(("layer_types", "sparse_attention_config"))
    reading.values |= {"n_index_layers": n_index_layers, "index_input": config["hidden_size"]}
    reading.values["n_chosen_layers"] = n_index_layers
    reading.values |= {name: older[field] for field, name in _OLDER.items() if field in older}
    if not older.get("sparse_local_block", config.get("index_local_blocks", 1)):
        reading.notes.append(
            "a token is counted as reading its own block, which index_local_blocks = 0 leaves to chance"
        )


_BLOCKS = "minimax_m3_sparse"
_OLDER = {
    "sparse_num_index_heads": "n_index_heads",
    "sparse_index_dim": "d_index_head",
    "sparse_topk_blocks": "index_top_k",
    "sparse_block_size": "index_block",
}
"""Fields of the table of older configs, and the dimensions that they give."""


def _read_indexers(config: Config, reading: Reading) -> None:
    """GLM-5: layers that share an indexer's choice have none of their own."""
    depth = config["num_hidden_layers"]
    kinds = config.get("indexer_types") or _index_pattern(config, depth)
    of_length(kinds, depth, "indexer_types", {"full", "shared"})
    reading.keys.update(("indexer_types", "index_topk_pattern", "index_topk_freq", "index_skip_topk_offset"))
    reading.values["n_index_layers"] = kinds.count("full")


def _hy_v4(config: Config, reading: Reading) -> None:
    """HY-V4: the first and every fourth layer after it have an indexer of their own."""
    depth = config["num_hidden_layers"]
    kinds = config.get("indexer_types") or ["shared" if i and (i - 1) % 4 else "full" for i in range(depth)]
    reading.keys.add("indexer_types")
    reading.values["n_index_layers"] = of_length(kinds, depth, "indexer_types", {"full", "shared"}).count("full")


def _index_pattern(config: Config, depth: int) -> list[str]:
    pattern = config.get("index_topk_pattern")
    if pattern is not None:
        return [{"F": "full", "S": "shared"}.get(letter, letter) for letter in pattern]
    step, offset = max(config.get("index_topk_freq", 1), 1), config.get("index_skip_topk_offset", 2)
    return ["shared" if max(i - offset + 1, 0) % step else "full" for i in range(depth)]


def _mistral_large(config: Config, reading: Reading) -> None:
    """Mistral Large 4: layers with an indexer as in GLM-5, and some without positions."""
    _read_indexers(config, reading)
    read_unrotated(config, reading)


SPECIAL: Mapping[str, Callable[[Config, Reading], None]] = {
    "chunked": _read_chunks,
    "mimo": _mimo,
    "mistral_large": _mistral_large,
    "gemma": _gemma,
    "gemma3n": _gemma3n,
    "dbrx": _dbrx,
    "hunyuan_first": _hunyuan_first,
    "inkling": read_inkling,
    "inkling2": read_inkling2,
    "indexed": _read_indexers,
    "hunyuan": _hunyuan,
    "hy_v4": _hy_v4,
    "cohere": _cohere,
    "laguna": _laguna,
    "longcat": read_longcat,
    "minimax": _minimax,
    "step": read_step,
    "minimax_blocks": _minimax_blocks,
    "pictures": read_pictures,
}
"""The hint `special`: what else a type's configs say of its layers."""
