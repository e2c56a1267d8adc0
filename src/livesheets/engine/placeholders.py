"""Placeholders in a part's XML for what is too much to hold as elements: its text is made while the part is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import uuid4

from lxml import etree
from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from livesheets.engine.markup import Element

_MARK = f"livesheets {uuid4().hex} "
"""No comment of a template can begin like this one: it differs in every run, and is never written."""
_HERE = re.compile(f"<!--{_MARK}([0-9]+)-->".encode())
BATCH = 2**16  # characters; enough to keep the compressor busy, few enough for the cache of a core


class Placeholders(Struct, frozen=True):
    """The texts for which the placeholders of one part stand, by number."""

    texts: list[Iterable[str]] = field(default_factory=list)

    def hold(self, texts: Iterable[str]) -> Element:
        """Return a placeholder that stands for some pieces of XML."""
        self.texts.append(texts)
        return etree.Comment(f"{_MARK}{len(self.texts) - 1}")

    def fill(self, data: bytes) -> Iterator[bytes]:
        """Give the bytes of a part, each placeholder replaced."""
        for at, piece in enumerate(_HERE.split(data) if self.texts else [data]):
            if at % 2:
                yield from encode_batches(self.texts[int(piece)])
            else:
                yield piece


def encode_batches(texts: Iterable[str]) -> Iterator[bytes]:
    """Give pieces of text as bytes, many at a time."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size > BATCH:
            yield "".join(batch).encode()
            batch, size = [], 0
    yield "".join(batch).encode()
