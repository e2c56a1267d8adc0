"""`flopsheet verify`: compare the count of a config with the model class, or with a checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from flopsheet.cli.common import Form, complete_file, exit_on_error, form_options, plugin_options
from flopsheet.configs.files import parse_json, read_bytes
from flopsheet.configs.inputs import expand, is_list
from flopsheet.configs.reading import class_of
from flopsheet.configs.source import load_model
from flopsheet.errors import ConfigError, UsageError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.verify.compare import against_transformers, against_weights
from flopsheet.verify.page import document, page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.host.host import Host
    from flopsheet.host.local import Choice
    from flopsheet.verify.compare import Comparison


@click.command()
@click.argument("configs", nargs=-1, required=True, shell_complete=complete_file)
@click.option("--transformers", is_flag=True, help="Build the class on torch's meta device (extra: flopsheet[verify]).")
@click.option("--flops", is_flag=True, help="With --transformers: measure the FLOP of a short forward pass too.")
@click.option("--weights", type=click.Path(path_type=Path), help="A safetensors file, an index, or a folder of them.")
@form_options("comparisons")
@plugin_options
@exit_on_error
def verify(
    *,
    configs: tuple[str, ...],
    transformers: bool,
    flops: bool,
    weights: Path | None,
    form: Form,
    choice: Choice,
) -> int:
    """Compare a count with the model class or a checkpoint: in total, by group, and tensor by tensor.

    The class of a config is built without memory and without weights, or the headers of its checkpoint are read;
    neither needs a network. The exit status is 0 if all is equal, 1 if something differs or cannot be compared.
    """
    _check(configs, transformers=transformers, flops=flops, weights=weights)
    host = load(*choice)
    results = []
    for path in (Path(path) for text in configs for path in expand(text)):
        for result in _results(host, path, transformers=transformers, flops=flops, weights=weights):
            results.append(result)
            if form.is_text:
                click.echo(page(path, result))
    if not form.is_text:
        click.echo(form([document(result) for result in results], str))
    return int(any(isinstance(result, str) or not result.equal for result in results))


def _check(configs: tuple[str, ...], *, transformers: bool, flops: bool, weights: Path | None) -> None:
    if not transformers and weights is None:
        raise UsageError("choose what to compare with: --transformers builds the class, --weights reads a checkpoint")
    if flops and not transformers:
        raise UsageError("--flops needs a built class: add --transformers")
    if weights is not None and [len(expand(text)) for text in configs] != [1]:
        raise UsageError("--weights takes a single config")


def _results(
    host: Host, path: Path, *, transformers: bool, flops: bool, weights: Path | None
) -> Iterator[Comparison | str]:
    """Yield each comparison of one config, or why there is none."""
    if path.suffix == ".toml" or is_list(path):
        raise UsageError(f"{path}: is a portfolio or model list; give config files instead")
    model = cost(host, load_model(host, path))
    if model.status == "error":
        yield "; ".join(model.problems)
        return
    config: dict[str, Any] = parse_json(read_bytes(path), path)
    try:
        if transformers:
            yield against_transformers(host, model, config, class_of(host, config), flops=flops)
        if weights is not None:
            yield against_weights(model, config, weights)
    except ConfigError as error:
        yield str(error)
