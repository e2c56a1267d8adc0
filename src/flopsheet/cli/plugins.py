"""`flopsheet plugins`: what is installed, what it serves, and what failed."""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import Form, complete_file, exit_on_error, form_options, lay_out, plugin_options, tell_slow
from flopsheet.errors import UsageError
from flopsheet.export.aside import write_tree
from flopsheet.export.ask_plugins import ask_everything
from flopsheet.host.loading import ALLOWED, load
from flopsheet.units.numbers import number_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice

SECTIONS = ("parameters", "flops", "memory")
HEADERS = ("plugin", "package", "version", "architectures")
MOST = 4
"""Architectures that a row names: all of them have a line of their own below it."""
INDENT = "    "
KINDS = ("architecture", "family", "extension", "question", "catalog")
LIKE = "What it is like: a kind of model, a type as data, added lines, a planning question, accelerators and prices."
WIDTH = 80
"""Columns of a terminal that nobody has made wider."""


@click.group(invoke_without_command=True)
@form_options()
@click.option("--strict", is_flag=True, help="Exit with 1 for a fault of any plugin.")
@plugin_options
@click.pass_context
def plugins(context: click.Context, /, **asked: Any) -> None:
    """List the plugins with what they serve, then those that failed and why.

    Every formula of every plugin is read, so that a bad line is found here. `check` finds more, and says
    what to do about it.
    """
    if context.invoked_subcommand is None:
        _list(**asked)


@plugins.command(short_help="Check what plugins declare, read and count.")
@click.argument("targets", nargs=-1, metavar="[NAME|FILE|FOLDER]...", shell_complete=complete_file)
@click.option("--config", "configs", type=click.Path(path_type=Path), multiple=True, help="Also read this config.")
@click.option("--quick", is_flag=True, help="Leave out LibreOffice, transformers and the largest workbook.")
@click.option("--strict-sources", is_flag=True, help="Also ask that each source can be looked up.")
@form_options("plugins")
@exit_on_error
def check(targets: tuple[str, ...], configs: tuple[Path, ...], *, quick: bool, strict_sources: bool, form: Form) -> int:
    """Check plugins: what they declare, how they read configs, and whether their numbers can be right.

    NAME is an installed plugin, FILE and FOLDER one that is not installed; without any, all that are installed are
    checked. Each config.json of its types next to a file, or up to two folders below, is read too. The exit status is 1
    if a check fails.
    """
    from flopsheet.kit.checks import verdicts  # noqa: PLC0415 - a list of plugins needs none of it
    from flopsheet.kit.page import document, page  # noqa: PLC0415 - same reason
    from flopsheet.kit.targets import subjects  # noqa: PLC0415 - same reason

    documents, has_findings = [], False
    for subject in subjects(targets, configs):
        result = list(verdicts(subject, quick=quick, strict_sources=strict_sources))
        has_findings |= any(verdict.findings for verdict in result)
        documents.append(document(subject.plugin, result))
        if form.is_text:
            click.echo(page(subject.plugin, result))
    if not form.is_text:
        click.echo(form(documents, str))
    return int(has_findings)


@plugins.command("show", short_help="Show the names that extensions and questions may use.")
@click.argument("what", metavar="ARCHITECTURE|models|cases|inputs|units|looks")
@form_options()
@plugin_options
@exit_on_error
def show_(what: str, *, form: Form, choice: Choice) -> None:
    """Show the names that a plugin may use, and what may change.

    ARCHITECTURE is the name of one, such as dense: its dimensions, lines and totals, for extensions; `flopsheet
    plugins` lists them. For questions: the lines of the tables models and cases, inputs, units, and looks of columns.
    """
    from flopsheet.kit import contract, offered_names  # noqa: PLC0415 - a list of plugins needs none of it

    if what in offered_names.KINDS:
        names, page = offered_names.list_offered(load(*choice), what), offered_names.page
    else:
        names, page = contract.contract(load(*choice), what), contract.page
    click.echo(form(names, lambda: page(names)))


@plugins.command("new", short_help="Write a plugin to be changed into your own.")
@click.argument("name")
@click.option("--like", "kind", type=click.Choice(KINDS), default="architecture", show_default=True, help=LIKE)
@click.option("--toml", "written", is_flag=True, help="Write a TOML file, without code, in place of a distribution.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The folder to make; by default flopsheet-NAME.")
@exit_on_error
def new_(name: str, kind: str, output: Path | None, *, written: bool) -> None:
    """Write a plugin's distribution, which installs and passes its tests, to be changed into your own.

    NAME becomes flopsheet-NAME: lowercase letters, digits and underscores. With --toml it holds a file NAME.toml
    and its test.
    """
    from flopsheet.kit.starting import PYTHON, TOML, start_plugin  # noqa: PLC0415 - a list of plugins needs none of it

    result = start_plugin(name, kind, TOML if written else PYTHON)
    folder = output or Path(f"flopsheet-{name.replace('_', '-')}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; -o names another folder")
    write_tree({folder / path: partial(Path.write_text, data=text, encoding="utf-8") for path, text in result.items()})
    target = folder / f"{name}.toml" if written else folder
    click.echo(f"{number_of(len(result), 'file')} → {folder}; next: flopsheet plugins check {target}")


@exit_on_error
def _list(*, form: Form, strict: bool, choice: Choice) -> int:
    host = load(*choice)
    document = _document(host)
    tell_slow(host)
    click.echo(form(document, lambda: _page(document)))
    return int(strict and bool(document["failures"]))


def _document(host: Host) -> dict[str, Any]:
    """Return what both forms print."""
    ask_everything(host)
    return {
        "plugins": [_plugin(host, plugin) for plugin in host.plugins],
        "failures": [failure.plugin._asdict() | {"reason": failure.reason} for failure in host.failures],
        "barred": [plugin._asdict() for plugin in host.barred],
    }


def _plugin(host: Host, plugin: Plugin) -> dict[str, Any]:
    owners = {name: owner for name, (_, owner) in host.architectures.items() if not host.sides(name)}
    own = [name for name, owner in owners.items() if owner == plugin]
    own += [name for name, (_, owner) in host.joining.items() if owner == plugin]
    names = {name: name for name in owners} | {side: host.join(next(iter(owners)), side) for side in host.joining}
    lines = {name: counts for name, place in names.items() if (counts := _lines(host, place, plugin))}
    return plugin._asdict() | {
        "architectures": own,
        "extends": [name for name in lines if name not in own],
        "model_types": sorted(name for name, (_, owner) in host.families.items() if owner == plugin),
        "lines": lines,
    }


def _lines(host: Host, architecture: str, plugin: Plugin) -> dict[str, int]:
    """Count the additive lines and the rules that a plugin gives to an architecture, by section."""
    items = next((answer.items for answer in host.answers[architecture] if answer.plugin == plugin), None)
    if items is None:
        return {}
    counts = {section: sum(line.additive for line in items[f"flopsheet_{section}"]) for section in SECTIONS}
    rules = [rule for rule, giver in host.rules_with_plugins(architecture) if giver == plugin]
    return {**counts, "rules": len(rules)}


def _page(document: Mapping[str, Any]) -> str:
    lines = _list_plugins(document["plugins"]) or ["no plugins are loaded"]
    for failure in document["failures"]:
        reason = failure["reason"].replace("\n", "\n    ")
        lines += ["", f"failed: {failure['name']} ({failure['package']} {failure['version']})", f"    {reason}"]
    refusals = [f"{plugin['name']} ({plugin['package']} {plugin['version']})" for plugin in document["barred"]]
    lines += ["", f"not allowed by {ALLOWED}: {', '.join(refusals)}"] if refusals else []
    return "\n".join(lines)


def _list_plugins(plugins: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a table of the plugins, under each its lines and the model types that it reads."""
    if not plugins:
        return []
    head, *rows = lay_out((HEADERS, *map(_row, plugins)))
    lines = [head]
    for row, plugin in zip(rows, plugins, strict=True):
        types = f"reads {', '.join(plugin['model_types'])}" if plugin["model_types"] else "reads no model type"
        lines += [row, *(part for text in (*_counts(plugin), types) for part in _wrap_text(text))]
    return lines


def _counts(plugin: Mapping[str, Any]) -> list[str]:
    """Say how many lines of each section every architecture has of the plugin."""
    rows = {name: [f"{count} {section}" for section, count in table.items()] for name, table in plugin["lines"].items()}
    return [f"{name}: {', '.join(counts) or 'no lines'}" for name, counts in rows.items()]


def _wrap_text(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT, break_on_hyphens=False)


def _row(plugin: Mapping[str, Any]) -> tuple[str, ...]:
    names = [*plugin["architectures"], *(f"+{name}" for name in plugin["extends"])]
    if len(names) > MOST:
        names[MOST - 1 :] = [f"and {len(names) - MOST + 1} more"]
    return plugin["name"], plugin["package"], plugin["version"], ", ".join(names) or "none"
