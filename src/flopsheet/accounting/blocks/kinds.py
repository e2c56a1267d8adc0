"""Kinds of dimensions and lines that architectures have many of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import Dimension, Line

if TYPE_CHECKING:
    from flopsheet.accounting.line import Group


def optional(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return a dimension that is 0 where nothing says otherwise."""
    return Dimension(name, title, default=0, minimum=0, about=about, **more)


def flag(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return what a model has or does, and does not where nothing says otherwise: 1 or 0."""
    return Dimension(name, title, kind="flag", default=0, about=about, **more)


def share_of(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return a share from 0 to 1 that is 0 where nothing says otherwise."""
    return Dimension(name, title, kind="ratio", default=0, minimum=0, maximum=1, about=about, **more)


def bytes_each(name: str, title: str, about: str = "", **more: Any) -> Dimension:
    """Return the bytes of one number of many, also parts of a byte."""
    return Dimension(name, title, unit="bytes", kind="ratio", minimum=0, about=about, **more)


def whole_weights(name: str, formula: str, group: Group, title: str, **more: Any) -> Line:
    """Return a line of weights that every rank of tensor parallelism keeps whole."""
    return Line(name, formula, "parameters", group, title, shard="replicated", **more)


def helper(name: str, formula: str, unit: str, title: str, about: str = "", source: str = "", decode: str = "") -> Line:
    """Return a helper line, which no total counts; `unit` is that of its value."""
    return Line(name, formula, unit, title=title, about=about, source=source, decode=decode, additive=False)
