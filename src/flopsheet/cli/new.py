"""`flopsheet new`: a commented portfolio to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from flopsheet.cli.common import OutputFile, exit_on_error, plugin_options
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_aside
from flopsheet.export.binding.names import today
from flopsheet.host.loading import load
from flopsheet.planning.registry import heads
from flopsheet.planning.start import new_portfolio, short_portfolio
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice

DEFAULT, SIZE = "budget", "70B"
"""The question and the model of a short portfolio where none is named."""


@click.command()
@click.argument("file", type=OutputFile())
@click.option("--question", "questions", multiple=True, metavar="NAME", help="Only what this question needs, in short.")
@click.option("--model", "models", multiple=True, metavar="SIZE|CONFIG", help="A model, such as 70B or a config file.")
@click.option("--force", is_flag=True, help="Replace a file that exists.")
@plugin_options
@exit_on_error
def new(file: Path, questions: tuple[str, ...], models: tuple[str, ...], *, force: bool, choice: Choice) -> None:
    """Write a commented portfolio with every input, to fill in; with --question or --model a short one.

    FILE is the portfolio to write, such as portfolio.toml. Inputs are commented out with their defaults: remove the #
    of those that you want to set. Its report_date is today, or the day of SOURCE_DATE_EPOCH where that is set.
    """
    if file.suffix.lower() != ".toml":
        raise UsageError(f"{file}: a portfolio is a .toml file")
    if file.exists() and not force:
        raise UsageError(f"{file} already exists; --force replaces it")
    text = _text(load(*choice), file.stem, questions, models)
    write_aside({file: lambda draft: draft.write_text(text, encoding="utf-8")})
    click.echo(f"a new portfolio → {file}; next: flopsheet plan {file}")


def _text(host: Host, name: str, questions: Sequence[str], models: Sequence[str]) -> str:
    """Return the portfolio with every input, or a short one of the questions and models that are named."""
    if not questions and not models:
        return new_portfolio(host, name, today())
    names = [*heads(host)]
    hint = f"; expected one of {', '.join(names)}"
    for question in questions:
        if question not in names:
            raise UsageError(f"--question {question}: no such question{names_like(question, names) or hint}")
    return short_portfolio(host, name, today(), questions or [DEFAULT], models or [SIZE])
