"""The data files of planning: tables of rows, each file parsed once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


def data_rows(file: str, table: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table of a data file, by default the one of the file's name; nobody may change them."""
    rows: list[dict[str, Any]] = _document(file)[table or file]
    return rows


def data_value(file: str, name: str) -> Any:
    """Return what a data file says of all its rows under a name."""
    return _document(file)[name]


@cache
def _document(file: str) -> dict[str, Any]:
    return tomllib.loads((files("flopsheet.planning") / "data" / f"{file}.toml").read_text(encoding="utf-8"))
