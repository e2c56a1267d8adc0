"""`flopsheet new`: a commented portfolio to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flopsheet.cli.common import OutputFile, exit_on_error, plugin_options
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.binding.names import today
from flopsheet.host.loading import load
from flopsheet.planning.start import new_portfolio

if TYPE_CHECKING:
    from pathlib import Path

    from flopsheet.host.local import Choice


@click.command()
@click.argument("file", type=OutputFile())
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@plugin_options
@exit_on_error
def new(file: Path, *, force: bool, choice: Choice) -> None:
    """Write a commented portfolio with every input, to fill in.

    FILE is the portfolio to write, such as portfolio.toml. Inputs are commented out with their defaults: remove the #
    of those that you want to set. Its report_date is today, or the day of SOURCE_DATE_EPOCH where that is set.
    """
    if file.suffix.lower() != ".toml":
        raise UsageError(f"{file}: a portfolio is a .toml file")
    if file.exists() and not force:
        raise UsageError(f"{file} already exists; --force replaces it")
    text = new_portfolio(load(*choice), file.stem, today())

    def write(draft: Path) -> None:
        draft.write_text(text, encoding="utf-8")

    write_aside({file: write})
    click.echo(f"a new portfolio → {file}; next: flopsheet plan {file}")
