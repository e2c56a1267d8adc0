"""`flopsheet inputs`: everything that a portfolio may set, with unit, default, question and source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import Form, exit_on_error, form_options, plugin_options
from flopsheet.host.loading import load
from flopsheet.planning.listing import list_inputs
from flopsheet.units.numbers import digits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.host.local import Choice

PLAIN = ("", "ratio", "choice", "flag", "law")
"""Units that say no more than the number or word before them."""


@click.command()
@click.argument("text", required=False, default="", metavar="[FILTER]")
@form_options("inputs")
@plugin_options
@exit_on_error
def inputs(text: str, *, form: Form, choice: Choice) -> None:
    """List the inputs that a portfolio may set under [inputs], or with --input NAME=VALUE.

    FILTER keeps those whose name, title, question or section contains it.
    """
    rows = [row for row in list_inputs(load(*choice)) if has_text(text, row)]
    click.echo(form(rows, lambda: _page(rows)))


def has_text(text: str, row: Mapping[str, Any]) -> bool:
    """Return whether the name, title, question or section of an input contains a text."""
    words = (row["name"], row["title"], row["question"], row["section"])
    return text.casefold() in " ".join(words).casefold()


def _page(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return "no input matches; 'flopsheet inputs' lists them all"
    sections: dict[str, list[str]] = {}
    values = [_value(row) for row in rows]
    width = max(map(len, values))
    for row, value in zip(rows, values, strict=True):
        question, section = row["question"], row["section"]
        lines = sections.setdefault(question if section == question else f"{question}: {section}", [])
        lines.append(f"  {row['name']:<28} {value:<{width}}  {row['title']}")
    return "\n\n".join("\n".join([heading, *lines]) for heading, lines in sections.items())


def _value(row: Mapping[str, Any]) -> str:
    """Return an input's range and unit; a default that is a formula of other inputs is only called that."""
    unit = "" if row["unit"] in PLAIN else f" {row['unit']}"
    if row["default"] is None:
        return f"required{unit}"
    if isinstance(row["default"], str):
        word = row["default"]
        return word if row["labels"] else f"as {word}" if word.isidentifier() else "computed"
    low, base, high = (digits(row[end]) for end in ("low", "default", "high"))
    return (f"{low} to {high}, base {base}" if low != high else base) + unit
