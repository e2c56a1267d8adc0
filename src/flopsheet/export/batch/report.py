"""The report of a large batch: its pieces counted in order, and every output put together of their parts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.batch.errors import ERRORS, write_errors
from flopsheet.export.batch.formats import FORMATS, Whole, format_of
from flopsheet.export.batch.parts import open_shelf
from flopsheet.export.batch.resume import PARTS, summaries
from flopsheet.export.batch.summary import Summary
from flopsheet.export.exporters import writing_plugins
from flopsheet.export.files import WORKBOOKS
from flopsheet.planning.costing import check_settings
from flopsheet.planning.workers import HERE, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from flopsheet.configs.batches import Batch
    from flopsheet.export.batch.work import Opened
    from flopsheet.host.host import Host

MOST_MODELS = 20_000
"""Models of a workbook: a larger one takes minutes to open, and Excel has 1,048,576 rows in any sheet."""


def check_size(outputs: Iterable[Path], models: int) -> None:
    """Raise UsageError for a workbook of more models than people open, before any model is read."""
    books = [output for output in outputs if output.suffix.lower() in WORKBOOKS]
    if books and models > MOST_MODELS:
        raise UsageError(
            f"{books[0]}: {models:,} models are more than the {MOST_MODELS:,} that a workbook may have, since few"
            " programs open it; write .parquet or .csv, and a workbook of the models that you choose from it"
        )


def in_parts(job: Opened, option: str = "") -> bool:
    """Return whether a report can be made of parts: of formats that can, and a plan that compares no models.

    UsageError says why not, where an option needs it.
    """
    whole = [suffix for suffix in job.request.suffixes if not format_of(job.plan.host, suffix)]
    if option and whole:
        raise UsageError(
            f"{option}: {whole[0]} is written of all models at once; write {', '.join(FORMATS)} or .parquet"
        )
    if option and not job.plan.program.one_by_one:
        raise UsageError(f"{option}: this plan compares models, and is made of all of them at once")
    return not whole and job.plan.program.one_by_one


class Wish(Struct, frozen=True):
    """What else a report of a large batch is asked for: who counts, whether a broken run is taken up, other outputs.

    `errors` is the file of a table of models in error, `partition` what a folder of Parquet files is parted by.
    """

    workers: Workers = HERE
    resume: bool = False
    errors: Path | None = None
    partition: str = ""


def write_batch(
    job: Opened, batch: Batch, outputs: Sequence[Path], wish: Wish, advance: Callable[[str], None]
) -> Summary:
    """Write the report of a batch to each output, and return what there is to say of its models.

    UsageError where no model has a setting, an output cannot be written, or none can be parted as wished.
    """
    host, folders = job.plan.host, _folders(job.plan.host, outputs, wish)
    summary = Summary()
    first = outputs[0].resolve()
    with open_shelf(first.parent, first.with_name(f"{first.name}{PARTS}") if wish.resume else None) as shelf:
        for more in summaries(job, batch.pieces(), shelf, wish.workers):
            summary.add(more)
            advance(f"Counted {summary.models:,} of {len(batch):,} models")
        check_settings(host, summary.architectures, job.request.settings)
        whole = Whole(job.plan, summary, shelf)
        writers = {path: partial(_write, whole, wish.partition if path in folders else "") for path in outputs}
        writers |= {wish.errors: partial(write_errors, whole.texts(ERRORS))} if wish.errors else {}
        summary.left_out = write_aside(writers, writing_plugins(host, outputs), folders)
    return summary


def _folders(host: Host, outputs: Iterable[Path], wish: Wish) -> list[Path]:
    """Return the outputs that become folders of files; UsageError where there is none and one was to be."""
    formats = {path: format_of(host, path.suffix.lower()) for path in outputs if wish.partition}
    results = [path for path, form in formats.items() if form and form.folder]
    if wish.partition and not results:
        raise UsageError("--partition-by: none of the outputs can be a folder of files; write .parquet")
    return results


def _write(whole: Whole, partition: str, path: Path) -> None:
    own = format_of(whole.plan.host, path.suffix.lower())
    if own and own.folder and partition:
        own.folder(whole, path, partition)
    elif own:
        own.write(whole, path)
