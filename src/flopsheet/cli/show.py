"""`flopsheet show`: what models cost, on the terminal or as JSON or TOML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import (
    SettingsCommand,
    exit_on_error,
    plugin_options,
    settings_option,
    strict_option,
    tell_failures,
)
from flopsheet.configs.chosen import load_for
from flopsheet.configs.inputs import read_inputs
from flopsheet.planning.costing import Costed, cost_all

if TYPE_CHECKING:
    from flopsheet.host.local import Choice


@click.command(cls=SettingsCommand)
@click.argument("configs", nargs=-1, required=True)
@click.option("--format", "form", type=click.Choice(["table", "json", "toml"]), default="table", show_default=True)
@settings_option
@strict_option
@plugin_options
@exit_on_error
def show(
    configs: tuple[str, ...],
    form: str,
    settings: tuple[tuple[str, Any], ...],
    choice: Choice,
    *,
    strict: bool,
) -> int:
    """Print what each model costs: totals, groups and lines.

    CONFIGS are config.json files, folders that hold some, globs, TOML portfolios, or org/name of a model in the local
    Hugging Face cache. The exit status is 1 if any model is in error.
    """
    host = load_for(configs, choice)
    models, _ = read_inputs(host, configs)
    costed = cost_all(host, models, dict(settings))
    click.echo(_written(costed, form), nl=False)
    tell_failures(host)
    bad = any(model.status == "error" or (strict and model.status != "ok") for model in costed)
    return int(bad or (strict and bool(host.failures)))


def _written(costed: list[Costed], form: str) -> str:
    if form == "json":
        return json.dumps([as_document(model) for model in costed], indent=1, ensure_ascii=False) + "\n"
    if form == "toml":
        from flopsheet.export.toml import models_document  # noqa: PLC0415 - only this format needs it

        return models_document(costed)
    from flopsheet.export.text import as_text  # noqa: PLC0415 - only this format needs it

    return "\n".join(as_text(model) for model in costed)


def as_document(model: Costed) -> dict[str, Any]:
    """Return a model as `show --format json` prints it."""
    plugin = model.plugin
    return {
        "name": model.name,
        "status": model.status,
        "problems": model.problems,
        "notes": model.notes,
        "architecture": model.model.architecture,
        "plugin": {"name": plugin.name, "package": plugin.package, "version": plugin.version} if plugin else None,
        "dimensions": model.dimensions,
        "totals": model.totals,
        "groups": model.groups,
        "lines": model.lines,
    }
