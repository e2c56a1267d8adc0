"""`flopsheet templates`: the shipped templates, what a template may name, and what anybody's template means."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import OutputFile, exit_on_error, plugin_options
from flopsheet.cli.completing import complete_file
from flopsheet.cli.forms import Form, form_options
from flopsheet.configs.plugin_choice import load_for
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.shipped import shipped_templates
from flopsheet.host.loading import load
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from flopsheet.audit.audit import Audit
    from flopsheet.audit.items import Verdict
    from flopsheet.export.binding.describe import Resolution
    from flopsheet.export.workbook.preview import Preview
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice
    from flopsheet.planning.plan import Plan

MAX_PLACES = 5
"""Places that a failed item names on the terminal; --json has all."""


@click.group()
def templates() -> None:
    """Look at templates: those that are shipped, and your own."""


@templates.command("list")
@form_options("templates")
@exit_on_error
def list_(*, form: Form) -> None:
    """List the shipped templates."""
    rows = [{"name": one.name, "about": one.about} for one in shipped_templates().values()]
    click.echo(form(rows, lambda: "\n".join(_table([[*row.values()] for row in rows]))))


@templates.command(short_help="Copy a shipped template to a file.")
@click.argument("name", metavar="TEMPLATE", type=click.Choice(list(shipped_templates())))
@click.argument("file", type=OutputFile())
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@exit_on_error
def copy(name: str, file: Path, force: bool) -> None:  # noqa: FBT001 - click passes options by name
    """Copy a shipped template to a file, to be changed and given to `report --template`."""
    from flopsheet.export.workbook.write import load_template  # noqa: PLC0415 - lxml is for workbooks only

    if file.suffix.lower() != ".xlsx":
        raise UsageError(f"{file}: a template is an .xlsx file")
    if file.exists() and not force:
        raise UsageError(f"{file} already exists; --force replaces it")
    data, _ = load_template(name)

    def write(draft: Path) -> None:
        draft.write_bytes(data)

    write_aside({file: write})
    click.echo(f"{name} → {file}")


@templates.command(short_help="List every name that a template may use.")
@form_options("fields")
@plugin_options
@exit_on_error
def fields(choice: Choice, *, form: Form) -> None:
    """List every name that a template may use: headers of lists, names of cells, markers in texts."""
    from flopsheet.audit.audit import usable  # noqa: PLC0415 - lxml is for workbooks only

    result = usable(load(*choice))
    click.echo(form(result, lambda: _fields(result)))


def _fields(found: Sequence[Mapping[str, str]]) -> str:
    parts = []
    for kind, title in KINDS.items():
        rows = [field for field in found if field["kind"] == kind]
        parts.append("\n".join([title, *_table([[row[key] for key in SHOWN] for row in rows]), ""]))
    return "\n".join(parts)


SHOWN = ("name", "unit", "title", "where", "about")
KINDS = {
    "column": "Headers of a list of models, by name or title",
    "month": "Headers of a list of months, by name or title",
    "cell": "Names of single cells",
    "marker": "Markers in texts, as {{ name }}",
}


@templates.command(short_help="Show what a template means, and audit it.")
@click.argument("file", shell_complete=complete_file)
@click.option(
    "--portfolio", metavar="PLAN", shell_complete=complete_file, help="Also show what a fill with this plan changes."
)
@click.option("--review", is_flag=True, help="Also ask what a review of financial models asks.")
@form_options()
@plugin_options
@exit_on_error
def check(file: str, portfolio: str | None, choice: Choice, *, review: bool, form: Form) -> int:
    """Show what a template's headers, names and markers mean, and what would keep a fill from being right.

    FILE is a workbook or the name of a shipped template. The exit status is 1 if a name is not recognized or an
    item of the checklist fails. Nothing is written.
    """
    from flopsheet.audit.audit import audit  # noqa: PLC0415 - lxml is for workbooks only
    from flopsheet.export.workbook.preview import preview  # noqa: PLC0415 - same
    from livesheets import locate_errors  # noqa: PLC0415 - same

    host = load_for([portfolio] if portfolio else [], choice)
    plan = _plan(host, portfolio) if portfolio else None
    with locate_errors(file):
        result = audit(host, file, plan)
        filled = preview(plan, file) if plan else None
    result = result if review else replace(result, verdicts=[one for one in result.verdicts if one.of_fill])
    click.echo(form(_document(result, filled), lambda: "\n".join(_page(result, filled))))
    return int(not result.passed or bool(filled and filled.refused))


def _plan(host: Host, portfolio: str) -> Plan:
    """Return the plan of a portfolio."""
    from flopsheet.configs.inputs import read_inputs  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.costing import cost_all  # noqa: PLC0415 - same
    from flopsheet.planning.making import make_plan  # noqa: PLC0415 - same
    from flopsheet.planning.registry import input_checker  # noqa: PLC0415 - same

    models, portfolios = read_inputs(host, (portfolio,), check_inputs=input_checker(host))
    return make_plan(host, cost_all(host, models, {}), portfolios)


def _document(found: Audit, filled: Preview | None) -> dict[str, Any]:
    document = {
        "template": found.name,
        "passed": found.passed,
        "resolutions": [asdict(one) for one in found.resolutions],
        "checklist": [asdict(one) | {"passed": not one.failures} for one in found.verdicts],
    }
    fill = {"changes": [one._asdict() for one in filled.changes], "refused": [*filled.refused]} if filled else {}
    return document | ({"fill": fill} if fill else {})


def _page(found: Audit, filled: Preview | None) -> list[str]:
    failed = sum(bool(one.failures) for one in found.verdicts)
    unknown = sum(not one.ok for one in found.resolutions)
    return [
        *_list_resolved(found.resolutions),
        *(_list_changed(filled) if filled else ()),
        "Checklist",
        *(line for verdict in found.verdicts for line in _verdict(verdict)),
        "",
        f"{found.name}: {number_of(unknown, 'unrecognized name')}, {failed} of {len(found.verdicts)} items fail",
    ]


def _list_changed(filled: Preview) -> list[str]:
    """Return a line for each cell and table that a fill changes, and for what it refuses."""
    rows = [(one.where, one.name, f"{one.before} → {one.after}") for one in filled.changes]
    refused = [f"  error: {line}" for line in filled.refused]
    return ["Fill", *(_table(rows) if rows else ["  nothing changes"]), *refused, ""]


def _list_resolved(resolutions: Sequence[Resolution]) -> list[str]:
    lines = []
    for kind, title in (("table", "Lists"), ("header", "Headers"), ("name", "Names"), ("marker", "Markers")):
        rows = [(one.where, one.text, f"→ {one.means}") for one in resolutions if one.kind == kind]
        lines += [title, *_table(rows), ""] if rows else []
    return lines


def _verdict(verdict: Verdict) -> list[str]:
    shown = [f"        {failure}" for failure in verdict.failures[:MAX_PLACES]]
    more = len(verdict.failures) - MAX_PLACES
    rest = [f"        and {more} more"] if more > 0 else []
    return [f"  {'FAIL' if verdict.failures else 'pass'}  {verdict.asks}", *shown, *rest]


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    """Lay out rows in columns; the last is as long as it is."""
    cells = [list(row) for row in rows]
    widths = [max((len(row[place]) for row in cells), default=0) for place in range(len(cells[0]) - 1 if cells else 0)]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in cells
    ]
