"""Reports as Parquet: one row per model, with title, unit, formula and source of each column in the schema."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

from flopsheet import FlopsheetError, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from flopsheet import Exporter, PlanResult

flopsheet_api = "1.0"
ROWS = 2**12
"""Rows of a group: with 1,000 columns they take 40 MB until they are written, and their place in the footer 1 MB."""


def _options(schema: Any) -> dict[str, Any]:
    """Return how columns are packed: numbers by zstd alone, which packs them better than dictionaries of them do.

    Numbers have no statistics: rows come in no order in which a range would leave out a group.
    """
    texts = [field.name for field in schema if field.type == "string"]
    return {"compression": "zstd", "use_dictionary": texts, "write_statistics": texts}


def _arrow() -> Any:
    try:
        import pyarrow.parquet  # noqa: PLC0415 - few reports are of this format
    except ImportError:
        raise FlopsheetError("pyarrow is needed: pip install 'flopsheet[sweep]'") from None
    return pyarrow


def _write(result: PlanResult, path: Path) -> None:
    table = result.models_to_arrow()
    _arrow().parquet.write_table(table, path, row_group_size=ROWS, **_options(table.schema))


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
    with pa.parquet.ParquetWriter(path, schema, **_options(schema)) as file:
        for rows in _rows(parts):
            waiting.append(_under(rows, schema))
            if sum(map(len, waiting)) >= ROWS:
                file.write_table(pa.Table.from_batches(waiting))
                waiting.clear()
        if waiting:
            file.write_table(pa.Table.from_batches(waiting))


def _folder(parts: Iterable[bytes], path: Path, by: str) -> None:
    """Write all rows as files: some thousand rows each, or those of each value of a column in a folder of its own.

    Each file has every column but the one that its folder's name says; `manifest.json` lists them with rows and hash.
    """
    schema = _schema(parts)
    waiting: dict[str, list[Any]] = {}
    files: list[dict[str, Any]] = []
    for some in _rows(parts):
        for place, rows in _split_by_folder(_under(some, schema), by):
            waiting.setdefault(place, []).append(rows)
            if sum(map(len, waiting[place])) >= ROWS:
                files.append(_file(path, place, waiting.pop(place), len(files)))
    files += [_file(path, place, rows, len(files) + at) for at, (place, rows) in enumerate(waiting.items())]
    about = json.loads(schema.metadata[b"flopsheet"])
    text = json.dumps({**about, "rows": sum(file["rows"] for file in files), "files": files}, indent=1)
    (path / "manifest.json").write_text(text, "utf-8")


def _split_by_folder(some: Any, by: str) -> Iterator[tuple[str, Any]]:
    """Give rows with the folder in which they belong, as Hive names it."""
    if by not in some.schema.names:
        yield "", some
        return
    column = some[by].to_pylist()
    for value in dict.fromkeys(column):
        places = [place for place, other in enumerate(column) if other == value]
        yield f"{by}={value or '__HIVE_DEFAULT_PARTITION__'}", some.take(_arrow().array(places)).drop_columns([by])


def _file(path: Path, place: str, waiting: list[Any], number: int) -> dict[str, Any]:
    """Write the next file, and return what the manifest says of it."""
    from hashlib import sha256  # noqa: PLC0415 - every start imports this plugin

    file = path / place / f"part-{number:05}.parquet"
    file.parent.mkdir(exist_ok=True)
    rows = _arrow().Table.from_batches(waiting)
    _arrow().parquet.write_table(rows, file, **_options(rows.schema))
    return {
        "file": file.relative_to(path).as_posix(),
        "rows": len(rows),
        "sha256": sha256(file.read_bytes()).hexdigest(),
    }


def _rows(parts: Iterable[bytes]) -> Iterator[Any]:
    """Give the rows of each part; batches take half of the memory of tables."""
    pa = _arrow()
    return (rows for part in parts for rows in pa.ipc.open_stream(part))


def _schema(parts: Iterable[bytes]) -> Any:
    """Return the columns of all parts, each where it is first seen."""
    pa, schemas = _arrow(), []
    for part in parts:
        own = pa.ipc.open_stream(part).schema
        if own not in schemas:
            schemas.append(own)
    return pa.unify_schemas(schemas, promote_options="permissive").with_metadata(schemas[0].metadata)


def _under(rows: Any, schema: Any) -> Any:
    """Return rows with the columns of a schema; those that they lack are null, and share their memory."""
    pa, nulls = _arrow(), {}
    own = dict(zip(rows.schema.names, rows.columns, strict=True))
    for field in schema:
        if field.name not in own and field.type not in nulls:
            nulls[field.type] = pa.nulls(len(rows), field.type)
    columns = [own[field.name].cast(field.type) if field.name in own else nulls[field.type] for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


@hookimpl
def flopsheet_exporters() -> Iterable[Exporter]:
    """Write reports whose name ends in .parquet."""
    from flopsheet import Exporter  # noqa: PLC0415 - few starts write a report

    title = "one row per model, with units and sources"
    return [
        Exporter(
            suffix=".parquet",
            title=title,
            write=_write,
            part=_part,
            whole=_whole,
            folder=_folder,
            module="pyarrow",
            install="flopsheet[sweep]",
        )
    ]
