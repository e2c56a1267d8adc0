"""`flopsheet templates`: the shipped templates, what a template may name, and what anybody's template means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict, replace

from flopsheet.cli.common import (
    Form,
    OutputFile,
    complete_file,
    exit_on_error,
    form_options,
    lay_out,
    plugin_options,
    read_plan,
)
from flopsheet.configs.plugin_choice import load_for
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.shipped_templates import shipped_templates
from flopsheet.host.loading import load
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from flopsheet.audit.audit import Audit, Resolution
    from flopsheet.audit.items import Verdict
    from flopsheet.export.workbook.preview import Preview
    from flopsheet.host.local import Choice

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
    rows = [{"name": template.name, "about": template.about} for template in shipped_templates().values()]
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
    write_aside({file: lambda draft: draft.write_bytes(data)})
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


def _fields(usable_fields: Sequence[Mapping[str, str]]) -> str:
    parts = []
    for kind, title in KINDS.items():
        rows = [field for field in usable_fields if field["kind"] == kind]
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
    plan = read_plan(host, (portfolio,)) if portfolio else None
    with locate_errors(file):
        result = audit(host, file, plan)
        fill = preview(plan, file) if plan else None
    result = result if review else replace(result, verdicts=[verdict for verdict in result.verdicts if verdict.of_fill])
    click.echo(form(_document(result, fill), lambda: "\n".join(_page(result, fill))))
    return int(not result.passed or bool(fill and fill.refused))


def _document(audit: Audit, fill: Preview | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "template": audit.name,
        "passed": audit.passed,
        "resolutions": [asdict(item) for item in audit.resolutions],
        "checklist": [asdict(item) | {"passed": not item.failures} for item in audit.verdicts],
    }
    if fill:
        document["fill"] = {"changes": [asdict(item) for item in fill.changes], "refused": [*fill.refused]}
    return document


def _page(audit: Audit, fill: Preview | None) -> list[str]:
    failures = sum(bool(item.failures) for item in audit.verdicts)
    unknown = sum(not item.ok for item in audit.resolutions)
    return [
        *_list_resolved(audit.resolutions),
        *(_list_changed(fill) if fill else ()),
        "Checklist",
        *(line for verdict in audit.verdicts for line in _verdict(verdict)),
        "",
        f"{audit.name}: {number_of(unknown, 'unrecognized name')}, {failures} of {len(audit.verdicts)} items fail",
    ]


def _list_changed(fill: Preview) -> list[str]:
    """Return a line for each cell and table that a fill changes, and for what it refuses."""
    rows = [(change.where, change.name, f"{change.before} → {change.after}") for change in fill.changes]
    errors = [f"  error: {line}" for line in fill.refused]
    return ["Fill", *(_table(rows) if rows else ["  nothing changes"]), *errors, ""]


def _list_resolved(resolutions: Sequence[Resolution]) -> list[str]:
    lines = []
    for kind, title in (("table", "Lists"), ("header", "Headers"), ("name", "Names"), ("marker", "Markers")):
        rows = [(item.where, item.text, f"→ {item.means}") for item in resolutions if item.kind == kind]
        lines += [title, *_table(rows), ""] if rows else []
    return lines


def _verdict(verdict: Verdict) -> list[str]:
    more = len(verdict.failures) - MAX_PLACES
    places = [*verdict.failures[:MAX_PLACES], *([f"and {more} more"] if more > 0 else [])]
    return [f"  {'FAIL' if verdict.failures else 'pass'}  {verdict.asks}", *(f"        {place}" for place in places)]


def _table(rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in lay_out(rows)]
