"""Units as headers write them, and how much of the plain unit each is: what units.toml says."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import tomli

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TWO = re.compile(r"([^-/]+)([-/].+)")
_LOOSE = re.compile(r"\A\s*in\s+|\s+of\s+|[\s_\-.,'\u2019]+", re.IGNORECASE)
"""What says nothing in a unit: `in USD thousands`, `millions of USD`, `USD, millions`."""


@cache
def units() -> Mapping[str, Any]:
    """Return what units.toml says."""
    return MappingProxyType(tomli.loads(Path(__file__).with_name("units.toml").read_text("utf-8")))


def is_plain(text: str) -> bool:
    """Whether a text is what is in place of a unit next to a text or a flag: `-`, `text`, `bool`."""
    return _tight(text).casefold() in units()["plain"]


def times(unit: str, text: str) -> Fraction | None:
    """Return how much of a unit a header's unit is: 10**9 for B of parameters; None for no unit of that kind.

    A unit made of two has the larger ones of its first: a TB-month is 1,000 GB-month.
    """
    result = _read_spelling(unit, text)
    return _of_first(unit, text) if result is None else result


def split(unit: str) -> tuple[str, str]:
    """Return the first unit of one made of two, and what is behind it: GB and -month; a single one is itself."""
    result = None if unit in units()["units"] else _TWO.fullmatch(unit)
    return (result[1], result[2]) if result else (unit, "")


def _of_first(unit: str, text: str) -> Fraction | None:
    (first, rest), (other, also), (kind, _) = split(unit), split(text), first_kind(unit)
    behind = {_tight(each).casefold() for each in (rest, *units()["behind"].get(rest, ()))}
    if not kind or is_scale(other) or _tight(also).casefold() not in behind:
        return None
    plain, many = _read_spelling(kind, first), _read_spelling(kind, other)
    return many / plain if plain and many is not None else None


@lru_cache(1024)  # labels of one template are asked for by several of its cells
def _read_spelling(unit: str, text: str) -> Fraction | None:
    spellings = _spellings(unit)
    text = _tight(text)
    if text in spellings:
        return spellings[text]
    if text in _table(unit).get("unclear", ()):
        return None
    loose = {size for spelling, size in spellings.items() if spelling.casefold() == text.casefold()}
    return loose.pop() if len(loose) == 1 else None


def is_scale(text: str) -> bool:
    """Whether a text is a scale without a unit, such as `m`."""
    return _tight(text) in units()["scales"]


def kind_of(text: str) -> str:
    """Return the first kind of unit that a text belongs to, "" where it is no unit at all."""
    return next((unit for unit in units()["units"] if _read_spelling(unit, text) is not None), "")


def known_units(unit: str) -> list[str]:
    """Return the spellings that a message offers for a unit."""
    table = _table(unit)
    return [_base(unit), *table["spellings"], *(("K", "M", "B", "T") if table.get("scaled") else ())]


def _table(unit: str) -> Mapping[str, Any]:
    result: Mapping[str, Any] = units()["units"].get(unit) or units()["units"]["count"]
    return result


def _base(unit: str) -> str:
    return unit or "count"


@cache
def _spellings(unit: str) -> Mapping[str, Fraction]:
    table = _table(unit)
    plain = (*table.get("plain", ()), *(() if unit else units()["counted"]))
    bases = {_base(unit): 1, **table["spellings"], **dict.fromkeys(plain, 1)}
    result = {_tight(spelling): Fraction(size) for spelling, size in bases.items()}
    return MappingProxyType((dict(_spell_scales(result)) if table.get("scaled") else {}) | result)


def _spell_scales(bases: Mapping[str, Fraction]) -> Iterator[tuple[str, Fraction]]:
    """Give each scale alone, and before and after each spelling."""
    for scale, size in units()["scales"].items():
        yield scale, Fraction(size)
        for base, unit_size in bases.items():
            yield f"{base}{scale}", unit_size * size
            yield f"{scale}{base}", unit_size * size


def first_kind(unit: str) -> tuple[str, str]:
    """Return what the first unit of one is of, such as bytes of GB-month, and what is behind; "" for no such one."""
    first, rest = split(unit)
    has_steps = any(first in series for series in units()["steps"].values())
    return ((kind_of(first) or first) if rest or (has_steps and unit not in units()["units"]) else ""), rest


def _tight(text: str) -> str:
    return _LOOSE.sub("", text)
