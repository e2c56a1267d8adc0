"""Layers that this plugin has many of."""

from typing import Any

from flopsheet import Group, blocks, compose

FURTHER_STREAMS = blocks.activation_line(
    "further_streams_kept",
    "tokens * n_layers * (n_streams - 1) * d_model",
    "other",
    "Inputs of the layers, further streams",
    "replicated",
    "stream",
)
"""What a layer reads besides one residual stream: full recomputation keeps it too, and stages pass it on."""


def matrix(name: str, columns: str, rows: str, group: Group, title: str, **more: Any) -> blocks.Block:
    """Return a linear layer that every rank keeps whole, by default one in each layer."""
    weights, sides = compose.times(columns, rows), compose.plus(columns, rows)
    return blocks.linear(name, weights, group=group, sides=sides, rows=rows, title=title, shard="replicated", **more)
