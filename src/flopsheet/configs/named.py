"""One model by what a person calls it: a file, a folder that holds one, or `org/name` of the Hugging Face Hub."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flopsheet.accounting.line import NOTHING
from flopsheet.configs.folders import configs_in, exists, is_folder
from flopsheet.configs.hub_cache import cached_config, repository_of
from flopsheet.configs.model import Model
from flopsheet.configs.source import load_model, name_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.host.host import Host


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
    if cached := cached_config(text):
        return load(cached)
    if not may_fetch:
        reason = f"not in the local Hugging Face cache; 'flopsheet show {text}' fetches it"
        return Model(name=repository.name, source=text, errors=(f"{text}: {reason}",))
    from flopsheet.configs.hub import load_from_hub  # noqa: PLC0415 - few models come over the network

    return load_from_hub(host, repository, load)


def _in_folder(host: Host, path: Path, read_as: str, rename: Mapping[str, str]) -> Model:
    """Return the model of a folder that holds one; one that cannot be looked into is not left out unsaid."""
    found = configs_in(path, host)
    if len(found) == 1 and found[0] != str(path):
        return load_model(host, found[0], read_as=read_as, rename=rename)
    several = f"this folder holds {len(found):,} models, such as {found[0]}; name one" if found else ""
    reason = "this folder cannot be opened" if found == [str(path)] else several or "this folder has no config.json"
    return Model(name=name_of(path), source=str(path), errors=(f"{path}: {reason}",))
