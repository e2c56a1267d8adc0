"""Encoder-decoders: an encoder reads the source, a decoder with cross attention writes the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet import Architecture, Dimension, Family, Line, Reading, Rule, blocks, families_from, hookimpl, rules_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DIMENSIONS = (
    Dimension("d_model", "Model width", keys=("d_model",), about="Width of both residual streams"),
    Dimension("encoder_layers", "Encoder layers", keys=("encoder_layers",)),
    Dimension("encoder_heads", "Encoder heads", keys=("encoder_attention_heads",)),
    Dimension("encoder_d_ff", "Encoder MLP width", keys=("encoder_ffn_dim",)),
    Dimension("decoder_layers", "Decoder layers", keys=("decoder_layers",), default="encoder_layers"),
    Dimension("decoder_heads", "Decoder heads", keys=("decoder_attention_heads",), default="encoder_heads"),
    Dimension("decoder_d_ff", "Decoder MLP width", keys=("decoder_ffn_dim",), default="encoder_d_ff"),
    Dimension("encoder_d_head", "Encoder head size", keys=("d_kv",), default="d_model / encoder_heads"),
    Dimension("decoder_d_head", "Decoder head size", keys=("d_kv",), default="d_model / decoder_heads"),
    Dimension("qkv_bias", "Biases on queries, keys, values", kind="flag", default=0),
    Dimension("out_bias", "Bias on the attention output", kind="flag", default=0),
    Dimension("mlp_matrices", "MLP matrices", default=2, minimum=2, about="2 plain, 3 gated"),
    Dimension("mlp_bias", "MLP biases", kind="flag", default=0),
    Dimension("norm_vectors", "Vectors a norm", default=1, minimum=0, about="RMSNorm 1, LayerNorm 2"),
    Dimension("encoder_final_norms", "Encoder norms outside the layers", default=1, minimum=0),
    Dimension("decoder_final_norms", "Decoder norms outside the layers", default=1, minimum=0),
    Dimension(
        "max_positions",
        "Longest sequence",
        unit="tokens",
        keys=("max_position_embeddings",),
        default=0,
        minimum=0,
        about="What each side was made for; 0 where nothing limits it",
    ),
    Dimension("n_position_rows", "Learned positions", unit="rows", default=0, minimum=0, about="Rows of each table"),
    Dimension(
        "n_position_buckets",
        "Relative position buckets",
        keys=("relative_attention_num_buckets",),
        default=0,
        minimum=0,
    ),
    Dimension("encoder_position_tables", "Encoder relative position tables", default=1, minimum=0),
    Dimension("decoder_position_tables", "Decoder relative position tables", default=1, minimum=0),
)


SIDES = {
    "encoder": {"pairs": "full_pairs"},
    "decoder": {"tokens": "target_tokens", "seq_len": "target_len", "pairs": "target_pairs"},
}


def _stack(side: str, norms: int, **changes: str) -> blocks.Block:
    """Return the self-attention, MLP, norms and positions of one side, which has `norms` norms a layer."""
    names = {
        "n_layers": f"{side}_layers",
        "n_heads": f"{side}_heads",
        "n_kv_heads": f"{side}_heads",
        "d_head": f"{side}_d_head",
        "d_ff": f"{side}_d_ff",
        "norms_per_layer": str(norms),
        "final_norms": f"{side}_final_norms",
        "n_position_tables": f"{side}_position_tables",
        **SIDES[side],
    }
    parts = blocks.SELF_ATTENTION + blocks.MLP + blocks.LAYER_NORMS + blocks.FINAL_NORM
    tables = blocks.POSITIONS + blocks.RELATIVE_POSITIONS
    return blocks.instance(parts + tables, f"{side}_", names, **changes)


CROSS = blocks.instance(
    blocks.CROSS_ATTENTION,
    "cross_",
    {"n_layers": "decoder_layers", "n_heads": "decoder_heads", "d_head": "decoder_d_head"},
)
ENCODER, DECODER = _stack("encoder", 2, full=""), _stack("decoder", 3)
HEAD = blocks.instance(blocks.HEAD, "", {"tokens": "target_tokens"})
STACK = (
    blocks.Block(DIMENSIONS, ENCODER.parameters, ENCODER.flops)
    + blocks.Block((), DECODER.parameters, DECODER.flops, DECODER.memory)
    + CROSS
    + blocks.EMBEDDING
    + blocks.Block(blocks.HEAD.dimensions)
    + HEAD
)


T5_FIELDS = (
    *("feed_forward_proj", "is_gated_act", "dense_act_fn"),
    *("scale_decoder_outputs", "relative_attention_max_distance"),
)


def read(config: Mapping[str, Any], family: Family) -> Reading:
    """Read how T5 writes gated MLPs and untied heads."""
    if family.hints.get("style") != "t5":
        return Reading()
    reading = Reading(keys=set(T5_FIELDS))
    gated = str(config.get("feed_forward_proj", "relu")).startswith("gated-")
    reading.values["mlp_matrices"] = 3 if gated else 2
    if config.get("tie_word_embeddings") is False:
        _read_untied(config, reading)
    elif config.get("scale_decoder_outputs") is False:
        reading.problems.append(
            "tie_word_embeddings = True beside scale_decoder_outputs = False: transformers 5 writes this for tied and"
            " untied heads alike; counted as tied"
        )
    return reading


def _read_untied(config: Mapping[str, Any], reading: Reading) -> None:
    """Count the head of a saved config as stored, and of a sketch without a checkpoint as transformers 5 builds it.

    transformers 5 ties every T5 head, but T5 1.1, mT5, byT5 and UL2 checkpoints store one of their own. A config that
    was saved with a checkpoint writes all its fields.
    """
    saved = "relative_attention_max_distance" in config
    reading.values["tied_head"] = 0 if saved else 1
    counted = "counted untied, as the checkpoints are" if saved else "counted as transformers 5 builds it: tied"
    reading.notes.append(f"tie_word_embeddings = False, which transformers 5 does not follow: {counted}")


ENCODER_DECODER = Architecture(
    "encdec",
    "Encoder-decoder",
    "An encoder reads the source; a decoder with cross attention writes the target",
    STACK.dimensions,
    tokens="batch * (seq_len + target_len)",
    read=read,
)


@hookimpl
def flopsheet_architectures() -> Iterable[Architecture]:
    """Describe the encoder-decoder."""
    return [ENCODER_DECODER]


@hookimpl
def flopsheet_families() -> Iterable[Family]:
    """Read T5, mT5 and BART."""
    return families_from(__name__, "encdec")


@hookimpl
def flopsheet_parameters() -> Iterable[Line]:
    """Give tables, both stacks, cross attention and head."""
    return STACK.parameters


@hookimpl
def flopsheet_flops() -> Iterable[Line]:
    """Give the matrix products over source and target."""
    return STACK.flops


@hookimpl
def flopsheet_memory() -> Iterable[Line]:
    """Give the decoder's own cache and the cross-attention cache."""
    return STACK.memory


@hookimpl
def flopsheet_rules() -> Iterable[Rule]:
    """Give the rules of thumb for encoder-decoders."""
    return rules_from(__name__)
