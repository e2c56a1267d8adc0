"""Dimensions of parts that a model may have or not: they are 0 where it has none."""

from __future__ import annotations

from typing import Any

from flopsheet import Dimension


def optional(name: str, title: str, **more: Any) -> Dimension:
    """Return a dimension that is 0 unless a config or the default that is given says otherwise."""
    return Dimension(name, title, **{"default": 0, "minimum": 0, **more})
