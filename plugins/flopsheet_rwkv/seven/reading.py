"""What formulas cannot read of an RWKV-7 config: ranks that follow the width, lists, and attention layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Family

RANKS = {"decay": (2.5, True), "gate": (5, False), "a": (2.5, True), "v": (1.7, True)}
"""How many square roots of the width a rank has where none is given, and whether it grows with the head."""
STEP, HEAD = 32, 64


def read(config: Mapping[str, Any], family: Family) -> Reading:  # noqa: ARG001 - readers have one shape
    """Return heads, ranks and widths as the class derives them."""
    reading = Reading(keys={"head_dim", "num_heads", "value_dim", "attn", "hidden_ratio"})
    d_model, head, heads = config["hidden_size"], config.get("head_dim"), config.get("num_heads")
    head = d_model // heads if head is None and heads else head or HEAD
    reading.values |= {"d_head": head, "n_heads": d_model // head}
    _read_ranks(config, d_model, head, reading)
    width = int(d_model * (config.get("hidden_ratio") or 4))
    reading.values["d_ff"] = config.get("intermediate_size") or width + -width % STEP
    _read_values(config, d_model, reading)
    if config.get("attn"):
        reading.problems.append("attn: layers with attention are not counted for RWKV-7: all are counted as its own")
    return reading


def _read_ranks(config: Mapping[str, Any], d_model: int, head: int, reading: Reading) -> None:
    for name, (factor, grows) in RANKS.items():
        field = f"{name}_low_rank_dim"
        reading.keys.add(field)
        rank = factor * d_model**0.5 * (head / HEAD if grows else 1)
        value = config.get(field)
        reading.values[f"{name}_rank"] = max(STEP, round(rank / STEP) * STEP) if value is None else value


def _read_values(config: Mapping[str, Any], d_model: int, reading: Reading) -> None:
    value = config.get("value_dim")
    widths = value if isinstance(value, list) else [value or d_model]
    reading.values["d_value"] = widths[0]
    if any(width != widths[0] for width in widths):
        reading.problems.append("value_dim differs between layers: only the first is counted")
