"""`flopsheet diff`: which numbers moved between two reports, and why."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import click

from flopsheet.cli.common import exit_on_error
from flopsheet.errors import UsageError
from flopsheet.export.difference import compare, read_report
from flopsheet.export.difference_page import WRITERS


@click.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="REL",
    help="Relative difference up to which two numbers are equal, such as 1e-9.",
)
@click.option("--format", "form", type=click.Choice(list(WRITERS)), default="text", show_default=True)
@exit_on_error
def diff(old: Path, new: Path, tolerance: float, form: str) -> int:
    """Show which numbers moved from the report OLD to the report NEW; each may be TOML, JSON or a workbook.

    Each number says why it moved: its formula did (or one that it reads), an input, or both; nothing where a
    report does not say. `--format md` is for a pull request, `json` for programs. The exit status is 1 if a number
    moved, appeared or disappeared, or a model's status, a table or a check's verdict changed, else 0. Changed plugin
    versions and config files are reported, but do not affect the exit status.
    """
    if isnan(tolerance):
        raise UsageError("--tolerance nan: a number of at least 0 is expected")
    result = compare(read_report(old), read_report(new), tolerance)
    click.echo(WRITERS[form](result))
    return int(result.moved)
