"""The units in which people read numbers: one a column or row, the largest of which there is at least one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from flopsheet.units import table
from flopsheet.units.table import units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

SINGLE = ("flag", "choice", "text", "elements")
"""Units of what is never counted in larger ones."""
SCALES = ("T", "B", "M", "k")
NAMED: Mapping[str, str] = units()["named"]
"""Units whose size is on Assumptions, each with its name."""


@cache
def _sizes() -> Mapping[str, int | float]:
    """Return how many plain units each readable one is."""
    columns = [(column["of"], unit) for column in units()["columns"].values() for unit in column["units"]]
    readable = [(plain, unit) for plain, several in units()["readable"].items() for unit in several]
    return {unit: _plain(table.times(plain, unit)) for plain, unit in (*columns, *readable)}


def _plain(times: Fraction | None) -> int | float:
    return 0 if times is None else int(times) if times.denominator == 1 else float(times)


def families() -> list[str]:
    """Return the names of the units of which a column takes one."""
    return list(units()["columns"])


def family(name: str) -> tuple[str, ...]:
    """Return the units of which a column takes one, the largest first."""
    return tuple(units()["columns"][name]["units"])


def plain_of(name: str) -> str:
    """Return the plain unit of which a family's units are larger ones."""
    return str(units()["columns"][name]["of"])


def size(unit: str, plain_unit: str | None = None) -> int | float:
    """Return how many plain units a readable one is: less than 1 where it is smaller, and 1 for the plain one itself.

    ValueError for an unknown unit.
    """
    if unit == plain_unit:
        return 1
    if plain_unit and (times := table.times(plain_unit, unit)):
        return _plain(times)
    if not _sizes().get(unit):
        of = f" of {plain_unit}" if plain_unit else ""
        raise ValueError(f"{unit!r} is not a readable unit{of}; expected one of {', '.join(_sizes())}")
    return _sizes()[unit]


def divisor(unit: str, plain_unit: str | None = None) -> str:
    """Return how formulas say a unit's size; spreadsheets write out fifteen digits."""
    digits = str(size(unit, plain_unit))
    if unit in NAMED and unit != plain_unit:
        return NAMED[unit]
    return digits if len(digits) <= 15 else f"1E+{len(digits) - 1}"  # noqa: PLR2004 - see above


def fitting(units: Sequence[str], value: float | Fraction, of: str | None = None) -> str:
    """Return the first unit, from the largest on, of which the value has at least one, or the last; of 0 the first.

    A negative value is read in the unit of the same amount.
    """
    return next((unit for unit in units if max(value, -value) >= size(unit, of)), units[-1]) if value else units[0]


def readable(plain_unit: str, value: float | Fraction) -> str:
    """Return the unit in which people read so much of a plain one."""
    larger = scales(plain_unit)
    return fitting(larger, value, plain_unit) if larger else plain_unit


def scales(plain_unit: str) -> list[str]:
    """Return the units of which people read an amount of a plain one in the largest that fits, the largest first."""
    larger: list[str] = units()["readable"].get(plain_unit) or steps(plain_unit)
    return larger


def steps(unit: str) -> list[str]:
    """Return the larger units of one that is made of two, the largest first: PB-month and TB-month of GB-month."""
    first, rest = table.split(unit)
    series: list[str] = next((names for names in units()["steps"].values() if first in names), [])
    return [f"{name}{rest}" for name in series[: series.index(first) + 1]] if rest.startswith("-") and series else []


def readable_units(plain_unit: str) -> list[str]:
    """Return the units of which people read numbers of a plain one in the one that fits."""
    columns = [unit for column in units()["columns"].values() if column["of"] == plain_unit for unit in column["units"]]
    return list(dict.fromkeys([*units()["readable"].get(plain_unit, ()), *columns]))


def units_of(plain_unit: str) -> list[str]:
    """Return the units in which a column or chart may show a plain one, itself among them.

    A unit of a plugin's own is a count: it may be in thousands, millions, billions and trillions of it. Of one that is
    made of two, such as GB-month or USD/Mtok, the first may be larger.
    """
    first, rest = table.first_kind(plain_unit)
    if first:
        whole = [f"{unit}{rest}" for unit in units_of(first) if not table.is_scale(unit)]
        sizes = {unit: size(unit, plain_unit) for unit in whole}
        results = [unit for unit, times in sizes.items() if times >= 1 and isinstance(times, int)]
    elif plain_unit in (*units()["units"], *SINGLE) or " per " in plain_unit:
        results = [*readable_units(plain_unit), *units()["further"].get(plain_unit, ())]
    else:
        results = [*readable_units(plain_unit), *(f"{scale} {plain_unit}".rstrip() for scale in SCALES)]
    return list(dict.fromkeys([plain_unit, *results]))


def siblings(header: str) -> list[str]:
    """Return a column's headers in the other units of its kind: `Cost (USD m)` may be `Cost (USD k)`."""
    title, _, unit = header.removesuffix(")").rpartition(" (")
    families = [family["units"] for family in units()["columns"].values()]
    results = [other for family in families if unit in family for other in family if other != unit]
    return [f"{title} ({other})" for other in dict.fromkeys(results)] if title else []
