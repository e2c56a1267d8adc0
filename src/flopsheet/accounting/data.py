"""Data files next to a package's code."""

import os
from importlib import import_module


def read_text(package: str, *path: str) -> str:
    """Return the text of a file in a package; OSError where there is none.

    importlib.resources gives the same, and takes as long to import as a model takes to count.
    """
    spec = import_module(package).__spec__
    if spec is None or spec.loader is None or not spec.origin:
        raise OSError(f"{package} is not a package with files")
    file = os.path.join(os.path.dirname(spec.origin), *path)  # noqa: PTH118, PTH120 - what loaders take
    return str(spec.loader.get_data(file), "utf-8")  # type: ignore[attr-defined]
