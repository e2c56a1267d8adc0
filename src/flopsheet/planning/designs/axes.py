"""Axes of a sweep: what each one runs over, as a list, a range, or a range by factors."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from flopsheet.accounting.values import plain, show_value
from flopsheet.errors import PortfolioError
from flopsheet.planning.inputs import read_value
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from flopsheet.accounting.line import Dimension

    Array = NDArray[np.float64]

RANGE = ("from", "to", "points", "step", "spacing", "multiple")
LINEAR, LOG = SPACINGS = ("linear", "log")
MOST_WORDS = 200
"""Values of an axis of words: each is a plan of its own."""


class Axis(Struct, frozen=True, eq=False):
    """One axis: the values of a list, or a range that is only known by its ends.

    `words` are what people wrote where the values are names: of an accelerator, of a choice. `values` holds numbers,
    the places of words counted from 0 included. Without `values` the axis is `low` to `high`, evenly or by factors
    (`log`), rounded to a `multiple` where that is not 0.
    """

    name: str
    values: Array | None = None
    words: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0
    log: bool = False
    multiple: float = 0

    def __len__(self) -> int:
        """Return how many values a grid has along this axis; 0 where only its ends are known."""
        return 0 if self.values is None else len(self.values)

    def state_value(self, value: float) -> Any:
        """Return a value as a portfolio states it: a name, a whole number, or a number."""
        if self.words:
            assert self.values is not None  # noqa: S101 - words are listed
            return self.words[int(np.flatnonzero(self.values == value)[0])]
        return plain(float(value))

    def draw(self, uniform: Array) -> Array:
        """Return the values for numbers from 0 to below 1, as random designs draw them."""
        if self.values is not None:
            return self.values[(uniform * len(self.values)).astype(np.int64)]
        return _round_values(_between(self.low, self.high, uniform, log=self.log), self.low, self.high, self.multiple)


def read_axis(name: str, entry: Any, dimension: Dimension | None) -> Axis:
    """Return an axis as a design states it; `dimension` is what its values must suit, None for names.

    PortfolioError says what is wrong with it.
    """
    where = f"sweep.axes.{name}"
    if isinstance(entry, dict):
        if dimension is None or dimension.labels:
            raise PortfolioError(f"{where}: a list of names is expected, such as {_example(dimension)}")
        return _range(where, name, entry, dimension)
    values = entry if isinstance(entry, list) else [entry]
    if not values:
        raise PortfolioError(f"{where}: at least one value is expected")
    if dimension is None or dimension.labels:
        return _words(where, name, values, dimension)
    return Axis(name, np.array([_check_value(where, dimension, value) for value in values], np.float64))


def _words(where: str, name: str, values: list[Any], choice: Dimension | None) -> Axis:
    if len(values) > MOST_WORDS:
        raise PortfolioError(f"{where}: {len(values)} names; at most {MOST_WORDS} are expected")
    places = range(len(values)) if choice is None else [_check_value(where, choice, value) for value in values]
    return Axis(name, np.array(places, np.float64), tuple(values))


def _range(where: str, name: str, table: dict[str, Any], dimension: Dimension) -> Axis:
    unknown = [key for key in table if key not in RANGE]
    if unknown:
        raise PortfolioError(f"{where}.{unknown[0]}: unknown{names_like(unknown[0], RANGE)}")
    low, high = (_check_value(f"{where}.{end}", dimension, table.get(end)) for end in ("from", "to"))
    log = table.get("spacing", LINEAR) == LOG
    if table.get("spacing", LINEAR) not in SPACINGS:
        raise PortfolioError(f"{where}.spacing: {show_value(table['spacing'])} is neither {LINEAR} nor {LOG}")
    if not low <= high or (log and low <= 0):
        raise PortfolioError(f"{where}: from {low:g} to {high:g}; from must be {'above 0 and ' * log}at most to")
    multiple = _positive(where, table, "multiple") or float(dimension.kind == "count")
    steps = _steps(where, table, low, high, log=log)
    if steps is None:
        return Axis(name, low=low, high=high, log=log, multiple=multiple)
    return Axis(name, np.unique(_round_values(steps, low, high, multiple)))


def _steps(where: str, table: dict[str, Any], low: float, high: float, *, log: bool) -> Array | None:
    """Return the values of a range that says how many it has or how far they are apart, else None."""
    points, step = _positive(where, table, "points"), _positive(where, table, "step")
    if points and step:
        raise PortfolioError(f"{where}: points and step are both given; one of them is expected")
    if points:
        return _between(low, high, np.linspace(0, 1, int(points)), log=log)
    if step and log:
        raise PortfolioError(f"{where}.step: a range by factors takes points")
    return _count_up(low, step, np.floor((high - low) / step * (1 + 1e-12)) + 1) if step else None


def _count_up(low: float, step: float, count: float) -> Array:
    """Return so many values from the lowest on, as decimals have them: two steps of 0.1 behind 0.1 are at 0.3."""
    scale = 10.0 ** max(0, *(-int(Decimal(repr(each)).normalize().as_tuple().exponent) for each in (low, step)))
    result: Array = (np.rint(low * scale) + np.rint(step * scale) * np.arange(count)) / scale
    return result


def _between(low: float, high: float, share: Array, *, log: bool) -> Array:
    return low * np.power(high / low, share) if log else low + (high - low) * share


def _round_values(values: Array, low: float, high: float, multiple: float) -> Array:
    """Return values as multiples within the ends, as far as the ends hold any."""
    if not multiple:
        return values
    first, last = np.ceil(low / multiple), np.floor(high / multiple)
    return multiple * np.clip(np.rint(values / multiple), first, np.maximum(first, last))


def _positive(where: str, table: dict[str, Any], key: str) -> float:
    value = table.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise PortfolioError(f"{where}.{key}: {show_value(value)} is not a number above 0")
    return value


def _check_value(where: str, dimension: Dimension, value: Any) -> float:
    try:
        return float(read_value(dimension, value))
    except ValueError as error:
        raise PortfolioError(f"{where}: {error}") from None


def _example(choice: Dimension | None) -> str:
    return str(list(choice.labels[:2])) if choice is not None else '["h100-sxm", "b200"]'
