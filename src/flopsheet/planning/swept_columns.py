"""The columns of designs: what references of formulas read, with an axis for each key, and how links gather rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.errors import PluginError
from flopsheet.planning import recurrences
from flopsheet.planning.compiled.references import Brought, Earlier, Flag, Given, Key, Linked, Own, Total
from flopsheet.planning.question import MODELS, OTHERS, SAME_TO
from flopsheet.planning.row_limits import MOST_ROWS, list_rows
from flopsheet.planning.sweep_axes import floats, is_at, keys_of, spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from flopsheet.planning.compiled.references import Ref
    from flopsheet.planning.program import Segment
    from flopsheet.planning.question import Rows, Table
    from flopsheet.planning.sweep_axes import SweepAxes

    Array = NDArray[np.float64]


class Chunk(Struct, frozen=True, eq=False):
    """Designs that are evaluated together: what is known of them, the keys of rows, and the lines of each table."""

    sweep: SweepAxes
    values: Mapping[str, Any]
    keys: Mapping[str, Array]
    tables: dict[str, dict[str, Any]]

    def evaluate(self, segment: Segment) -> None:
        """Evaluate the lines of a segment."""
        table, own = self.sweep.program.tables[segment.table], segment.recurring
        lines = self.tables.setdefault(table.name, {})
        read = {name: self._read(ref, table) for name, ref in segment.reads.items() if name not in own}
        scope = {name: column for name, column in read.items() if column is not None}
        if own:
            key = table.rows[-1].key
            lines |= recurrences.columns(segment.steps, own, scope, self.sweep.axes[key], self.keys[key])
            return
        for name, text in segment.steps.formulas.items():
            lines[name] = scope[name] = text.columns(scope)

    def _read(self, ref: Ref | None, table: Table) -> Any:  # noqa: PLR0911 - one return for each kind
        """Return the column of a reference in a table's rows, None where nothing has it."""
        models = self.sweep.models
        match ref:
            case Earlier():
                return self.tables[table.name][ref.line]
            case Linked():
                return self._link_column(ref)
            case Key():
                return self.keys.get(ref.name)
            case Flag():
                return is_at(self._read(ref.of, table), ref.place)
            case Brought():
                return self._bring_column(ref, table)
            case Own() if models:
                return self._otherwise(ref, table, MODELS.key, [model.inputs.get(ref.name) for model in models])
            case Total() if models:
                return self.sweep.along(MODELS.key, floats(model.totals.get(ref.name, 0) for model in models))
            case Own(otherwise=Brought() as extra):
                return self._bring_column(extra, table)
            case Given() | Own() | Total():
                return self.values.get(ref.name)
        return None

    def _bring_column(self, ref: Brought, table: Table) -> Any:
        """Return what the rows of a table bring, of those that have an axis the last ones that do."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        results = [(own, extra[ref.name]) for own in table.rows if ref.name in (extra := _brought_by(own))]
        if not results:
            return self._read(ref.otherwise, table)
        rows, numbers = results[-1]
        every: list[Any] = [0] * self.keys[rows.key].size
        for place, number in zip(np.searchsorted(self.keys[rows.key].ravel(), keys_of(rows)), numbers, strict=True):
            every[place] = number
        return self._otherwise(ref, table, rows.key, every)

    def _otherwise(self, ref: Own | Brought, table: Table, key: str, numbers: Sequence[Any]) -> Any:
        """Return numbers along a key, where some are None with those of the reference behind them."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        result = self.sweep.along(key, floats(0 if number is None else number for number in numbers))
        is_own = self.sweep.along(key, np.array([number is not None for number in numbers]))
        return result if is_own.all() else np.where(is_own, result, self._read(ref.otherwise, table))

    def _link_column(self, link: Linked) -> Any:
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        other = self.sweep.program.tables[link.table]
        column = self._column(link, other, link.line)
        if link.where:
            marks = self._column(link, other, link.where[0])
            column = np.where(np.isnan(marks), np.nan, np.where(marks == link.where[1], column, 0))
        if link.reduce in ("previous", "running"):
            return self._along_rows(link.reduce, column, other.rows[-1])
        rows = [source for source in self.sweep.rows_of(other) if source.key not in [there for _, there in link.on]]
        axes = [self.sweep.axes[source.key] for source in rows]
        if link.reduce == "below":
            return _below(np.where(self._inside(rows), column, np.nan), axes)
        if rows:
            column = np.where(self._count_rows(rows), column, np.nan)
            column = _gather_column(link.reduce, column, self._inside(rows), tuple(axes), self.keys[rows[-1].key])
        return self._turn_axes(link, column)

    def _column(self, link: Linked, other: Table, line: str) -> Array:
        """Return a line that a link reads with an element per row, in the link's case."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        column = spread(np.asarray(self.tables[other.name][line]), self.sweep.rows_of(other), self.keys)
        if not link.case:
            return column
        if link.case not in self.sweep.cases:
            raise PluginError(f"{line} of table {other.name} is read in the case {link.case}; a sweep has one case")
        place = min(self.sweep.cases.index(link.case), len(column) - 1)
        return column[place : place + 1]

    def _turn_axes(self, link: Linked, column: Array) -> Array:
        """Return a column of another table along the axes of the row's own keys, where these are called otherwise."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        for own, there in link.on:
            if own != there and there in self.sweep.axes:
                column = np.swapaxes(column, self.sweep.axes[own], self.sweep.axes[there])
        return column

    def _inside(self, rows: Iterable[Rows]) -> Any:
        """Return where rows exist: counted ones up to the count of each design, found ones for their own models."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        result: Any = True
        for source in rows:
            if source.until:
                counts = formula.read(source.until).columns(self.values)
                result = result & ((self.keys[source.key] <= counts) | ~(counts <= MOST_ROWS))
            elif source == OTHERS:
                result = result & (self.keys[OTHERS.key] > self.keys[MODELS.key])
            elif source.only and self.sweep.models:
                of_models = [self.keys[MODELS.key] == at for at in range(len(source.only))]
                pairs = zip(of_models, source.only, strict=True)
                result = result & sum(mine & np.isin(self.keys[source.key], only) for mine, only in pairs)
            elif source != MODELS:
                result = result & np.isin(self.keys[source.key], keys_of(source))
        return result

    def _along_rows(self, how: str, column: Array, rows: Rows) -> Array:
        """Return the sum down to each row, or the row before, 0 at the first."""
        import numpy as np  # noqa: PLC0415 - only sweeps need it

        axis, result = self.sweep.axes[rows.key], np.zeros_like(column)
        places = np.flatnonzero(np.broadcast_to(self._inside([] if rows.until else [rows]), self.keys[rows.key].shape))
        own = np.moveaxis(np.take(column, places, axis), axis, 0)
        along = np.moveaxis(result, axis, 0)
        if how == "running":
            along[places] = np.cumsum(own, 0)
        else:
            along[places[1:]] = own[:-1]
        return result

    def _count_rows(self, rows: Iterable[Rows]) -> Any:
        """Return where the count of rows is known, and no more than a table may have."""
        result: Any = True
        for source in rows:
            if source.until:
                result = result & (formula.read(source.until).columns(self.values) <= MOST_ROWS)
        return result


def _below(column: Array, axes: list[int]) -> Array:
    """Return how many elements along some axes are clearly smaller than each."""
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if not axes:
        return np.zeros_like(column)
    last = tuple(range(-len(axes), 0))
    last_axes = np.moveaxis(column, axes, last)
    flat = last_axes.reshape(*last_axes.shape[: -len(axes)], -1)
    clearly = flat - abs(flat) / SAME_TO
    counts = np.where(np.isnan(flat), np.nan, (flat[..., None, :] < clearly[..., :, None]).sum(-1).astype(np.float64))
    return np.moveaxis(counts.reshape(last_axes.shape), last, axes)


def _brought_by(rows: Rows) -> dict[str, list[Any]]:
    """Return the numbers that listed rows bring next to their keys, by name; None where a row has none."""
    listing = [numbers for _, numbers in list_rows(rows)]
    return {name: [row.get(name) for row in listing] for numbers in listing for name in numbers}


def _gather_column(how: str, column: Array, inside: Any, axes: tuple[int, ...], keys: Array) -> Array:
    import numpy as np  # noqa: PLC0415 - only sweeps need it

    if how == "first":
        result = np.where(inside & (column != 0), keys, np.inf).min(axis=axes, keepdims=True)
        gaps = np.isnan(np.where(inside, column, 0)).any(axis=axes, keepdims=True)
        return np.where(gaps, np.nan, np.where(np.isinf(result), 0, result))
    if how in ("min", "max"):
        edge, gather = (np.inf, np.min) if how == "min" else (-np.inf, np.max)
        result = gather(np.where(inside, column, edge), axis=axes, keepdims=True)
        return np.where(np.isinf(result), 0, result)
    return np.asarray(np.sum(np.where(inside, column, 0), axis=axes, keepdims=True))
