"""A program evaluated over NumPy columns: a design per element, in float64, only the lines that are asked for.

Each key of a table has an axis of its own behind that of the designs, so that a sum over months is a sum over an axis,
and a number per case broadcasts. The formulas, and what their names refer to, are those that `run` evaluates exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopsheet.planning.sweep_axes import SweepAxes, spread
from flopsheet.planning.swept_columns import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.planning.question import Node

    Array = NDArray[np.float64]

CHUNK = 20_000
"""Designs that are evaluated at once: their columns stay in the processor's caches."""


@dataclass(frozen=True, eq=False)
class Sweep(SweepAxes):
    """The wanted lines of a program over designs."""

    nodes: tuple[Node, ...]

    def columns(self, values: Mapping[str, Any], chunk: int = CHUNK) -> dict[Node, Array]:
        """Return the wanted lines for inputs and totals that are numbers, or arrays of one length.

        A line of a table with rows of its own has an axis for each of its keys, in their order, behind the first one.
        """
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max((np.size(value) for value in values.values()), default=1)
        keys = self.keys(values)
        parts: dict[Node, list[Array]] = {node: [] for node in self.nodes}
        for scope in _chunks(values, length, chunk):
            for node, part in self._chunk(scope, keys).items():
                parts[node].append(part)
        return {node: np.concatenate(arrays) for node, arrays in parts.items()}

    def _chunk(self, values: Mapping[str, Any], keys: Mapping[str, Array]) -> dict[Node, Array]:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        length = max(np.size(value) for value in values.values())
        chunk = Chunk(self, self.scope(values), keys, {})
        for segment in self.program.segments_for(self.nodes):
            chunk.evaluate(segment)
        return {node: self._shape_column(node, chunk.tables[node[0]][node[1]], length, keys) for node in self.nodes}

    def _shape_column(self, node: Node, column: Any, length: int, keys: Mapping[str, Array]) -> Array:
        """Return a line with the axes of its own table only, one element per design and row."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        rows = self.rows_of(self.program.tables[node[0]])
        column = spread(np.asarray(column, np.float64), rows, keys)
        axes = [self.axes[source.key] for source in rows]
        column = column.reshape(column.shape + (1,) * (len(self.axes) + 1 - column.ndim))
        column = np.moveaxis(column, axes, range(1, len(axes) + 1))
        column = column.reshape(column.shape[: len(axes) + 1])
        return np.array(np.broadcast_to(column, (length, *column.shape[1:])))


def _chunks(values: Mapping[str, Any], length: int, chunk: int) -> Iterator[dict[str, Any]]:
    """Give the values of so many designs after the other; single numbers stay what they are."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    for start in range(0, length, chunk):
        yield {name: value if np.size(value) == 1 else value[start : start + chunk] for name, value in values.items()}
