"""Configs of flash-linear-attention: widths as multiples of the model's, and attention in some of the layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Reading

KNOWN = {"layers", "num_heads", "num_kv_heads", "qkv_bias", "window_size", "rope_theta"}


def read_heads(config: Mapping[str, Any], reading: Reading) -> None:
    """Read heads whose size is a field, with values that are a multiple as wide."""
    heads, size = config["num_heads"], config["head_dim"]
    value = size * config["expand_v"]
    if value != int(value):
        raise ValueError(f"expand_v = {config['expand_v']} makes no whole number of a head of {size} channels")
    set_heads(reading, heads, config.get("num_v_heads") or heads, size, int(value))
    _read_attention(config, reading)


def read_widths(config: Mapping[str, Any], reading: Reading) -> None:
    """Read widths of all heads together, which are multiples of the model's."""
    heads, d_model = config["num_heads"], config["hidden_size"]
    key, value = (int(d_model * config[name]) for name in ("expand_k", "expand_v"))
    if key % heads or value % heads:
        raise ValueError(f"num_heads = {heads} must divide the widths of keys and values, {key} and {value}")
    if config.get("num_kv_heads") not in (None, heads):
        reading.problems.append("num_kv_heads: heads that share keys and values are not understood: each has its own")
    set_heads(reading, heads, heads, key // heads, value // heads)
    _read_attention(config, reading)


def read_width(config: Mapping[str, Any], reading: Reading) -> None:
    """Take the MLP's width from the model's where no field says it: a multiple of 256 of two thirds of the ratio."""
    width = int(config["hidden_size"] * (config.get("hidden_ratio") or 4) * 2 / 3)
    reading.values["d_ff"] = config.get("intermediate_size") or width + -width % 256


def read_window(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the window of all layers."""
    if config.get("window_size"):
        reading.values |= {"n_window_layers": config["num_hidden_layers"], "window": config["window_size"]}


def set_heads(reading: Reading, key_heads: int, value_heads: int, d_key: int, d_value: int) -> None:
    """Give the heads of the delta rule and their sizes."""
    names = ("n_delta_key_heads", "n_delta_value_heads", "d_delta_key", "d_delta_value")
    reading.values |= dict(zip(names, (key_heads, value_heads, d_key, d_value), strict=True))


def _read_attention(config: Mapping[str, Any], reading: Reading) -> None:
    """Read which layers have attention: one table, or several of which the first says the heads."""
    attention = config.get("attn")
    tables = [attention] if isinstance(attention, dict) else attention or []
    reading.keys.add("attn")
    if not tables:
        return
    shapes = [{key: value for key, value in table.items() if key != "layers"} for table in tables]
    if any(shape != shapes[0] for shape in shapes) or set(shapes[0]) - KNOWN:
        reading.problems.append("attn: attention of several shapes is not understood: the first is counted")
    layers = sum(len(set(table["layers"])) for table in tables)
    heads, window = shapes[0]["num_heads"], shapes[0].get("window_size")
    reading.values |= {
        "n_attention_layers": layers,
        "n_heads": heads,
        "n_kv_heads": shapes[0].get("num_kv_heads") or heads,
        "qkv_bias": bool(shapes[0].get("qkv_bias")),
    }
    if window:
        reading.values |= {"n_window_layers": layers, "window": window}
