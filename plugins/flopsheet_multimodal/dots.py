"""The towers of dots3: vision with experts in some layers, whose number may differ, and sound with older fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Config = Mapping[str, Any]

PYRAMID = [-1] * 25 + [*range(4, 65, 4), 64]
"""Experts of each layer where no field says them; those without have an MLP."""
EXPERTS, CHOSEN = "num_local_experts", "num_experts_per_tok"
DIFFERS = "per_layer_config changes other fields than the experts of layers: it may change the count"


def read_pyramid(config: Config) -> Reading:
    """Sum the experts and routers of all layers, and what of them a position passes."""
    width, expert = config["hidden_size"], 3 * config["moe_intermediate_size"]
    layers, problems = _layers_with_experts(config)
    if layers and config["mlp_bias"]:
        raise ValueError("mlp_bias asks for biases, which experts have none of")
    if wrong := [layer for layer in layers if layer[CHOSEN] > layer[EXPERTS]]:
        raise ValueError(f"a position cannot pass {wrong[0][CHOSEN]} of {wrong[0][EXPERTS]} experts")
    values = {
        "mlp_layers": config["num_hidden_layers"] - len(layers),
        "expert_weights": width * sum((1 + expert) * layer[EXPERTS] for layer in layers),
        "expert_products": width * sum(layer[EXPERTS] + expert * layer[CHOSEN] for layer in layers),
    }
    return Reading(values, problems=problems)


def _layers_with_experts(config: Config) -> tuple[list[dict[str, int]], list[str]]:
    """Return the experts and those chosen of each layer that has any, and what is not understood."""
    kinds, pyramid, chosen = config["mlp_layer_types"], config.get("pyramid_num_routed"), config[CHOSEN]
    chosen = config.get("capacity_factor", 2) if chosen is None else chosen
    pyramid = PYRAMID if pyramid is None and kinds is None else pyramid
    own = {}
    if pyramid is not None:
        kinds = ["sparse" if count > 0 else "dense" for count in pyramid]
        own = {i: {EXPERTS: count, CHOSEN: min(chosen, count)} for i, count in enumerate(pyramid) if count > 0}
    own = {int(layer): fields for layer, fields in (config.get("per_layer_config", own) or {}).items()}
    _check(kinds, own, config["num_hidden_layers"])
    known = {EXPERTS: config[EXPERTS], CHOSEN: chosen}
    layers = [known | own.get(i, {}) for i, kind in enumerate(kinds) if kind == "sparse"]
    return layers, [DIFFERS] if any(fields.keys() - known.keys() for fields in own.values()) else []


def _check(kinds: Sequence[Any], own: Mapping[int, Any], depth: int) -> None:
    if len(kinds) != depth or any(layer >= depth for layer in own):
        raise ValueError(f"the kinds of its MLPs, or their experts, are not those of {depth} layers")


WHISPER = {
    "d_model": "hidden_size",
    "encoder_attention_heads": "num_attention_heads",
    "encoder_layers": "num_hidden_layers",
    "encoder_ffn_dim": "intermediate_size",
    "num_mel_bins": "feature_size",
}
"""Fields of the table of published configs, which win, and those that they are."""
FILLED = "the last part of a clip of more than a minute is counted as long as it is; transformers fills it up"


def read_whisper(config: Config) -> Reading:
    """Read the fields, of older names too, and sum three convolutions, each of which halves time and bands."""
    older = config.get("whisper_config") or {}
    fields = dict(config) | {name: older[field] for field, name in WHISPER.items() if field in older}
    wide, width, hidden = (fields[name] for name in ("downsample_hidden_size", "hidden_size", "intermediate_size"))
    if width % fields["num_attention_heads"] or width != fields["adapter_input_size"]:
        raise ValueError("hidden_size must be adapter_input_size, and a multiple of num_attention_heads")
    bands = [-(-fields["feature_size"] // joined) for joined in (2, 4, 8)]
    values = {
        "layers": fields["num_hidden_layers"],
        "d_model": width,
        "heads": fields["num_attention_heads"],
        "d_ff": hidden,
        "layer_vectors": (3 + 3 * bool(fields["attention_bias"])) * width + 2 * hidden,
        "stem_weights": 9 * wide * (1 + 2 * wide),
        "stem_products": 9 * wide * (4 * bands[0] + (2 * bands[1] + bands[2]) * wide),
        "entry_weights": wide * bands[2] * width,
        "vectors": 3 * wide + width,
        "projector_d_in": width,
        "projector_vectors": 2 * width + 2 * fields["adapter_out_dim"],
    }
    return Reading(values, notes=[FILLED])
