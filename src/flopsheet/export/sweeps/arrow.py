"""Rows of a sweep as Arrow tables, with title, unit, formula and source of each column in the schema."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import flopsheet
from flopsheet.accounting.line import Dimension
from flopsheet.export.csv_text import harmless
from flopsheet.export.sweeps.column_facts import axis_of, describe_column, is_text, state_values
from flopsheet.planning.designs.sweep import MODEL
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import DesignSweep

ROWS = 2**17
"""Rows of a Parquet row group, as far as a sweep has so many."""


def schema(sweep: DesignSweep) -> pa.Schema:
    """Return the columns of a sweep: text of names, days and verdicts, int64 of whole axes, float64 of all else."""
    fields = [pa.field(MODEL, pa.string(), metadata={"title": "Model"})]
    fields += [pa.field(name, _type(sweep, name), metadata=describe_column(sweep, name)) for name in sweep.names]
    about = {
        "flopsheet": flopsheet.__version__,
        "design": sweep.portfolio.path,
        "sha256": sweep.portfolio.sha256,
        "case": TITLES[sweep.case],
    }
    return pa.schema(fields, metadata={"flopsheet": json.dumps(about)})


def batch(sweep: DesignSweep, table: Table, columns: pa.Schema) -> pa.RecordBatch:
    """Return rows of a sweep with its schema."""
    names = [model.name for model in sweep.plan.costed]
    arrays: list[Any] = [pa.array([names[int(place)] for place in table[MODEL]], pa.string())]
    for name in sweep.names:
        column: Any = table[name]
        kind = columns.field(name).type
        if pa.types.is_string(kind):
            column = state_values(sweep, name, column)
        elif pa.types.is_integer(kind):
            column = np.asarray(column, np.int64)
        arrays.append(pa.array(column, kind, from_pandas=True))  # nan is null
    return pa.record_batch(arrays, schema=columns)


@contextmanager
def parquet_file(path: Path, columns: pa.Schema) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Give what writes rows to a Parquet file; small chunks are gathered into row groups."""
    waiting: list[pa.RecordBatch] = []
    with pyarrow.parquet.ParquetWriter(path, columns, compression="zstd") as file:

        def write(rows: pa.RecordBatch) -> None:
            waiting.append(rows)
            if sum(chunk.num_rows for chunk in waiting) >= ROWS:
                file.write_table(pa.Table.from_batches(waiting, columns))
                waiting.clear()

        yield write
        if waiting:
            file.write_table(pa.Table.from_batches(waiting, columns))


@contextmanager
def csv_file(path: Path, columns: pa.Schema) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Give what writes rows to a CSV file, with names that no spreadsheet takes for formulas."""
    with pyarrow.csv.CSVWriter(path, columns) as file:
        yield lambda rows: file.write(_harmless(rows))


def _harmless(rows: pa.RecordBatch) -> pa.RecordBatch:
    arrays = [
        pa.array(map(harmless, column.to_pylist()), column.type) if pa.types.is_string(column.type) else column
        for column in rows.columns
    ]
    return pa.record_batch(arrays, schema=rows.schema)


def _type(sweep: DesignSweep, name: str) -> pa.DataType:
    if is_text(sweep, name):
        return pa.string()
    line = sweep.line(name)
    is_whole = axis_of(sweep, name) is not None and isinstance(line, Dimension) and line.kind == "count"
    return pa.int64() if is_whole else pa.float64()
