"""How wide a column must be for what is in it: a number that finds no room prints as ###."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from livesheets import Formula, Value

MARGIN = 3
"""Letters next to a number: its sign, and the space around it."""
RAW = 17 + MARGIN
"""What any number below 1,000 needs in the format General, of which programs show up to 15 digits."""


def width_of(values: Iterable[Value | Formula]) -> int:
    """Return the width, in characters, of the longest of some texts and whole numbers."""
    contents = (value for value in values if isinstance(value, int | float | str))
    texts = (value if isinstance(value, str) else f"{value:,.0f}" for value in contents)
    return max((len(text) + MARGIN for text in texts), default=0)
