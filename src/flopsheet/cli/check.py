"""`flopsheet check`: whether portfolios can be planned, and whether reports still say what flopsheet says."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import tomli

from flopsheet.cli.common import Form, complete_file, exit_on_error, form_options, plugin_options, read_plan
from flopsheet.configs.files import read_bytes, sha256
from flopsheet.errors import FlopsheetError
from flopsheet.export.files import WORKBOOKS
from flopsheet.planning.plan_checks import check_results
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.host.local import Choice
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan

REPORT, PORTFOLIO = "report", "portfolio"
WORKBOOK = (
    "a workbook is read as a list of models here; what was changed in one that flopsheet wrote, 'flopsheet import' with"
    " --dry-run lists beside its portfolio, 'flopsheet diff' beside its report"
)


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=complete_file)
@click.option("--strict", is_flag=True, help="Approximate models and failing checks are problems too.")
@form_options("files")
@plugin_options
@exit_on_error
def check(files: tuple[str, ...], choice: Choice, *, strict: bool, form: Form) -> int:
    """Check portfolios and TOML reports, each on its own, as a hook or in CI.

    A portfolio must be readable, and all its models and questions without error. So must a report; its numbers must be
    those that its dimensions and inputs give now, and configs that are still there must be those that it was made from.
    The exit status is 1 if a file has a problem.
    """
    results = [_check_file(file, choice, strict=strict) for file in files]
    click.echo(form(results, lambda: _page(results)))
    return int(any(result["problems"] for result in results))


def _check_file(file: str, choice: Choice, *, strict: bool) -> dict[str, Any]:
    kind, absent = PORTFOLIO, list[str]()
    try:
        kind = REPORT if _is_report(Path(file)) else PORTFOLIO
        plan = _plan_again(file, choice)
        problems = [*_problems(plan, strict=strict)]
        problems += [*_find_moved(Path(file), plan), *_find_changed(plan)] if kind == REPORT else []
        absent = [str(path) for _, path in _configs(plan) if not path.is_file()] if kind == REPORT else []
    except (FlopsheetError, OSError) as error:
        problems = [str(error), *([WORKBOOK] if Path(file).suffix.lower() in WORKBOOKS else [])]
    return {"file": file, "kind": kind, "problems": problems, "absent": absent}


def _is_report(path: Path) -> bool:
    """Whether a file is a report; what is no TOML is what its reader says of it. ConfigError: it cannot be read."""
    try:
        return "schema" in tomli.loads(read_bytes(path).decode())
    except (UnicodeDecodeError, tomli.TOMLDecodeError):
        return False


def _plan_again(file: str, choice: Choice) -> Plan:
    from flopsheet.configs.plugin_choice import load_for  # noqa: PLC0415 - the help needs none of it

    return read_plan(load_for([file], choice), [file])


def _problems(plan: Plan, *, strict: bool) -> Iterator[str]:
    """Give what `flopsheet plan` would end with status 1 for."""
    from flopsheet.export.batch.summary import complaint  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.faults import faults_of  # noqa: PLC0415 - same reason

    yield from (complaint(model) for model in plan.models if model.status == "error")
    yield from (fault.sentence for fault in faults_of(plan))
    if strict:
        approximate = [model for model in plan.models if model.status == "approximate"]
        yield from (f"{model.name} is approximate: {'; '.join(model.notes)}" for model in approximate)
        yield from (result.message for result in check_results(plan) if result.fails)


def _find_moved(path: Path, plan: Plan) -> Iterator[str]:
    """Give how many numbers of a report are others when it is made again."""
    from flopsheet.export.difference import compare, read_report  # noqa: PLC0415 - portfolios need none of it
    from flopsheet.export.difference_page import count_moves  # noqa: PLC0415 - same reason
    from flopsheet.export.outputs import plan_texts  # noqa: PLC0415 - same reason

    with TemporaryDirectory() as folder:
        again = Path(folder, path.name)
        again.write_text("".join(plan_texts(".toml", plan)), "utf-8")
        result = compare(read_report(path), read_report(again), 0.0)
    if result.moved:
        yield f"{count_moves(result)}: the report is not what flopsheet says now; 'flopsheet diff' shows what and why"


def _find_changed(plan: Plan) -> Iterator[str]:
    """Give the models of a report whose config files have another content now."""
    for model, path in _configs(plan):
        if path.is_file() and model.model.said_sha256 != sha256(path.read_bytes()):
            yield f"{model.name}: {path} has changed since the report; write the report again"


def _configs(plan: Plan) -> list[tuple[Costed, Path]]:
    """Return the models of a report with the config files that it was made from, from where it was made."""
    paths = [(model, Path(model.model.source)) for model in plan.models if model.model.said_sha256]
    return [(model, path) for model, path in paths if path.suffix == ".json"]


def _page(results: Sequence[dict[str, Any]]) -> str:
    found = [(f"{result['file']}: ", problem) for result in results for problem in result["problems"]]
    lines = [f"{file}{problem.removeprefix(file)}" for file, problem in found]
    lines += [f"{result['file']}: {_tell_absent(result['absent'])}" for result in results if result["absent"]]
    bad = sum(bool(result["problems"]) for result in results)
    return "\n".join([*lines, f"{number_of(len(results), 'file')} checked, {bad} with problems"])


def _tell_absent(paths: Sequence[str]) -> str:
    return (
        f"{number_of(len(paths), 'config')} not found from here, so not compared with the report: {paths[0]}; check it"
        " in the folder where it was written"
    )
