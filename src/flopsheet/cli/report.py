"""`flopsheet report`: a planning workbook and reports of a batch of models."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from flopsheet.cli.cases import case_option
from flopsheet.cli.common import (
    SettingsCommand,
    exit_on_error,
    input_option,
    jobs_options,
    planning_inputs,
    plugin_options,
    settings_option,
    stdout_output,
    strict_option,
    tell_failures,
)
from flopsheet.configs.batches import open_batch
from flopsheet.configs.chosen import choice_for
from flopsheet.configs.inputs import read_list_of_inputs
from flopsheet.errors import UsageError
from flopsheet.export.batch.errors import FORMATS, error_rows, write_errors
from flopsheet.export.batch.report import Wish, check_size, in_parts, write_batch
from flopsheet.export.batch.summary import MAX_CHARACTERS, MAX_MODELS, Summary, summary_of
from flopsheet.export.batch.work import Opened, Request, failures, open_request, versions
from flopsheet.export.exporters import formats_for, writer_of
from flopsheet.export.files import WORKBOOKS, Writer, check_inputs_kept, check_outputs, write_aside
from flopsheet.export.shipped import DEFAULT, plan_for, workbook_templates
from flopsheet.export.text import clean, cut
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.registry import input_checker
from flopsheet.planning.remarks import remarks
from flopsheet.planning.workers import workers_for
from flopsheet.spreadsheet.allow import WORDS, read_allowed
from flopsheet.spreadsheet.libreoffice import program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.host.local import Choice
    from flopsheet.planning.plan import Plan
    from flopsheet.spreadsheet.engine import FillReport

NEED_PARTS = ("scheduler", "resume", "partition_by")
"""Options that need a report that is made of parts."""
PAYS = 3_000
"""Models for which another process pays for its start."""
MAX_LINES = 40
"""Lines about templates that are shown."""


@click.command(cls=SettingsCommand)
@click.argument("inputs", nargs=-1, metavar="INPUT...")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="A file to write, in the format of its extension: .xlsx .xlsm .toml .json .csv .md .parquet. May be repeated.",
)
@click.option(
    "--template",
    "templates",
    default=(DEFAULT,),
    multiple=True,
    metavar="NAME|FILE",
    help="The workbook to fill, by default plan. May be repeated: `flopsheet templates list` names the shipped ones.",
)
@click.option(
    "--allow",
    multiple=True,
    metavar="WORD,...",
    help=f"Keep active content of the template, which is otherwise refused: {', '.join(WORDS)}.",
)
@click.option("--protect", is_flag=True, help="Lock the workbook's sheets, blue cells excepted; tables no longer grow.")
@settings_option
@input_option
@plugin_options
@click.option("--name", default="", help="The plan's name, instead of the portfolio's.")
@case_option
@click.option("--decimal-comma", is_flag=True, help="CSV model lists write 1,5 for one and a half.")
@click.option("--recalculate", is_flag=True, help="Have LibreOffice calculate the formulas that have no value.")
@click.option("--input-list", metavar="FILE", help="Read further INPUTs from a file, one per line; - is stdin.")
@click.option(
    "--errors", type=click.Path(path_type=Path), help="Write models in error to a table of their own: a .csv file."
)
@click.option("--resume", is_flag=True, help="Keep finished parts, and reuse those of an interrupted run.")
@click.option(
    "--partition-by",
    type=click.Choice(["part", "architecture", "status"]),
    default=None,
    help="Write a .parquet output as a folder of files with a manifest.",
)
@jobs_options
@strict_option
@exit_on_error
@stdout_output
def report(
    inputs: tuple[str, ...],
    outputs: tuple[Path, ...],
    settings: tuple[tuple[str, Any], ...],
    given: tuple[tuple[str, Any], ...],
    choice: Choice,
    templates: tuple[str, ...],
    *,
    strict: bool,
    decimal_comma: bool,
    **chosen: Any,
) -> int:
    """Write a planning workbook and reports of all models of the inputs.

    An INPUT is a config.json file, a folder that holds some, a glob, a TOML portfolio, an earlier TOML report, or a
    model list: a CSV file or a workbook (models.xlsx, models.xlsx#Sheet) with one row per model. The exit status is 1
    if any model is in error, else 0; every output is written either way. Failing checks of a workbook are printed.

    A .tar or .zip file stands for the configs in it, models.parquet for one model per row, and - for a config on stdin.
    An output - is a CSV on stdout, -.json the JSON there, and so on.

    Several templates are filled at once: those of as many workbooks in their order, or of one workbook, which then
    stands for one per template: next.xlsx for next-training-plan.xlsx and next-serving-plan.xlsx.
    """
    inputs = (*inputs, *(read_list_of_inputs(chosen["input_list"]) if chosen["input_list"] else ()))
    if not inputs:
        raise UsageError("Missing argument 'INPUT...': a config, a folder, a portfolio, …, or --input-list FILE")
    errors: Path | None = chosen["errors"]
    filled = workbook_templates(outputs, templates)
    if not {*filled} <= {*outputs}:
        outputs = (*(path for path in outputs if path not in _workbooks(outputs)), *filled)
    filling = {"allow": read_allowed(chosen["allow"]), "protect": chosen["protect"]}
    books = Books(filled, filling, chosen["recalculate"], [], [])
    if chosen["recalculate"]:
        _check_recalculation(outputs)
    with _progress(len(outputs) + 2) as advance:
        advance("Reading the inputs")
        everything = choice_for(inputs, choice)
        host = load(*everything)
        check_outputs(outputs, formats_for(host, outputs))
        check_outputs([errors] if errors else [], FORMATS)
        batch = open_batch(host, inputs, decimal_comma=decimal_comma, check_inputs=input_checker(host))
        check_size(outputs, len(batch))
        read = chain(batch.files(), (one for one in templates if Path(one).suffix))
        check_inputs_kept([*outputs, *([errors] if errors else [])], read)
        planning, workload = planning_inputs(host, dict(given))
        request = Request(
            everything,
            tuple(dict.fromkeys(output.suffix.lower() for output in outputs)),
            batch.portfolios,
            batch.own,
            {**workload, **dict(settings)},
            planning,
            chosen["name"],
            chosen["case"] or "",
            _options(settings, given, choice, **chosen),
            versions(host),
            errors is not None,
        )
        workers = workers_for(chosen["jobs"], chosen["scheduler"], len(batch), PAYS)
        wish = Wish(workers, chosen["resume"], errors, chosen["partition_by"] or "")
        needed = next((option for option in NEED_PARTS if chosen[option]), "")
        large = batch.is_large or bool(needed or chosen["jobs"])
        if large and in_parts(opened := open_request(request, host), f"--{needed.replace('_', '-')}" if needed else ""):
            summary = write_batch(opened, batch, outputs, wish, advance)
        else:
            advance("Costing the models")
            costed = cost_all(host, batch.models(host), request.settings)
            summary = _at_once(partial(open_request, request, host, costed), outputs, books, errors, advance)
    tell_failures(host)
    elsewhere = [line for line in summary.failures if line not in failures(host)]
    _tell([f"{line}; run 'flopsheet plugins' for details" for line in elsewhere], MAX_LINES)
    _tell([f"note: {remark}" for remark in summary.remarks], len(summary.remarks))
    _tell(summary.said(), MAX_MODELS + 1)
    _tell([cut(clean(line), MAX_CHARACTERS) for line in dict.fromkeys(books.said)], MAX_LINES)
    _tell([f"check failed: {cut(clean(line), MAX_CHARACTERS)}" for line in dict.fromkeys(books.failing)], MAX_LINES)
    names = [
        "stdout" if output == chosen["to_stdout"] else str(output)
        for output in (*outputs, *([errors] if errors else []))
    ]
    click.echo(f"{summary.counted()} → {', '.join(names)}", err=chosen["to_stdout"] is not None)
    failed = bool(books.failing or host.failures or summary.failures)
    return int(bool(summary.counts["error"] or (strict and (summary.counts["approximate"] or failed))))


class Books(NamedTuple):
    """How workbooks are filled: the template of each, options, whether they are recalculated; and what is told then.

    `said` is what people should know about them, `failing` their checks that do not pass.
    """

    templates: Mapping[Path, str]
    filling: Mapping[str, Any]
    recalculate: bool
    said: list[str]
    failing: list[str]


def _at_once(
    planned: Callable[[Sequence[str]], Opened],
    outputs: Sequence[Path],
    books: Books,
    errors: Path | None,
    advance: Callable[[str], None],
) -> Summary:
    """Write a plan of all models together, and return what there is to say of them."""
    plan = planned(()).plan
    templates = books.templates
    plans = {
        path: plan_for(templates[path], plan, lambda asked: planned(asked).plan) if path in templates else plan
        for path in outputs
    }
    writers = {path: _writer(path, plans[path], books, advance) for path in outputs}
    if books.recalculate:
        writers |= {path: _recalculating(writers[path], path, advance, books.said) for path in _workbooks(outputs)}
    if errors:
        writers[errors] = partial(write_errors, [error_rows(plan.models)])
    write_aside(writers)
    summary = Summary()
    summary.add(summary_of(plan))
    summary.remarks = list(dict.fromkeys(remark for each in (plan, *plans.values()) for remark in remarks(each)))
    return summary


def _options(
    settings: Sequence[tuple[str, Any]],
    given: Sequence[tuple[str, Any]],
    choice: Choice,
    name: str,
    case: str | None,
    **_: Any,
) -> tuple[tuple[str, str], ...]:
    """Return the options that changed the plan, as they were given."""
    said = [("--set", f"{key}={value}") for key, value in settings]
    said += [("--input", f"{key}={value}") for key, value in given]
    said += choice.options()
    return (*said, *((option, text) for option, text in (("--name", name), ("--case", case)) if text))


def _workbooks(outputs: Sequence[Path]) -> list[Path]:
    return [output for output in outputs if output.suffix.lower() in WORKBOOKS]


def _check_recalculation(outputs: Sequence[Path]) -> None:
    """Raise before any work if there is nothing to recalculate, or nobody who could."""
    if not _workbooks(outputs):
        raise UsageError("--recalculate needs a workbook among the outputs; add -o plan.xlsx or leave it out")
    program()


def _recalculating(writer: Writer, output: Path, advance: Callable[[str], None], said: list[str]) -> Writer:
    """Return what writes a workbook and then has its formulas calculated."""

    def write(path: Path) -> None:
        from flopsheet.spreadsheet.engine.recalculate import recalculate  # noqa: PLC0415 - lxml is for workbooks only

        writer(path)
        advance(f"Recalculating {output.name}")
        said.extend(f"recalculated: {line}" for line in recalculate(path))

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
        suffix = output.suffix.lower()
        if own := writer_of(plan.host, suffix, plan):
            own(path)
        elif suffix in WORKBOOKS:
            from flopsheet.export.workbook import write_workbook  # noqa: PLC0415 - lxml is for workbooks only
            from flopsheet.spreadsheet.engine.plan import located  # noqa: PLC0415 - same

            with located(books.templates[output]):
                report = write_workbook(plan, path, template=books.templates[output], **books.filling)
            books.said.extend(_remarks(report))
            books.said.extend(f"warning: {what}" for what in report.warning)
            books.failing.extend(report.failing)
        else:
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(_texts(suffix, plan))

    return write


def _remarks(filled: FillReport) -> Iterator[str]:
    """Give a line for each part of the template that was not filled, or kept as it is."""
    yield from (f"template: {cut(clean(what), MAX_CHARACTERS)}" for what in filled.unbound)
    yield from (f"kept: {what}" for what in filled.kept)
    yield from (f"not extended: {what}" for what in filled.not_stretched)
    yield from (f"refreshed on opening in Excel: {what}" for what in filled.refreshed)


def _texts(suffix: str, plan: Plan) -> Iterable[str]:
    from flopsheet.export import markdown, table, toml  # noqa: PLC0415 - a workbook needs none of them

    if suffix == ".toml":
        return toml.report_document(plan)
    writers = {".json": table.as_json, ".csv": table.as_csv, ".md": markdown.as_markdown}
    return [writers[suffix](plan)]


@contextmanager
def _progress(steps: int) -> Iterator[Callable[[str], None]]:
    """Give a function that shows the next step: a bar on a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal shows a bar
    from rich.progress import Progress  # noqa: PLC0415 - same reason

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=steps)
        yield lambda text: bar.update(task, description=text, advance=1)


def _tell(lines: Sequence[str], most: int) -> None:
    """Say on stderr what people should know about the models or workbooks, and how many lines were left out."""
    for line in lines[:most]:
        click.echo(line, err=True)
    if len(lines) > most:
        click.echo(f"… and {len(lines) - most} more lines", err=True)
