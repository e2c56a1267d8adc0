"""A program evaluated over NumPy columns: a design per element, in float64, only the lines that are asked for.

Each key of a table has an axis of its own behind that of the designs, so that a sum over months is a sum over an axis,
and a number per case broadcasts. The formulas are those that `run` evaluates exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.errors import PluginError
from flopsheet.planning import recurrences
from flopsheet.planning.program import flags
from flopsheet.planning.question import MODELS, OTHERS, SAME_TO
from flopsheet.planning.row_limits import MOST_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.planning.program import Node, Program, Segment
    from flopsheet.planning.question import Link, Rows, Table

    Array = NDArray[np.float64]

CHUNK = 20_000
"""Designs that are evaluated at once: their columns stay in the processor's caches."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A program's lines over designs; a table over models has the one model of each design."""

    program: Program
    wanted: tuple[Node, ...]

    def columns(self, values: Mapping[str, Any], chunk: int = CHUNK) -> dict[Node, Array]:
        """Return the wanted lines for inputs and totals that are numbers, or arrays of one length.

        A line of a table with rows of its own has an axis for each of its keys behind the first one.
        """
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max((np.size(value) for value in values.values()), default=1)
        numbers = self._numbers(values)
        parts: dict[Node, list[Array]] = {node: [] for node in self.wanted}
        for known in _chunks(values, length, chunk):
            for node, part in self._chunk(known, numbers).items():
                parts[node].append(part)
        return {node: np.concatenate(found) for node, found in parts.items()}

    def _chunk(self, given: Mapping[str, Any], numbers: Mapping[str, Array]) -> dict[Node, Array]:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max(np.size(value) for value in given.values())
        known = {**self._scope(given), **numbers}
        tables: dict[str, dict[str, Any]] = {}
        for segment in self._segments:
            self._evaluate(segment, {**known, **self._brought(segment.table)}, tables)
        return {node: self._shaped(node, tables[node[0]][node[1]], length, numbers) for node in self.wanted}

    def _shaped(self, node: Node, column: Any, length: int, numbers: Mapping[str, Array]) -> Array:
        """Return a line with the axes of its own table only, one element per design and row."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        rows = self._own(self.program.tables[node[0]])
        column = self._spread(np.asarray(column, np.float64), rows, numbers)
        axes = [self._axes[one.key] for one in rows]
        column = column.reshape(column.shape + (1,) * (len(self._axes) + 1 - column.ndim))
        column = column.squeeze(tuple(axis for axis in self._axes.values() if axis not in axes))
        return np.array(np.broadcast_to(column, (length, *column.shape[1:])))

    def _spread(self, column: Array, rows: Iterable[Rows], numbers: Mapping[str, Array]) -> Array:
        """Return a column with an element per row: a line that does not read the key is the same in all rows."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        return np.broadcast_arrays(column, *(numbers[one.key] for one in rows))[0]

    @cached_property
    def _segments(self) -> list[Segment]:
        return self.program.segments(self.wanted)

    @cached_property
    def _axes(self) -> dict[str, int]:
        keys = dict.fromkeys(rows.key for table in self.program.tables.values() for rows in self._own(table))
        return {key: axis for axis, key in enumerate(keys, start=1)}

    def _own(self, table: Table) -> list[Rows]:
        return [rows for rows in table.rows if rows not in (MODELS, OTHERS)]

    def _scope(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs as columns with an axis for each key behind them, and a flag for each label of a choice."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        ones = (1,) * len(self._axes)
        return self._flagged({name: np.asarray(value, np.float64).reshape(-1, *ones) for name, value in given.items()})

    def _flagged(self, known: dict[str, Any]) -> dict[str, Any]:
        """Return numbers with a flag for each label of the choices among them."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        chosen = [self.program.inputs[name] for name in known if name in self.program.inputs]
        places = {flag: (known[one.name], at) for one in chosen for at, flag in enumerate(flags(one), 1)}
        return known | {flag: (column == at).astype(np.float64) for flag, (column, at) in places.items()}

    def _evaluate(self, segment: Segment, known: Mapping[str, Any], tables: dict[str, dict[str, Any]]) -> None:
        table = self.program.tables[segment.table]
        lines = tables.setdefault(table.name, {})
        scope = {**known, **lines}
        own = recurrences.recurring(segment)
        scope |= {link.name: self._linked(link, table, scope, tables) for link in segment.links if link not in own}
        if own:
            key = table.rows[-1].key
            lines |= recurrences.columns(segment.steps, own, scope, self._axes[key], known[key].size)
            return
        for name, text in segment.steps.formulas.items():
            lines[name] = scope[name] = text.columns(scope)

    def _numbers(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """Return the keys of all rows, each along its axis."""
        known = self._scope(values)
        every = {rows.key: rows for table in self.program.tables.values() for rows in self._own(table)}
        return {key: self._along(key, _numbers(rows, known)[key]) for key, rows in every.items()}

    def _brought(self, table: str) -> dict[str, Any]:
        """Return what listed rows of a table bring next to their keys: it counts in this table alone."""
        listed = [rows for rows in self._own(self.program.tables[table]) if not rows.until]
        return self._flagged(
            {
                name: self._along(rows.key, numbers)
                for rows in listed
                for name, numbers in _numbers(rows, {}).items()
                if name != rows.key
            }
        )

    def _along(self, key: str, numbers: Array) -> Array:
        shape = [1] * (len(self._axes) + 1)
        shape[self._axes[key]] = -1
        return numbers.reshape(shape)

    def _linked(self, link: Link, table: Table, scope: Mapping[str, Any], tables: Mapping[str, dict[str, Any]]) -> Any:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        if link.case:
            raise PluginError(f"{link.name} of table {table.name} reads the case {link.case}; a sweep has one case")
        other = self.program.tables[link.table]
        own = {rows.key for rows in table.rows}
        column = self._spread(np.asarray(tables[link.table][link.line]), self._own(other), scope)
        if link.where:
            meant = self._spread(np.asarray(tables[link.table][link.where[0]]), self._own(other), scope)
            column = np.where(np.isnan(meant), np.nan, np.where(meant == link.where[1], column, 0))
        if link.how == "below":
            every = other.rows[0] == MODELS or len(other.rows) == 1
            rows = self._own(other)[0 if every else 1 :]
            return _below(column, [self._axes[one.key] for one in rows])
        if link.how in ("previous", "running"):
            return self._along_rows(link.how, column, self._axes[other.rows[-1].key])
        rows = [one for one in self._own(other) if one.key not in own]
        if not rows:
            return column
        axes = tuple(self._axes[one.key] for one in rows)
        column = np.where(self._counted(rows, scope), column, np.nan)
        return _gathered(link.how, column, self._inside(rows, scope), axes, scope[rows[-1].key])

    def _inside(self, rows: Iterable[Rows], known: Mapping[str, Any]) -> Any:
        """Return where rows exist: of counted rows, those up to the count of each design."""
        found: Any = True
        for one in rows:
            if one.until:
                counts = formula.read(one.until).columns(known)
                found = found & ((known[one.key] <= counts) | ~(counts <= MOST_ROWS))
        return found

    def _counted(self, rows: Iterable[Rows], known: Mapping[str, Any]) -> Any:
        """Return where the count of rows is known, and no more than a table may have."""
        found: Any = True
        for one in rows:
            if one.until:
                found = found & (formula.read(one.until).columns(known) <= MOST_ROWS)
        return found

    def _along_rows(self, how: str, column: Array, axis: int) -> Array:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        if how == "running":
            return np.cumsum(column, axis)
        first = np.zeros_like(np.take(column, [0], axis))
        return np.concatenate([first, np.take(column, range(column.shape[axis] - 1), axis)], axis)


def _below(column: Array, axes: list[int]) -> Array:
    """Return how many elements along some axes are clearly smaller than each."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if not axes:
        return np.zeros_like(column)
    last = tuple(range(-len(axes), 0))
    moved = np.moveaxis(column, axes, last)
    flat = moved.reshape(*moved.shape[: -len(axes)], -1)
    clearly = flat - abs(flat) / SAME_TO
    counted = np.where(np.isnan(flat), np.nan, (flat[..., None, :] < clearly[..., :, None]).sum(-1).astype(np.float64))
    return np.moveaxis(counted.reshape(moved.shape), last, axes)


def _chunks(values: Mapping[str, Any], length: int, chunk: int) -> Iterator[dict[str, Any]]:
    """Give the values of so many designs after the other; single numbers stay what they are."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    for start in range(0, length, chunk):
        yield {name: value if np.size(value) == 1 else value[start : start + chunk] for name, value in values.items()}


def _numbers(rows: Rows, known: Mapping[str, Any]) -> dict[str, Array]:
    """Return the keys of rows, and what listed rows bring, as one column each; counted rows up to the largest count."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if rows.until:
        counts = np.nan_to_num(np.asarray(formula.read(rows.until).columns(known)))
        count = min(max(int(np.max(counts)), 1), MOST_ROWS)
        return {rows.key: np.arange(1, count + 1, dtype=np.float64)}
    if rows.search and not rows.values:
        return {rows.key: np.ones(1)}  # nobody has searched: a row as the inputs are
    listed = [{rows.key: value} if isinstance(value, int | float) else value for value in rows.values]
    listed = [{rows.key: place, **row} for place, row in enumerate(listed, 1)]
    return {name: np.array([row[name] for row in listed], np.float64) for name in listed[0]}


def _gathered(how: str, column: Array, inside: Any, axes: tuple[int, ...], keys: Array) -> Array:
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if how == "first":
        found = np.where(inside & (column != 0), keys, np.inf).min(axis=axes, keepdims=True)
        lost = np.isnan(np.where(inside, column, 0)).any(axis=axes, keepdims=True)
        return np.where(lost, np.nan, np.where(np.isinf(found), 0, found))
    if how in ("min", "max"):
        edge = np.inf if how == "min" else -np.inf
        gather: Any = np.min if how == "min" else np.max
        found = gather(np.where(inside, column, edge), axis=axes, keepdims=True)
        return np.where(np.isinf(found), 0, found)
    return np.asarray(np.sum(np.where(inside, column, 0), axis=axes, keepdims=True))
