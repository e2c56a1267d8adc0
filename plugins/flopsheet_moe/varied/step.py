"""Step 3.5: what its configs say of experts and of the heads of sliding layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet_moe.fixed_fields import hold, window_of
from flopsheet_moe.layers import FULL, SLIDING, of_length, sparse_layers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet import Reading

    Config = Mapping[str, Any]


def read_step(config: Config, reading: Reading) -> None:
    """Step 3.5: sliding layers have query heads of their own; lists may go on with those of the prediction layers."""
    depth = config["num_hidden_layers"]
    names = config.get("layer_types") or [FULL] * depth
    has_prediction = len(names) == depth + (config.get("num_nextn_predict_layers") or 0)
    kinds = of_length(names[:depth] if has_prediction else names, depth, "layer_types", {SLIDING, FULL})
    sparse = sparse_layers({"mlp_layer_types": _experts(config, depth)}, depth, "third")
    n_local = kinds.count(SLIDING)
    if config.get("sliding_window") is None:
        reading.notes.append("sliding_window is missing or null: the class can be built but not run: it masks by one")
    reading.keys.update(("layer_types", "mlp_layer_types", "moe_layers_enum", "sliding_window", "per_layer_config"))
    reading.keys.update(("mtp_layer_types", "mtp_mlp_layer_types"))
    reading.values |= {"n_moe_layers": sum(sparse), "n_dense_layers": depth - sum(sparse)}
    reading.values |= {"n_local_layers": n_local, "n_global_layers": depth - n_local}
    hold(config, reading, {"first_k_dense_replace": depth - sum(sparse), "num_experts": config["num_local_experts"]})
    heads = _heads(config, kinds, reading)
    reading.values |= {"local_window": window_of(config), "local_heads": heads} if n_local else {}


def _experts(config: Config, depth: int) -> list[str] | None:
    """Return the layers' kinds as `mlp_layer_types` or the older `moe_layers_enum` has them, else nothing."""
    kinds, layers = config.get("mlp_layer_types"), config.get("moe_layers_enum")
    if kinds is not None or layers is None:
        return kinds and kinds[:depth]
    layers = layers.split(",") if isinstance(layers, str) else layers
    sparse = {int(layer) for layer in layers if str(layer).strip()}
    return ["sparse" if layer in sparse else "dense" for layer in range(depth)]


def _heads(config: Config, kinds: Sequence[str], reading: Reading) -> Any:
    """Return the query heads of sliding layers, which three fields may say."""
    other = config.get("attention_other_setting") or {}
    common = {"num_attention_groups": config["num_key_value_heads"], "head_dim": config["head_dim"]}
    reading.keys.update(("attention_other_setting", "num_sliding_attention_heads"))
    for field, value in common.items():
        if other.get(field, value) != value:
            reading.problems.append(f"attention_other_setting.{field} differs from what transformers builds")
    heads = config.get("num_sliding_attention_heads") or other.get("num_attention_heads")
    by_layer = config.get("per_layer_config")
    if by_layer is None:
        return heads or config["num_attention_heads"]
    own = {int(layer): shape.get("num_attention_heads") for layer, shape in by_layer.items()}
    sliding = {own.get(i, config["num_attention_heads"]) for i, kind in enumerate(kinds) if kind == SLIDING}
    if len(sliding) > 1 or any(own.get(i) for i, kind in enumerate(kinds) if kind != SLIDING):
        reading.problems.append("per_layer_config differs within layers of one kind: it may change the count")
    return next(iter(sliding), config["num_attention_heads"])
