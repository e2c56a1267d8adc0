"""Load one model from a config.json file, its neighboring weights' index, or a dictionary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.files import MAX_BYTES, parse_json, read_bytes
from flopsheet.configs.model import Model
from flopsheet.configs.reading import read_config
from flopsheet.configs.weights import stored_parameters
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from flopsheet.host.host import Host


def load_model(
    host: Host, config: Path | str | Mapping[str, Any], *, read_as: str = "", rename: Mapping[str, str] = NOTHING
) -> Model:
    """Return the model of a config file or of its content; a bad file is an error of the model."""
    if isinstance(config, Mapping):
        return replace(read_config(host, config, read_as=read_as, rename=rename), name="model")
    path = Path(config)
    try:
        data = read_bytes(path)
        content = parse_json(data, path)
    except ConfigError as error:
        return Model(name=name_of(path), source=str(path), errors=(str(error),))
    model = read_config(host, content, read_as=read_as, rename=rename)
    stored, notes = stored_parameters(path, content)
    return replace(
        model,
        name=name_of(path),
        source=str(path),
        data=data,
        stored=stored,
        notes=(*model.notes, *notes),
    )


def load_bytes(host: Host, data: bytes, source: str) -> Model:
    """Return the model of a config that was read out of an archive, or from another program."""
    path = Path(source)
    if len(data) > MAX_BYTES:
        reason = f"{source}: larger than {MAX_BYTES // 2**20} MiB, the most that is read"
        return Model(name=name_of(path), source=source, errors=(reason,))
    try:
        model = read_config(host, parse_json(data, path))
    except ConfigError as error:
        return Model(name=name_of(path), source=source, errors=(str(error),))
    return replace(model, name=name_of(path), source=source, data=data)


def name_of(path: Path) -> str:
    """Return a model's name: its folder's for a `config.json`, else the file's."""
    if path.name != "config.json":
        return path.stem or str(path)
    folder = path.parent
    is_plain = folder.name not in ("", "..") and not path.is_symlink() and not folder.is_symlink()
    return folder.name if is_plain else path.resolve().parent.name
