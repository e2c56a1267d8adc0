"""Many numbers in little room: a batch keeps the numbers of thousands of models until its workbook is written."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")
FEW = 50
"""Values that take too little room to be put together."""


def pack(values: Sequence[T]) -> Sequence[T]:
    """Return the same values; whole numbers alone, or floats alone, take eight bytes each."""
    kinds = set(map(type, values)) if len(values) > FEW else set()
    if kinds == {float}:
        return array("d", values)  # type: ignore[type-var]  # floats by their type
    try:
        return array("q", values) if kinds == {int} else values  # type: ignore[type-var]  # whole numbers
    except OverflowError:
        return values
