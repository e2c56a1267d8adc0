"""Models in error in a table of their own: one row per problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.csv_text import harmless
from flopsheet.export.files import shown_path
from flopsheet.export.table import csv_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from flopsheet.planning.costed_model import Costed

ERRORS = "errors"
"""The name of this text of a part."""
HEADER = ("name", "file", "sha256", "problem")
FORMATS = {".csv": "one row per problem of a model in error"}
"""What a table of errors can be."""


def error_rows(models: Iterable[Costed]) -> str:
    """Return the problems of models in error as rows of a CSV, without a header."""
    return csv_text(
        [*map(harmless, (model.name, shown_path(model.model.source), model.model.sha256, problem))]
        for model in models
        if model.status == "error"
        for problem in model.problems
    )


def write_errors(texts: Iterable[str], path: Path) -> None:
    """Write the table of all rows."""
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(csv_text([HEADER]))
        file.writelines(texts)
