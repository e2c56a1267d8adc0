"""Layers that this plugin has many of."""

from typing import Any

from flopsheet import Group, blocks, compose


def matrix(name: str, columns: str, rows: str, group: Group, title: str, **more: Any) -> blocks.Block:
    """Return a linear layer that every rank keeps whole, by default one in each layer."""
    weights, sides = compose.times(columns, rows), compose.plus(columns, rows)
    return blocks.linear(name, weights, group=group, sides=sides, rows=rows, title=title, shard="replicated", **more)
