"""A new plugin's distribution: files that install, pass their tests and are there to be changed."""

from __future__ import annotations

import re
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from flopsheet.accounting.formula import check_name
from flopsheet.errors import UsageError
from flopsheet.host.hookspecs import API_VERSION

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

SHARED = "shared"


def started(name: str, kind: str) -> dict[str, str]:
    """Return the files of a new plugin by their paths; UsageError for a name that a module or a table cannot have."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or check_name(name):
        reason = check_name(name) or "small letters, digits and underscores, beginning with a letter, are expected"
        raise UsageError(f"{name!r} cannot be a plugin's name: {reason}")
    words = {
        "name": name,
        "module": f"flopsheet_{name}",
        "package": f"flopsheet-{name.replace('_', '-')}",
        "title": name.replace("_", " ").capitalize(),
        "class_name": name.title().replace("_", ""),
        "api": API_VERSION,
    }
    root = files(__package__).joinpath("starts")
    found = {**_files(root.joinpath(SHARED)), **_files(root.joinpath(kind))}
    return {Template(path).substitute(words): Template(text).substitute(words) for path, text in found.items()}


def _files(folder: Traversable, below: str = "") -> dict[str, str]:
    """Return the texts of a folder by path; the ending .txt keeps them from being taken for code of flopsheet."""
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        path = f"{below}{entry.name}"
        found |= _files(entry, f"{path}/") if entry.is_dir() else {path.removesuffix(".txt"): entry.read_text("utf-8")}
    return found
