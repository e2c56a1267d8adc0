"""Where the rows of a sweep go: kept ones once all chunks are in, all others file by file as they come."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from flopsheet.errors import UsageError
from flopsheet.export.documents import add_version, json_text
from flopsheet.export.sweeps.arrow import batch, csv_file, parquet_file, schema
from flopsheet.export.sweeps.column_facts import describe_column
from flopsheet.export.sweeps.page import kept_count, page, summarize_counts
from flopsheet.planning.designs.selection import Table
from flopsheet.planning.designs.sweep import MODEL, Counts, DesignSweep, find_kept
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.export.files import Writer
    from flopsheet.planning.designs.sweep import DesignSweep

MAX_ROWS = 1_000
"""Designs that a document holds; files hold all."""


def sweep_document(sweep: DesignSweep, counts: Counts, table: Table) -> dict[str, Any]:
    """Return the document; a number that a design does not have is null."""
    columns = [
        {"name": MODEL, "title": "Model"},
        *({"name": name, **describe_column(sweep, name)} for name in sweep.names),
    ]
    return {
        "name": sweep.plan.name,
        "case": sweep.case,
        "counts": counts._asdict(),
        "kept": kept_count(sweep, counts, table),
        "columns": columns,
        "rows": batch(sweep, table, schema(sweep)).slice(0, MAX_ROWS).to_pylist() if table else [],
    }


MOST_ROWS = 10_000
"""Designs that a person can make use of in a workbook; more are for Parquet."""
FILES = {".parquet": parquet_file, ".csv": csv_file}


def to_files(
    sweep: DesignSweep,
    chunks: Iterable[tuple[Counts, Table]],
    outputs: Sequence[Path],
    write_aside: Callable[[Mapping[Path, Writer]], object],
    *,
    as_json: bool = False,
) -> Iterator[str]:
    """Write a sweep's rows, and give the lines that people see of it, or the document that programs read.

    UsageError where every design is kept, and several files or a workbook should hold them.
    """
    design = sweep.design
    if outputs and not (design.best or design.pareto or design.keep):
        yield _stream_rows(sweep, chunks, outputs, write_aside)
        return
    counts, table = find_kept(sweep, chunks) if outputs or design.best or design.pareto else _first(chunks)
    write_aside({path: partial(_write, sweep, counts, table) for path in outputs})
    if as_json:
        yield json_text(add_version(sweep_document(sweep, counts, table)))
    elif outputs:
        yield _summarize_outputs(counts, len(table[MODEL]), outputs)
    else:
        yield from page(sweep, counts, table)


def _stream_rows(
    sweep: DesignSweep,
    chunks: Iterable[tuple[Counts, Table]],
    outputs: Sequence[Path],
    write_aside: Callable[[Mapping[Path, Writer]], object],
) -> str:
    """Write every row that meets the conditions as it comes: one file, of any length."""
    if len(outputs) > 1 or outputs[0].suffix.lower() not in FILES:
        raise UsageError(
            "this sweep keeps every design that meets its conditions: write one .parquet or .csv, or set keep,"
            f" minimize, maximize or pareto in [sweep] (a workbook holds at most {MOST_ROWS:,} designs)"
        )
    total = Counts()

    def tables() -> Iterator[Table]:
        nonlocal total
        for counts, table in chunks:
            total = total.plus(counts)
            yield table

    write_aside({outputs[0]: lambda path: _write_rows(sweep, tables(), path)})
    return _summarize_outputs(total, total.met, outputs)


def _first(chunks: Iterable[tuple[Counts, Table]]) -> tuple[Counts, Table]:
    """Return the counts of all designs, and the first chunk with rows: what a terminal shows of a sweep."""
    counts, first = Counts(), Table()
    for more, table in chunks:
        counts, first = counts.plus(more), first if first and len(first[MODEL]) else table
    return counts, first


def _write(sweep: DesignSweep, counts: Counts, table: Table, path: Path) -> None:
    if path.suffix.lower() in FILES:
        _write_rows(sweep, [table], path)
        return
    rows = len(table[MODEL]) if table else 0
    if rows > MOST_ROWS:
        raise UsageError(
            f"{path.name}: {rows:,} designs are too many for a workbook; set keep in [sweep] to at most {MOST_ROWS:,},"
            " or write .parquet or .csv"
        )
    from flopsheet.export.sweeps.workbook import write_sweep  # noqa: PLC0415 - heavy, and only workbooks need it

    write_sweep(path, sweep, counts, table)


def _write_rows(sweep: DesignSweep, tables: Iterable[Table], path: Path) -> None:
    columns = schema(sweep)
    with FILES[path.suffix.lower()](path, columns) as write:
        for table in tables:
            write(batch(sweep, table, columns))


def _summarize_outputs(counts: Counts, rows: int, outputs: Sequence[Path]) -> str:
    return f"{summarize_counts(counts)}; {number_of(rows, 'row')} → {', '.join(map(str, outputs))}"
