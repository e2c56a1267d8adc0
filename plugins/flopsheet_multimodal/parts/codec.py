"""Mimi, a codec of sound whose codes language models read."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING, Any

from flopsheet import Reading
from flopsheet_multimodal.parts.layers import attention, conv

if TYPE_CHECKING:
    from collections.abc import Mapping

RATIOS = [8, 6, 5, 4]
"""MimiConfig's upsampling_ratios where none are given."""


def read_codec(config: Mapping[str, Any]) -> Reading:
    """Sum the codec; generation runs it over the sound before the first token."""
    reading = Reading({"weights": codec_parameters(config)})
    if config.get("frame_rate") is not None:
        reading.problems.append("frame_rate: a rate of its own changes what the codec's class builds")
    return reading


def codec_parameters(codec: Mapping[str, Any]) -> int:
    """Return the parameters of Mimi: convolutions down and up, a stack of layers at each end, and what joins codes."""
    ratios, width, first = codec["upsampling_ratios"] or RATIOS, codec["hidden_size"], codec["num_filters"]
    widest = first * 2 ** len(ratios)
    down = conv(codec["audio_channels"], first, codec["kernel_size"]) + conv(widest, width, codec["last_kernel_size"])
    up = conv(width, widest, codec["kernel_size"]) + conv(first, codec["audio_channels"], codec["last_kernel_size"])
    for place, ratio in enumerate(reversed(ratios)):
        wide = first * 2**place
        down += codec["num_residual_layers"] * _residual(codec, wide) + conv(wide, 2 * wide, 2 * ratio)
        up += codec["num_residual_layers"] * _residual(codec, wide) + 2 * wide * wide * 2 * ratio + wide
    inner = codec["vector_quantization_hidden_dimension"]
    joins = 4 * width * inner if inner != width else 0
    return int(down + up + 2 * _layers(codec) + _resampling(codec, ratios) + joins)


def _residual(codec: Mapping[str, Any], wide: int) -> int:
    inner = wide // int(codec["compress"])
    shortcut = conv(wide, wide, 1) if codec["use_conv_shortcut"] else 0
    return conv(wide, inner, codec["residual_kernel_size"]) + conv(inner, wide, 1) + shortcut


def _layers(codec: Mapping[str, Any]) -> int:
    """Return the parameters of one stack of layers: attention, MLP, two norms and two scales each."""
    width = codec["hidden_size"]
    channels = codec["head_dim"] or width // codec["num_attention_heads"]
    each = attention(codec, channels) + 2 * width * codec["intermediate_size"] + 6 * width
    return int(codec["num_hidden_layers"] * each)


def _resampling(codec: Mapping[str, Any], ratios: list[int]) -> int:
    """Return the convolutions between the rate of the others and that of the codes, which is half of it."""
    width, groups, hop = int(codec["hidden_size"]), int(codec["upsample_groups"]), prod(ratios)
    if width % groups:
        raise ValueError(f"hidden_size {width} is not a multiple of upsample_groups")
    stride = int(ceil(codec["sampling_rate"] / hop) / (codec["sampling_rate"] / (2 * hop)))
    return 2 * stride * (width * width + width * (width // groups))
