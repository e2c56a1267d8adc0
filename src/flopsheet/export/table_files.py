"""The tables of questions as CSV: costs by model and month, losses by model and law, one file a table."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from flopsheet.export.csv_text import csv_row, harmless
from flopsheet.export.files import write_lines
from flopsheet.export.toml import storable_text
from flopsheet.planning.question_set import SHARED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flopsheet.export.files import Writer
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program

FORMATS = {".csv": "one row per case and row of a table"}
"""What the file of a table can be."""
NO_NAME = re.compile(r"\W")
"""What no file of a table has in its name."""


def table_files(program: Program, folder: Path) -> dict[Path, str]:
    """Return the file of each table of a folder; cases and models are in the reports themselves."""
    return {folder / f"{NO_NAME.sub('_', name)}.csv": name for name in program.tables if name not in SHARED}


def table_writers(plan: Plan, folder: Path) -> dict[Path, Writer]:
    """Return what writes each table of a plan to its file."""
    return {path: partial(_write, plan, name) for path, name in table_files(plan.program, folder).items()}


def table_csv(plan: Plan, name: str) -> Iterator[str]:
    """Give a table as lines of CSV: of each case every row, with what people call it and all numbers."""
    table = plan.program.tables[name]
    names = [*table.keys, *(line.name for line in table.lines)]
    yield csv_row(["case", *names])
    for case in plan.cases:
        for row in plan.table(name, case):
            yield csv_row([harmless(case), *(_cell(row[name]) for name in names)])


def _cell(value: float | str) -> float | str:
    return harmless(storable_text(value)) if isinstance(value, str) else value


def _write(plan: Plan, name: str, path: Path) -> None:
    write_lines(path, table_csv(plan, name))
