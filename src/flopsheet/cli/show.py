"""`flopsheet show`: what models cost, on the terminal or as JSON or TOML."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import click

from flopsheet.accounting.workload import WORKLOAD
from flopsheet.cli.common import (
    SettingsCommand,
    complete_file,
    exit_on_error,
    plugin_options,
    settings_option,
    strict_option,
    tell_failures,
)
from flopsheet.configs.batches import open_batch
from flopsheet.configs.plugin_choice import load_for
from flopsheet.configs.settings import names_set
from flopsheet.export.documents import VERSION
from flopsheet.planning.costing import check_settings, cost_some

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.host.candidate import Plugin
    from flopsheet.host.local import Choice
    from flopsheet.planning.costed_model import Costed

CHARACTERS = 2**20
"""Characters that are copied at once."""
NEXT = "\n"
"""What parts the pages of models."""


@click.command(cls=SettingsCommand)
@click.argument("configs", nargs=-1, required=True, shell_complete=complete_file)
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

    CONFIGS are config.json files, folders that hold some, globs, TOML portfolios, files of other programs (GGUF,
    params.json, litgpt, NeMo, Megatron, PEFT, Ollama), or org/name[@revision] of a model: in the local Hugging Face
    cache, else on the Hub (extra: hub). The exit status is 1 if any model is in error.
    """
    host = load_for(configs, choice)
    batch = open_batch(host, configs)
    workload = dict(settings)
    counts: Counter[str] = Counter()
    architectures: set[str] = set()

    def cost_all() -> Iterator[Costed]:
        for piece in batch.pieces():
            for model in cost_some(host, piece.models(host), workload):
                counts[model.status] += 1
                architectures.add(model.model.architecture)
                yield model

    with _output(is_held=not names_set(item.name for item in WORKLOAD) >= workload.keys()) as out:
        out.writelines(_write_models(cost_all(), form))
        check_settings(host, architectures, workload)
    tell_failures(host)
    return int(bool(counts["error"] or (strict and (counts["approximate"] or host.failures))))


@contextmanager
def _output(*, is_held: bool) -> Iterator[IO[str]]:
    """Give where models are written: stdout, or what goes there once they all are, since a setting may be none's."""
    if not is_held:
        yield sys.stdout
        return
    from tempfile import TemporaryFile  # noqa: PLC0415 - most settings are everybody's

    with TemporaryFile("w+", encoding="utf-8", errors="surrogateescape", newline="") as file:
        yield file
        file.seek(0)
        for text in iter(lambda: file.read(CHARACTERS), ""):
            click.echo(text, nl=False)


def _write_models(models: Iterator[Costed], form: str) -> Iterator[str]:
    """Give the models as text, one after another."""
    if form == "json":
        yield from _as_json(models)
    elif form == "toml":
        yield from _as_toml(models)
    else:
        from flopsheet.export.text import as_text  # noqa: PLC0415 - only this format needs it

        yield from (f"{NEXT if place else ''}{as_text(model)}" for place, model in enumerate(models))


def _as_json(models: Iterator[Costed]) -> Iterator[str]:
    place = -1
    for place, model in enumerate(models):
        text = json.dumps(as_document(model), indent=1, ensure_ascii=False).replace("\n", "\n ")
        yield f"{',' if place else '['}\n {text}"
    yield "[]\n" if place < 0 else "\n]\n"


def _as_toml(models: Iterator[Costed]) -> Iterator[str]:
    """Give models as TOML: they wait in a file until it is known what is above them."""
    from tempfile import TemporaryFile  # noqa: PLC0415 - only this format needs it

    from flopsheet.export.toml import costed_head, costed_model, file_of  # noqa: PLC0415 - only this format needs it

    providers: dict[str, Plugin] = {}
    files: dict[str, str] = {}
    with TemporaryFile("w+", encoding="utf-8", newline="") as waiting:
        for model in models:
            providers |= {model.plugin.name: model.plugin} if model.plugin else {}
            files |= file_of(model)
            waiting.write(f"\n{costed_model(model)}")
        yield costed_head(providers, files)
        waiting.seek(0)
        yield from iter(lambda: waiting.read(CHARACTERS), "")


def as_document(model: Costed) -> dict[str, Any]:
    """Return a model as `show --format json` prints it."""
    plugin = model.plugin
    return {
        "name": model.name,
        "status": model.status,
        "problems": model.problems,
        "notes": model.notes,
        "architecture": model.model.architecture,
        "plugin": plugin._asdict() if plugin else None,
        "dimensions": model.dimensions,
        "totals": model.totals,
        "groups": model.groups,
        "lines": model.lines,
        "version": VERSION,
    }
