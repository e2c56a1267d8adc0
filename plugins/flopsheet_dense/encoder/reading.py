"""What formulas cannot read of an encoder's config: labels, DeBERTa's positions, windows on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Family, Reading
from flopsheet_dense.reading import FULL, SLIDING, read_alternating

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SMALLEST_WINDOW = 4
"""What the class's masks of its first and last positions want; halves of it lie on both sides."""


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Read the labels, then what the family's hint `style` asks for."""
    reading = Reading()
    labels = config.get("id2label")
    reading.values["n_labels"] = len(labels) if isinstance(labels, dict) else config.get("num_labels") or 2
    if style := STYLES.get(family.hints.get("style", "")):
        style(config, reading)
    return reading


def _deberta(config: Mapping[str, Any], reading: Reading) -> None:
    """Read disentangled attention: which scores there are, and whose projections they use."""
    reading.keys |= {"relative_attention", "pos_att_type", "share_att_key", "position_buckets", "norm_rel_ebd"}
    reading.keys |= {"max_relative_positions", "position_biased_input"}
    has_norm = "layer_norm" in str(config.get("norm_rel_ebd", "none"))
    reading.values["final_norms"] = 2 if has_norm else 1
    if not config.get("position_biased_input", True):
        reading.values["n_position_rows"] = 0
    if config.get("relative_attention"):
        _read_disentangled(config, reading)


def _read_disentangled(config: Mapping[str, Any], reading: Reading) -> None:
    names = config.get("pos_att_type") or []
    kinds = {kind for kind in ("c2p", "p2c") if kind in names}
    span = _positive(config.get("max_relative_positions")) or config["max_position_embeddings"]
    is_shared = bool(config.get("share_att_key"))
    reading.values["n_relative_rows"] = 2 * (_positive(config.get("position_buckets")) or span)
    reading.values["n_relative_scores"] = len(kinds)
    reading.values["n_relative_projections"] = 0 if is_shared else len(kinds)
    reading.values["n_relative_uses"] = 2 if is_shared else len(kinds)


def _first_deberta(config: Mapping[str, Any], reading: Reading) -> None:
    """Read DeBERTa of 2020, whose projections are its own and of which only that of queries has a bias."""
    _deberta({**config, "share_att_key": False, "position_buckets": -1, "norm_rel_ebd": "none"}, reading)
    reading.keys -= {"share_att_key", "position_buckets", "norm_rel_ebd"}
    scores = config.get("relative_attention") and config.get("pos_att_type")
    reading.values["n_relative_biases"] = int("p2c" in (scores or ()))


def _positive(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _ultrabert(config: Mapping[str, Any], reading: Reading) -> None:
    """Read which layers look `sliding_window` tokens to each side: all but every third."""
    reading.keys |= {"layer_types", "sliding_window", "classifier_pooling"}
    n_layers = config["num_hidden_layers"]
    kinds = config.get("layer_types") or [SLIDING if (layer + 1) % 3 else FULL for layer in range(n_layers)]
    if set(kinds) - {FULL, SLIDING}:
        reading.problems.append(f"layer_types is not understood: {sorted(set(kinds))}")
    reading.values |= {"n_window_layers": kinds.count(SLIDING), "window": config["sliding_window"]}


def _xmod(config: Mapping[str, Any], reading: Reading) -> None:
    """Count the languages, each of which has an adapter a layer."""
    reading.keys.add("languages")
    reading.values["n_adapters"] = len(set(map(str, config["languages"])))


def _esm(config: Mapping[str, Any], reading: Reading) -> None:
    """Read whether positions are a table, and whether the embedding is normed."""
    reading.keys |= {"position_embedding_type", "emb_layer_norm_before"}
    kind = config.get("position_embedding_type")
    if kind == "rotary":
        reading.values["n_position_rows"] = 0
    elif kind != "absolute":
        reading.problems.append(f"position_embedding_type = {kind!r} is not understood: counted as absolute")
    reading.values["embedding_norms"] = int(bool(config.get("emb_layer_norm_before")))


def _read_pooling(config: Mapping[str, Any], reading: Reading) -> None:
    """Read whether tokens are pooled after they are classified."""
    reading.keys.add("classifier_pooling")
    if config.get("classifier_pooling") == "late":
        reading.values["classifies_tokens"] = 1


def _longformer(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the windows of the layers: one number, or one a layer."""
    reading.keys.add("attention_window")
    window, n_layers = config["attention_window"], config["num_hidden_layers"]
    windows = window if isinstance(window, list) else [window] * n_layers
    if len(windows) != n_layers:
        reading.problems.append(f"attention_window names {len(windows)} layers, num_hidden_layers says {n_layers}")
    if odd := [size for size in windows if size % 2 or size < SMALLEST_WINDOW]:
        raise ValueError(f"attention_window = {odd[0]}: an even number of at least {SMALLEST_WINDOW} is expected")
    halves = [size // 2 for size in windows]
    reading.values |= {"sum_reach": sum(halves), "sum_reach_squares": sum(half * half for half in halves)}
    reading.values |= {"token_multiple": max(windows, default=1), "n_global_layers": n_layers}
    reading.notes.append("FLOP are those without global tokens, which only a caller can name")


def _big_bird(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the attention: sparse blocks for long texts, or all pairs."""
    reading.keys |= {"attention_type", "block_size", "num_random_blocks"}
    kind = config["attention_type"]
    if kind not in ("block_sparse", "original_full"):
        reading.problems.append(f"attention_type = {kind!r} is not understood: counted as original_full")
    if kind == "block_sparse" and config.get("is_decoder"):
        reading.problems.append("a decoder with sparse blocks is not understood: its attention is counted as causal")
    elif kind == "block_sparse":
        reading.values |= {"sparse_block": config["block_size"], "n_random_blocks": config["num_random_blocks"]}


def _tapas(config: Mapping[str, Any], reading: Reading) -> None:
    """Add up the tables of token types: columns, rows, ranks and their like."""
    reading.keys.add("type_vocab_sizes")
    reading.values["n_token_types"] = sum(config["type_vocab_sizes"])


def _xlm(config: Mapping[str, Any], reading: Reading) -> None:
    """Refuse attention that only looks back, and a head of adaptive softmax."""
    for field in ("causal", "asm"):
        reading.keys.add(field)
        if config.get(field):
            reading.problems.append(f"{field} = True is not understood: counted without it")


STYLES: dict[str, Callable[[Mapping[str, Any], Reading], None]] = {
    "big_bird": _big_bird,
    "deberta": _deberta,
    "first_deberta": _first_deberta,
    "esm": _esm,
    "longformer": _longformer,
    "modernbert": read_alternating,
    "pooled": _read_pooling,
    "tapas": _tapas,
    "ultrabert": _ultrabert,
    "xlm": _xlm,
    "xmod": _xmod,
}
