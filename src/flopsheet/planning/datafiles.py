"""The data files of planning: tables of rows, each file parsed once."""

from __future__ import annotations

from typing import Any

from flopsheet.accounting.data import read_table


def data_rows(file: str, table: str = "") -> list[dict[str, Any]]:
    """Return the rows of a table of a data file, by default the one of the file's name; nobody may change them."""
    rows: list[dict[str, Any]] = data_value(file, table or file)
    return rows


def data_value(file: str, name: str) -> Any:
    """Return what a data file says of all its rows under a name."""
    return read_table("flopsheet.planning", "data", f"{file}.toml")[name]
