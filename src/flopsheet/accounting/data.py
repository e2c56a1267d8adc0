"""Data files next to a package's code."""

import os
from functools import cache
from importlib import import_module
from typing import Any

import tomli


def read_text(package: str, *path: str) -> str:
    """Return the text of a file in a package; OSError where there is none."""
    return _text(*_place(package, path))


def read_table(package: str, *path: str) -> dict[str, Any]:
    """Return a TOML file of a package, read once: nobody changes it; OSError and TOMLDecodeError as they come."""
    return _table(*_place(package, path))


@cache
def _table(loader: Any, file: str) -> dict[str, Any]:
    return tomli.loads(_text(loader, file))


def _text(loader: Any, file: str) -> str:
    return str(loader.get_data(file), "utf-8")


def _place(package: str, path: tuple[str, ...]) -> tuple[Any, str]:
    """Return what reads a package's files, and a file of it.

    importlib.resources gives the same, and takes as long to import as a model takes to count.
    """
    spec = import_module(package).__spec__
    if spec is None or spec.loader is None or not spec.origin:
        raise OSError(f"{package} is not a package with files")
    return spec.loader, os.path.join(os.path.dirname(spec.origin), *path)  # noqa: PTH118, PTH120 - what loaders take
