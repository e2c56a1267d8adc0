"""Kinds of dimensions and lines that this plugin has many of."""

from typing import Any

from flopsheet import Dimension, Group, Line, blocks, compose


def number(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return a dimension that is 0 where nothing says otherwise."""
    return Dimension(name, title, default=0, minimum=0, about=about, **more)


def flag(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return what a model has or does, and does not where nothing says otherwise."""
    return Dimension(name, title, kind="flag", default=0, about=about, **more)


def whole_weights(name: str, formula: str, group: Group, title: str, **more: Any) -> Line:
    """Return a line of weights that every rank of tensor parallelism keeps whole."""
    return Line(name, formula, "parameters", group, title, shard="replicated", **more)


def helper(name: str, formula: str, unit: str, title: str, about: str = "", source: str = "", decode: str = "") -> Line:
    """Return a helper line, which no total counts."""
    return Line(name, formula, unit, title=title, about=about, source=source, decode=decode, additive=False)


def matrix(name: str, columns: str, rows: str, group: Group, title: str, **more: Any) -> blocks.Block:
    """Return a linear layer that every rank keeps whole, by default one in each layer."""
    weights, sides = compose.times(columns, rows), compose.plus(columns, rows)
    return blocks.linear(name, weights, group=group, sides=sides, rows=rows, title=title, shard="replicated", **more)
