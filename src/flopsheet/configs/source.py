"""Load one model: from a config.json file and the files next to it, a dictionary, or by what a person calls it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.files import checked_size, parse_json, read_bytes
from flopsheet.configs.folders import configs_in, exists, is_folder
from flopsheet.configs.hub_cache import cached_config, repository_of
from flopsheet.configs.model import Model
from flopsheet.configs.reading import read_config
from flopsheet.configs.weights import Beside, files_beside, stored_parameters, with_quantization
from flopsheet.errors import ConfigError

if TYPE_CHECKING:
    from flopsheet.configs.hub_headers import HeaderTotals
    from flopsheet.host.host import Host

SNAPSHOTS = "snapshots"
"""The folder of a Hub cache whose folders hold the files of a repository, as links, by revision."""
GENERIC = frozenset({"config.json", "params.json", "model_config.yaml", "adapter_config.json", "Modelfile"})
"""Names of files that are called alike in every folder."""


def load_model(
    host: Host,
    config: Path | str | Mapping[str, Any],
    *,
    read_as: str = "",
    rename: Mapping[str, str] = NOTHING,
    name: str = "",
) -> Model:
    """Return the model of a config file or of its content; a bad file is an error of the model."""
    if isinstance(config, Mapping):
        return replace(read_config(host, config, read_as=read_as, rename=rename), name=name or "model")
    path = Path(config)
    source = str(path)
    name = name or name_of(source)
    try:
        if path.suffix != ".json" and (foreign := _read_described(host, path)):
            return replace(foreign, name=name, source=source)
        data = read_bytes(path)
        content = parse_json(data, path)
    except ConfigError as error:
        return Model(name=name, source=source, errors=(str(error),))
    if not read_as and not _is_config(host, content) and (foreign := _read_described(host, path)):
        return replace(foreign, name=name, source=source)
    beside = files_beside(source)
    content = with_quantization(content, beside)
    model = read_config(host, content, read_as=read_as, rename=rename)
    headers = _headers_of(path) if SNAPSHOTS in source else None
    stored_count, notes = headers.compare_count() if headers else stored_parameters(beside, content)
    size = headers.size if headers else 0
    notes = [*model.notes, *notes]
    return replace(
        model, name=name, source=source, data=data, stored=stored_count, stored_bytes=size, notes=tuple(notes)
    )


def _headers_of(path: Path) -> HeaderTotals | None:
    """Return what the headers of a model in the Hub's cache said, where they were read."""
    if path.parent.parent.name != SNAPSHOTS:
        return None
    from flopsheet.configs.hub_headers import kept_headers  # noqa: PLC0415 - few configs are in that cache

    return kept_headers(path)


def _is_config(host: Host, content: Mapping[str, Any]) -> bool:
    """Tell whether a JSON object names a type, its own or one inside, that is known or could be asked for."""
    model_type = content.get("model_type")
    return isinstance(model_type, str) and (model_type in host.families or "architectures" in content)


def _read_described(host: Host, path: Path) -> Model | None:
    """Return the model of a file that is no config, as `load_described` does."""
    from flopsheet.configs.descriptions import load_described  # noqa: PLC0415 - most files are configs

    return load_described(host, path, partial(load_named, host, may_fetch=False))  # no file has the Hub asked


def load_bytes(host: Host, data: bytes, source: str, name: str = "", beside: Beside | None = None) -> Model:
    """Return the model of a config that was read out of an archive, with what is beside it there, or from a program."""
    name, path = name or name_of(source), Path(source)
    try:
        content = parse_json(checked_size(data, path), path)
    except ConfigError as error:
        return Model(name=name, source=source, errors=(str(error),))
    content = with_quantization(content, beside)
    model = read_config(host, content)
    stored_count, notes = stored_parameters(beside, content)
    return replace(model, name=name, source=source, data=data, stored=stored_count, notes=(*model.notes, *notes))


def name_of(path: str | Path) -> str:
    """Return a model's name: its folder's for a `config.json`, its repository's in a Hub cache, else the file's.

    Texts in place of paths, since a crawl has a million.
    """
    place, name = os.path.split(path)
    if name not in GENERIC:
        return name.removesuffix(".json") or str(path)
    above, folder = os.path.split(place)
    if os.path.basename(above) == SNAPSHOTS and (repository := _repository(Path(place))):  # noqa: PTH119 - as above
        return repository
    if (is_plain := folder not in ("", ".", "..")) and not any(map(os.path.islink, (path, place))):
        return folder
    real = Path(os.path.realpath(place))  # Path.resolve raises where links lead back to themselves
    return _repository(real) or (folder if is_plain else real.name)


def _repository(folder: Path) -> str:
    """Return the repository of a snapshot in a Hub cache, "" for any other folder."""
    home = folder.parent.parent.name
    return "/".join(home.split("--")[1:]) if folder.parent.name == SNAPSHOTS and home.startswith("models--") else ""


def load_named(
    host: Host,
    text: str,
    folder: Path | None = None,
    *,
    read_as: str = "",
    rename: Mapping[str, str] = NOTHING,
    may_fetch: bool = True,
) -> Model:
    """Return the model of a file, of a folder that holds one, or of `org/name[@revision]`; a bad one is in error.

    A path, which begins in `folder`, comes before the local cache, and that before the Hub, which is asked only where a
    person named the model.
    """
    path = Path(os.path.normpath(folder / text)) if folder is not None else Path(text)
    if is_folder(path):
        return _in_folder(host, path, read_as, rename)
    repository = repository_of(text)
    if exists(path) or repository is None or is_folder(path.parent):
        return load_model(host, path, read_as=read_as, rename=rename)
    load = partial(load_model, host, read_as=read_as, rename=rename, name=repository.name)
    if cache_path := cached_config(text):
        return load(cache_path)
    if not may_fetch:
        reason = f"not in the local Hugging Face cache; 'flopsheet show {text}' fetches it"
        return Model(name=repository.name, source=text, errors=(f"{text}: {reason}",))
    from flopsheet.configs.hub import load_from_hub  # noqa: PLC0415 - few models come over the network

    return load_from_hub(host, repository, load)


def _in_folder(host: Host, path: Path, read_as: str, rename: Mapping[str, str]) -> Model:
    """Return the model of a folder that holds one; one that cannot be looked into is not left out unsaid."""
    result = configs_in(path, host)
    if len(result) == 1 and result[0] != str(path):
        return load_model(host, result[0], read_as=read_as, rename=rename)
    several = f"this folder holds {len(result):,} models, such as {result[0]}; name one" if result else ""
    reason = "this folder cannot be opened" if result == [str(path)] else several or "this folder has no config.json"
    return Model(name=name_of(path), source=str(path), errors=(f"{path}: {reason}",))
