"""What a number format says of the numbers under it: the unit next to them, and by how much it divides them."""

from __future__ import annotations

import re
from fractions import Fraction

from flopsheet.units.money import foreign

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]|([$€£¥])')
"""Texts in quotes, after a backslash, in `[$€-407]`, and signs of money."""
_NO_NUMBER = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|[_*].')
_DAYS = re.compile(r"[ymd]", re.IGNORECASE)
_FIRST = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])*')
_SCALE = re.compile(r"(?<=[0#?]),+(?=\.|[^0#?,.]*$)")


def beside(form: str) -> str:
    """Return the texts that a format writes next to a positive number, joined: `$m` for `"$"#,##0.0,,"m"`."""
    return "".join("".join(match.groups("")) for match in _LITERAL.finditer(_first(form))).strip()


def shows_days(form: str) -> bool:
    """Whether a format writes a number as a day."""
    return bool(_DAYS.search(_NO_NUMBER.sub("", "" if form.casefold() == "general" else _first(form))))


def divisor(form: str) -> Fraction:
    """Return by how much a format divides what it shows: 1e6 for `0.0,,`, 1/100 for `0%`."""
    numbers = _NO_NUMBER.sub("", _first(form))
    commas = sum(len(match[0]) for match in _SCALE.finditer(numbers))
    return Fraction(1000**commas, 100 ** numbers.count("%"))


def money(form: str) -> str:
    """Return the currency that a format writes next to a number, where it is not the dollar; else ""."""
    text = beside(form)
    return text if foreign(text) else ""


def _first(form: str) -> str:
    match = _FIRST.match(form)
    return match[0] if match else form
