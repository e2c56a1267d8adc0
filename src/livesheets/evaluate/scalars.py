"""Values as formulas see them: numbers, texts, flags, blanks and error values, and how they compare and combine."""

from __future__ import annotations

import operator
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EXACT = 2**53
"""Whole numbers up to it are exact in a cell."""
CLOSE, FAR = 2.0**-48, 2.0**-44
"""Spreadsheets take numbers that are nearer to each other than this share as equal."""


class Fault(str):
    """An error value in a cell, such as #N/A."""

    __slots__ = ()


NUMBERS = frozenset({int, float})
"""The types of nearly all numbers: asking for them costs a third of what isinstance does."""
Scalar = Union[float, str, bool, Fault, None]  # noqa: UP007 - a type alias with a forward-compatible form

COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
"""What each sign says of how two values are ordered, against 0; those of two characters first."""

NA = Fault("#N/A")
DIVISION = Fault("#DIV/0!")
VALUE = Fault("#VALUE!")
REFERENCE = Fault("#REF!")
NAME = Fault("#NAME?")
NUMBER = Fault("#NUM!")


class FaultError(Exception):
    """A formula gives an error value."""

    def __init__(self, fault: Fault) -> None:
        """Keep the error value."""
        super().__init__(fault)
        self.fault = fault


class UnknownError(Exception):
    """What a formula gives is not known here: it uses what this evaluator does not."""


def number(value: Scalar) -> float:
    """Return a value as a number; a text is an error value even where it looks like a number."""
    if type(value) is float:
        return value
    if isinstance(value, str):
        raise FaultError(value if isinstance(value, Fault) else VALUE)
    return float(value) if value else 0.0


def as_scalar(value: object) -> Scalar:
    """Return what a cell holds as a formula sees it: every number is a float64."""
    if type(value) in NUMBERS:
        return value  # type: ignore[return-value]  # a number by its type
    if isinstance(value, Fraction):
        return float(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UnknownError


def tidy(value: Scalar) -> Scalar:
    """Return a result as a cell holds it: whole numbers as int, a blank as 0."""
    if isinstance(value, float):
        if not isfinite(value):
            return NUMBER
        return int(value) if value.is_integer() and abs(value) <= EXACT else value
    return 0 if value is None else value


def is_number(value: Scalar) -> bool:
    """Whether a value is a number that functions over ranges count."""
    return type(value) in NUMBERS or (isinstance(value, int | float) and not isinstance(value, bool))


def are_close(one: float, other: float) -> bool:
    """Whether two numbers are equal but for rounding; whole numbers differ by what they differ by."""
    if one == other:
        return True
    if one == 0 or other == 0 or (one < 0) != (other < 0):
        return False
    gap, room = abs(one - other), min(abs(one), abs(other))
    if gap > room * FAR:
        return False
    if all(value.is_integer() and abs(value) <= EXACT for value in (gap, one, other)):
        return False
    return gap < room * CLOSE


def add(one: float, other: float) -> float:
    """Return a sum; 0 where nothing but rounding is left."""
    return 0.0 if one and are_close(one, -other) else one + other


def subtract(one: float, other: float) -> float:
    """Return a difference; 0 where nothing but rounding is left."""
    return 0.0 if one and are_close(one, other) else one - other


def divide(one: float, other: float) -> float:
    """Return a quotient."""
    if other == 0:
        raise FaultError(DIVISION)
    return one / other


def raise_to(one: float, other: float) -> float:
    """Return a power."""
    try:
        result = one**other
    except ZeroDivisionError:
        raise FaultError(DIVISION) from None
    except OverflowError:
        raise FaultError(NUMBER) from None
    if isinstance(result, complex):
        raise FaultError(NUMBER)
    return float(result)


def compare(one: Scalar, other: Scalar) -> int:
    """Return -1, 0 or 1: how two values are ordered; numbers come before texts, texts before flags."""
    if not (type(one) in NUMBERS and type(other) in NUMBERS):
        for value in (one, other):
            if isinstance(value, Fault):
                raise FaultError(value)
        one, other = _alike(one, other), _alike(other, one)
        ranks = _rank(one), _rank(other)
        if ranks[0] != ranks[1]:
            return -1 if ranks[0] < ranks[1] else 1
        if isinstance(one, str) and isinstance(other, str):
            first, second = one.casefold(), other.casefold()
            return 0 if first == second else -1 if first < second else 1
    left, right = number(one), number(other)
    return 0 if are_close(left, right) else -1 if left < right else 1


def _rank(value: Scalar) -> int:
    return 1 if isinstance(value, str) else 2 if isinstance(value, bool) else 0


def _alike(one: Scalar, other: Scalar) -> Scalar:
    """Return a value as it is compared: a blank is 0, no text or FALSE."""
    if one is None:
        return "" if isinstance(other, str) else False if isinstance(other, bool) else 0
    return one


def key_of(value: Scalar) -> Scalar:
    """Return what an exact lookup goes by: case does not count, and a flag is no number."""
    if isinstance(value, str):
        return value.casefold()
    return ("#TRUE" if value else "#FALSE") if isinstance(value, bool) else value
