"""What `flopsheet report` writes of a plan that is held as a whole: workbooks, and reports in other formats."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.batch.errors import error_rows, write_errors
from flopsheet.export.batch.summary import MAX_CHARACTERS, Summary, summary_of
from flopsheet.export.exporters import writing_plugins
from flopsheet.export.files import WORKBOOKS, Writer
from flopsheet.export.outputs import write_output
from flopsheet.export.shipped_templates import DEFAULT, plan_for, replaced_by
from flopsheet.export.table import table_writers
from flopsheet.export.text import clean, cut
from flopsheet.planning.faults import faults_of, joined_faults
from flopsheet.planning.remarks import remarks
from livesheets import program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flopsheet.export.batch.work import Opened
    from flopsheet.planning.plan import Plan
    from livesheets import FillReport


class Books(Struct, frozen=True):
    """How workbooks are filled: the template of each, options, whether they are recalculated; and what is told then.

    `texts` are what people should know about them, `errors` what of their templates could not be filled and is an
    error, `failing` their checks that do not pass.
    """

    templates: Mapping[Path, str]
    filling: Mapping[str, Any]
    recalculate: bool
    texts: list[str]
    errors: list[str]
    failing: list[str]


class Further(Struct, frozen=True):
    """What else is written of a plan: a table of models in error, and a folder with a file for each table."""

    errors: Path | None
    tables: Path | None


def write_at_once(
    opener: Callable[[Sequence[str]], Opened],
    outputs: Sequence[Path],
    books: Books,
    further: Further,
    advance: Callable[[str], None],
) -> Summary:
    """Write a plan of all models together, and return what there is to say of them."""
    plan = opener(()).plan
    templates = books.templates
    plans = {
        path: plan_for(templates[path], plan, lambda names: opener(names).plan) if path in templates else plan
        for path in outputs
    }
    writers = {path: _writer(path, plans[path], books, advance) for path in outputs}
    if books.recalculate:
        writers |= {path: _recalculating(writers[path], path, advance, books.texts) for path in workbooks_of(outputs)}
    tables = table_writers(plan, further.tables) if further.tables else {}
    writers |= tables
    if further.errors:
        writers[further.errors] = partial(write_errors, [error_rows(plan.models)])
    summary = Summary(left_out=write_aside(writers, writing_plugins(plan.host, outputs)))
    summary.add(summary_of(plan))
    others = {id(each): each for each in plans.values() if each is not plan}
    every = [*summary.faults, *(asdict(fault) for each in others.values() for fault in faults_of(each))]
    summary.faults = joined_faults(every)
    results = [remark for each in (plan, *plans.values()) for remark in remarks(each)]
    if further.tables and not tables:
        results.append(f"{further.tables}: nothing to write, since no question that is asked has a table of its own")
    results += filter(None, (replaced_by(templates[path], plan, plans[path]) for path in templates))
    summary.remarks = list(dict.fromkeys(results))
    return summary


def workbooks_of(outputs: Sequence[Path]) -> list[Path]:
    """Return the outputs that are workbooks."""
    return [output for output in outputs if output.suffix.lower() in WORKBOOKS]


def check_recalculation(outputs: Sequence[Path]) -> None:
    """Raise before any work if there is nothing to recalculate, or nobody who could."""
    if not workbooks_of(outputs):
        raise UsageError("--recalculate needs a workbook among the outputs; add -o plan.xlsx or leave it out")
    program()


def _recalculating(writer: Writer, output: Path, advance: Callable[[str], None], texts: list[str]) -> Writer:
    """Return what writes a workbook and then has its formulas calculated."""

    def write(path: Path) -> None:
        from livesheets import recalculate  # noqa: PLC0415 - lxml is for workbooks only

        writer(path)
        advance(f"Recalculating {output.name}")
        texts.extend(f"recalculated: {line}" for line in recalculate(path))

    return write


def _writer(
    output: Path,
    plan: Plan,
    books: Books,
    advance: Callable[[str], None],
) -> Writer:
    """Return what writes the plan in the format of the output's suffix, and keeps what is to be told of a workbook."""

    def write(path: Path) -> None:
        advance(f"Writing {output.name}")
        report = write_output(plan, path, books.templates.get(output, DEFAULT), **books.filling)
        if report:
            books.texts.extend(_remarks(report))
            books.texts.extend(f"warning: {what}" for what in report.warning)
            books.errors.extend(report.refused)
            books.failing.extend(report.failing)

    return write


def _remarks(report: FillReport) -> Iterator[str]:
    """Give a line for each part of the template that was not filled, or kept as it is."""
    yield from (f"template: {cut(clean(what), MAX_CHARACTERS)}" for what in report.unbound)
    yield from (f"kept: {what}" for what in report.kept)
    yield from (f"not extended: {what}" for what in report.not_stretched)
    yield from (f"refreshed on opening in Excel: {what}" for what in report.refreshed)
