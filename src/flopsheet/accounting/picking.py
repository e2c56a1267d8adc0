"""Several things out of one, by place or by name."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def picker(keys: Sequence[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what picks some items out of a row or a mapping; KeyError and IndexError where one is missing."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda items: tuple(items[key] for key in keys)
