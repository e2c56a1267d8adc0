"""Money of other countries as people write it in headers, labels and formats, and at what rate a plan converts it."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.units.table import times, units

if TYPE_CHECKING:
    from collections.abc import Mapping

DOLLAR = "USD"
NAMES = re.compile(r"[A-Z]{3}|[£¥\u20a0-\u20cf]")


class Money(Struct, frozen=True):
    """The currency of a plan, and how many of it are one US dollar."""

    code: str
    rate: Fraction

    def names_currency(self, text: str) -> bool:
        """Whether a text names this currency, and no other."""
        return set(_codes(text)) == {self.code}

    def times(self, unit: str, text: str) -> Fraction | None:
        """Return how much of a unit of dollars one of a header's unit is: 10**6 / rate for EUR m of USD.

        None for no such unit.
        """
        if not (unit.startswith(DOLLAR) and self.names_currency(text)):
            return None
        result = times(unit, NAMES.sub(_to_dollar, text))
        return None if result is None else result / self.rate


DOLLARS = Money(DOLLAR, Fraction(1))
"""The currency of a plan that states no other."""


def foreign(text: str) -> bool:
    """Whether a text names money other than dollars: a sign or a code."""
    return bool(_codes(text))


def is_foreign_unit(text: str) -> bool:
    """Whether a text is a unit of money other than dollars and nothing else, such as EUR m."""
    return foreign(text) and times(DOLLAR, NAMES.sub(_to_dollar, text)) is not None


def _codes(text: str) -> list[str]:
    return [_signs()[name] for name in NAMES.findall(text) if name in _signs()]


def _to_dollar(match: re.Match[str]) -> str:
    return DOLLAR if match[0] in _signs() else match[0]


@cache
def _signs() -> Mapping[str, str]:
    """Return the code of each code and sign."""
    return {sign: code for code, signs in units()["money"].items() for sign in (code, *signs)}
