"""The axes of a sweep: one for each key of rows, behind that of the designs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import no_number
from flopsheet.planning.question import MODELS, OTHERS
from flopsheet.planning.row_limits import MOST_ROWS, list_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Rows, Table
    from flopsheet.planning.run import PlannedModel

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SweepAxes:
    """A program whose lines are swept, the models that have a row each, and the case of each design.

    Of `models` each has a row in the tables over models, which have an axis for them; without any, each design is of
    one model, whose totals and own inputs are among its values. `cases` say of which case each design is, for links
    that read a case.
    """

    program: Program
    models: Sequence[PlannedModel] = field(default=(), kw_only=True)
    cases: tuple[str, ...] = field(default=(), kw_only=True)

    @cached_property
    def axes(self) -> dict[str, int]:
        """The axis of each key."""
        keys = dict.fromkeys(rows.key for table in self.program.tables.values() for rows in self.rows_of(table))
        return {key: axis for axis, key in enumerate(keys, start=1)}

    def rows_of(self, table: Table) -> list[Rows]:
        """Return the rows of a table that have an axis."""
        return [rows for rows in table.rows if self.models or rows not in (MODELS, OTHERS)]

    def scope(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs as columns with an axis for each key behind them, and a flag for each label of a choice."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        ones = (1,) * len(self.axes)
        data: dict[str, Any] = {name: np.asarray(raw, np.float64).reshape(-1, *ones) for name, raw in inputs.items()}
        choices = {flag: (data.get(name), at) for flag, (name, at) in self.program.choices.items()}
        return data | {flag: is_at(column, at) for flag, (column, at) in choices.items() if column is not None}

    def keys(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """Return the keys of all rows in rising order, each along its axis: those that some table has."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        inputs = self.scope(values)
        result: dict[str, list[Array]] = {}
        for rows in (source for table in self.program.tables.values() for source in self.rows_of(table)):
            result.setdefault(rows.key, []).append(self._keys(rows, inputs))
        return {key: self.along(key, np.unique(np.concatenate(every))) for key, every in result.items()}

    def _keys(self, rows: Rows, inputs: Mapping[str, Any]) -> Array:
        """Return the keys of rows; counted ones up to the largest count."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        if rows in (MODELS, OTHERS):
            return floats(model.place for model in self.models)
        if not rows.until:
            return keys_of(rows)
        counts = np.nan_to_num(np.asarray(formula.read(rows.until).columns(inputs)))
        return np.arange(1, min(max(int(np.max(counts)), 1), MOST_ROWS) + 1, dtype=np.float64)

    def along(self, key: str, numbers: Array) -> Array:
        """Return numbers along the axis of a key."""
        shape = [1] * (len(self.axes) + 1)
        shape[self.axes[key]] = -1
        return numbers.reshape(shape)


def spread(column: Array, rows: Iterable[Rows], keys: Mapping[str, Array]) -> Array:
    """Return a column with an element per row: a line that does not read the key is the same in all rows."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    return np.broadcast_arrays(column, *(keys[source.key] for source in rows))[0]


def is_at(column: Any, place: int) -> Any:
    """Return 1 where a choice is at a place, else 0; nan where nobody knows it."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    return None if column is None else np.where(np.isnan(column), np.nan, column == place)


def floats(numbers: Iterable[Any]) -> Array:
    """Return numbers as floats; what is none is nan."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    return np.array([float(number) if no_number(number) is None else np.nan for number in numbers], np.float64)


def keys_of(rows: Rows) -> Array:
    """Return the keys of listed rows, in their order."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if rows.search and not rows.values:
        return np.ones(1)  # nobody has searched: a row as the inputs are
    return floats(key for key, _ in list_rows(rows))
