"""`flopsheet plan`: the answers of a portfolio's questions, on the terminal or for programs."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from flopsheet.cli.cases import case_option
from flopsheet.cli.common import (
    check_tables,
    complete_file,
    exit_on_error,
    input_option,
    plugin_options,
    read_plan,
    settings_option,
    strict_option,
    tell_failures,
)
from flopsheet.configs.plugin_choice import load_for
from flopsheet.errors import UsageError
from flopsheet.planning import variations
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.reasons import reason_lines, reasons_of
from flopsheet.planning.remarks import remarks
from flopsheet.planning.variations import DEFAULT_RESULT

if TYPE_CHECKING:
    from flopsheet.host.local import Choice
    from flopsheet.planning.answers import Variation
    from flopsheet.planning.plan import Plan

FORMATS = ("table", "json", "toml", "csv", "md")


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="PORTFOLIO...", shell_complete=complete_file)
@click.option("--question", "questions", multiple=True, metavar="NAME", help="Ask this question only; may be repeated.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@input_option
@settings_option
@case_option
@click.option("--all", "everything", is_flag=True, help="Show every table, not only the answer, figures and checks.")
@click.option("--table", metavar="NAME", help="Show this table alone; with --format csv its rows in all cases.")
@click.option(
    "--compare", multiple=True, metavar="NAME", help="Show the figures of this case beside those of the shown one."
)
@click.option("--open", "opens", is_flag=True, help="Also show the plan in the browser, as a page that recalculates.")
@click.option("--tornado", is_flag=True, help="Also show what each input with a range does to the result.")
@click.option("--grid", metavar="DOWN,ACROSS", help="Also show the result with two inputs in each of their cases.")
@click.option(
    "--result",
    metavar="NAME",
    help="What --tornado and --grid vary: a figure such as money.cheapest, or a line such as training_days."
    f"  [default: {DEFAULT_RESULT}]",
)
@strict_option
@plugin_options
@exit_on_error
def plan(
    inputs: tuple[str, ...],
    questions: tuple[str, ...],
    form: str,
    given: tuple[tuple[str, Any], ...],
    settings: tuple[tuple[str, Any], ...],
    case: str | None,
    choice: Choice,
    *,
    strict: bool,
    **varied: Any,
) -> int:
    """Answer the planning questions of a portfolio: the answer, its options, figures and checks.

    PORTFOLIO is a TOML portfolio, or anything else that `report` takes. The exit status is 1 if any model or question
    is in error; all others are answered.
    """
    from flopsheet.export.batch.summary import complaint  # noqa: PLC0415 - the help needs none of it
    from flopsheet.export.plan_answers import WRITERS  # noqa: PLC0415 - same reason
    from flopsheet.export.terminal import as_all, as_compared  # noqa: PLC0415 - same reason
    from flopsheet.export.text import clean  # noqa: PLC0415 - same reason
    from flopsheet.planning.faults import faults_of  # noqa: PLC0415 - same reason

    table, opens, everything = varied.pop("table"), varied.pop("opens"), varied.pop("everything")
    compare = varied.pop("compare")
    if table and form not in ("csv", "table"):
        raise UsageError(f"--table {table}: {form} has every table; leave --table out, or add --format csv")
    host = load_for(inputs, choice)
    plan = read_plan(host, inputs, given, settings, questions)
    plan = replace(plan.show_case(case) if case else plan, options=tuple(("--input", f"{k}={v}") for k, v in given))
    plan = replace(plan, variations=_variations(plan, **varied))
    if compare and form != "table":
        raise UsageError(f"--compare {compare[0]}: leave --format {form} out; it has every case")
    beside = [plan.show_case(name).scenario for name in compare]
    write = as_all if everything and form == "table" else WRITERS[form]
    text = as_compared(plan, beside) if beside else _rows(plan, table, form) if table else write(plan)
    click.echo(text, nl=False)
    if opens:
        click.echo(f"opened {_open_page(plan)}", err=True)
    tell_failures(host)
    faults, notes = faults_of(plan), (*remarks(plan), *reason_lines(reasons_of(plan.models)))
    lines = [complaint(model) for model in plan.models if model.status == "error"]
    lines += [f"error: {clean(fault.sentence)}" for fault in faults] + [f"note: {note}" for note in notes]
    for line in lines:
        click.echo(line, err=True)
    failing = [check for check in check_results(plan) if check.fails]
    bad = bool(faults) or any(model.status == "error" or (strict and model.status != "ok") for model in plan.models)
    return int(bad or (strict and bool(failing or host.failures)))


def _open_page(plan: Plan) -> Path:
    """Write the page of a plan to a folder of its own, show it in the browser, and return its path."""
    from flopsheet.export.page.page import plan_page  # noqa: PLC0415 - the help needs none of it

    path = Path(mkdtemp(prefix="flopsheet-")) / "plan.html"
    path.write_text(plan_page(plan), encoding="utf-8")
    click.launch(path.as_uri())
    return path


def _rows(plan: Plan, table: str, form: str) -> str:
    """Return the rows of a table, as CSV or to read; UsageError for one that the plan does not have."""
    from flopsheet.export.table import table_csv  # noqa: PLC0415 - the help needs none of it
    from flopsheet.export.terminal import as_section  # noqa: PLC0415 - same reason

    check_tables([table], plan.program.tables, plan)
    return "".join(table_csv(plan, table)) if form == "csv" else as_section(plan, table)


def _variations(plan: Plan, result: str | None, grid: str | None, *, tornado: bool) -> tuple[Variation, ...]:
    """Return what --tornado and --grid ask for; UsageError for a result that neither would vary."""
    if result and not tornado and grid is None:
        raise UsageError(f"--result {result}: add --tornado or --grid, which vary it")
    result = result or DEFAULT_RESULT
    results = [variations.tornado(plan, result)] if tornado else []
    if grid is not None:
        axes = [name.strip() for name in grid.split(",")]
        if len(axes) != 2:  # noqa: PLR2004 - a grid has two axes
            raise UsageError(f"--grid {grid}: two inputs are expected, such as --grid mfu,price_per_hour")
        results.append(variations.grid(plan, axes[0], axes[1], result))
    return tuple(results)
