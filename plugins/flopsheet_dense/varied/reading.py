"""How configs say what each layer is: Nemotron's `block_configs`, DeciLM's and OpenELM's lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from flopsheet import Family

    Config = Mapping[str, Any]

PLAIN: tuple[Any, ...] = (None, False, 0, {}, [])
MULTIPLE = 256
"""DeciLM rounds its MLP widths up to a multiple of this."""

ATTENTION = {"n_heads_in_group", "no_op", "replace_with_linear"}
FFN = {"ffn_mult", "intermediate_size", "no_op", "replace_with_linear", "hidden_act", "gated"}


def read(config: Config, family: Family) -> Reading:
    """Sum heads and widths over the layers, in the family's `style`."""
    reading = Reading()
    STYLES[family.hints["style"]](config, reading)
    return reading


def _blocks(config: Config, reading: Reading) -> None:
    """Nemotron: a table for each layer says what is in the place of attention and MLP."""
    depth, heads = config["num_hidden_layers"], config["num_attention_heads"]
    layers = _of_length(config["block_configs"], depth, "block_configs")
    reading.keys.update(("block_configs", "num_attention_heads"))
    attention, ffn = ([layer[name] for layer in layers] for name in ("attention", "ffn"))
    full, dense = (
        [part for part in parts if not part.get("no_op") and not part.get("replace_with_linear")]
        for parts in (attention, ffn)
    )
    _check_known(full, ATTENTION, reading)
    _check_known(dense, FFN, reading)
    reading.values |= {
        "n_attention_layers": len(full),
        "n_linear_attentions": sum(_is_linear(part) for part in attention),
        "sum_heads": heads * len(full),
        "sum_kv_heads": sum(heads // part["n_heads_in_group"] for part in full),
        "d_head": config.get("head_dim") or config["hidden_size"] // heads,
        "n_mlp_layers": len(dense),
        "n_linear_mlps": sum(_is_linear(part) for part in ffn),
        "sum_d_ff": sum(_deci_width(part, config["hidden_size"]) for part in dense),
    }


def _is_linear(part: Mapping[str, Any]) -> bool:
    return bool(part.get("replace_with_linear")) and not part.get("no_op")


def _check_known(parts: Sequence[Mapping[str, Any]], fields: set[str], reading: Reading) -> None:
    """Add a problem for what a layer's table says beyond the known fields: windows, sinks, experts."""
    others = {key for part in parts for key, value in part.items() if key not in fields and value not in PLAIN}
    for key in sorted(others):
        reading.problems.append(f"block_configs has {key}, which is not understood: it may change the count")


def _deci_width(part: Mapping[str, Any], d_model: int) -> int:
    """Return the width of an MLP, in the class's own arithmetic."""
    if part.get("ffn_mult") is None:
        return int(part["intermediate_size"])
    width = int(2 * part["ffn_mult"] * d_model / 3)
    return width + -width % MULTIPLE


def _deci(config: Config, reading: Reading) -> None:
    """DeciLM: a list of key/value heads, everything else alike."""
    depth, heads = config["num_hidden_layers"], config["num_attention_heads"]
    kv_heads = _of_length(config["num_key_value_heads_per_layer"], depth, "num_key_value_heads_per_layer")
    reading.keys.update(("num_key_value_heads_per_layer", "num_attention_heads", "intermediate_size"))
    reading.values |= {
        "sum_heads": depth * heads,
        "sum_kv_heads": sum(kv_heads),
        "d_head": config["hidden_size"] // heads,
        "sum_d_ff": depth * config["intermediate_size"],
    }


def _openelm(config: Config, reading: Reading) -> None:
    """OpenELM: lists of heads, and multipliers of the MLP's width."""
    depth, divisor = config["num_hidden_layers"], config["ffn_dim_divisor"]
    reading.keys.update(("num_query_heads", "num_kv_heads", "ffn_multipliers", "ffn_dim_divisor"))
    multipliers = _of_length(config["ffn_multipliers"], depth, "ffn_multipliers")
    reading.values |= {
        "sum_heads": sum(_of_length(config["num_query_heads"], depth, "num_query_heads")),
        "sum_kv_heads": sum(_of_length(config["num_kv_heads"], depth, "num_kv_heads")),
        "sum_d_ff": sum(_divisible(share * config["hidden_size"], divisor) for share in multipliers),
    }


def _divisible(width: float, divisor: int) -> int:
    """Round a width to a multiple as OpenELM does: to the nearest, but never by more than a tenth down."""
    nearest = max(divisor, int(width + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * width else nearest


def _of_length(values: Sequence[Any], depth: int, field: str) -> Sequence[Any]:
    if not isinstance(values, list) or len(values) != depth:
        raise ValueError(f"{field} is not a list with one entry for each of {depth} layers")
    return values


STYLES: Mapping[str, Callable[[Config, Reading], None]] = {"blocks": _blocks, "deci": _deci, "openelm": _openelm}
