"""Words in headers and cells alongside units: other names for dimensions and lines, flags and totals."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.data import read_table
from livesheets.spelling import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Dimension


@cache
def words() -> Mapping[str, Any]:
    """Return what words.toml says."""
    return MappingProxyType(read_table("flopsheet.configs", "words.toml"))


@cache
def aliases() -> Mapping[str, str]:
    """Return the name that each word of planners stands for; the words are folded."""
    return MappingProxyType({fold(word): name for name, spellings in words()["aliases"].items() for word in spellings})


def flags() -> list[list[str]]:
    """Return pairs of words, in lower case, that stand for 1 and for 0 in a cell of text."""
    results: list[list[str]] = words()["flags"]
    return results


def truth(text: str) -> bool | None:
    """Return what a word says of a flag, None for any other text."""
    meanings = {word: value for pair in flags() for word, value in zip(pair, (True, False), strict=True)}
    return meanings.get(text.casefold())


def is_total(text: str) -> bool:
    """Whether a text is what a row of totals is called."""
    return text.strip(" :").casefold() in words()["totals"]


def unit_of(dimension: Dimension) -> str:
    """Return the unit that a dimension is in, "" for a count."""
    return "ratio" if dimension.kind == "ratio" and not dimension.unit else dimension.unit
