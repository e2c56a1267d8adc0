"""Evaluation in Python: whole numbers and fractions exactly, decimals as a spreadsheet computes them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.formula.language import LARGEST, NEAR, SNAP, STEPS
from flopsheet.accounting.formula.program import ROWS
from flopsheet.accounting.nonumber import NoNumber
from flopsheet.errors import FormulaError
from livesheets import days

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction
    from types import CodeType

    from flopsheet.accounting.line import Number

MOST_BITS = 1024  # a float64 ends just below 2**1024
TOO_LARGE = "gives a number that no cell can hold (2**1024 or more)"
INEXACT = (float, NoNumber)
"""The types whose division and powers are Python's own."""


def evaluate(text: str, code: CodeType, values: Mapping[str, Number]) -> Number:
    """Run the compiled formula; whatever gives no number that a cell can hold is an error with the formula's text."""
    return hold(text, _run(text, code, values))


def hold(text: str, result: Number) -> Number:
    """Return what a formula gives as a cell holds it: a fraction that is whole as a whole number."""
    if type(result) is int and -LARGEST < result < LARGEST:
        return result
    if _is_finite(result):
        return simplify(result)
    raise FormulaError(f"{text}\n{TOO_LARGE}")


def simplify(number: Number) -> Number:
    """Return a fraction that is whole as a whole number."""
    return number if isinstance(number, int | float) or number.denominator > 1 else number.numerator


def evaluate_rows(text: str, code: CodeType, rows: Iterable[Sequence[Number]]) -> list[Number]:
    """Run code for cells; a row without a number that a cell can hold is an error with the formula's text."""
    results: list[Number] = _run(text, code, {ROWS: rows})
    if all(map(_is_finite, results)):
        return results
    raise FormulaError(f"{text}\n{TOO_LARGE}")


def _is_finite(number: Number) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _run(text: str, code: CodeType, values: Mapping[str, Any]) -> Any:
    try:
        return eval(code, HELPERS, values)  # noqa: S307  made from a checked tree, and without builtins
    except NameError as error:
        reason = f"there is no value for {error.name!r}"
    except ZeroDivisionError:
        reason = "divides by zero"
    except OverflowError:
        reason = TOO_LARGE
    except ValueError as error:
        reason = f"has no value: {error}"
    raise FormulaError(f"{text}\n{reason}")


def divide(a: Number, b: Number) -> Number:
    """Divide: two exact numbers give an exact one."""
    if type(a) is int and type(b) is int:
        quotient, rest = divmod(a, b)
        if not rest:
            return quotient
    elif isinstance(a, INEXACT) or isinstance(b, INEXACT):
        return a / b
    from fractions import Fraction  # noqa: PLC0415  few models need one, and every start would pay for it

    return simplify(Fraction(a, b))


def same(a: Number, b: Number) -> bool:
    """Compare as spreadsheets do: whole numbers exactly, all others up to the last few bits."""
    if a == b:
        return True
    if type(a) is int and type(b) is int and -LARGEST < a < LARGEST and -LARGEST < b < LARGEST:
        return False
    if type(a) is float and type(b) is float and abs(a - b) >= NEAR * min(abs(a), abs(b)):
        return False
    x, y = float(a), float(b)
    if abs(x) < LARGEST and abs(y) < LARGEST and x.is_integer() and y.is_integer():
        return x == y
    return x == y or abs(x - y) < NEAR * min(abs(x), abs(y))


def subtract(a: Number, b: Number) -> Number:
    """Subtract as the cells of a spreadsheet do: 0 where nothing but rounding is left."""
    return 0 if same(a, b) else a - b


def less(a: Number, b: Number) -> bool:
    """Say whether a is less than b, and not the same as a spreadsheet sees it."""
    return a < b and not same(a, b)


def snap(x: Number) -> Number:
    """Make a float whole that rounds to a whole number at 15 digits, as spreadsheets do before they round it."""
    if not isinstance(x, float):
        return x
    whole = round(x)
    if x == whole or abs(x - whole) > SNAP * abs(x) or x * STEPS % 1 == 0:
        return x
    scale = 10.0 ** (14 - math.floor(math.log10(abs(x))))  # in float64 like LibreOffice, which decides the last bits
    return whole if math.floor(abs(x) * scale + 0.5) == abs(whole) * scale else x


def ceil(x: Number) -> int:
    """Round up to a whole number."""
    if x < 0:
        raise ValueError("ceil of a number below zero")
    return x if type(x) is int else math.ceil(snap(x))


def floor(x: Number) -> int:
    """Round down to a whole number."""
    return x if type(x) is int else math.floor(snap(x))


def round_up(value: Number, multiple: Number) -> Number:
    """Round up to a multiple."""
    if value < 0:
        raise ValueError("round_up of a number below zero")
    if multiple <= 0:
        raise ValueError("round_up to a multiple that is not above zero")
    return math.ceil(snap(divide(value, multiple))) * multiple


def power(base: Number, exponent: Number) -> Number:
    """Raise to a power: exactly where base and exponent are exact and the result has at most 1,024 bits."""
    if base == 0 and exponent == 0:
        raise ValueError("power(0, 0)")
    if isinstance(base, INEXACT) or isinstance(exponent, INEXACT) or exponent.denominator != 1:
        return _float_power(base, exponent)
    return _whole_power(base, int(exponent))


def _whole_power(base: int | Fraction, exponent: int) -> Number:
    if (max(abs(base.numerator), base.denominator).bit_length() - 1) * abs(exponent) >= MOST_BITS:
        return _float_power(base, exponent)
    if type(base) is int and exponent >= 0:
        result: int | Fraction = base**exponent
    else:
        from fractions import Fraction  # noqa: PLC0415  few formulas need one, and every start would pay for it

        result = Fraction(base) ** exponent
    if max(abs(result.numerator), result.denominator).bit_length() > MOST_BITS:
        return _float_power(base, exponent)
    return simplify(result)


def _float_power(base: Number, exponent: Number) -> float:
    try:
        return math.pow(base, exponent)
    except ValueError:
        raise ValueError(f"power({float(base):g}, {float(exponent):g})") from None


def month_end(day: Number, months: Number) -> int:
    """Return the last day of the month that is so many months after that of a day, as spreadsheets count days."""
    return days.month_end(floor(day), math.trunc(snap(months)))


def log(x: Number) -> float:
    """Return the natural logarithm."""
    if x <= 0:
        raise ValueError("log of a number that is not above zero")
    return math.log(x)


HELPERS: dict[str, Any] = {
    "__builtins__": {},
    "divide()": divide,
    "same()": same,
    "subtract()": subtract,
    "less()": less,
    "min()": min,
    "max()": max,
    "ceil()": ceil,
    "floor()": floor,
    "round_up()": round_up,
    "power()": power,
    "log()": log,
    "exp()": math.exp,
    "month_end()": month_end,
}
