"""`flopsheet report`: a planning workbook and reports of a batch of models."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.cases import case_option
from flopsheet.cli.common import (
    OutputFile,
    SettingsCommand,
    complete_file,
    exit_on_error,
    input_option,
    jobs_options,
    planning_inputs,
    plugin_options,
    settings_option,
    stdout_output,
    strict_option,
    tell_failures,
    where_details,
)
from flopsheet.cli.writing import Books, Further, check_recalculation, workbooks_of, write_at_once
from flopsheet.configs.batches import open_batch
from flopsheet.configs.inputs import read_list_of_inputs
from flopsheet.configs.plugin_choice import choice_for
from flopsheet.errors import UsageError
from flopsheet.export.batch.errors import FORMATS
from flopsheet.export.batch.report import Wish, check_size, in_parts, write_batch
from flopsheet.export.batch.summary import MAX_CHARACTERS, MAX_MODELS
from flopsheet.export.batch.work import Request, failures, open_request, versions
from flopsheet.export.exporters import formats_for, missing_modules
from flopsheet.export.files import check_inputs_kept, check_outputs
from flopsheet.export.shipped_templates import DEFAULT, workbook_templates
from flopsheet.export.table import FORMATS as TABLE_FORMATS
from flopsheet.export.table import table_files
from flopsheet.export.text import clean, cut
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.reasons import reason_lines
from flopsheet.planning.registry import input_checker, program
from flopsheet.planning.workers import workers_for
from livesheets import WORDS, read_allowed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.configs.batches import Batch
    from flopsheet.export.batch.summary import Summary
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice

NEED_PARTS = ("scheduler", "resume", "partition_by")
"""Options that need a report that is made of parts."""
PAYS = 3_000
"""Models for which another process pays for its start."""
MAX_LINES = 40
"""Lines about templates that are shown."""


@click.command(cls=SettingsCommand)
@click.argument("inputs", nargs=-1, metavar="INPUT...", shell_complete=complete_file)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputFile(),
    multiple=True,
    required=True,
    help="A file to write, by its suffix: .xlsx .xlsm .toml .json .csv .md .html .parquet. May be repeated.",
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
@click.option(
    "--sheets",
    metavar="all|board|finance|audit|NAME,...",
    help="The sheets of the workbook to show: all, those that a board, a finance team or an auditor prints, or the"
    " first and those named. By default those of answers and inputs; workings, cards and details are there, but"
    " hidden.",
)
@settings_option
@input_option
@plugin_options
@click.option("--name", default="", help="The plan's name, instead of the portfolio's.")
@case_option
@click.option("--decimal-comma", is_flag=True, help="CSV model lists write 1,5 for one and a half.")
@click.option("--recalculate", is_flag=True, help="Have LibreOffice calculate the formulas that have no value.")
@click.option("--input-list", metavar="FILE", help="Read further INPUTs from a file, one per line; - is stdin.")
@click.option("--errors", type=OutputFile(), help="Write models in error to a table of their own: a .csv file.")
@click.option(
    "--tables",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write each table of the questions, such as costs by model and month, to a .csv file in this folder.",
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
    **extra: Any,
) -> int:
    """Write a planning workbook and reports of all models of the inputs.

    An INPUT is a config.json file, a folder that holds some, a glob, a TOML portfolio, an earlier TOML report, or a
    model list: a CSV file or a workbook (models.xlsx, models.xlsx#Sheet) with one row per model. The exit status is 1
    if any model or question is in error, else 0; every output is written either way. Failing checks of a workbook are
    printed.

    A .tar or .zip file stands for the configs in it, models.parquet for one model per row, and - for a config on stdin.
    An output - is a CSV on stdout, -.json the JSON there, and so on.

    Several templates are filled at once: into as many workbooks, in their order, or into one per template that is
    named after a single workbook: next-training-plan.xlsx and next-serving-plan.xlsx for next.xlsx.
    """
    inputs = _list_inputs(inputs, extra["input_list"])
    outputs, books = _with_books(outputs, templates, extra)
    with _progress(len(outputs) + 2) as advance:
        advance("Reading the inputs")
        everything = choice_for(inputs, choice)
        host = load(*everything)
        errors = [path for path in [extra["errors"]] if path]
        tables = table_files(program(host), extra["tables"]) if extra["tables"] else []
        further = dict.fromkeys(errors, FORMATS) | dict.fromkeys(tables, TABLE_FORMATS)
        check_outputs(outputs, formats_for(host, outputs), further)
        outputs, left_out = _writable(host, outputs)
        batch = open_batch(host, inputs, decimal_comma=decimal_comma, check_inputs=input_checker(host))
        check_size(outputs, len(batch))
        read = chain(batch.files(), (path for path in templates if Path(path).suffix))
        check_inputs_kept([*outputs, *errors, *tables], read)
        planning, workload = planning_inputs(host, dict(given))
        request = Request(
            everything,
            tuple(dict.fromkeys(output.suffix.lower() for output in outputs)),
            batch.portfolios,
            batch.own,
            {**workload, **dict(settings)},
            planning,
            extra["name"],
            extra["case"] or "",
            _options(settings, given, choice, **extra),
            versions(host),
            bool(errors),
        )
        summary = _write_outputs(request, host, batch, outputs, books, advance, extra)
    tell_failures(host)
    _tell_all(summary, books, failures(host), where_details(host))
    paths = [path for path in (*outputs, *errors) if path not in summary.left_out]
    paths += [extra["tables"]] if extra["tables"] else []
    names = ["stdout" if output == extra["to_stdout"] else str(output) for output in paths]
    click.echo(f"{summary.count_statuses()} → {', '.join(names)}", err=extra["to_stdout"] is not None)
    is_bad = bool(books.failing or host.failures or summary.failures)
    in_error = summary.counts["error"] or summary.faults or books.errors
    return int(bool(left_out or summary.left_out or in_error or (strict and (summary.counts["approximate"] or is_bad))))


def _with_books(
    outputs: tuple[Path, ...], templates: tuple[str, ...], extra: Mapping[str, Any]
) -> tuple[tuple[Path, ...], Books]:
    """Return every output, a workbook for each template, and how workbooks are filled."""
    books = workbook_templates(outputs, templates)
    if not {*books} <= {*outputs}:
        outputs = (*(path for path in outputs if path not in workbooks_of(outputs)), *books)
    filling = {"allow": read_allowed(extra["allow"]), "protect": extra["protect"], "sheets": _names(extra["sheets"])}
    if extra["recalculate"]:
        check_recalculation(outputs)
    return outputs, Books(books, filling, extra["recalculate"], [], [], [])


def _names(text: str | None) -> list[str] | None:
    """Return the names of sheets in an option, None where it is not given."""
    return None if text is None else [name for part in text.split(",") if (name := part.strip())]


def _list_inputs(inputs: tuple[str, ...], listing: str | None) -> tuple[str, ...]:
    """Return all inputs, those of a list too; a UsageError where there is none."""
    inputs = (*inputs, *(read_list_of_inputs(listing) if listing else ()))
    if not inputs:
        raise UsageError("Missing argument 'INPUT...': a config, a folder, a portfolio, …, or --input-list FILE")
    return inputs


def _writable(host: Host, outputs: tuple[Path, ...]) -> tuple[tuple[Path, ...], Mapping[Path, str]]:
    """Return the outputs that this machine can write, and say of each other one why not; UsageError without any."""
    missing = missing_modules(host, outputs)
    if len(missing) == len(outputs):
        raise UsageError("\n".join(missing.values()))
    _tell([f"error: {why}" for why in missing.values()], len(missing))
    return tuple(output for output in outputs if output not in missing), missing


def _write_outputs(
    request: Request,
    host: Host,
    batch: Batch,
    outputs: Sequence[Path],
    books: Books,
    advance: Callable[[str], None],
    extra: Mapping[str, Any],
) -> Summary:
    """Write every output, a large batch in parts, and return what there is to say of it."""
    workers = workers_for(extra["jobs"], extra["scheduler"], len(batch), PAYS)
    option = next((f"--{key.replace('_', '-')}" for key in NEED_PARTS if extra[key]), "")
    large = not extra["tables"] and (batch.is_large or bool(option or extra["jobs"]))
    if option and extra["tables"]:
        raise UsageError(f"{option}: --tables is written of all models at once; leave one of them out")
    if large and in_parts(state := open_request(request, host), option):
        wish = Wish(workers, extra["resume"], extra["errors"], extra["partition_by"] or "")
        return write_batch(state, batch, outputs, wish, advance)
    advance("Costing the models")
    models = cost_all(host, batch.models(host), request.settings)
    further = Further(extra["errors"], extra["tables"])
    return write_at_once(partial(open_request, request, host, models), outputs, books, further, advance)


def _tell_all(summary: Summary, books: Books, own_failures: Iterable[str], details: str) -> None:
    """Say what there is to say of plugins, models and workbooks; failures that are known were told."""
    elsewhere = [line for line in summary.failures if line not in own_failures]
    _tell([f"{line}{details}" for line in elsewhere], MAX_LINES)
    _tell([f"error: {why}" for why in summary.left_out.values()], len(summary.left_out))
    _tell(summary.errors(), MAX_LINES)
    notes = [*summary.remarks, *reason_lines(summary.reasons)]
    _tell([f"note: {note}" for note in notes], len(notes))
    _tell(summary.list_models(), MAX_MODELS + 1)
    for prefix, texts in (("", books.texts), ("template error: ", books.errors), ("check failed: ", books.failing)):
        _tell([f"{prefix}{cut(clean(line), MAX_CHARACTERS)}" for line in dict.fromkeys(texts)], MAX_LINES)


def _options(
    settings: Sequence[tuple[str, Any]],
    inputs: Sequence[tuple[str, Any]],
    choice: Choice,
    name: str,
    case: str | None,
    **_: Any,
) -> tuple[tuple[str, str], ...]:
    """Return the options that changed the plan, as they were given."""
    result = [("--set", f"{key}={value}") for key, value in settings]
    result += [("--input", f"{key}={value}") for key, value in inputs]
    result += choice.options()
    return (*result, *((option, text) for option, text in (("--name", name), ("--case", case)) if text))


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
