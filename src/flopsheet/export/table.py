"""Reports for programs: CSV, a row per model or a file per table of questions, and JSON, what the TOML report says."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.values import plain
from flopsheet.configs.model import BETWEEN
from flopsheet.export.csv_text import csv_row, harmless
from flopsheet.export.documents import json_text
from flopsheet.export.files import write_lines
from flopsheet.export.toml import report_table, storable_text
from flopsheet.planning.question import MODELS_TABLE
from flopsheet.planning.question_set import SHARED
from flopsheet.planning.reasons import reason_texts
from flopsheet.units.named_values import name_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from flopsheet.export.files import Writer
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program

TOTALS = (
    "parameters",
    "parameters_active",
    "parameters_embedding",
    "flops_forward",
    "flops_forward_linear",
    "flops_forward_matmul",
    "flops_training_step",
    "flops_training_hardware",
    "flops_prefill",
    "flops_decode_step",
    "weights_bytes",
    "kv_cache_bytes",
    "state_bytes",
)
"""Totals that are in every CSV, in this order, before those that only some ledgers have, by name."""
MOST_TEXTS = 1024
"""Texts about models that are kept as a CSV has them."""


def as_json(plan: Plan) -> str:
    """Return the TOML report's content as JSON."""
    return json_text(report_table(plan)) + "\n"


def as_csv(plan: Plan) -> str:
    """Return one row per model: what it is, its totals, and its plan in the selected scenario."""
    totals = totals_of(plan)
    return csv_text([csv_header(plan, totals), *csv_rows(plan, totals)])


def totals_of(plan: Plan) -> list[str]:
    """Return the totals that the columns of a plan's CSV show, in their order."""
    ledgers = {model.ledger for model in plan.models if model.ledger}
    return order_totals(name for ledger in ledgers for name in ledger.totals)


def order_totals(totals: Iterable[str]) -> list[str]:
    """Return totals as columns, with those that are in every CSV: whatever model comes first, in one order."""
    return [*TOTALS, *sorted({*totals} - {*TOTALS})]


def csv_header(plan: Plan, totals: Iterable[str]) -> list[str]:
    """Return the header of a CSV: what a model is, its totals, and the lines of its plan."""
    results = (line.name for line in plan.model_lines)
    return [*("name", "status", "problems", "notes", "reasons", "architecture", "scenario"), *totals, *results]


def csv_rows(plan: Plan, totals: Sequence[str]) -> Iterator[list[Any]]:
    """Give the row of each model under such a header."""
    escape = lru_cache(MOST_TEXTS)(harmless)  # models share most of what is said of them
    plan_rows, nothing = planned_rows(plan), [""] * len(plan.model_lines)
    for model in plan.models:
        results = next(plan_rows) if model.ledger else nothing
        yield [*map(escape, said_of(model)), plan.scenario, *map(model.totals.get, totals, repeat("")), *results]


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV with lines that end as on Unix."""
    return "".join(map(csv_row, rows))


def planned_rows(plan: Plan) -> Iterator[Sequence[int | float | str]]:
    """Return the planning lines of each model that has numbers, in the case that is shown."""
    if not plan.model_lines:
        return repeat(())
    table = plan.run(plan.scenario).table(MODELS_TABLE)
    columns = ((table.columns[line.name], line.unit) for line in plan.model_lines)
    return zip(*[[name_number(plain(value), unit) for value in column] for column, unit in columns], strict=True)


def said_of(model: Costed) -> list[str]:
    """Return a model's name, status, problems, notes, reasons and architecture."""
    lists = map(BETWEEN.join, (model.problems, model.notes, reason_texts(model)))
    return [*map(storable_text, (model.name, model.status, *lists, model.model.architecture))]


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
