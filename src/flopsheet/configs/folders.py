"""The models of a folder: its config.json files, else files that plugins read as models, else tables in parts."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.configs.readers import ModelReader
    from flopsheet.host.host import Host

CONFIG = "config.json"


def configs_in(folder: Path, host: Host | None = None) -> list[str]:
    """Return the config.json files of a folder, and the folders inside that cannot be looked into.

    With a host, a folder that neither has a config.json nor is inside one that has stands for the files in it that
    plugins read as models.
    """
    unreadable: list[str] = []
    walk = _walk(folder, unreadable)
    readers: list[ModelReader] | None = None
    results: list[str] = []
    config_folders: set[str] = set()
    for inside, folders, names in walk:
        is_covered = CONFIG in names or os.path.dirname(inside) in config_folders  # noqa: PTH120 - a crawl has a million
        config_folders.update([inside] if is_covered and folders else [])
        if CONFIG in names:
            results.append(os.path.join(inside, CONFIG))  # noqa: PTH118 - as above
        elif names and host and not is_covered:
            readers = _readers_of_files(host) if readers is None else readers
            results += _find_described(host, inside, names, readers)
    here = f"{os.curdir}{os.sep}"
    return sorted((path.removeprefix(here) for path in (*results, *unreadable)), key=_parts)


def _walk(folder: Path, unreadable: list[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Give what `os.walk` does, with the folders that links lead to, under the links' names, and each folder once."""
    seen = {os.path.realpath(folder)}
    tops = [str(folder)]
    for top in tops:
        links: list[str] = []
        for inside, folders, names in os.walk(top, onerror=lambda error: unreadable.append(str(error.filename))):
            if folders and len(tops) > 1:
                real = os.path.realpath(inside)
                folders[:] = [name for name in folders if os.path.join(real, name) not in seen]  # noqa: PTH118 - as above
            links += filter(os.path.islink, (os.path.join(inside, name) for name in folders))  # noqa: PTH118 - as above
            yield inside, folders, names
        for link in sorted(links):
            real = os.path.realpath(link)
            if seen.isdisjoint((real, *map(str, Path(real).parents))):
                seen.add(real)
                tops.append(link)


def _readers_of_files(host: Host) -> list[ModelReader]:
    from flopsheet.configs.readers import model_readers  # noqa: PLC0415 - most folders have configs alone

    return [reader for reader in model_readers(host) if reader.files]


def _find_described(host: Host, folder: str, names: Sequence[str], readers: Sequence[ModelReader]) -> list[str]:
    """Return the files of a folder that stand for models: those of the first reader that has any."""
    from flopsheet.configs.readers import is_recognized  # noqa: PLC0415 - as above

    for reader in readers:
        own = [os.path.join(folder, name) for name in names if re.fullmatch(reader.files, name)]  # noqa: PTH118 - as above
        if results := [path for path in own if is_recognized(host, reader, Path(path))]:
            return results
    return []


def tables_in(folder: Path) -> list[str]:
    """Return the Parquet files of a folder that holds a table in parts; hidden ones are left out, as Hive does."""
    paths = (Path(inside, name) for inside, _, names in _walk(folder, []) for name in names)
    result = (path.relative_to(folder).parts for path in paths if path.suffix == ".parquet" and path.is_file())
    visible = (parts for parts in result if not any(part.startswith((".", "_")) for part in parts))
    return [str(folder.joinpath(*parts)) for parts in sorted(visible)]


def _parts(path: str) -> list[str]:
    return path.split(os.sep)  # noqa: PTH206 - as above


def is_folder(path: Path) -> bool:
    """Tell whether a path is a folder; one that cannot be looked at is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def exists(path: Path) -> bool:
    """Tell whether a path is there; one that cannot be looked at is not."""
    try:
        return path.exists()
    except OSError:
        return False
