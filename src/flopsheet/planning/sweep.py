"""A program evaluated over NumPy columns: a design per element, in float64, only the lines that are asked for.

Each key of a table has an axis of its own behind that of the designs, so that a sum over months is a sum over an axis,
and a number per case broadcasts. The formulas, and what their names refer to, are those that `run` evaluates exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.planning.question import MODELS, OTHERS
from flopsheet.planning.row_limits import MOST_ROWS
from flopsheet.planning.swept_columns import Chunk, floats, is_at, keys_of, spread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Rows, Table
    from flopsheet.planning.run import PlannedModel
    from flopsheet.planning.schedule import Node, Segment

    Array = NDArray[np.float64]

CHUNK = 20_000
"""Designs that are evaluated at once: their columns stay in the processor's caches."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """A program's lines over designs.

    Of `models` each has a row in the tables over models, which have an axis for them; without any, each design is of
    one model, whose totals and own inputs are among its values. `cases` say of which case each design is, for links
    that read a case.
    """

    program: Program
    wanted: tuple[Node, ...]
    models: Sequence[PlannedModel] = ()
    cases: tuple[str, ...] = ()

    def columns(self, values: Mapping[str, Any], chunk: int = CHUNK) -> dict[Node, Array]:
        """Return the wanted lines for inputs and totals that are numbers, or arrays of one length.

        A line of a table with rows of its own has an axis for each of its keys, in their order, behind the first one.
        """
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max((np.size(value) for value in values.values()), default=1)
        keys = self.keys(values)
        parts: dict[Node, list[Array]] = {node: [] for node in self.wanted}
        for known in _chunks(values, length, chunk):
            for node, part in self._chunk(known, keys).items():
                parts[node].append(part)
        return {node: np.concatenate(found) for node, found in parts.items()}

    def _chunk(self, given: Mapping[str, Any], keys: Mapping[str, Array]) -> dict[Node, Array]:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max(np.size(value) for value in given.values())
        chunk = Chunk(self, self._scope(given), keys, {})
        for segment in self._segments:
            chunk.evaluate(segment)
        return {node: self._shape_column(node, chunk.tables[node[0]][node[1]], length, keys) for node in self.wanted}

    def _shape_column(self, node: Node, column: Any, length: int, keys: Mapping[str, Array]) -> Array:
        """Return a line with the axes of its own table only, one element per design and row."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        rows = self.rows_of(self.program.tables[node[0]])
        column = spread(np.asarray(column, np.float64), rows, keys)
        axes = [self.axes[one.key] for one in rows]
        column = column.reshape(column.shape + (1,) * (len(self.axes) + 1 - column.ndim))
        column = np.moveaxis(column, axes, range(1, len(axes) + 1))
        column = column.reshape(column.shape[: len(axes) + 1])
        return np.array(np.broadcast_to(column, (length, *column.shape[1:])))

    @cached_property
    def _segments(self) -> list[Segment]:
        return self.program.schedule.segments(self.wanted)

    @cached_property
    def axes(self) -> dict[str, int]:
        """The axis of each key."""
        keys = dict.fromkeys(rows.key for table in self.program.tables.values() for rows in self.rows_of(table))
        return {key: axis for axis, key in enumerate(keys, start=1)}

    def rows_of(self, table: Table) -> list[Rows]:
        """Return the rows of a table that have an axis."""
        return [rows for rows in table.rows if self.models or rows not in (MODELS, OTHERS)]

    def _scope(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs as columns with an axis for each key behind them, and a flag for each label of a choice."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        ones = (1,) * len(self.axes)
        known: dict[str, Any] = {name: np.asarray(one, np.float64).reshape(-1, *ones) for name, one in given.items()}
        chosen = {flag: (known.get(name), at) for flag, (name, at) in self.program.choices.items()}
        return known | {flag: is_at(column, at) for flag, (column, at) in chosen.items() if column is not None}

    def keys(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """Return the keys of all rows in rising order, each along its axis: those that some table has."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        known = self._scope(values)
        result: dict[str, list[Array]] = {}
        for rows in (one for table in self.program.tables.values() for one in self.rows_of(table)):
            result.setdefault(rows.key, []).append(self._keys(rows, known))
        return {key: self.along(key, np.unique(np.concatenate(every))) for key, every in result.items()}

    def _keys(self, rows: Rows, known: Mapping[str, Any]) -> Array:
        """Return the keys of rows; counted ones up to the largest count."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        if rows in (MODELS, OTHERS):
            return floats(one.place for one in self.models)
        if not rows.until:
            return keys_of(rows)
        counts = np.nan_to_num(np.asarray(formula.read(rows.until).columns(known)))
        return np.arange(1, min(max(int(np.max(counts)), 1), MOST_ROWS) + 1, dtype=np.float64)

    def along(self, key: str, numbers: Array) -> Array:
        """Return numbers along the axis of a key."""
        shape = [1] * (len(self.axes) + 1)
        shape[self.axes[key]] = -1
        return numbers.reshape(shape)


def _chunks(values: Mapping[str, Any], length: int, chunk: int) -> Iterator[dict[str, Any]]:
    """Give the values of so many designs after the other; single numbers stay what they are."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    for start in range(0, length, chunk):
        yield {name: value if np.size(value) == 1 else value[start : start + chunk] for name, value in values.items()}
