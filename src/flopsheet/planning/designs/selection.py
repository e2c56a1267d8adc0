"""Which designs of a sweep are kept: those that meet the conditions, the best of them, or their Pareto front."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from flopsheet.planning.designs.design import Design, Objective

    Array = NDArray[np.float64]
    Places = NDArray[np.intp]

Table = dict[str, Any]
"""Columns of one length by name."""


def find_matches(design: Design, columns: Mapping[str, Any], exists: NDArray[np.bool_]) -> Places:
    """Return the places of the designs that exist and meet every condition."""
    matches = exists
    for text in design.where:
        matches = matches & (np.asarray(text.columns({name: columns[name] for name in text.names})) == 1)
    return np.flatnonzero(matches)


def keep_best(design: Design, table: Table) -> Table:
    """Return the designs of a table that are kept: on the front, then the best, in their order; all without either.

    Fronts are whole: what `cut` leaves out of one may beat designs of another table.
    """
    places = np.arange(_length(table))
    if design.pareto:
        points = np.stack([_small(objective, table) for objective in design.pareto], axis=1)
        places = places[np.isfinite(points).all(axis=1)]
        places = places[_on_front(points[places])]
    if first := design.best or next(iter(design.pareto), None):
        places = places[np.argsort(_small(first, _at(table, places)), kind="stable")]
    return _at(table, places) if design.pareto else cut(design, _at(table, places))


def cut(design: Design, table: Table) -> Table:
    """Return the first designs of a table, as many as are kept; all where the design says no number."""
    return _at(table, np.arange(_length(table))[: design.keep or None])


def join_tables(tables: Sequence[Table]) -> Table:
    """Return tables of the same columns under each other."""
    return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]} if tables else {}


def _at(table: Table, places: Places) -> Table:
    return {name: column[places] for name, column in table.items()}


def _length(table: Table) -> int:
    return len(next(iter(table.values()), ()))


def _small(objective: Objective, table: Table) -> Array:
    """Return the numbers that should be small; what has none comes last."""
    values = np.asarray(objective.formula.columns({name: table[name] for name in objective.formula.names}))
    result = np.broadcast_to(objective.sign * values, _length(table))
    return np.where(np.isnan(result), np.inf, result)


def _on_front(points: Array) -> Places:
    """Return the places of the points than which no other is as small in everything and smaller in something."""
    order = np.lexsort(points.T[::-1])
    alive = points[order]
    front: list[int] = []
    while len(alive):
        first = alive[0]
        worse = reduce(np.logical_and, [alive[:, axis] >= first[axis] for axis in range(alive.shape[1])])
        same = (alive == first).all(axis=1)
        front += order[same].tolist()
        alive, order = alive[~worse], order[~worse]
    return np.array(sorted(front), np.intp)
