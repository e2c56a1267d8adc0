"""What single types say of their layers in ways of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import hold, uniform
from flopsheet_moe.longcat import read_longcat
from flopsheet_moe.pictures import read_pictures
from flopsheet_moe.reading import read_mixture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet import Family, Reading

    Config = Mapping[str, Any]


DBRX_FIELDS = (
    *("kv_n_heads", "rope_theta", "clip_qkv", "attn_pdrop"),
    *("moe_num_experts", "moe_top_k", "ffn_hidden_size", "hidden_size", "ffn_act_fn"),
    *("moe_jitter_eps", "moe_loss_weight", "moe_normalize_expert_weights", "uniform_expert_assignment"),
    *("model_type", "dtype", "torch_dtype", "_name_or_path", "transformers_version"),
)
"""Fields of DBRX's tables that are counted by, or that change no count."""


def read(config: Config, family: Family) -> Reading:
    """Count the layers with experts and with windows, and whatever else the family's hints ask for."""
    return read_mixture(config, family, SPECIAL)


def _dbrx(config: Config, reading: Reading) -> None:
    """DBRX keeps heads and experts in tables of their own."""
    heads, experts = config.get("attn_config") or {}, config.get("ffn_config") or {}
    if "rope_theta" not in heads:
        raise ValueError("attn_config has no rope_theta, and the class computes with it")
    reading.keys.update(("attn_config", "ffn_config"))
    reading.problems += [
        f"field {table}.{key} = {str(value)[:60]} is not understood: it may change the count"
        for table, fields in (("attn_config", heads), ("ffn_config", experts))
        for key, value in fields.items()
        if value and key not in DBRX_FIELDS
    ]
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
        reading.values[name] = uniform(config[field], field, reading)
    for field, value in (("num_shared_expert", 1), ("moe_intermediate_size", config["intermediate_size"])):
        if field in config:
            hold({field: uniform(config[field], field, reading)}, reading, {field: value})


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
        reading.values[name] = default if value is None else uniform(value, field, reading)
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


SPECIAL: Mapping[str, Callable[[Config, Reading], None]] = {
    "dbrx": _dbrx,
    "hunyuan": _hunyuan,
    "hunyuan_first": _hunyuan_first,
    "cohere": _cohere,
    "laguna": _laguna,
    "longcat": read_longcat,
    "minimax": _minimax,
    "pictures": read_pictures,
}
"""The hint `special`: what else a type's configs say of its layers."""
