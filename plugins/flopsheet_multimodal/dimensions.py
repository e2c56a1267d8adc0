"""Dimensions of the parts that a model may have several of: described once, in dimensions.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet import Dimension
from flopsheet_multimodal.own import own

if TYPE_CHECKING:
    from collections.abc import Mapping


def dimensions_of(part: str, what: str = "", each: str = "", **names: str) -> tuple[Dimension, ...]:
    """Return the dimensions of a part: `what` and `each` are in its texts, `names` in its names and formulas."""
    return tuple(_dimension(name, row, {"what": what, "each": each}, names) for name, row in _tables()[part].items())


@cache
def _tables() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return tomllib.loads((files("flopsheet_multimodal") / "dimensions.toml").read_text("utf-8"))


def _dimension(name: str, row: Mapping[str, Any], words: Mapping[str, str], names: Mapping[str, str]) -> Dimension:
    texts = {key: row[key].format_map(words) for key in ("title", "about") if key in row}
    default = own(row["default"], **names) if "default" in row else 0
    least = {} if row.get("kind") == "flag" else {"minimum": 0}
    return Dimension(own(name, **names), **{**row, **least, **texts, "default": default})
