"""Rows that a search finds for each model: listed once, when a plan is made, and live formulas from then on."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from flopsheet.errors import PluginError
from flopsheet.planning.program import Program
from flopsheet.planning.question import MODELS
from flopsheet.planning.run import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.question import Found, Question, Rows, Table
    from flopsheet.planning.run import PlannedModel


def searched(program: Program, cases: Sequence[Mapping[str, Number]], models: Sequence[PlannedModel]) -> Program:
    """Return the program with the rows that its searches find for the models under the inputs of each case."""
    asked = {rows.key: (rows, rows.search) for table in program.tables.values() for rows in table.rows if rows.search}
    if not asked:
        return program
    scopes = [Run(program, inputs, ()).scope for inputs in cases]
    found = {
        key: _listed(rows, [[one for scope in scopes for one in search(program, scope, model)] for model in models])
        for key, (rows, search) in asked.items()
    }
    return Program(tuple(_with_rows(question, found) for question in program.questions))


def _listed(rows: Rows, found: Sequence[Sequence[Found]]) -> Rows:
    """Return rows with what was found for each model, each row numbered where it is first found."""
    places: dict[tuple[Number, ...], int] = {}
    labels: list[str] = []
    only = []
    for model in found:
        numbers = {tuple(one.numbers[name] for name in rows.brings): one.label for one in model}
        for key, label in numbers.items():
            if key not in places:
                places[key] = len(places) + 1
                labels.append(label)
        only.append(tuple(places[key] for key in numbers))
    values: tuple[Any, ...] = tuple(
        {rows.key: place, **dict(zip(rows.brings, key, strict=True))} for key, place in places.items()
    )
    return rows._replace(values=values, labels=tuple(labels), only=tuple(only))


def _with_rows(question: Question, found: Mapping[str, Rows]) -> Question:
    return replace(question, tables=tuple(_table(table, found) for table in question.tables))


def _table(table: Table, found: Mapping[str, Rows]) -> Table:
    if any(rows.key in found for rows in table.rows) and table.rows[0] != MODELS:
        raise PluginError(f"table {table.name}: rows that a search finds follow those of the models")
    return table._replace(rows=tuple(found.get(rows.key, rows) for rows in table.rows))
