"""Reports as Parquet: one row a model, with title, unit, formula and source of each column in the schema."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

from flopsheet import FlopsheetError, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from flopsheet import Exporter, PlanResult

flopsheet_api = "1.1"
ROWS = 2**13
"""Rows of a group: with 300 columns they take 20 MB until they are written."""


def _arrow() -> Any:
    try:
        import pyarrow.parquet  # noqa: PLC0415 - few reports are of this format
    except ImportError:
        raise FlopsheetError("pyarrow is needed: pip install 'flopsheet[sweep]'") from None
    return pyarrow


def _write(result: PlanResult, path: Path) -> None:
    _arrow().parquet.write_table(result.models_to_arrow(), path, compression="zstd", row_group_size=ROWS)


def _part(result: PlanResult) -> bytes:
    """Return the rows of some models as a stream of Arrow."""
    pa, table, into = _arrow(), result.models_to_arrow(), BytesIO()
    with pa.ipc.new_stream(into, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_table(table)
    return into.getvalue()


def _whole(parts: Iterable[bytes], path: Path) -> None:
    """Write all rows under the columns that any of them has."""
    pa, schema = _arrow(), _schema(parts)
    waiting: list[Any] = []
    with pa.parquet.ParquetWriter(path, schema, compression="zstd") as file:
        for table in _tables(parts):
            waiting.append(_under(table, schema))
            if sum(map(len, waiting)) >= ROWS:
                file.write_table(pa.concat_tables(waiting), row_group_size=ROWS)
                waiting.clear()
        if waiting:
            file.write_table(pa.concat_tables(waiting), row_group_size=ROWS)


def _tables(parts: Iterable[bytes]) -> Iterator[Any]:
    pa = _arrow()
    return (pa.ipc.open_stream(part).read_all() for part in parts)


def _schema(parts: Iterable[bytes]) -> Any:
    """Return the columns of all parts, each where it is first seen."""
    pa, schemas = _arrow(), []
    for part in parts:
        own = pa.ipc.open_stream(part).schema
        if own not in schemas:
            schemas.append(own)
    return pa.unify_schemas(schemas, promote_options="permissive").with_metadata(schemas[0].metadata)


def _under(table: Any, schema: Any) -> Any:
    """Return a table with the columns of a schema; those that it lacks are null."""
    pa = _arrow()
    own = {*table.column_names}
    columns = [table[one.name].cast(one.type) if one.name in own else pa.nulls(len(table), one.type) for one in schema]
    return pa.table(columns, schema=schema)


@hookimpl
def flopsheet_exporters() -> Iterable[Exporter]:
    """Write reports whose name ends in .parquet."""
    from flopsheet import Exporter  # noqa: PLC0415 - few starts write a report

    title = "one row a model, with units and sources"
    return [Exporter(suffix=".parquet", title=title, write=_write, part=_part, whole=_whole)]
