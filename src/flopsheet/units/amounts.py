"""Numbers as people write them, with a scale or a unit behind: 15T, 4k, 35%, 2.69 USD/h."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from flopsheet.units.table import is_scale, times, units

AMOUNT = re.compile(r"\s*([-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d{1,2})?)\s*([^\s\d.,+-].*?)\s*", re.ASCII)
"""A number, and what stands behind it."""
LONGEST = 40
"""Characters of the longest text that is read as a number."""


def amount(value: Any, unit: str) -> Any:
    """Return a text such as `15T` as a number of a unit; everything else, also with a unit of another kind, as it is.

    Scales and units are those that headers of columns may have: `units.toml` lists them, and of which units a number
    may have a scale alone. `80G` of GB would be 80e18 bytes to the letter, and is left to be refused.
    """
    result = AMOUNT.fullmatch(value) if isinstance(value, str) and len(value) <= LONGEST else None
    size = times(unit, result[2]) if result else None
    if result is None or size is None or (is_scale(result[2]) and unit not in units()["typed"]):
        return value
    number = Fraction(result[1]) * size
    return int(number) if number.denominator == 1 else float(number)
