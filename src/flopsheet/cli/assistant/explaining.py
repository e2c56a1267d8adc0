"""What a name means in a plan: an input, a figure, or a line, with its formula and the numbers that it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.errors import UsageError
from flopsheet.planning.listing import list_inputs
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.accounting.line import Line
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan

MAX_MODELS = 20
"""Models whose numbers an explanation has."""
MAX_ROWS = 50
"""Rows of a table whose numbers an explanation has."""


def explain(plan: Plan, name: str, model: str = "") -> list[dict[str, Any]]:
    """Return what the name means, in the shown case; UsageError where nothing has it, with similar names."""
    models = _choose_models(plan, model)
    results = [
        *(row | {"is": "input", "value": _value(plan, name)} for row in list_inputs(plan.host) if row["name"] == name),
        *_figures(plan, name),
        *(row for each in models for row in _of_model(each, name)),
        *(row for table in plan.program.tables for row in _of_table(plan, table, name, models)),
    ]
    if not results:
        raise UsageError(f"{name}: no input, figure or line has this name{names_like(name, _names(plan))}")
    return results


def _choose_models(plan: Plan, name: str) -> list[Costed]:
    models = [model for model in plan.costed if name in ("", model.name)]
    if name and not models:
        raise UsageError(f"{name}: no model has this name{names_like(name, [model.name for model in plan.costed])}")
    return models[:MAX_MODELS]


def _names(plan: Plan) -> list[str]:
    lines = [line.name for table in plan.program.tables for line in plan.program.lines(table)]
    totals = [line["name"] for model in plan.costed for line in model.lines]
    figures = [f"{question.name}.{figure.name}" for question, figure in plan.program.figures]
    return list(dict.fromkeys([*plan.program.inputs, *lines, *totals, *figures]))


def _value(plan: Plan, name: str) -> Any:
    """Return the input's value in the shown case; None where the plan does not ask for it."""
    number = plan.case(plan.scenario).get(name)
    return None if number is None else plain(number)


def _figures(plan: Plan, name: str) -> Iterator[dict[str, Any]]:
    for answer in plan.answers():
        figure = answer.figure
        if name in (figure.name, f"{answer.question.name}.{figure.name}"):
            yield {
                "is": "figure",
                "name": f"{answer.question.name}.{figure.name}",
                "title": figure.title,
                "about": figure.about,
                "unit": answer.unit,
                "of": f"the {figure.how} of line {figure.line} in table {figure.table}",
                "values": {case: plain(number) for case, number in answer.numbers.items()},
            }


def _of_model(model: Costed, name: str) -> Iterator[dict[str, Any]]:
    """Give the lines of a model's own count."""
    for line in model.lines:
        if line["name"] == name:
            yield {"is": "line of a model", "model": model.name, **line, "reads": _read(line["formula"], model.numbers)}


def _of_table(plan: Plan, table: str, name: str, models: list[Costed]) -> Iterator[dict[str, Any]]:
    """Give the lines of a plan's table; of models and cases with what they read."""
    for line in plan.program.lines(table):
        if line.name == name:
            yield {
                "is": "line of a plan",
                "table": table,
                **_describe_line(line),
                "rows": _rows(plan, table, line, models),
            }


def _describe_line(line: Line) -> dict[str, Any]:
    row = {"name": line.name, "title": line.label, "formula": line.formula, "unit": line.unit}
    return row | {"about": line.about, "source": line.source}


def _rows(plan: Plan, table: str, line: Line, models: list[Costed]) -> list[dict[str, Any]]:
    case = plan.scenario
    inputs = {**plan.case(case), **plan.cluster[case]}
    if table == CASES_TABLE:
        return [{"case": case, "value": plain(inputs[line.name]), "reads": _read(line.formula, inputs)}]
    if table != MODELS_TABLE:
        return plan.table(table)[:MAX_ROWS]
    rows = []
    for model in models:
        numbers = {**inputs, **model.numbers, **plan.own(model), **plan.training(model, case)}
        row = {"model": model.name, "value": plain(numbers[line.name])}
        rows.append(row | {"reads": _read(line.formula, numbers)})
    return rows


def _read(text: str, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers behind the names of a formula, those that are known."""
    return {name: plain(numbers[name]) for name in formula.read(text).names if name in numbers}
