"""Where the rows of a sweep go: kept ones once all chunks are in, all others file by file as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import UsageError
from flopsheet.export.documents import add_version, json_text
from flopsheet.export.sweeps.arrow import batch, csv_file, parquet_file, schema
from flopsheet.export.sweeps.document import sweep_document
from flopsheet.export.sweeps.page import page, summarize_counts
from flopsheet.export.sweeps.workbook import MOST_ROWS, write_sweep
from flopsheet.planning.designs.kept import Table
from flopsheet.planning.designs.sweep import MODEL, Counts, DesignSweep, find_kept
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.export.files import Writer

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
    if design.best or design.pareto or design.keep or not outputs:
        counts, table = find_kept(sweep, chunks) if outputs or design.best or design.pareto else _first(chunks)
        write_aside({path: _writer(sweep, counts, table) for path in outputs})
        if as_json:
            yield json_text(add_version(sweep_document(sweep, counts, table)))
        else:
            yield from (
                page(sweep, counts, table) if not outputs else [_summarize_outputs(counts, len(table[MODEL]), outputs)]
            )
    else:
        yield _stream_rows(sweep, chunks, outputs, write_aside)


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
    total = [Counts()]

    def write(path: Path) -> None:
        columns = schema(sweep)
        with FILES[path.suffix.lower()](path, columns) as rows:
            for counts, table in chunks:
                total[0] = total[0].plus(counts)
                rows([batch(sweep, table, columns)])

    write_aside({outputs[0]: write})
    return _summarize_outputs(total[0], total[0].met, outputs)


def _first(chunks: Iterable[tuple[Counts, Table]]) -> tuple[Counts, Table]:
    """Return the counts of all designs, and the first chunk with rows: what a terminal shows of a sweep."""
    counts, first = Counts(), Table()
    for more, table in chunks:
        counts, first = counts.plus(more), first if first and len(first[MODEL]) else table
    return counts, first


def _writer(sweep: DesignSweep, counts: Counts, table: Table) -> Writer:
    def write(path: Path) -> None:
        if path.suffix.lower() not in FILES:
            write_sweep(path, sweep, counts, table)
            return
        columns = schema(sweep)
        with FILES[path.suffix.lower()](path, columns) as rows:
            rows([batch(sweep, table, columns)])

    return write


def _summarize_outputs(counts: Counts, rows: int, outputs: Sequence[Path]) -> str:
    return f"{summarize_counts(counts)}; {number_of(rows, 'row')} → {', '.join(map(str, outputs))}"
