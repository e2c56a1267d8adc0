"""Numbers as people read them: with a prefix and three digits, or with every digit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q")
COUNTS = ("", "K", "M", "B", "T")
PREFIXED = ("FLOP", "FLOP/s")
BINARY = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")
DECIMAL = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")
THOUSAND = 999.5
"""From here on, three digits round to a thousand of what is one below."""
MAX_OF_LAST = 999_500
"""From here on, a number of the largest prefix is written with an exponent and without it."""
MANY = 10**36
"""From here on, a whole number is written with an exponent: no real model comes near."""
MAX_DECIMALS = 10**9
"""From here on, a number that is not whole is written without its decimals."""
MAX_PLAIN = 10**15
"""From here on, a number that is not whole is written with an exponent."""
SPELLED = {"tokens/s": "tokens per second", "USD/Mtok": "usd per million"}
"""How titles write units that hold a rate."""
MIN_PLAIN = 0.001
"""Below, four decimals would show too little."""


def human(value: float, unit: str = "") -> str:
    """Return a number with three digits and the prefix of its unit: `8.03 B`, `384 TFLOP`, `15.0 GiB`."""
    if unit == "bytes":
        return _with_prefix(value, BINARY, 1024)
    if unit in PREFIXED:
        return _with_prefix(value, [f"{prefix}{unit}" for prefix in PREFIXES], 1000)
    return _with_prefix(value, COUNTS, 1000)


def decimal_bytes(value: float) -> str:
    """Return bytes in powers of 1,000, as vendors label memory: `16.1 GB`."""
    return _with_prefix(value, DECIMAL, 1000)


def _with_prefix(value: float, units: Sequence[str], step: int) -> str:
    size, place = float(value), 0
    while abs(size) >= THOUSAND and place < len(units) - 1:
        size /= step
        place += 1
    if abs(size) >= MAX_OF_LAST:
        return f"{value:.3g} {units[0]}".rstrip()
    if abs(size) >= THOUSAND:
        return f"{float(f'{size:.3g}'):,.0f} {units[place]}"
    text = f"{size:#.3g}".rstrip(".") if place or size != int(size) else f"{size:.0f}"
    return f"{text} {units[place]}".rstrip()


def number_of(count: int, thing: str) -> str:
    """Return how many things there are, in the singular where there is one: `1 model`, `12,000 models`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def digits(value: float) -> str:
    """Return a number with all its digits, parted by thousands; decimals to the fourth, below a billion."""
    if isinstance(value, int) and abs(value) < MANY:
        return f"{value:,}"
    value = float(value)
    if value.is_integer() and abs(value) < MAX_PLAIN:
        return f"{int(value):,}"
    if abs(value) >= MAX_PLAIN or 0 < abs(value) < MIN_PLAIN:
        return f"{value:.6g}"
    return f"{value:,.4f}".rstrip("0").rstrip(".") if abs(value) < MAX_DECIMALS else f"{value:,.0f}"


def counts(unit: str) -> bool:
    """Whether a unit is the plural of what is counted: `tokens`, and neither `bytes` nor `ms`."""
    return unit.isalpha() and unit.endswith("s") and unit not in ("bytes", "s", "ms")


def names_unit(title: str, unit: str) -> bool:
    """Whether a title names the unit of its numbers: `Training tokens`, or `Tokens per second` for tokens/s."""
    words = title.casefold()
    return (counts(unit) and unit in words.split()) or SPELLED.get(unit, "\n") in words


def number(text: str) -> int | float | str:
    """Return a text as int, else as float, else as it is; underscores may part digits."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
