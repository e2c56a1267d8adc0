"""Formulas of parts that a model may have several of: written once, with the names of whichever part it is."""

from __future__ import annotations

from flopsheet import compose


def own(text: str, **parts: str) -> str:
    """Return a formula in which names that begin with a keyword and `_` begin with its value instead."""
    split = {name: name.partition("_") for name in compose.names(text)}
    return compose.substitute(text, {name: f"{parts[a]}_{b}" for name, (a, _, b) in split.items() if a in parts})
