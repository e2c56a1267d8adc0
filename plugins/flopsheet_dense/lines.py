"""Kinds of lines that this plugin has many of."""

from typing import Any

from flopsheet import Group, Line


def whole_weights(name: str, formula: str, group: Group, title: str, **more: Any) -> Line:
    """Return a line of weights that every rank of tensor parallelism keeps whole."""
    return Line(name, formula, "parameters", group, title, shard="replicated", **more)


def helper(name: str, formula: str, unit: str, title: str, about: str = "", source: str = "", decode: str = "") -> Line:
    """Return a helper line, which no total counts."""
    return Line(name, formula, unit, title=title, about=about, source=source, decode=decode, additive=False)
