"""The units in which people read numbers: one a column or row, the largest of which there is at least one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number

SIZES: Mapping[str, int] = {
    "T": 10**12,
    "B": 10**9,
    "M": 10**6,
    "k": 10**3,
    "h": 1,
    "ZFLOP": 10**21,
    "EFLOP": 10**18,
    "PFLOP": 10**15,
    "TFLOP": 10**12,
    "GFLOP": 10**9,
    "MFLOP": 10**6,
    "kFLOP": 10**3,
    "TFLOP/s": 10**12,
    "T tokens": 10**12,
    "M GPU-h": 10**6,
    "k GPU-h": 10**3,
    "USD m": 10**6,
    "USD k": 10**3,
    "GWh": 10**6,
    "MWh": 10**3,
    "MW": 10**3,
    "kt CO2e": 10**6,
    "t CO2e": 10**3,
    "GiB": 2**30,
    "MiB": 2**20,
}
"""How many plain units each is; what is not here is a plain unit."""
NAMED = {"GiB": "in_gib", "MiB": "in_mib"}
"""Units whose size stands on Assumptions, each with its name."""
COUNTS = ("B", "M", "k")
HOURS = ("M", "k", "h")
WORK = ("ZFLOP", "EFLOP", "PFLOP", "TFLOP")
STEPS = ("GFLOP", "MFLOP", "kFLOP")
BYTES = ("GiB", "MiB")
MONEY = ("USD m", "USD k", "USD")
ENERGY = ("MWh", "kWh")
FAMILIES = (COUNTS, HOURS, WORK, STEPS, BYTES, MONEY, ENERGY)
"""The units of which a column takes one, the largest first."""
READABLE: Mapping[str, Sequence[str]] = {
    "FLOP": ("ZFLOP", "EFLOP", "PFLOP"),
    "FLOP/s": ("TFLOP/s",),
    "tokens": ("T tokens",),
    "GPU-h": ("M GPU-h", "k GPU-h", "GPU-h"),
    "USD": MONEY,
    "kWh": ("GWh", "MWh", "kWh"),
    "kW": ("MW", "kW"),
    "kg CO2e": ("kt CO2e", "t CO2e", "kg CO2e"),
}
"""The units in which people read what a cluster gives and takes, by the plain one, the largest first."""


def size(unit: str) -> int:
    """Return how many plain units a readable one is."""
    return SIZES.get(unit, 1)


def times(unit: str, plain_unit: str) -> int:
    """Return how many of a plain unit a readable one is; drivers are typed in units that are readable already."""
    return 1 if unit == plain_unit else size(unit)


def divisor(unit: str) -> str:
    """Return how formulas say a unit's size; spreadsheets write out fifteen digits."""
    digits = str(size(unit))
    return NAMED.get(unit) or (digits if len(digits) <= 15 else f"1E+{len(digits) - 1}")  # noqa: PLR2004 - see above


def fitting(units: Sequence[str], value: Number) -> str:
    """Return the first unit, from the largest on, of which the value has at least one, or the last; of 0 the first."""
    return next((unit for unit in units if value >= size(unit)), units[-1]) if value else units[0]


def readable(plain_unit: str, value: Number) -> str:
    """Return the unit in which people read so much of a plain one."""
    return fitting(READABLE.get(plain_unit, (plain_unit,)), value)


def siblings(header: str) -> list[str]:
    """Return a column's headers in the other units of its kind: `Cost (USD m)` may be `Cost (USD k)`."""
    title, _, unit = header.removesuffix(")").rpartition(" (")
    found = [one for family in FAMILIES if unit in family for one in family if one != unit]
    return [f"{title} ({one})" for one in dict.fromkeys(found)] if title else []
