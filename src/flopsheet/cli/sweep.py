"""`flopsheet sweep`: a plan at thousands or millions of designs, and the best of them."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.cases import case_option
from flopsheet.cli.common import (
    OutputFile,
    exit_on_error,
    input_option,
    jobs_options,
    planning_inputs,
    plugin_options,
    settings_option,
)
from flopsheet.configs.plugin_choice import load_for
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.files import check_inputs_kept, check_outputs
from flopsheet.planning.workers import workers_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.host.local import Choice
    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import Counts

FORMATS = {
    ".parquet": "columns with units and sources",
    ".csv": "one row per design",
    ".xlsx": "the best designs, with a chart",
}
"""What a sweep can be written as, by suffix."""


@click.command()
@click.argument("design", type=click.Path(path_type=Path), metavar="DESIGN")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(),
    multiple=True,
    help="A file to write: .parquet .csv .xlsx. May be repeated. Without one the first rows are printed.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@jobs_options
@case_option
@input_option
@settings_option
@plugin_options
@exit_on_error
def sweep(
    design: Path,
    outputs: tuple[Path, ...],
    form: str,
    case: str | None,
    given: tuple[tuple[str, Any], ...],
    settings: tuple[tuple[str, Any], ...],
    choice: Choice,
    **options: Any,
) -> int:
    """Evaluate a plan at many designs, and keep those that meet its conditions or are best (extra: flopsheet[sweep]).

    DESIGN is a portfolio with a table [sweep.axes]: inputs and dimensions, each with a list of values or a range.
    [sweep] also takes where (conditions), minimize or maximize, keep, pareto and columns.
    """
    if outputs and form == "json":
        raise UsageError("--format json prints the first designs; leave it out where -o writes them all")
    check_outputs(outputs, FORMATS)
    check_inputs_kept(outputs, [design])
    try:
        from flopsheet.export.sweeps.writing import to_files  # noqa: PLC0415 - the help needs none of it
        from flopsheet.planning.designs import sweep as sweeping  # noqa: PLC0415 - same reason
    except ImportError as error:
        raise UsageError(f"sweep needs numpy, scipy and pyarrow: pip install 'flopsheet[sweep]' ({error})") from None
    planning, workload = planning_inputs(load_for([str(design)], choice), dict(given))
    request = sweeping.Request(str(design), planning, {**workload, **dict(settings)}, case or "", choice)
    state = sweeping.open_sweep(request)
    workers = workers_for(options["jobs"], options["scheduler"], len(state.tasks), sweeping.PAYS)
    with _show_progress(sweeping.run(request, state, workers), len(state.tasks)) as chunks:
        for line in to_files(state, chunks, outputs, write_aside, as_json=form == "json"):
            click.echo(line)
    return 0


@contextmanager
def _show_progress(chunks: Iterator[tuple[Counts, Table]], total: int) -> Iterator[Iterable[tuple[Counts, Table]]]:
    """Give the chunks as they come, with a bar on a terminal."""
    if not sys.stderr.isatty() or total == 1:
        yield chunks
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal shows a bar
    from rich.progress import Progress  # noqa: PLC0415 - same reason

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield bar.track(chunks, total, description="Designs")
