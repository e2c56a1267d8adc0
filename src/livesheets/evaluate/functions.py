"""Functions of spreadsheets: what each gives for values and ranges. Those that leave arguments unread are elsewhere."""

from __future__ import annotations

import math
from array import array
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_UP, ROUND_UP
from itertools import chain
from typing import TYPE_CHECKING

from livesheets.days import FIRST, day_at, month_end
from livesheets.evaluate.grids import Grid, Result, scalar
from livesheets.evaluate.lookups import LOOKUPS
from livesheets.evaluate.scalars import (
    DIVISION,
    NA,
    NUMBER,
    NUMBERS,
    VALUE,
    Fault,
    FaultError,
    Scalar,
    UnknownError,
    divide,
    is_number,
    number,
    raise_to,
)
from livesheets.evaluate.texts import decimal, fixed_text, format_value, round_decimal, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


def numbers(arguments: Iterable[Result]) -> list[float]:
    """Return what SUM and its like count: the numbers in ranges, and every value by itself."""
    return list(chain.from_iterable(_runs(arguments)))


def _runs(arguments: Iterable[Result]) -> Iterator[Sequence[float]]:
    """Give those numbers piece by piece, so that a range of many columns is never held as a whole."""
    for argument in arguments:
        for part in argument.parts() if isinstance(argument, Grid) else [[number(argument)]]:
            yield part if isinstance(part, array) else _numbers_of(part)


def _numbers_of(values: Sequence[Scalar]) -> Sequence[float]:
    kinds = set(map(type, values))
    if Fault in kinds:
        raise FaultError(next(value for value in values if isinstance(value, Fault)))
    return values if kinds <= NUMBERS else [value for value in values if type(value) in NUMBERS]  # type: ignore[misc, return-value]  # numbers by their type


def _flags(arguments: Iterable[Result]) -> list[bool]:
    results: list[bool] = []
    for argument in arguments:
        if isinstance(argument, Grid):
            results += [bool(number(value)) for value in argument.values if value is not None and not _is_text(value)]
        else:
            results.append(bool(number(argument)))
    return results


def _is_text(value: Scalar) -> bool:
    return isinstance(value, str) and not isinstance(value, Fault)


def _sum(*arguments: Result) -> float:
    return math.fsum(chain.from_iterable(_runs(arguments)))


def _average(*arguments: Result) -> float:
    result = numbers(arguments)
    return divide(math.fsum(result), len(result))


def _count(*arguments: Result) -> float:
    """Count numbers; what is none counts for nothing, an error value too."""
    parts = chain.from_iterable(item.parts() if isinstance(item, Grid) else [[item]] for item in arguments)
    return sum(len(part) if isinstance(part, array) else sum(map(is_number, part)) for part in parts)


def _counta(*arguments: Result) -> float:
    return sum(value is not None for argument in arguments for value in _items(argument))


def _items(argument: Result) -> Sequence[Scalar]:
    return argument.values if isinstance(argument, Grid) else [argument]


def _sumproduct(*arguments: Result) -> float:
    lists = list(map(_items, arguments))
    if len(set(map(len, lists))) != 1:
        raise FaultError(VALUE)
    return math.fsum(math.prod(map(_factor, items)) for items in zip(*lists, strict=True))


def _factor(value: Scalar) -> float:
    """Return what SUMPRODUCT multiplies by: a text counts for 0, and so does a flag that nothing was made of."""
    if isinstance(value, Fault):
        raise FaultError(value)
    return float(value or 0) if is_number(value) else 0.0


def _rank_with(pick: Callable[[list[float], int], float]) -> Callable[..., Result]:
    def choose(grid: Result, place: Result) -> float:
        result, at = sorted(numbers([grid])), int(number(scalar(place)))
        if not 1 <= at <= len(result):
            raise FaultError(NUMBER)
        return pick(result, at)

    return choose


def _rank(value: Result, grid: Result, order: Result = 0) -> float:
    mine, result = number(scalar(value)), numbers([grid])
    if mine not in result:
        raise FaultError(NA)
    rising = bool(number(scalar(order)))
    return 1 + sum(other < mine if rising else other > mine for other in result)


def _of_day(part: str) -> Callable[[Scalar], Scalar]:
    """Return a function of the day that a number counts: as spreadsheets and calendars agree, from March 1900 on."""

    def apply(value: Scalar) -> Scalar:
        day = int(number(value))
        if day < FIRST:
            raise UnknownError
        return float(getattr(day_at(day), part))

    return apply


def _month_end(day: Scalar, months: Scalar) -> Scalar:
    try:
        return float(month_end(int(number(day)), int(number(months))))
    except ValueError:
        raise FaultError(NUMBER) from None


def _of_number(action: Callable[[float], float]) -> Callable[[Scalar], Scalar]:
    def apply(value: Scalar) -> Scalar:
        try:
            return action(number(value))
        except (ValueError, OverflowError):
            raise FaultError(NUMBER) from None

    return apply


def _rounding(mode: str) -> Callable[..., Scalar]:
    def apply(value: Scalar, digits: Scalar = 0) -> Scalar:
        return float(round_decimal(number(value), int(number(digits)), mode))

    return apply


def _round_to_step(mode: str) -> Callable[..., Scalar]:
    """Return CEILING or FLOOR: to a multiple of a step."""

    def apply(value: Scalar, step: Scalar = 1) -> Scalar:
        size = number(step)
        if size == 0:
            return 0.0
        if size < 0:
            raise UnknownError
        return float(decimal(number(value) / size).to_integral_value(mode)) * size

    return apply


def _modulo(value: Scalar, divisor: Scalar) -> Scalar:
    size = number(divisor)
    if size == 0:
        raise FaultError(DIVISION)
    return number(value) % size


def _mid(text: Scalar, start: Scalar, count: Scalar) -> Scalar:
    first = int(number(start)) - 1
    if first < 0 or number(count) < 0:
        raise FaultError(VALUE)
    return text_of(text)[first : first + int(number(count))]


def _fixed_text(value: Scalar, digits: Scalar = 2, without_commas: Scalar = False) -> Scalar:  # noqa: FBT002 - Excel's own argument
    return fixed_text(number(value), int(number(digits)), commas=not without_commas)


def _right(text: Scalar, count: Scalar = 1) -> Scalar:
    result, size = text_of(text), int(number(count))
    return result[max(len(result) - size, 0) :]


RANGES: Mapping[str, Callable[..., Result]] = {
    **LOOKUPS,
    "SUM": _sum,
    "MIN": lambda *arguments: min(numbers(arguments), default=0),
    "MAX": lambda *arguments: max(numbers(arguments), default=0),
    "COUNT": _count,
    "COUNTA": _counta,
    "AVERAGE": _average,
    "PRODUCT": lambda *arguments: math.prod(numbers(arguments)),
    "SUMPRODUCT": _sumproduct,
    "LARGE": _rank_with(lambda values, at: values[-at]),
    "SMALL": _rank_with(lambda values, at: values[at - 1]),
    "RANK": _rank,
    "AND": lambda *arguments: all(_flags(arguments)),
    "OR": lambda *arguments: any(_flags(arguments)),
}
"""Functions of ranges, by name."""
SCALARS: Mapping[str, Callable[..., Scalar]] = {
    "ABS": _of_number(abs),
    "SQRT": _of_number(math.sqrt),
    "EXP": _of_number(math.exp),
    "LN": _of_number(math.log),
    "LOG10": _of_number(math.log10),
    "INT": _of_number(lambda value: float(decimal(value).to_integral_value(ROUND_FLOOR))),
    "ROUND": _rounding(ROUND_HALF_UP),
    "ROUNDUP": _rounding(ROUND_UP),
    "ROUNDDOWN": _rounding(ROUND_DOWN),
    "CEILING": _round_to_step(ROUND_CEILING),
    "FLOOR": _round_to_step(ROUND_FLOOR),
    "MOD": _modulo,
    "POWER": lambda one, other: raise_to(number(one), number(other)),
    "N": lambda value: 0.0 if _is_text(value) else number(value),
    "NOT": lambda value: not number(value),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
    "NA": lambda: NA,
    "ISNUMBER": is_number,
    "ISTEXT": _is_text,
    "ISBLANK": lambda value: value is None,
    "ISERROR": lambda value: isinstance(value, Fault),
    "ISNA": lambda value: isinstance(value, Fault) and value == NA,
    "EOMONTH": _month_end,
    "YEAR": _of_day("year"),
    "MONTH": _of_day("month"),
    "DAY": _of_day("day"),
    "TEXT": lambda value, form: format_value(value, text_of(form)),
    "FIXED": _fixed_text,
    "LEN": lambda value: len(text_of(value)),
    "LEFT": lambda text, count=1: text_of(text)[: int(number(count))],
    "RIGHT": _right,
    "MID": _mid,
    "UPPER": lambda value: text_of(value).upper(),
    "LOWER": lambda value: text_of(value).lower(),
    "TRIM": lambda value: " ".join(text_of(value).split()),
}
"""Functions of single values, by name; in an array formula they go item by item."""
