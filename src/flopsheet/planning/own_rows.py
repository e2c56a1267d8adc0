"""Rows that people give of their own runs: a csv file with a header row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from flopsheet.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a csv file by their headers; UsageError where it cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
