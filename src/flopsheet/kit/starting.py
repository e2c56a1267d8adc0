"""A new plugin, as a distribution or a TOML file with its test: files that pass and are there to be changed."""

from __future__ import annotations

import re
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from flopsheet.accounting.building import check_architecture_name
from flopsheet.accounting.formula import check_name
from flopsheet.errors import UsageError
from flopsheet.host.candidate import ARCHITECTURE
from flopsheet.host.hookspecs import API_VERSION

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PYTHON, TOML = "python", "toml"
"""What a plugin may be written in."""
ANY = "any"


def start_plugin(name: str, kind: str, form: str = PYTHON) -> dict[str, str]:
    """Return the files of a new plugin by their paths; UsageError for a name that a module or a table cannot have.

    Its test and configs are the same in either form.
    """
    reason = "lowercase letters, digits and underscores, starting with a letter, are expected"
    if re.fullmatch(r"[a-z][a-z0-9_]*", name):
        reason = (check_architecture_name(name) if kind == ARCHITECTURE else check_name(name)) or ""
    if reason:
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
    own = _files(root.joinpath(form, kind))
    words["plugin"] = Template(next(iter(own)).partition("/")[0]).substitute(words)
    result = {**_files(root.joinpath(form, ANY)), **own, **_files(root.joinpath(kind))}
    return {Template(path).substitute(words): Template(text).substitute(words) for path, text in result.items()}


def _files(folder: Traversable, below: str = "") -> dict[str, str]:
    """Return the texts of a folder by path; the ending .txt keeps them from being taken for code of flopsheet."""
    result: dict[str, str] = {}
    for entry in folder.iterdir():
        path = f"{below}{entry.name}"
        result |= _files(entry, f"{path}/") if entry.is_dir() else {path.removesuffix(".txt"): entry.read_text("utf-8")}
    return result
