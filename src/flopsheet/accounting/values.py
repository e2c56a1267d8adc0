"""Values of dimensions: what was given, checked, and what defaults add."""

from __future__ import annotations

import sys
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting import formula
from flopsheet.accounting.line import NOTHING, Dimension, Number
from flopsheet.accounting.nonumber import NoNumber
from flopsheet.errors import FormulaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_SHOWN = 60
"""Characters of a value that a message shows."""

LOOSE = ("flag", "share")
"""Kinds whose bounds are their own."""

LARGEST = 2**53
"""Beyond this, a spreadsheet cannot hold every whole number."""


def fill_in(
    dimensions: Iterable[Dimension],
    raw_values: Mapping[str, Any],
    fields: Mapping[str, Number] = NOTHING,
    defaults: Mapping[str, float | str] = NOTHING,
) -> tuple[dict[str, Number], dict[str, str]]:
    """Return the value of every dimension, and by name what is wrong with those that have none.

    A given value is checked against its kind; a missing one comes from the default, the dimension's own or that in
    `defaults`, which may be a formula of the dimensions before it and of `fields`, the numbers of a config. A default
    that depends on a wrong value is not computed and not reported again.
    """
    numbers = dict(fields)
    values: dict[str, Number] = {}
    problems: dict[str, str] = {}
    for dimension in dimensions:
        name = dimension.name
        default = defaults.get(name, dimension.default)
        try:
            values[name] = numbers[name] = _value(dimension, default, raw_values, numbers)
        except _NotComputedError as missing:
            if not problems.keys() & missing.args:
                problems[name] = f"needs {' and '.join(sorted(missing.args))}, which the config does not give"
        except ValueError as error:
            problems[name] = str(error)
    return values, problems


def check(dimension: Dimension, value: Any) -> Number:
    """Return `value` as the number that formulas use; ValueError says what was expected.

    A choice is given as one of its labels and becomes its place, counted from 1.
    """
    if type(value) is int and is_plain_count(dimension) and dimension.minimum <= value <= LARGEST:
        return value  # as most are
    if dimension.kind == "choice":
        return _choice(dimension, value)
    if isinstance(value, bool) and dimension.kind == "flag":
        return int(value)
    if isinstance(value, bool) or not is_number(value):
        raise ValueError(f"{show_value(value)} is not a number; {_expected_range(dimension)}")
    number = _whole(value)
    if not in_range(dimension, number):
        is_huge = number > LARGEST == bounds(dimension)[1]
        expected = f"at most {LARGEST:,} is expected" if is_huge else _expected_range(dimension)
        raise ValueError(f"{show_value(plain(number))} is out of range; {expected}")
    return number


def wrong_default(dimension: Dimension) -> str:
    """Say why a dimension cannot have the number that is its default, "" where it can: of a choice, a label's place."""
    default, places = dimension.default, range(1, len(dimension.labels) + 1)
    if default is None or isinstance(default, str):
        return ""
    if dimension.kind == "choice":
        wrong = f"{show_value(default)} is no place of a label; a whole number from 1 to {len(places)} is expected"
        return "" if default in places else f"default: {wrong}"
    try:
        check(dimension, default)
    except ValueError as error:
        return f"default: {error}"
    return ""


def is_plain_count(dimension: Dimension) -> bool:
    """Tell whether each whole number from the minimum on is a value of a dimension."""
    return dimension.kind == "count" and dimension.maximum is None and dimension.above is None


def expand_choices(dimensions: Iterable[Dimension], values: Mapping[str, Number]) -> dict[str, Any]:
    """Return the values of dimensions as people read them: choices by label, fractions as floats."""
    return {d.name: label(d, values[d.name]) if d.labels else plain(values[d.name]) for d in dimensions}


def label(choice: Dimension, value: Number) -> str:
    """Return the label of a choice for its place, counted from 1."""
    return choice.labels[int(value) - 1]


def plain(value: Number) -> int | float:
    """Return a number that JSON, TOML and spreadsheets can hold: whole ones as int. What is no number stays so."""
    if type(value) is int:
        return value
    if type(value) is float:
        return int(value) if value.is_integer() and -LARGEST <= value <= LARGEST else value
    if isinstance(value, NoNumber):
        return value
    number = _whole(value)
    return number if isinstance(number, int | float) else float(number)


class _NotComputedError(Exception):
    """A default whose own inputs have no value."""


def add(numbers: Iterable[Number]) -> Number:
    """Return the sum of numbers, the same on every Python: exact, and where one is a float, rounded once at the end."""
    terms = list(numbers)
    return fsum(terms) if any(isinstance(term, float) for term in terms) else sum(terms)


def _value(
    dimension: Dimension, default: float | str | None, raw_values: Mapping[str, Any], numbers: Mapping[str, Number]
) -> Number:
    value = raw_values.get(dimension.name)
    if value is not None:
        return check(dimension, value)
    if default is None:
        raise ValueError(f"is missing{_unsaid(dimension, raw_values)}; {_expected_range(dimension)}")
    return _default(dimension, default, numbers) if isinstance(default, str) else default


def _unsaid(dimension: Dimension, raw_values: Mapping[str, Any]) -> str:
    keys = " or ".join(repr(key) for key in dimension.keys)
    if not keys:
        return ""
    return f": {keys} is null" if dimension.name in raw_values else f" (in a config: {keys})"


def _default(dimension: Dimension, text: str, numbers: Mapping[str, Number]) -> Number:
    default = formula.read(text)
    missing = [name for name in default.names if name not in numbers]
    if missing:
        raise _NotComputedError(*missing)
    try:
        return check(dimension, default.evaluate(numbers))
    except (FormulaError, ValueError) as error:
        raise ValueError(f"is missing, and its default {text} does not give one: {error}") from None


def _choice(dimension: Dimension, value: Any) -> int:
    if value in dimension.labels:
        return dimension.labels.index(value) + 1
    raise ValueError(f"{show_value(value)} is not one of {', '.join(dimension.labels)}")


def is_number(value: Any) -> bool:
    """Tell a number, and a fraction without importing their module, which most starts of the program never need."""
    fractions = sys.modules.get("fractions")
    return isinstance(value, int | float) or (fractions is not None and isinstance(value, fractions.Fraction))


def _whole(value: Number) -> Number:
    return int(value) if -LARGEST <= value <= LARGEST and value == int(value) else value


class Bounds(NamedTuple):
    """What the numbers of a dimension are held to: at least and at most, above what, and whether they are whole."""

    least: float
    most: float
    above: float | None
    whole: bool


def bounds(dimension: Dimension) -> Bounds:
    """Return what the numbers of a dimension are held to; those of a choice are the places of its labels."""
    kind, most = dimension.kind, dimension.maximum
    if kind == "choice":
        return Bounds(1, len(dimension.labels), None, whole=True)
    least = 0 if kind in LOOSE else dimension.minimum
    ends = [1 if kind in LOOSE else max(LARGEST, most or 0), *([] if most is None else [most])]
    return Bounds(least, min(ends), dimension.above, kind in ("count", "flag"))


def in_range(dimension: Dimension, value: Any) -> Any:
    """Tell whether a number suits a dimension; of a NumPy column, each of its numbers. Nan never does."""
    least, most, above, whole = bounds(dimension)
    result = (least <= value) & (value <= most)
    if above is not None:
        result = result & (value > above)
    return result & (value % 1 == 0) if whole else result


def _expected_range(dimension: Dimension) -> str:
    if dimension.kind == "flag":
        return "0 or 1 is expected"
    if dimension.kind == "share":
        more = "a number from 0 to 1" if dimension.above is None else "a number above 0 and at most 1"
        return f"{more} is expected: write shares as numbers (45% is 0.45)"
    kind = "a whole number" if dimension.kind == "count" else "a number"
    if dimension.above is not None:
        return f"{kind} greater than {dimension.above:g} is expected"
    if dimension.maximum is not None:
        return f"{kind} from {dimension.minimum} to {dimension.maximum} is expected"
    return f"{kind} of at least {dimension.minimum} is expected"


def show_value(value: Any) -> str:
    """Return a value as a message shows it: its start, if it is long."""
    try:
        text = "null" if value is None else repr(value)
    except (RecursionError, ValueError):  # levels or digits beyond what Python writes
        text = "a number too large to show" if isinstance(value, int) else "a value too large to show"
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"
