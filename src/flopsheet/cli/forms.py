"""The options --format and --json of commands that print text or one JSON document."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable


FORMS = ("text", "json")


class Form(Struct, frozen=True):
    """How a command prints what it found: as text, as a versioned document, or as the content of one alone.

    `key` is the document's key for content that is a list.
    """

    key: str
    is_json: bool = False
    is_bare: bool = False

    @property
    def is_text(self) -> bool:
        """Whether people read it."""
        return not (self.is_json or self.is_bare)

    def __call__(self, content: Any, page: Callable[[], str]) -> str:
        """Return the content in the form that was asked for."""
        if self.is_text:
            return page()
        from flopsheet.export.documents import add_version, json_text  # noqa: PLC0415 - most pages are read by people

        if self.is_json:
            content = add_version({self.key: content} if self.key else content)
        return json_text(content)


def form_options(key: str = "") -> Callable[[Callable[..., int | None]], Callable[..., int | None]]:
    """Give a command --format and --json; it gets both as one `form`."""

    def decorate(command: Callable[..., int | None]) -> Callable[..., int | None]:
        @click.option("--json", "is_bare", is_flag=True, help="Print the JSON document's content alone.")
        @click.option("--format", "name", type=click.Choice(FORMS), default=FORMS[0], show_default=True)
        @functools.wraps(command)
        def run(*positional: Any, name: str, is_bare: bool, **arguments: Any) -> int | None:
            return command(*positional, form=Form(key, name == "json", is_bare), **arguments)

        return run

    return decorate
