"""Evolla's protein encoder, its resampler, and the layers that let text see a protein: weights, as one sum."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELD = "protein_encoder_config"
DEFAULTS = {
    "vocab_size": 446,
    "hidden_size": 1280,
    "num_hidden_layers": 33,
    "num_attention_heads": 20,
    "intermediate_size": 5120,
    "emb_layer_norm_before": False,
    "position_embedding_type": "rotary",
}
"""Class defaults of SaProtConfig that change a count."""

INERT = {
    *("mask_token_id", "pad_token_id", "hidden_dropout_prob", "attention_probs_dropout_prob", "token_dropout"),
    *("max_position_embeddings", "initializer_range", "layer_norm_eps", "rope_theta", "rope_parameters", "is_decoder"),
    *("add_cross_attention", "model_type", "architectures", "dtype", "torch_dtype", "transformers_version"),
    *("chunk_size_feed_forward", "id2label", "is_encoder_decoder", "label2id", "output_attentions", "problem_type"),
    *("output_hidden_states", "return_dict"),
}


def read_protein(config: Mapping[str, Any]) -> Reading:
    """Sum all that reads a protein into `n_part_weights`."""
    fields = config.get(FIELD) or {}
    protein = DEFAULTS | fields
    source = protein["hidden_size"]
    weights = _encoder(protein) + _resampler(config, source) + _adapters(config)
    reading = Reading({"n_part_weights": weights})
    unknown = [key for key in fields if key not in DEFAULTS and key not in INERT and not key.startswith("_")]
    reading.problems += [f"field {FIELD}.{key} is not understood: it may change the count" for key in unknown]
    if protein["position_embedding_type"] != "rotary":
        reading.problems.append(f"{FIELD}.position_embedding_type is not rotary: its position table is not counted")
    return reading


def _encoder(protein: Mapping[str, Any]) -> int:
    width, wide = protein["hidden_size"], protein["intermediate_size"]
    layer = 4 * (width + 1) * width + 2 * width * wide + wide + width + 2 * 2 * width
    norms = 2 * width * (1 + bool(protein["emb_layer_norm_before"]))
    return int(protein["vocab_size"] * width + protein["num_hidden_layers"] * layer + norms)


def _resampler(config: Mapping[str, Any], source: int) -> int:
    inner, width = config["resampler_heads"] * config["resampler_dim_head"], config["hidden_size"]
    layer = 4 * source * inner + 2 * config["resampler_ff_mult"] * source * source + 6 * source
    ends = config["resampler_num_latents"] * source + (source + 1) * width + 2 * width
    return int(config["resampler_depth"] * layer + ends)


def _adapters(config: Mapping[str, Any]) -> int:
    width, layers = config["hidden_size"], config["num_hidden_layers"]
    inner = width // config["num_attention_heads"] * config["num_attention_heads"]
    out = width * (width + bool(config["aligner_enable_bias"]))
    each = 3 * (width + 1) * inner + out + 2 * config["aligner_ffn_mult"] * width * width + 3 * width + 2
    return int(layers // max(layers // config["aligner_num_add_layers"], 1) * each)
