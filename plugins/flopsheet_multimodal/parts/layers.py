"""Weights of what parts are made of: convolutions, linear layers and attention, biases included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def conv(wide_in: int, wide_out: int, kernel: int) -> int:
    """Return the weights of a convolution with a bias."""
    return wide_in * wide_out * kernel + wide_out


def linear(wide_in: int, wide_out: int) -> int:
    """Return the weights of a linear layer with a bias."""
    return conv(wide_in, wide_out, 1)


def attention(config: Mapping[str, Any], d_head: int) -> int:
    """Return the weights of queries, keys, values and output, all with biases or none."""
    width, heads, pairs = config["hidden_size"], config["num_attention_heads"], config["num_key_value_heads"]
    biases = d_head * (heads + 2 * pairs) + width if config["attention_bias"] else 0
    return int(2 * width * d_head * (heads + pairs) + biases)
