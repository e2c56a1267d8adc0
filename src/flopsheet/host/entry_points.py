"""Installed plugins: entry points of the group, read where installers write them.

importlib.metadata gives the same, and takes as long to import as a model takes to read and count. It is asked where
distributions may lie elsewhere than in folders on `sys.path`.
"""

from __future__ import annotations

import os
import re
import sys
from functools import reduce
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.host.hookspecs import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import Distribution


INFOS = (".dist-info", ".egg-info")
"""How the folders of metadata are called."""
EGG = ".egg"
HEAD = f"[{PROJECT}]"


class Folder(Struct, frozen=True):
    """The metadata of an installed distribution."""

    path: str

    @property
    def name(self) -> str:
        """What tells the distribution from others: its name, spelled as all are."""
        return re.sub("[-_.]+", "_", os.path.basename(self.path).lower().rpartition(".")[0].partition("-")[0])  # noqa: PTH119 - of every distribution

    def read_text(self, file: str) -> str | None:
        """Return the text of a file in it; None where there is none."""
        try:
            return Path(self.path, file).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None


class Package(Struct, frozen=True):
    """What stands for the distribution of a plugin that is not installed: its name, version and needs."""

    name: str
    version: str
    needs: tuple[str, ...] = ()

    def read_text(self, file: str) -> str | None:
        """Return the metadata as an installed distribution holds it."""
        if file != "METADATA":
            return None
        needs = "".join(f"Requires-Dist: {need}\n" for need in self.needs)
        return f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n{needs}\n"


class Point(Struct, frozen=True):
    """An entry point: its name, the module or object that it names, and the distribution that has it."""

    name: str
    value: str
    dist: Folder | Distribution | Package | None

    def load(self) -> Any:
        """Return what it names; whatever its import raises passes."""
        module, _, attribute = self.value.partition("[")[0].partition(":")
        return reduce(getattr, filter(None, attribute.strip().split(".")), import_module(module.strip()))


def installed_points() -> list[Point]:
    """Return the entry points of the group; of two distributions of one name, the first on the path counts."""
    folders = _distributions()
    if folders is None:
        from importlib.metadata import entry_points  # noqa: PLC0415 - see above

        return [Point(point.name, point.value, point.dist) for point in entry_points(group=PROJECT)]
    return [point for folder in folders.values() for point in _points(folder)]


def installed_version() -> str:
    """Return the version of the installed flopsheet; importlib.metadata's PackageNotFoundError where none is."""
    own = (_distributions() or {}).get(PROJECT)
    if own is not None and (match := re.search("^Version: (.+)$", own.read_text("METADATA") or "", re.MULTILINE)):
        return match[1]
    from importlib.metadata import version  # noqa: PLC0415 - see above

    return version(PROJECT)


def _distributions() -> dict[str, Folder] | None:
    """Return the installed distributions by name; None where some may lie elsewhere than in folders."""
    folders = _folders(sys.path) if all(map(_is_plain, sys.meta_path)) else None
    if folders is None:
        return None
    first: dict[str, Folder] = {}
    for folder in folders:
        first.setdefault(folder.name, folder)
    return first


def _is_plain(finder: object) -> bool:
    """Tell whether a finder of modules knows of no distributions but those in folders."""
    return finder is PathFinder or not hasattr(finder, "find_distributions")


def _folders(paths: Iterable[str]) -> list[Folder] | None:
    """Return the metadata in the folders of a path; None where something on it is an archive or an egg."""
    results: list[Folder] = []
    for path in paths:
        try:
            names = os.listdir(path or ".")  # noqa: PTH208 - of every distribution
        except NotADirectoryError:
            return None
        except OSError:
            continue
        if path.lower().endswith(EGG):
            return None
        results += [Folder(os.path.join(path, name)) for name in names if name.lower().endswith(INFOS)]  # noqa: PTH118 - as above
    return results


def _points(folder: Folder) -> Iterator[Point]:
    """Give the entry points of the group that a distribution has."""
    text = folder.read_text("entry_points.txt") or ""
    if HEAD not in text:
        return
    head = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            head = line
        elif head == HEAD and line and not line.startswith("#"):
            name, _, value = line.partition("=")
            yield Point(name.strip(), value.strip(), folder)
