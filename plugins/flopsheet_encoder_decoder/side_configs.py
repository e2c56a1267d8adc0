"""Configs with a part for each side, as T5Gemma's: `encoder` and `decoder` are configs of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading, read_windows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family

FIELDS = {
    "num_hidden_layers": "layers",
    "num_attention_heads": "heads",
    "num_key_value_heads": "kv_heads",
    "head_dim": "d_head",
    "intermediate_size": "d_ff",
}
DEFAULTS = {
    "vocab_size": 256000,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "max_position_embeddings": 8192,
    "attention_bias": False,
}
"""Class defaults of T5GemmaModuleConfig."""

WINDOW_FIELDS = {"window_layers": "n_window_layers", "window": "window"}
NO_VALUE: tuple[Any, ...] = (None, [], {}, "", False, 0)


def read_nested(config: Mapping[str, Any], family: Family) -> Reading:
    """Return the dimensions of both sides."""
    reading = Reading(keys={"encoder", "decoder", "vocab_size"})
    encoder, decoder = (DEFAULTS | _part(config, side) for side in ("encoder", "decoder"))
    _read_side("encoder", encoder, family, reading)
    _read_side("decoder", decoder, family, reading)
    reading.values |= {"d_model": encoder["hidden_size"], "decoder_d_model": decoder["hidden_size"]}
    reading.values |= {"vocab_size": encoder["vocab_size"], "target_vocab_size": decoder["vocab_size"]}
    bias, encoder_bias = int(decoder["attention_bias"]), int(encoder["attention_bias"])
    reading.values |= {"qkv_bias": bias, "out_bias": bias}
    reading.values |= dict.fromkeys(("encoder_qkv_bias", "encoder_k_bias", "encoder_out_bias"), encoder_bias)
    reading.values["max_positions"] = max(part["max_position_embeddings"] for part in (encoder, decoder))
    return reading


def _part(config: Mapping[str, Any], side: str) -> dict[str, Any]:
    part = config.get(side) or {}
    if not isinstance(part, dict):
        raise TypeError(f"{side} is not a table of fields")
    return part


def _read_side(side: str, part: Mapping[str, Any], family: Family, reading: Reading) -> None:
    """Read one side's part: its shape, its windows, and what nothing reads."""
    reading.values |= {f"{side}_{name}": part[key] for key, name in FIELDS.items()}
    windows = read_windows(part, family)
    reading.values |= {
        f"{side}_{name}": windows.values[key] for name, key in WINDOW_FIELDS.items() if key in windows.values
    }
    reading.notes += [f"{side}: {note}" for note in windows.notes if side == "decoder"]
    known_keys = DEFAULTS.keys() | windows.keys | set(family.hints["passed_over"])
    reading.problems += [f"{side}: {problem}" for problem in windows.problems]
    reading.problems += [
        f"field {side}.{key} = {str(value)[:60]} is not understood: it may change the count"
        for key, value in part.items()
        if key not in known_keys and value not in NO_VALUE and not key.startswith("_")
    ]
