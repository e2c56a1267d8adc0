"""Inputs that an axis of names brings: of accelerators and kinds of price, each from a plan that names it."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from flopsheet.accounting.nonumber import as_float
from flopsheet.configs.portfolio import ACCELERATOR, CATALOGED, PRICE_KIND
from flopsheet.errors import PortfolioError
from flopsheet.planning.catalog import AUTOMATIC, kind_for, price_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from flopsheet.accounting.line import Number
    from flopsheet.planning.designs.axes import Axis

    Array = NDArray[np.float64]

SIZES = ("accelerators", "days")
"""The inputs that decide which kind of price a plan takes that names none."""


class Cataloged(Struct, frozen=True, eq=False, dict=True):
    """The inputs of every combination of names; `inputs_of` gives those of the plan with these names."""

    axes: Sequence[Axis]
    said_kind: Any
    inputs_of: Callable[[Mapping[str, str]], Mapping[str, Number]]

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        words = {axis.name: tuple(map(str, axis.words)) for axis in self.axes if axis.name in CATALOGED}
        has_size = any(axis.name in SIZES for axis in self.axes)
        if PRICE_KIND not in words and self.said_kind == AUTOMATIC and has_size:
            words[PRICE_KIND] = tuple(price_kinds())
        return {name: words[name] for name in CATALOGED if name in words}

    @cached_property
    def _inputs(self) -> dict[str, Array]:
        """The inputs that differ between combinations, with a value for each."""
        choices = [dict(zip(self._names, words, strict=True)) for words in product(*self._names.values())]
        try:
            every = [self.inputs_of(words) for words in choices]
        except PortfolioError as error:
            raise PortfolioError(f"sweep.axes.{ACCELERATOR}: {error}") from None
        results = [{name: as_float(value) for name, value in inputs.items()} for inputs in every]
        return {
            name: np.array([inputs[name] for inputs in results], np.float64)
            for name in results[0]
            if len({inputs[name] for inputs in results}) > 1
        }

    def look_up(self, axis_values: Mapping[str, Array], inputs: Mapping[str, Number]) -> dict[str, Array]:
        """Return what the drawn names bring, a column per input; `inputs` are those of the plan itself."""
        if not self._names:
            return {}
        place: Any = 0
        for name, words in self._names.items():
            own = (
                axis_values[name]
                if name in axis_values
                else self._kinds(*(axis_values.get(size, inputs[size]) for size in SIZES))
            )
            place = place * len(words) + np.asarray(own, np.int64)
        return {name: values[place] for name, values in self._inputs.items()}

    def _kinds(self, accelerators: Any, days: Any) -> Array:
        """Return the place of the kind of price that plans of these sizes take."""
        pairs = np.stack(np.broadcast_arrays(np.float64(accelerators), np.float64(days)), axis=-1)
        result, back = np.unique(pairs.reshape(-1, 2), axis=0, return_inverse=True)
        kinds = self._names[PRICE_KIND]
        return np.array([kinds.index(kind_for(*pair)) for pair in result], np.float64)[back.reshape(-1)]
