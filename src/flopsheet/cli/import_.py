"""`flopsheet import`: bring a planner's edits of a workbook back into the portfolio that it was made from."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from flopsheet.cli.common import OutputFile, exit_on_error, lay_out, planning_inputs, plugin_options
from flopsheet.configs.files import parse_toml, read_bytes
from flopsheet.configs.grid import open_workbook
from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.roundtrip.changes import Changes, changes_of
from flopsheet.export.roundtrip.compare import compare
from flopsheet.export.roundtrip.edit import edit_portfolio
from flopsheet.export.roundtrip.new_portfolio import dump, portfolio_from_workbook
from flopsheet.export.roundtrip.origin import (
    Origin,
    check_inputs,
    check_plugins,
    check_portfolio,
    drift,
    plugins_for,
    read_origin,
)
from flopsheet.export.roundtrip.rows import FilledWorkbook, shown_cell
from flopsheet.export.shipped_templates import plan_for, shipped_templates
from flopsheet.export.workbook import write_workbook
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.planning.registry import input_checker
from flopsheet.units.numbers import number, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.export.roundtrip.findings import Findings, IgnoredChange
    from flopsheet.export.roundtrip.new_portfolio import NewPortfolio
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice
    from flopsheet.planning.plan import Plan

MAX_CELLS = 20
"""Cells of one list that are shown; the rest is counted."""


@click.command("import")
@click.argument("workbook", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    required=True,
    help="The portfolio that the workbook was made from; one that does not exist is made from the workbook.",
)
@click.option("--template", metavar="NAME|FILE", help="The template that was filled, if it is your own.")
@click.option("--yes", is_flag=True, help="Write without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@plugin_options
@exit_on_error
def import_(workbook: Path, output: Path, template: str | None, choice: Choice, *, yes: bool, dry_run: bool) -> int:
    """Change a portfolio as its WORKBOOK was changed: blue cells, and rows that were added.

    Without a portfolio to change, one is written that gives the workbook's plan.

    Every change is shown with its cell before anything is written. Edited formulas are reported, not imported.
    The portfolio keeps its comments. The exit status is 0, or 2 if something is refused; then nothing is written.
    """
    if output.suffix.lower() != ".toml":
        raise UsageError(f"{output}: import writes a portfolio, a .toml file")
    result = FilledWorkbook(str(workbook), open_workbook(workbook))
    origin = read_origin(result.book, str(workbook))
    choice = plugins_for(origin, choice)
    host = load_for([str(output)] if output.exists() else [], choice)
    notes = check_plugins(origin, host)
    if not output.exists():
        portfolio = portfolio_from_workbook(host, result, origin, choice, output)
        portfolio.notes[:0] = notes
        return _write_new(host, portfolio, result.path, output, yes=yes, dry_run=dry_run)
    check_portfolio(origin, output)
    document = parse_toml(read_bytes(output), output)
    if "schema" in document:
        raise UsageError(f"{output} is a report: its results would no longer match its inputs; import into a portfolio")
    template_name = template or _template(origin)
    plan = _plan(host, origin, output, template_name)
    findings, remarks = _compare(plan, result, origin, output, template_name)
    changes = changes_of(plan, document, findings)
    for line in (*remarks, *_page(findings, changes)):
        click.echo(line)
    if findings.problems or changes.problems:
        raise UsageError(_explain_refusal(workbook, [*findings.problems, *changes.problems]))
    if not changes.values and not changes.models:
        click.echo(f"no input was changed; {output} was left as it is")
        return 0
    data, what = edit_portfolio(read_bytes(output), changes), _count_changes(changes)
    return _write(host, output, data, what, yes=yes, dry_run=dry_run)


def _write_new(host: Host, portfolio: NewPortfolio, workbook: str, output: Path, *, yes: bool, dry_run: bool) -> int:
    """Write a new portfolio from the workbook, where there is no portfolio to change."""
    for note in portfolio.notes:
        click.echo(note)
    if portfolio.problems:
        raise UsageError(_explain_refusal(workbook, portfolio.problems))
    models, drivers = len(portfolio.document["models"]), len(portfolio.document["inputs"]) - 1
    click.echo(f"{number_of(models, 'model')}, {number_of(drivers, 'input')} that differ from the catalog")
    return _write(host, output, dump(portfolio), "a new portfolio", yes=yes, dry_run=dry_run)


def _plan(host: Host, origin: Origin, portfolio: Path, template: str) -> Plan:
    """Return the plan that the workbook was made from, under the options that it was made with."""
    models, portfolios = read_inputs(host, [str(portfolio)], check_inputs=input_checker(host))
    planning, workload = planning_inputs(host, _settings(origin, "--input"))
    costs = cost_all(host, models, {**workload, **_settings(origin, "--set")})

    def plan_for_questions(questions: Sequence[str] = ()) -> Plan:
        return make_plan(host, costs, portfolios, next(iter(origin.option("--name")), ""), planning, questions)

    plan = plan_for(template, plan_for_questions(), plan_for_questions)
    case = next(iter(origin.option("--case")), plan.scenario)
    return replace(plan, scenario=case, options=origin.read_pairs("Option"))


def _settings(origin: Origin, option: str) -> dict[str, int | float | str]:
    """Return the NAME=VALUE of an option that the workbook was made with."""
    texts = dict(text.split("=", 1) for text in origin.option(option))
    return {name: number(text) for name, text in texts.items()}


def _compare(
    plan: Plan, workbook: FilledWorkbook, origin: Origin, portfolio: Path, template: str
) -> tuple[Findings, list[str]]:
    """Write the plan's workbook again and compare the planner's with it; return remarks on versions too."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"delivered{Path(workbook.path).suffix}"
        write_workbook(plan, path, template, dict(origin.read_pairs("Kept")))
        fresh = FilledWorkbook("the workbook as delivered", open_workbook(path))
    fresh_origin = read_origin(fresh.book, fresh.path)
    check_inputs(origin, fresh_origin, portfolio)
    return compare(plan, workbook, fresh), list(drift(origin, fresh_origin))


def _template(origin: Origin) -> str:
    name = next(iter(dict(origin.read_pairs("Template"))), "")
    if Path(name).stem not in shipped_templates():
        raise UsageError(f"{origin.workbook} was filled from the template {name}; name it: --template {name}")
    return Path(name).stem


def _write(host: Host, output: Path, data: bytes, what: str, *, yes: bool, dry_run: bool) -> int:
    """Read the portfolio as the next report will, and write it; PortfolioError says what is wrong with it."""
    make_plan(host, [], [read_portfolio(host, output, input_checker(host), data)])
    if not dry_run and _ask_to_write(output, yes=yes):
        write_aside({output: lambda draft: draft.write_bytes(data)})
        click.echo(f"{what} → {output}")
    return 0


def _ask_to_write(output: Path, *, yes: bool) -> bool:
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError(
            f"nothing was written: there is no terminal to ask for confirmation; add --yes to change {output}"
        )
    return click.confirm(f"Change {output}?")


def _page(findings: Findings, changes: Changes) -> Iterator[str]:
    yield from lay_out((e.address, e.what, f"{shown_cell(e.old)} → {shown_cell(e.new)}") for e in findings.edits)
    yield from lay_out(
        (row.address, f"new model {row.name}", f"{row.architecture}, {_dimensions(model)}")
        for row, model in zip(findings.added, changes.models, strict=True)
    )
    yield from findings.notes
    yield from changes.notes
    yield from _show_cells("changed formulas, not imported:", findings.formulas)
    yield from _show_cells("changed cells that are not inputs, not imported:", findings.others)


def _dimensions(model: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in model["dimensions"].items())


def _show_cells(title: str, cells: Sequence[IgnoredChange]) -> Iterator[str]:
    if cells:
        yield title
        yield from (f"  {cell.address}: expected {cell.expected}, found {cell.found}" for cell in cells[:MAX_CELLS])
    if len(cells) > MAX_CELLS:
        yield f"  and {len(cells) - MAX_CELLS} more"


def _explain_refusal(workbook: Path | str, problems: list[str]) -> str:
    count = "1 cell is" if len(problems) == 1 else f"{len(problems)} cells are"
    return "\n  ".join([f"{workbook}: {count} refused, and nothing was written:", *problems])


def _count_changes(changes: Changes) -> str:
    parts = [(len(changes.values), "value"), (len(changes.models), "new model")]
    return " and ".join(number_of(count, what) for count, what in parts if count)
