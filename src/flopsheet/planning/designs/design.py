"""A design as its file states it: axes, how many designs are drawn from them, which are kept, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from flopsheet.accounting.formula.condition import condition
from flopsheet.accounting.line import Dimension
from flopsheet.accounting.values import show_value
from flopsheet.errors import FormulaError, PortfolioError, list_problems
from flopsheet.planning.designs.axes import Axis, read_axis
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from flopsheet.accounting.formula import Formula

    Array = NDArray[np.float64]

GRID, RANDOM, SOBOL = KINDS = ("grid", "random", "sobol")
EXAMPLE = "n_layers = { from = 16, to = 96, step = 8 }"
KEYS = ("axes", "kind", "points", "seed", "where", "minimize", "maximize", "keep", "pareto", "columns")
CHUNK = 2**14
"""Designs that are evaluated at once; random designs are drawn by the chunk, so that it belongs to their seed."""
MOST = 2**53
KEEP = 100
"""Designs that are kept of a sweep that minimizes something and does not say how many."""
OBJECTIVES = (2, 3)


class Objective(Struct, frozen=True):
    """A formula that should be small; one to maximize is negated before it is compared."""

    text: str
    formula: Formula
    sign: int = 1


class Design(Struct, frozen=True, eq=False):
    """What a sweep runs over and what it keeps.

    `where` are conditions that all must hold. `best` orders the kept designs, `keep` is how many of them. `pareto` are
    the objectives of which no kept design is worse than another in all. `columns` are the lines shown next to the axes.
    """

    axes: tuple[Axis, ...]
    kind: str = GRID
    points: int = 0
    seed: int = 1
    where: tuple[Formula, ...] = ()
    best: Objective | None = None
    keep: int = 0
    pareto: tuple[Objective, ...] = ()
    columns: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return how many designs there are for each model."""
        return prod(map(len, self.axes)) if self.kind == GRID else self.points

    def draw(self, start: int, count: int) -> dict[str, Array]:
        """Return the values of so many designs from one on, a column per axis; `start` is a multiple of CHUNK."""
        if self.kind == GRID:
            return self._grid(np.arange(start, start + count, dtype=np.int64))
        uniform = self._uniform(start, count)
        return {axis.name: axis.draw(uniform[:, place]) for place, axis in enumerate(self.axes)}

    def _grid(self, places: NDArray[np.int64]) -> dict[str, Array]:
        result = {}
        for axis in reversed(self.axes):
            assert axis.values is not None  # noqa: S101 - read_design refuses others
            places, own = np.divmod(places, len(axis))
            result[axis.name] = axis.values[own]
        return dict(reversed(result.items()))

    def _uniform(self, start: int, count: int) -> Array:
        if self.kind == RANDOM:
            return np.random.default_rng([self.seed, start // CHUNK]).random((CHUNK, len(self.axes)))[:count]
        from scipy.stats.qmc import Sobol  # noqa: PLC0415 - only these designs need it

        engine = Sobol(len(self.axes), rng=self.seed)
        if start:
            engine.fast_forward(start)
        return np.asarray(engine.random(CHUNK)[:count], np.float64)


Find = Callable[[str], Dimension | None]
"""Gives what the values of an axis must suit, None for names; PortfolioError where nothing has the name."""


def read_design(table: Mapping[str, Any], find: Find) -> Design:
    """Return the design of a `[sweep]` table; PortfolioError lists everything wrong with it."""
    problems = [f"sweep.{key}: unknown{names_like(key, KEYS)}" for key in table if key not in KEYS]
    read = [_axis(name, entry, find, problems) for name, entry in _axes(table, problems)]
    axes = tuple(axis for axis in read if axis is not None)
    kind = table.get("kind", GRID)
    if kind not in KINDS:
        problems.append(f"sweep.kind: {show_value(kind)} is not one of {', '.join(KINDS)}")
    open_axes = [axis.name for axis in axes if axis.values is None]
    if kind == GRID and open_axes:
        problems.append(f"sweep.axes.{open_axes[0]}: a grid needs points or step here, or a list of values")
    points = _whole(table, "points", 0, problems)
    if kind in (RANDOM, SOBOL) and not points:
        problems.append(f"sweep.points: missing; how many {kind} designs are drawn is expected")
    best, pareto = _best(table, problems), _pareto(table, problems)
    design = Design(
        axes,
        kind,
        points,
        _whole(table, "seed", 1, problems),
        tuple(text for entry in _list(table, "where", problems) if (text := _formula("where", entry, problems))),
        best,
        _whole(table, "keep", KEEP if best and not pareto else 0, problems),
        pareto,
        tuple(_list(table, "columns", problems)),
    )
    problems += _find_compared_names(design, {axis.name for axis in axes if axis.words and find(axis.name) is None})
    if problems:
        raise PortfolioError(list_problems("the sweep has problems:", problems))
    if len(design) > MOST:
        raise PortfolioError(f"sweep.axes: {len(design):.3g} designs; at most {MOST:.3g} are expected")
    return design


def _find_compared_names(design: Design, named: set[str]) -> list[str]:
    """Say which formulas read an axis of names, such as accelerators, as if they were numbers."""
    objectives = [*design.pareto, *([design.best] if design.best else [])]
    texts = [*design.where, *(objective.formula for objective in objectives)]
    found = dict.fromkeys(name for text in texts for name in text.names if name in named)
    return [f"sweep.axes.{name}: a formula reads it, and names are no numbers; list only those meant" for name in found]


def _axes(table: Mapping[str, Any], problems: list[str]) -> list[tuple[str, Any]]:
    axes = table.get("axes", {})
    if isinstance(axes, dict) and axes:
        return list(axes.items())
    problems.append(f"sweep.axes: at least one axis is expected, such as {EXAMPLE}")
    return []


def _axis(name: str, entry: Any, find: Find, problems: list[str]) -> Axis | None:
    try:
        return read_axis(name, entry, find(name))
    except PortfolioError as error:
        problems.append(str(error))
        return None


def _best(table: Mapping[str, Any], problems: list[str]) -> Objective | None:
    keys = [key for key in ("minimize", "maximize") if key in table]
    if len(keys) > 1:
        problems.append("sweep: minimize and maximize are both given; one is expected, or pareto with both")
    return _objective(keys[0], table[keys[0]], problems) if keys else None


def _pareto(table: Mapping[str, Any], problems: list[str]) -> tuple[Objective, ...]:
    texts = _list(table, "pareto", problems)
    if texts and len(texts) not in OBJECTIVES:
        problems.append(f"sweep.pareto: {len(texts)} formulas; two or three are expected, each to be small")
    return tuple(objective for text in texts if (objective := _objective("pareto", text, problems)))


def _objective(key: str, text: Any, problems: list[str]) -> Objective | None:
    result = _formula(key, text, problems)
    return Objective(text, result, -1 if key == "maximize" else 1) if result else None


def _formula(key: str, text: Any, problems: list[str]) -> Formula | None:
    try:
        if isinstance(text, str):
            return condition(text)
        problems.append(f"sweep.{key}: {show_value(text)} is not a formula in quotes")
    except FormulaError as error:
        problems.append(f"sweep.{key}: {error}")
    return None


def _list(table: Mapping[str, Any], key: str, problems: list[str]) -> list[str]:
    value = table.get(key, [])
    texts = [value] if isinstance(value, str) else value
    if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
        return texts
    problems.append(f"sweep.{key}: a list of texts is expected")
    return []


def _whole(table: Mapping[str, Any], key: str, default: int, problems: list[str]) -> int:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST or value % 1:
        problems.append(f"sweep.{key}: {show_value(value)}; a whole number of at least 0 is expected")
        return default
    return int(value)
