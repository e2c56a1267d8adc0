"""What the shell completes beyond commands and options: files, and the names of inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def complete_file(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a path: an argument that may be a path takes other texts too."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a completion needs it

    return [CompletionItem(incomplete, type="file")]


def complete_input(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the inputs of plans whose name begins so, each ready for its value."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only a completion needs it

    from flopsheet.host.loading import load  # noqa: PLC0415 - same reason
    from flopsheet.planning.listing import list_inputs  # noqa: PLC0415 - same reason

    rows = {row["name"]: row["title"] for row in list_inputs(load())}
    return [CompletionItem(f"{name}=", help=title) for name, title in rows.items() if name.startswith(incomplete)]
