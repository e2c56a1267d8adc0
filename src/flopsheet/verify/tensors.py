"""A model as the tensors that it is made of."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.configs.groups import group_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)|(?<=\.)\d+$")


class ByteRange(Struct, frozen=True):
    """Where the values of a tensor begin and end in a file, and of which type they are."""

    file: Path
    begin: int
    end: int
    dtype: str


class Tensor(Struct, frozen=True):
    """A tensor: its name and shape, and where its values are stored, if they are."""

    name: str
    shape: tuple[int, ...]
    place: ByteRange | None = None

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return math.prod(self.shape)

    @property
    def pattern(self) -> str:
        """Its name with `*` for the numbers of layers and experts."""
        return _NUMBER.sub("*", self.name)


class Row(Struct, frozen=True):
    """Tensors of one pattern and shape: how many there are, and the numbers that they hold together."""

    group: str
    pattern: str
    shape: tuple[int, ...]
    count: int
    parameters: int


def rows(tensors: Sequence[Tensor]) -> list[Row]:
    """Return a row for each pattern and shape, as they come."""
    counts = Counter((tensor.pattern, tensor.shape) for tensor in tensors)
    return [
        Row(group_of(pattern), pattern, shape, count, count * math.prod(shape))
        for (pattern, shape), count in counts.items()
    ]


def by_group(tensors: Iterable[Tensor]) -> dict[str, int]:
    """Return how many parameters each group has, going by names."""
    groups: Counter[str] = Counter()
    for tensor in tensors:
        groups[group_of(tensor.pattern)] += tensor.count
    return dict(groups)
