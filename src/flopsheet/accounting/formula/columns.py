"""Evaluation over NumPy columns in float64: never int64, which overflows silently where FLOPs are counted."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from flopsheet.accounting.formula.language import LARGEST, NEAR, SNAP, STEPS
from flopsheet.errors import FormulaError
from livesheets.days import DAY_0, FIRST, LAST

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType

    from numpy.typing import NDArray

    Column = NDArray[np.float64]


def evaluate(text: str, names: tuple[str, ...], code: CodeType, values: Mapping[str, Any]) -> Column | float:
    """Run the compiled formula on columns; what has no value is nan, and so is all that is computed or chosen by it."""
    missing = next((name for name in names if name not in values), None)
    if missing:
        raise FormulaError(f"{text}\nthere is no value for {missing!r}")
    columns = {name: np.asarray(values[name], np.float64) for name in names}
    with np.errstate(all="ignore"):
        result: Column = np.asarray(eval(code, HELPERS, columns))  # noqa: S307  from a checked tree, without builtins
    return result if result.ndim else float(result)


def _known_numbers(x: Column) -> Column:
    """Return a column in which nothing is infinite: what no cell can hold is nan, which stays nan."""
    finite = np.isfinite(x)
    return x if finite.all() else np.where(finite, x, np.nan)


def divide(a: Column, b: Column) -> Column:
    """Divide; nan by zero."""
    return _known_numbers(np.divide(a, b))


def choose(test: Any, body: Column, orelse: Column) -> Column:
    """Return one of two numbers; nan where nobody knows which."""
    result = np.where(test, body, orelse)
    is_unknown = np.isnan(test)
    return np.where(is_unknown, np.nan, result) if is_unknown.any() else result


def _compare(holds: NDArray[np.bool_], a: Column, b: Column) -> Any:
    """Return whether a comparison holds, nan where a side is."""
    is_unknown = np.isnan(a) | np.isnan(b)
    return np.where(is_unknown, np.nan, holds) if is_unknown.any() else holds


def same(a: Column, b: Column) -> Any:
    """Compare as spreadsheets do: whole numbers exactly, all others up to the last few bits."""
    return _compare(_same(a, b), a, b)


def _same(a: Column, b: Column) -> NDArray[np.bool_]:
    equal: NDArray[np.bool_] = np.equal(a, b)
    near = np.abs(a - b) < NEAR * np.minimum(np.abs(a), np.abs(b))
    return equal | near & ~(_whole(a) & _whole(b)) if np.any(near & ~equal) else equal


def _whole(x: Column) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (np.abs(x) < LARGEST) & (np.rint(x) == x)
    return result


def less(a: Column, b: Column) -> Any:
    """Say where a is less than b, and not the same as a spreadsheet sees it."""
    return _compare(np.less(a, b) & ~_same(a, b), a, b)


def snap(x: Column) -> Column:
    """Make floats whole that round to whole numbers at 15 digits, as spreadsheets do before they round them."""
    whole = np.rint(x)
    near = (x != whole) & (np.abs(x - whole) <= SNAP * np.abs(x))
    if not near.any():
        return x
    scale = 10.0 ** (14 - np.floor(np.log10(np.abs(x))))
    rounds = np.floor(np.abs(x) * scale + 0.5) == np.abs(whole) * scale
    return np.where(near & rounds & (x * STEPS % 1 != 0), whole, x)


def ceil(x: Column) -> Column:
    """Round up to whole numbers; nan below zero."""
    return np.where(np.less(x, 0), np.nan, np.ceil(snap(x)))


def floor(x: Column) -> Column:
    """Round down to whole numbers."""
    return np.asarray(np.floor(snap(x)))


def round_up(value: Column, multiple: Column) -> Column:
    """Round up to multiples; nan for values below zero and multiples not above it."""
    steps = np.ceil(snap(np.divide(value, multiple)))
    return np.where(np.less(value, 0) | np.less_equal(multiple, 0), np.nan, steps * multiple)


def power(base: Column, exponent: Column) -> Column:
    """Raise to powers; nan for zero to the power of zero or less."""
    return _known_numbers(np.where(np.equal(base, 0) & np.equal(exponent, 0), np.nan, np.power(base, exponent)))


MOST_MONTHS = 120_000
"""More months than a calendar has, either way."""


def month_end(day: Column, months: Column) -> Column:
    """Return the last days of the months that are so many months after those of days; nan where there is none."""
    day, months = np.broadcast_arrays(np.floor(snap(np.asarray(day, float))), np.trunc(snap(np.asarray(months, float))))
    in_calendar = (day >= FIRST) & (day <= LAST) & (np.abs(months) < MOST_MONTHS)
    of = (np.datetime64(DAY_0) + np.where(in_calendar, day, FIRST).astype("timedelta64[D]")).astype("datetime64[M]")
    after = of + (np.where(in_calendar, months, 0) + 1).astype("timedelta64[M]")
    result = (after.astype("datetime64[D]") - np.datetime64(DAY_0)).astype(float) - 1
    return np.where(in_calendar & (result >= FIRST) & (result <= LAST), result, np.nan)


HELPERS: dict[str, Any] = {
    "__builtins__": {},
    "divide()": divide,
    "choose()": choose,
    "same()": same,
    "less()": less,
    "min()": lambda *columns: reduce(np.minimum, columns),
    "max()": lambda *columns: reduce(np.maximum, columns),
    "ceil()": ceil,
    "floor()": floor,
    "round_up()": round_up,
    "power()": power,
    "log()": lambda x: _known_numbers(np.log(x)),
    "exp()": lambda x: _known_numbers(np.exp(x)),
    "month_end()": month_end,
}
