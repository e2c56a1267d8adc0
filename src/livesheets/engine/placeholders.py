"""Placeholders in a part's XML for what is too much to hold as elements: its text is made while the part is written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from uuid import uuid4

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from livesheets.engine.markup import Element

_MARK = f"livesheets {uuid4().hex} "
"""No comment of a template can begin like this one: it differs in every run, and is never written."""
_HERE = re.compile(f"<!--{_MARK}([0-9]+)-->".encode())
BATCH = 1000  # pieces of text that are written at a time


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The texts for which the placeholders of one part stand, by number."""

    texts: list[Iterable[str]] = field(default_factory=list)

    def hold(self, texts: Iterable[str]) -> Element:
        """Return a placeholder that stands for some pieces of XML; each has at least one character."""
        self.texts.append(texts)
        return etree.Comment(f"{_MARK}{len(self.texts) - 1}")

    def fill(self, data: bytes) -> Iterator[bytes]:
        """Give the bytes of a part, each placeholder replaced."""
        for at, piece in enumerate(_HERE.split(data) if self.texts else [data]):
            if at % 2:
                yield from _batches(self.texts[int(piece)])
            else:
                yield piece


def _batches(texts: Iterable[str]) -> Iterator[bytes]:
    left = iter(texts)
    while piece := "".join(islice(left, BATCH)):
        yield piece.encode()
