"""How deep a JSON text nests: the same on every Python, whose own limits differ by release and machine."""

from __future__ import annotations

import re
from itertools import accumulate

MOST = 100
"""Levels; published configs have five at most."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_BRACKET = r"[\[\]{}]"


def check_levels(text: str) -> None:
    """Raise ValueError for a JSON text with more than `MOST` levels."""
    if text.count("[") + text.count("{") <= MOST:
        return
    brackets = re.findall(_BRACKET, re.sub(_STRING, "", text))
    if max(accumulate(1 if bracket in "[{" else -1 for bracket in brackets), default=0) > MOST:
        raise ValueError(f"it nests more than {MOST} levels deep")
