"""Rows of tables of n-grams: a prime number for each hash, each larger than the one before."""

from __future__ import annotations

from itertools import count, islice
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
"""Bases that tell primes from all others below 3e23: Sorenson and Webster 1509.00864."""
MOST_ROWS = 2**63
"""Rows that torch numbers."""


def table_rows(base: int, heads: int, tables: int, padding: int) -> Iterator[int]:
    """Yield the rows of each table: the next `heads` primes from a base on, padded to a multiple."""
    if base >= MOST_ROWS or padding == 0:
        raise ValueError(f"no table has {base} rows padded to a multiple of {padding}")
    primes = filter(_is_prime, count(max(base, 2)))
    for _ in range(tables):
        yield ceil(sum(islice(primes, heads)) / padding) * padding


def _is_prime(number: int) -> bool:
    """Tell whether a number is prime, by the test of Miller and Rabin."""
    if number in WITNESSES or any(number % prime == 0 for prime in WITNESSES):
        return number in WITNESSES
    twos = (number - 1 & 1 - number).bit_length() - 1
    return all(_passes(number, base, twos) for base in WITNESSES)


def _passes(number: int, base: int, twos: int) -> bool:
    power = pow(base, number - 1 >> twos, number)
    powers = [power, *(power := power * power % number for _ in range(twos - 1))]
    return powers[0] == 1 or number - 1 in powers
