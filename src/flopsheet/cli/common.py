"""What commands share: options, settings, and how an error ends a command."""

from __future__ import annotations

import functools
import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from flopsheet.errors import FlopsheetError, UsageError
from flopsheet.host.local import Choice
from flopsheet.units.numbers import number
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from click.shell_completion import CompletionItem

    from flopsheet.host.host import Host
    from flopsheet.planning.plan import Plan


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


USAGE = 2
STDOUT = "-"
"""What stands for standard output."""


def exit_on_error(command: Callable[..., int | None]) -> Callable[..., None]:
    """Return the command with its result as exit status, and every flopsheet error as one message and status 2."""

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        _replace_unencodable()
        try:
            status = command(**arguments)
        except FlopsheetError as error:
            click.echo(f"flopsheet: {error}", err=True)
            status = USAGE
        sys.exit(status or 0)

    return run


def _replace_unencodable() -> None:
    """Let the terminal show a replacement for what its encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def tell_slow(host: Host) -> None:
    """Say on stderr which plugins took long, and where: in their import or a hook."""
    for plugin, step, seconds in host.slow:
        click.echo(f"plugin {plugin} took {seconds:.1f} s {step}; --without {plugin.name} leaves it out", err=True)


def tell_failures(host: Host) -> None:
    """Say on stderr which plugins were refused or only partly loaded, and which took long."""
    tell_slow(host)
    for failure in host.failures:
        click.echo(f"{host.tell(failure)}{where_details(host)}", err=True)


def where_details(host: Host) -> str:
    """Say which command tells more of plugins that failed, those included that are not installed."""
    from shlex import join  # noqa: PLC0415 - most plugins do not fail

    options = [word for path in map(str, host.given) for word in ("--plugin", path)]
    return f"; run '{join(['flopsheet', 'plugins', *options])}' for details"


class OutputFile(click.Path):
    """A file to write: paths lose the slash at their end, with which a folder is meant."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of a file."""
        text = str(value)
        if text.removesuffix(".").endswith(tuple({"/", os.sep})):
            self.fail(f"{text!r} names a folder; expected a file such as plan.xlsx", param, ctx)
        return super().convert(value, param, ctx)


class Setting(click.ParamType[tuple[str, int | float | str]]):
    """A `NAME=VALUE` of the command line."""

    name = "NAME=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | float | str]:
        """Return the name and its value, a number where it reads as one."""
        name, sign, text = str(value).partition("=")
        if not sign or not name or not text:
            example = "mfu=0.4" if param and "--input" in param.opts else "batch=2"
            self.fail(f"{value!r} is not NAME=VALUE, such as {example}", param, ctx)
        return name.strip(), number(text.strip())


class SettingsCommand(click.Command):
    """A command that takes settings: its help ends with the recipes that `--set optimizer=NAME` knows."""

    def format_epilog(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each recipe with its bytes of weight, gradient and optimizer state."""
        from flopsheet.accounting.optimizers import recipes  # noqa: PLC0415 - only the help needs them

        with formatter.section("Optimizers: bytes per parameter for weight, gradient and optimizer state"):
            formatter.write_dl([(name, f"{recipe.parts}: {recipe.title}") for name, recipe in recipes().items()])


settings_option = click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="Override a workload name or dimension of every model, such as batch=2, kv_dtype_bytes=1 or optimizer=lion.",
)
input_option = click.option(
    "--input",
    "given",
    type=Setting(),
    multiple=True,
    shell_complete=complete_input,
    help="Set an input of the plan for all cases, such as mfu=0.4 or accelerators=2048; 'flopsheet inputs' lists them.",
)


def planning_inputs(host: Host, values: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return inputs of the command line: those of a plan, and those of the workload; UsageError lists wrong ones."""
    from flopsheet.accounting.workload import WORKLOAD  # noqa: PLC0415 - few commands take inputs
    from flopsheet.configs.settings import SHORT  # noqa: PLC0415 - same reason
    from flopsheet.planning.registry import input_checker  # noqa: PLC0415 - same reason

    names = {*SHORT, *(dimension.name for dimension in WORKLOAD)}
    workload = {name: value for name, value in values.items() if name in names}
    planning = {name: value for name, value in values.items() if name not in names}
    problems = input_checker(host)("--input ", planning)
    if problems:
        raise UsageError("\n".join(problems))
    return planning, workload


def read_plan(
    host: Host,
    files: Sequence[str],
    inputs: Iterable[tuple[str, Any]] = (),
    settings: Iterable[tuple[str, Any]] = (),
    questions: Sequence[str] = (),
) -> Plan:
    """Return the plan of the models and portfolios of files, with inputs and settings of the command line."""
    from flopsheet.configs.inputs import read_inputs  # noqa: PLC0415 - the help needs none of it
    from flopsheet.planning.costing import cost_all  # noqa: PLC0415 - same reason
    from flopsheet.planning.making import make_plan  # noqa: PLC0415 - same reason
    from flopsheet.planning.registry import input_checker  # noqa: PLC0415 - same reason

    models, portfolios = read_inputs(host, files, check_inputs=input_checker(host))
    planning, workload = planning_inputs(host, dict(inputs))
    costs = cost_all(host, models, {**workload, **dict(settings)})
    return make_plan(host, costs, portfolios, inputs=planning, questions=questions)


def lay_out(rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a line for each row, with columns that are as wide as their widest cell."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def plugin_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command --plugin and --without; it gets both as one `choice`, which `load(*choice)` takes."""

    @click.option("--without", multiple=True, metavar="PLUGIN", help="Leave a plugin out.")
    @click.option(
        "--plugin",
        "plugins",
        multiple=True,
        metavar="FILE|FOLDER",
        help="Use a plugin that is not installed: a .toml or .py file, or the folder of a package or project.",
    )
    @functools.wraps(command)
    def run(without: tuple[str, ...], plugins: tuple[str, ...], **arguments: Any) -> int | None:
        return command(choice=Choice(without, plugins), **arguments)

    return run


def stdout_output(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Let an output be `-`, a CSV on stdout, or `-.json` and so on: the command gets its file as `to_stdout`."""

    @functools.wraps(command)
    def run(outputs: tuple[Path, ...], **arguments: Any) -> int | None:
        own = [output for output in outputs if output.stem == STDOUT]
        if not own:
            return command(outputs=outputs, to_stdout=None, **arguments)
        if len(own) > 1:
            raise UsageError(f"{own[0]} and {own[1]}: one output can go to stdout")
        from shutil import copyfileobj  # noqa: PLC0415 - few outputs go to stdout
        from tempfile import TemporaryDirectory  # noqa: PLC0415 - same reason

        with TemporaryDirectory() as folder:
            place = Path(folder, f"stdout{own[0].suffix or '.csv'}")
            places = tuple(place if output == own[0] else output for output in outputs)
            status = command(outputs=places, to_stdout=place, **arguments)
            with place.open("rb") as file:
                copyfileobj(file, sys.stdout.buffer)
            return status

    return run


def check_tables(names: Iterable[str], known: Iterable[str], plan: Plan) -> None:
    """Raise UsageError for a table that is asked for and that the plan does not have."""
    from flopsheet.planning.registry import unasked_hint  # noqa: PLC0415 - the help needs none of it

    for name in set(names).difference(known):
        hint = unasked_hint(plan.host, plan.program, name) or names_like(name, known)
        hint = hint or f"; expected one of {', '.join(known)}"
        raise UsageError(f"the plan has no table {name!r}{hint}")


def jobs_options(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command --jobs and --scheduler: who does the work."""
    jobs = click.option(
        "--jobs", type=click.IntRange(1), help="Processes that work at once; by default as many as save time."
    )
    scheduler = click.option(
        "--scheduler",
        default="",
        metavar="ADDRESS",
        help="Work on the Dask cluster at this address, such as tcp://10.0.0.1:8786 (extra: flopsheet[cluster]).",
    )
    return jobs(scheduler(command))


strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Exit with 1 for approximate models, failing checks and faults of plugins too.",
)


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
