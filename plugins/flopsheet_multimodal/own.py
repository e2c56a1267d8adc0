"""Lines of parts that a model may have several of: written once, with the names of whichever part it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet import Group, Line, blocks, compose

if TYPE_CHECKING:
    from collections.abc import Mapping


def own(text: str, **parts: str) -> str:
    """Return a formula in which names that begin with a keyword and `_` begin with its value instead."""
    split = {name: name.partition("_") for name in compose.names(text)}
    return compose.substitute(text, {name: f"{parts[a]}_{b}" for name, (a, _, b) in split.items() if a in parts})


def own_block(block: blocks.Block, group: Group, words: Mapping[str, str], **parts: str) -> blocks.Block:
    """Return lines of a group with `words` in their titles, and names and formulas that begin as `own` has it."""
    sections: dict[str, Any] = {
        name: tuple(_own_line(line, group, words, parts) for line in getattr(block, name))
        for name in ("parameters", "flops", "activations")
    }
    return replace(block, **sections)


def _own_line(line: Line, group: Group, words: Mapping[str, str], parts: Mapping[str, str]) -> Line:
    changes: dict[str, Any] = {name: own(getattr(line, name), **parts) for name in ("name", "formula", "active")}
    changes |= {name: getattr(line, name).format_map(words) for name in ("title", "about")}
    return line._replace(**changes, group=group if line.additive else line.group)


def product(name: str, formula: str, title: str, about: str, source: str, **more: Any) -> Line:
    """Return FLOP of what no decode step repeats."""
    return Line(name, formula, "FLOP", "other", title, about, source, decode="0", **more)
