"""Language models that read the codes of a codec of sound: its weights, which no token of a forward pass passes."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet import Reading

RATIOS = [8, 6, 5, 4]
"""MimiConfig's upsampling_ratios where none are given."""

LAYERS = ("num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "intermediate_size")
CONVOLUTIONS = (
    *("audio_channels", "num_filters", "kernel_size", "last_kernel_size", "residual_kernel_size", "compress"),
    *("num_residual_layers", "upsampling_ratios", "use_conv_shortcut", "upsample_groups", "sampling_rate"),
)
CODES = ("hidden_size", "attention_bias", "vector_quantization_hidden_dimension")
KEYS = (*LAYERS, *CONVOLUTIONS, *CODES)
PASSED_OVER = (
    *("model_type", "frame_rate", "sliding_window", "max_position_embeddings", "tie_word_embeddings", "codebook_dim"),
    *("codebook_size", "num_quantizers", "num_semantic_quantizers", "dilation_growth_rate", "trim_right_ratio"),
    *("layer_scale_initial_scale", "pad_mode", "use_causal_conv", "use_streaming"),
)
"""Fields of the codec that no parameter depends on: its codes are buffers."""


def read_codec(config: Mapping[str, Any], reading: Reading) -> None:
    """Read the tables of the codebooks and the codec; generation runs it over the sound before the first token."""
    codec = {key: config.get(f"codec_{key}") for key in KEYS}
    codes = config["num_codebooks"] * config["codebook_vocab_size"] + 1
    if (config.get("audio_pad_token_id") or 0) >= config["vocab_size"] + codes:
        raise ValueError(f"audio_pad_token_id = {config['audio_pad_token_id']} is beyond all tables")
    reading.values |= {
        "n_position_rows": codes,
        "n_part_weights": codec_parameters(codec),
        "d_ff": config["ffn_dim"] // 2,
    }
    reading.keys |= {f"codec_{key}" for key in KEYS} | {"num_codebooks", "codebook_vocab_size", "ffn_dim"}
    reading.keys |= {"audio_pad_token_id", "audio_bos_token_id"}
    reading.keys |= {f"codec_{key}" for key in PASSED_OVER}
    if config.get("codec_frame_rate") is not None:
        reading.problems.append("codec_config.frame_rate: a rate of its own changes what the codec's class builds")
    reading.notes.append(
        "codes have rows in a table of their own, counted with positions; the codec's weights are counted, its FLOP are"
        " not: a forward pass reads codes"
    )


def codec_parameters(codec: Mapping[str, Any]) -> int:
    """Return the parameters of Mimi: convolutions down and up, a stack of layers at each end, and what joins codes."""
    ratios, width, first = codec["upsampling_ratios"] or RATIOS, codec["hidden_size"], codec["num_filters"]
    widest = first * 2 ** len(ratios)
    down = _conv(codec["audio_channels"], first, codec["kernel_size"]) + _conv(widest, width, codec["last_kernel_size"])
    up = _conv(width, widest, codec["kernel_size"]) + _conv(first, codec["audio_channels"], codec["last_kernel_size"])
    for place, ratio in enumerate(reversed(ratios)):
        wide = first * 2**place
        down += codec["num_residual_layers"] * _residual(codec, wide) + _conv(wide, 2 * wide, 2 * ratio)
        up += codec["num_residual_layers"] * _residual(codec, wide) + 2 * wide * wide * 2 * ratio + wide
    inner = codec["vector_quantization_hidden_dimension"]
    joins = 4 * width * inner if inner != width else 0
    return int(down + up + 2 * _layers(codec) + _resampling(codec, ratios) + joins)


def _conv(wide_in: int, wide_out: int, kernel: int) -> int:
    return wide_in * wide_out * kernel + wide_out


def _residual(codec: Mapping[str, Any], wide: int) -> int:
    hidden = wide // int(codec["compress"])
    shortcut = _conv(wide, wide, 1) if codec["use_conv_shortcut"] else 0
    return _conv(wide, hidden, codec["residual_kernel_size"]) + _conv(hidden, wide, 1) + shortcut


def _layers(codec: Mapping[str, Any]) -> int:
    """Return the parameters of one stack of layers: attention, MLP, two norms and two scales each."""
    width, heads, pairs = codec["hidden_size"], codec["num_attention_heads"], codec["num_key_value_heads"]
    channels = codec["head_dim"] or width // heads
    attention = 2 * width * channels * (heads + pairs)
    biases = channels * (heads + 2 * pairs) + width if codec["attention_bias"] else 0
    each = attention + biases + 2 * width * codec["intermediate_size"] + 6 * width
    return int(codec["num_hidden_layers"] * each)


def _resampling(codec: Mapping[str, Any], ratios: list[int]) -> int:
    """Return the convolutions between the rate of the others and that of the codes, which is half of it."""
    width, groups, hop = int(codec["hidden_size"]), int(codec["upsample_groups"]), prod(ratios)
    if width % groups:
        raise ValueError(f"codec_config: hidden_size {width} is not a multiple of upsample_groups")
    stride = int(ceil(codec["sampling_rate"] / hop) / (codec["sampling_rate"] / (2 * hop)))
    return 2 * stride * (width * width + width * (width // groups))
