"""What declared fields cannot say: lists of layers, and fields whose meaning hangs on others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from flopsheet import Family, Reading, blocks
from flopsheet_hybrid.fla import read_heads, read_width, read_widths, read_window, set_heads
from flopsheet_hybrid.layers import FULL, LINEAR, SHARED, SLIDING, kinds_of, sparse_layers

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS = {
    FULL: "n_attention_layers",
    "recurrent": "n_recurrent_layers",
    "conv": "n_conv_layers",
    "moe": "n_moe_layers",
    "mlp": "n_mlp_layers",
}

PREDICTED = ("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers")


STATES = ("mamba_ssm_dtype", "mamba_ssm_cache_dtype")
"""Fields that say the type of states in a cache."""


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Return the counts of every kind of layer, and the values that one field alone does not give."""
    reading = Reading(keys={*family.hints.get("lists", ()), *STATES})
    _read_states(config, reading)
    _read_automatic(config, reading)
    if "layers" in family.hints:
        _read_layers(config, family, reading)
    for name in family.hints.get("also", ()):
        ALSO[name](config, reading)
    if "experts" in family.hints:
        reading.values["n_moe_layers"] = sparse_layers(config, family.hints["experts"])
    extra = sum(config.get(field) or 0 for field in PREDICTED)
    if extra:
        reading.notes.append(f"multi-token prediction layers are not counted ({extra}): no model class includes them")
    return reading


def _read_states(config: Mapping[str, Any], reading: Reading) -> None:
    """Say where a config asks for states of 4 bytes, which are the workload's choice."""
    name = next((name for name in STATES if config.get(name) == "float32"), None)
    if name:
        reading.notes.append(
            f"{name} = float32 asks for recurrent states of 4 bytes; they take state_dtype_bytes, 2 unless set:"
            " state_dtype_bytes = 4 and conv_dtype_bytes = 2 are transformers' cache"
        )


def _read_layers(config: Mapping[str, Any], family: Family, reading: Reading) -> None:
    kinds = kinds_of(config, family.hints["layers"])
    names = KINDS | {LINEAR: family.hints.get("linear", ""), **family.hints.get("kinds", {})}
    counts = Counter(kinds)
    if family.hints.get("shared"):
        _read_shared(config, counts, reading)
    if "windows" in family.hints:
        _read_windows(config, counts, family, reading)
    unknown = sorted(str(kind) for kind in counts if not names.get(kind))
    if unknown:
        reading.problems.append(f"layers are of kinds that are not understood: {', '.join(unknown)}")
    reading.values |= {names[kind]: count for kind, count in counts.items() if names.get(kind)}
    _read_length(config, len(kinds), family, reading)


def _read_length(config: Mapping[str, Any], length: int, family: Family, reading: Reading) -> None:
    """Take the list's length where the class does; a list of another length than the layers is a problem elsewhere."""
    if family.hints.get("list_rules"):
        reading.values["n_layers"] = length
        if length != config.get("num_hidden_layers", length):
            text = f"the pattern names {length} layers, num_hidden_layers says {config['num_hidden_layers']}"
            reading.notes.append(f"{text}: counted as the pattern says, which is what transformers builds")
    elif length != config["num_hidden_layers"]:
        reading.problems.append(f"the list names {length} layers, num_hidden_layers says {config['num_hidden_layers']}")


def _read_shared(config: Mapping[str, Any], counts: Counter[str], reading: Reading) -> None:
    """Count Zamba's shared blocks: each of their layers has a mixer as well."""
    uses = counts.pop(SHARED, 0)
    counts[LINEAR] += uses
    n_blocks = min(config.get("num_mem_blocks", 1), uses)
    reading.values |= {"n_shared_uses": uses, "n_shared_blocks": n_blocks}
    if n_blocks < uses and not config["tie_word_embeddings"]:
        reading.problems.append("with tie_word_embeddings = false transformers shares no block: counted as shared")


def _read_windows(config: Mapping[str, Any], counts: Counter[str], family: Family, reading: Reading) -> None:
    """Count layers with windows among those with attention; the hint `windows` is the class default of their width."""
    sliding, window = counts.pop(SLIDING, 0), config.get("sliding_window", family.hints["windows"])
    counts[FULL] += sliding
    if not window or not sliding:
        return
    reading.values |= {"n_window_layers": sliding, "window": window}
    if "sliding_window" not in config:
        reading.notes.append(blocks.DEFAULT_WINDOW.format(window))


def _read_automatic(config: Mapping[str, Any], reading: Reading) -> None:
    """Leave fields that say `auto` to the dimension's default."""
    for field, name in (("mamba_dt_rank", "dt_rank"), ("mamba_d_head", "d_ssm_head")):
        if config.get(field) == "auto":
            reading.values[name] = None


def _wide_heads(config: Mapping[str, Any], reading: Reading) -> None:
    if not config.get("head_dim"):
        reading.values["d_head"] = 2 * config["hidden_size"] // config["num_attention_heads"]


OLD_HEADS = 8
"""Heads that the class takes where published configs of Zamba 2's own code are silent, which have many more."""


def _zamba2(config: Mapping[str, Any], reading: Reading) -> None:
    """Fill in the MLP's width, and say where fields of older configs differ from what the class builds."""
    width, old_width = config.get("intermediate_size") or 4 * config["hidden_size"], config.get("ffn_hidden_size")
    reading.values["d_ff"] = width
    if old_width not in (None, width):
        reading.problems.append(f"ffn_hidden_size = {old_width} is ignored by the class, which builds {width}")
    inner, heads = int(config["mamba_expand"] * config["hidden_size"]), config["n_mamba_heads"]
    size = config.get("mamba_headdim", inner // heads)
    if heads * size != inner:
        wrong = f"{heads} heads of {size} channels are not the {inner} of mamba_expand x hidden_size"
        if heads != OLD_HEADS or "mamba_headdim" not in config:
            raise ValueError(wrong)
        reading.notes.append(f"{wrong}: the class can be built but not run")
    ids = config.get("hybrid_layer_ids")
    if ids is not None and len(ids) != reading.values.get("n_shared_uses", len(ids)):
        reading.problems.append("hybrid_layer_ids contradicts the list of layers")


def _lfm2(config: Mapping[str, Any], reading: Reading) -> None:
    """Round the MLP's width as the class does, in its own arithmetic."""
    width = config.get("block_ff_dim", config["intermediate_size"])
    multiple, factor = config["block_multiple_of"], config.get("block_ffn_dim_multiplier")
    if config["block_auto_adjust_ff_dim"]:
        width = int(2 * width / 3)
        width = width if factor is None else multiple * -(-int(factor * width) // multiple)
    reading.values["d_ff"] = width


def _old_tie(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the older name of a field, which the class prefers."""
    if "tie_embedding" in config:
        reading.values["tied_head"] = config["tie_embedding"]


def _olmo(config: Mapping[str, Any], reading: Reading) -> None:
    """Take the heads of the delta rule from attention's, and their sizes from the width, where a config is silent."""
    heads = config.get("linear_num_key_heads") or config["num_attention_heads"]
    values = config.get("linear_num_value_heads") or config["num_attention_heads"]
    d_key = config.get("linear_key_head_dim") or int(0.75 * config["hidden_size"] / heads)
    d_value = config.get("linear_value_head_dim") or 2 * d_key
    set_heads(reading, heads, values, d_key, d_value)


def _kimi(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the delta rule's heads, which published configs keep in a table of their own."""
    table = config.get("linear_attn_config") or {}
    heads = table.get("num_heads", config["linear_num_heads"])
    size = table.get("head_dim", config["linear_head_dim"])
    set_heads(reading, heads, heads, size, size)
    reading.values["delta_rank"] = size
    reading.values["d_conv"] = table.get("short_conv_kernel_size", config["linear_conv_kernel_dim"])


def _kimi_k3(config: Mapping[str, Any], reading: Reading) -> None:
    """Read where layers choose among the sums of earlier blocks, and gates that are matrices of full rank."""
    table, n_layers = config.get("linear_attn_config") or {}, config["num_hidden_layers"]
    if table.get("use_full_rank_gate"):
        reading.values["delta_gate_rank"] = 0
    size = config.get("attn_res_block_size")
    if size:
        before = sum(-(-i // size) + 1 for i in range(1, n_layers))
        behind = sum(i // size + 2 for i in range(n_layers))
        reading.values["n_residual_sites"] = 2 * n_layers + 1
        reading.values["n_residual_reads"] = before + behind + -(-n_layers // size) + 1


def _bailing(config: Mapping[str, Any], reading: Reading) -> None:
    """Take the delta rule's heads from attention's; a config saved by the class says them apart."""
    heads = config.get("linear_num_heads", config["num_attention_heads"])
    size = config.get("linear_head_dim", config["head_dim"])
    set_heads(reading, heads, heads, size, size)
    reading.values["d_conv"] = config.get("linear_conv_kernel_dim", config["short_conv_kernel_size"])


def _xlstm(config: Mapping[str, Any], reading: Reading) -> None:
    """Say where the class's cache does not fit its layers: it rounds the width of all heads up to multiples of 64."""
    wide = (int(config["hidden_size"] * config[f"{name}_dim_factor"]) for name in ("qk", "v"))
    if any(-(-width // 64) * 64 // config["num_heads"] != width // config["num_heads"] for width in wide):
        reading.notes.append(
            "the width of queries or values is not a multiple of 64, to which the class rounds the heads in its cache:"
            " with a cache the class can be built but not run"
        )


def _minicpm3(config: Mapping[str, Any], reading: Reading) -> None:
    """Take the values' head size from the width where a config is silent."""
    if config.get("v_head_dim") is None:
        reading.values["d_head_v"] = config["hidden_size"] // config["num_attention_heads"]


ALSO = {
    "fla_heads": read_heads,
    "fla_width": read_width,
    "fla_widths": read_widths,
    "fla_window": read_window,
    "wide_heads": _wide_heads,
    "zamba2": _zamba2,
    "lfm2": _lfm2,
    "old_tie": _old_tie,
    "olmo": _olmo,
    "xlstm": _xlstm,
    "kimi": _kimi,
    "kimi_k3": _kimi_k3,
    "bailing": _bailing,
    "minicpm3": _minicpm3,
}
"""Readings of single types, by the family's hint `also`."""
