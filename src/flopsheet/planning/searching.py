"""Rows that a search finds for each model: listed once, when a plan is made, and live formulas from then on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.nonumber import NoNumber
from flopsheet.errors import FlopsheetError
from flopsheet.host.shelter import shelter
from flopsheet.planning.question import FoundRow
from flopsheet.planning.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Rows, Search, Table
    from flopsheet.planning.run import PlannedModel


LOST = "none: the search failed"
"""What people see of the row that stands for those of a search that failed."""


def search_rows(
    program: Program, cases: Sequence[Mapping[str, Number]], models: Sequence[PlannedModel]
) -> tuple[Program, dict[str, str]]:
    """Return the program with the rows that its searches find for the models under the inputs of each case.

    With it come the reasons why searches of some models failed, by key of their rows.
    A search that fails for a model has one row there, without any number of what it brings.
    """
    searches = {rows.key: (rows, rows.search.find) for _, rows in program.searches if rows.search}
    if not searches:
        return program, {}
    scopes = [Run(program, inputs, ()).scope for inputs in cases]
    failures: dict[str, str] = {}
    result = {
        key: _list_found(rows, [_find_rows(rows, search, program, scopes, model, failures) for model in models])
        for key, (rows, search) in searches.items()
    }
    return program.with_rows(tuple(_with_rows(question, result) for question in program.questions)), failures


def _find_rows(
    rows: Rows,
    search: Search,
    program: Program,
    scopes: Sequence[Mapping[str, Number]],
    model: PlannedModel,
    failures: dict[str, str],
) -> list[FoundRow]:
    """Return the rows of a model; where its search fails one without numbers, and the reason is kept."""

    def every() -> list[FoundRow]:
        results = [row for scope in scopes for row in search(program, scope, model)]
        for row in results:
            _ = [row.numbers[name] + 0 for name in rows.brings], row.label.strip()
        return results

    try:
        return shelter(every, f"the search of {rows.key}")
    except FlopsheetError as error:
        reason = failures.setdefault(rows.key, f"the search fails: {error}")
        none: Any = NoNumber(f"{rows.key}: {' '.join(reason.split())}")
        return [FoundRow(LOST, dict.fromkeys(rows.brings, none))]


def _list_found(rows: Rows, by_model: Sequence[Sequence[FoundRow]]) -> Rows:
    """Return rows with what was found for each model, each row numbered where it is first found."""
    places: dict[tuple[Number, ...], int] = {}
    labels: list[str] = []
    only = []
    for model in by_model:
        numbers = {tuple(row.numbers[name] for name in rows.brings): row.label for row in model}
        for key, label in numbers.items():
            if key not in places:
                places[key] = len(places) + 1
                labels.append(label)
        only.append(tuple(places[key] for key in numbers))
    values: tuple[Any, ...] = tuple(
        {rows.key: place, **dict(zip(rows.brings, key, strict=True))} for key, place in places.items()
    )
    return rows._replace(values=values, labels=tuple(labels), only=tuple(only))


def _with_rows(question: Question, rows_by_key: Mapping[str, Rows]) -> Question:
    return replace(question, tables=tuple(_table(table, rows_by_key) for table in question.tables))


def _table(table: Table, rows_by_key: Mapping[str, Rows]) -> Table:
    return table._replace(rows=tuple(rows_by_key.get(rows.key, rows) for rows in table.rows))
