"""The command line: one module per command, imported when the command is asked for."""

from __future__ import annotations

import atexit
import gc
import importlib
import sys
from typing import Any

gc.set_threshold(100_000, 20, 20)
"""A start makes many objects and hardly any garbage: looking for it so often costs a tenth of the time."""

import click  # noqa: E402 - makes many objects of its own

from flopsheet.cli.ending import reader_may_leave, run_to_end  # noqa: E402 - needs click, and must be there when memory ends
from livesheets.suggestions import names_like  # noqa: E402 - same

COMMANDS = {
    "show": "Print what models cost, line by line.",
    "plan": "Answer the planning questions of a portfolio.",
    "report": "Write a planning workbook and reports of a batch of models.",
    "sweep": "Evaluate a plan at many designs, and keep the best.",
    "inputs": "List every input that a portfolio may set.",
    "new": "Write a commented portfolio to start from.",
    "fit": "Fit a scaling law to your own runs.",
    "calibrate": "Fit the step time to your own training steps.",
    "prices": "Take prices of accelerators from a feed of your own.",
    "import": "Bring a planner's edits of a workbook back into its portfolio.",
    "templates": "List shipped templates, and check your own.",
    "diff": "Show which numbers moved between two reports.",
    "verify": "Compare a count with the model class or its weights.",
    "check": "Check portfolios and reports, as a hook or in CI.",
    "mcp": "Serve these numbers to assistants and editors.",
    "plugins": "List the plugins, what they serve, and what failed to load.",
}


class Commands(click.Group):
    """A group that imports a command's module only when it runs."""

    def main(self, *args: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run a command; as a program it ends with its exit status."""
        run: Any = super().main
        if not standalone_mode:
            return run(*args, standalone_mode=False, **options)
        sys.exit(run_to_end(lambda: run(*args, standalone_mode=False, **options)))

    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the arguments, among which --help and --version are that print."""
        with reader_may_leave():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        with reader_may_leave():
            return super().invoke(ctx)

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for; an unknown one is an error that names what may be meant."""
        name = args[0]
        if name not in COMMANDS and name[:1].isalnum():
            ctx.fail(f"no command {name!r}{names_like(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        """Return a command by name."""
        if name not in COMMANDS:
            return None
        return LazyCommand(name, help=COMMANDS[name])


class LazyCommand(click.Command):
    """A command that is known by name and help, and imported when used."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Import the command and let it read its own arguments."""
        return self._command().make_context(*args, **kwargs)

    def _command(self) -> click.Command:
        name = f"{self.name}_" if self.name == "import" else str(self.name)  # a word of Python's own
        module = importlib.import_module(f"flopsheet.cli.{name}")
        command: click.Command = getattr(module, name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="flopsheet")
def main() -> None:
    """Show what models cost: exact, explained, live."""
    atexit.register(gc.freeze)  # at its end Python would look through every object once more, for nothing
