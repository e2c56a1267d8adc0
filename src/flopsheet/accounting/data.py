"""Data files next to a package's code."""

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

import tomli


def read_text(package: str, *path: str) -> str:
    """Return the text of a file in a package; OSError where there is none.

    importlib.resources gives the same, and takes as long to import as a model takes to count; the package itself is not
    imported.
    """
    spec = find_spec(package)
    if spec is None or spec.loader is None or not spec.origin:
        raise OSError(f"{package} is not a package with files")
    file = os.path.join(os.path.dirname(spec.origin), *path)  # noqa: PTH118, PTH120 - what loaders take
    return str(spec.loader.get_data(file), "utf-8")  # type: ignore[attr-defined]


def read_table(package: str, *path: str) -> dict[str, Any]:
    """Return what a TOML file of a package holds now; nobody changes it. OSError and TOMLDecodeError as they come."""
    return _parse(read_text(package, *path))


@cache
def _parse(text: str) -> dict[str, Any]:
    """Return what a text holds: a file is parsed again where its author has changed it, and only then."""
    return tomli.loads(text)
