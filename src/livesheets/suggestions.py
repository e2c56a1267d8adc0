"""Names that somebody may have meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
from livesheets.errors import MAX_PROBLEMS

_BETWEEN = re.compile(r"[\s_-]+")
MIN_NAME, MAX_HINTS, MAX_NAME = 3, 3, 40
"""Letters that a name needs to be a beginning, beginnings shown, and letters of a name that are compared."""
CLOSE = 0.62
"""The share of letters that a name has in common with one that may have been meant."""
NEAR = 0.85
"""The share of letters that a misspelled name has in common with the one that is meant."""


def likely(name: str, names: Iterable[str]) -> list[str]:
    """Return what may have been meant by a name that is not one of the known: those that begin so, else the closest.

    Case does not matter, nor what is between words.
    """
    spellings = {_BETWEEN.sub("-", other.casefold()): other for other in names}
    start = _BETWEEN.sub("-", name[:MAX_NAME].casefold())
    longer = [spellings[other] for other in spellings if len(start) >= MIN_NAME and other.startswith(start)]
    if longer:
        return longer[:MAX_HINTS]
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    return [spellings[close] for close in get_close_matches(start, spellings, n=1, cutoff=CLOSE)]


def names_like(name: str, names: Iterable[str]) -> str:
    """Return a `; did you mean …?` for a name that is not one of the known, or nothing."""
    result = likely(name, names)
    return f"; did you mean {' or '.join(map(repr, result))}?" if result else ""


def unknown_names(names: Iterable[str], valid_names: Collection[str]) -> list[str]:
    """Return a problem for each name that is not one of the known, the first thousand with what may have been meant."""
    results = [name for name in names if name not in valid_names]
    lines = [f"{name}: unknown{names_like(name, valid_names)}" for name in results[:MAX_PROBLEMS]]
    return [*lines, *(f"{name}: unknown" for name in results[MAX_PROBLEMS:])]


def is_near(name: str, names: Iterable[str]) -> bool:
    """Whether a name is nearly one of the known: a slip of the keyboard rather than another word."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake pays for it

    return bool(get_close_matches(name[:MAX_NAME].casefold(), names, n=1, cutoff=NEAR))
