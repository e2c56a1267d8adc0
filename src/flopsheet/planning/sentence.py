"""The sentence that answers a question: text with what the first option has in braces, as its sheet.toml writes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.planning.sheet_records import Best

REFERENCE = re.compile(r"\{(\w+)(?:@(\d))?(!?)(?:=([^{}]+))?\}")
MODEL, ACCELERATOR = "model", "accelerator"
"""What a sentence may name besides lines and inputs."""


class Named(Struct, frozen=True):
    """A line of the option in a place, an input, or a name; `plain` without its unit, a choice in `words`."""

    name: str
    plain: bool
    place: int
    words: tuple[str, ...]


def pieces(part: str) -> Iterator[str | Named]:
    """Give the texts of a part of a sentence, and what is named between them."""
    start = 0
    for match in REFERENCE.finditer(part):
        if match.start() > start:
            yield part[start : match.start()]
        name, place, plain, words = match.groups()
        yield Named(name, bool(plain), int(place or 1), tuple((words or "").split("|")) if words else ())
        start = match.end()
    if start < len(part):
        yield part[start:]


def names_in(best: Best) -> Sequence[str]:
    """Return the lines and inputs that a sentence names."""
    parts = [bit for part in (*best.said, *best.turns, *best.nearest) for bit in pieces(part) if isinstance(bit, Named)]
    return [bit.name for bit in parts if bit.name not in (MODEL, ACCELERATOR)]
