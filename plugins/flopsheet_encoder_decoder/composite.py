"""Composites: an encoder and a decoder, each with a config of its own type, in one model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_encoder_decoder.hearing import CONVOLUTION, MASKED, POSITIONS, wav2vec_stem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Fields = Mapping[str, Any]

STACK = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
BERT = (*STACK, "vocab_size", "max_position_embeddings", "type_vocab_size")
CROSS = ("is_decoder", "add_cross_attention", "cross_attention_hidden_size", "tie_word_embeddings")
SIDES = ("encoder", "decoder")


def composite(config: Fields) -> Reading:
    """Return the dimensions of both sides, and of what joins them where their widths differ."""
    encoder, decoder = (_part(config, side) for side in SIDES)
    reading = Reading(keys={"tie_word_embeddings"})
    for side, fields, readers in (("encoder", encoder, ENCODERS), ("decoder", decoder, DECODERS)):
        read, keys = readers[fields["model_type"]]
        reading.values |= read(fields, reading)
        reading.keys |= {f"{side}_{key}" for key in (*keys, "model_type", "tie_word_embeddings")}
    width, target = reading.values["d_model"], reading.values["decoder_d_model"]
    source = decoder.get("cross_attention_hidden_size")
    if width != target and source is None:
        reading.values |= {"bridge_weights": width * target, "bridge_vectors": target, "d_source": target}
    elif source not in (None, width):
        raise ValueError(f"decoder.cross_attention_hidden_size = {source} is not the encoder's hidden_size, {width}")
    return reading


def _part(config: Fields, side: str) -> dict[str, Any]:
    prefix = f"{side}_"
    return {name.removeprefix(prefix): value for name, value in config.items() if name.startswith(prefix)}


def _stack(side: str, fields: Fields) -> dict[str, Any]:
    """Return the dimensions of a side whose config has the usual names."""
    width, heads = fields["hidden_size"], fields["num_attention_heads"]
    if width % heads:
        raise ValueError(f"{side}: hidden_size {width} is not a multiple of num_attention_heads {heads}")
    return {
        "d_model" if side == "encoder" else "decoder_d_model": width,
        f"{side}_layers": fields["num_hidden_layers"],
        f"{side}_heads": heads,
        f"{side}_kv_heads": heads,
        f"{side}_d_head": width // heads,
        f"{side}_d_ff": fields["intermediate_size"],
    }


def _bert_encoder(fields: Fields, _: Reading) -> dict[str, Any]:
    width = fields["hidden_size"]
    return _stack("encoder", fields) | {
        "vocab_size": fields["vocab_size"],
        "d_embedding": width,
        "encoder_position_rows": fields["max_position_embeddings"] + fields["type_vocab_size"],
        "encoder_final_norms": 1,
        "n_target_tables": 1,
        "pooler_weights": width * width,
        "pooler_vectors": width,
    }


def _wav2vec2(fields: Fields, reading: Reading) -> dict[str, Any]:
    for name in ("add_adapter", "adapter_attn_dim"):
        if fields.get(name):
            reading.problems.append(f"encoder.{name} = {fields[name]}: adapters of the encoder are not counted")
    return _stack("encoder", fields) | wav2vec_stem(fields) | {"encoder_final_norms": 1}


def _vit(fields: Fields, _: Reading) -> dict[str, Any]:
    width, patches = fields["hidden_size"], (fields["image_size"] // fields["patch_size"]) ** 2
    stem = fields["num_channels"] * fields["patch_size"] ** 2 * width
    pooler_width = fields.get("pooler_output_size") or width
    return _stack("encoder", fields) | {
        "fixed_source_len": patches + 1,
        "encoder_position_rows": patches + 1,
        "encoder_qkv_bias": int(fields["qkv_bias"]),
        "encoder_k_bias": int(fields["qkv_bias"]),
        "encoder_final_norms": 1,
        "stem_weights": stem,
        "stem_edge_products": stem * patches,
        "stem_vectors": 2 * width,
        "pooler_weights": width * pooler_width,
        "pooler_vectors": pooler_width,
    }


def _bert_decoder(fields: Fields, reading: Reading) -> dict[str, Any]:
    width = fields["hidden_size"]
    if not (fields.get("add_cross_attention") and fields.get("is_decoder")):
        reading.problems.append("decoder: without is_decoder and add_cross_attention its class reads no source")
    return (
        _stack("decoder", fields)
        | _words(fields, width, reading)
        | {
            "d_source": width,
            "decoder_position_rows": fields["max_position_embeddings"] + fields["type_vocab_size"],
            "decoder_final_norms": 1,
            "head_bias": 1,
            "head_matrix_weights": width * width,
            "head_vectors": 3 * width + (0 if fields["tie_word_embeddings"] else fields["vocab_size"]),
        }
    )


def _bart(fields: Fields, reading: Reading) -> dict[str, Any]:
    """Return a decoder of BART's kind, as its class of a decoder alone builds it."""
    width = fields["d_model"]
    stack = {"hidden_size": width, "num_hidden_layers": fields["decoder_layers"]}
    stack |= {"num_attention_heads": fields["decoder_attention_heads"], "intermediate_size": fields["decoder_ffn_dim"]}
    has_positions = int(fields.get("use_learned_position_embeddings", True))
    final_norms = {"mbart": 2, "bart": 1}.get(fields["model_type"], int(fields.get("layernorm_embedding", False)))
    return (
        _stack("decoder", stack)
        | _words(fields, width, reading)
        | {
            "d_source": fields.get("cross_attention_hidden_size") or width,
            "decoder_position_rows": has_positions * (fields["max_position_embeddings"] + 2),
            "decoder_final_norms": final_norms,
        }
    )


def _words(fields: Fields, width: int, reading: Reading) -> dict[str, Any]:
    """Return the decoder's tables; where the encoder reads no words, its table is the only one."""
    own = {} if "vocab_size" in reading.values else {"vocab_size": fields["vocab_size"], "d_embedding": width}
    return own | {
        "target_vocab_size": fields["vocab_size"],
        "tied_head": int(fields["tie_word_embeddings"]),
        "max_positions": fields["max_position_embeddings"],
    }


BART = ("d_model", "decoder_layers", "decoder_attention_heads", "decoder_ffn_dim", "vocab_size", "layernorm_embedding")
OTHER_SIDE = ("encoder_layers", "encoder_attention_heads", "encoder_ffn_dim", "num_hidden_layers")
LEARNED = ("max_position_embeddings", "use_learned_position_embeddings")
PICTURE = ("image_size", "patch_size", "num_channels", "qkv_bias", "pooler_output_size")
SPEECH = (*CONVOLUTION, *POSITIONS, *MASKED, "add_adapter", "adapter_attn_dim")
BERTS = ("bert", "roberta", "xlm-roberta", "camembert")
Readers = dict[str, tuple["Callable[[Fields, Reading], dict[str, Any]]", tuple[str, ...]]]
ENCODERS: Readers = {
    **dict.fromkeys(BERTS, (_bert_encoder, BERT)),
    "wav2vec2": (_wav2vec2, (*STACK, *SPEECH)),
    "vit": (_vit, (*STACK, *PICTURE)),
}
DECODERS: Readers = {
    **dict.fromkeys(BERTS, (_bert_decoder, (*BERT, *CROSS))),
    **dict.fromkeys(("trocr", "bart", "mbart"), (_bart, (*BART, *CROSS, *LEARNED, *OTHER_SIDE))),
}
