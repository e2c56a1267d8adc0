"""A result under changed inputs: a tornado moves one input at a time, a grid moves two."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.accounting.nonumber import first_gap, no_number
from flopsheet.accounting.values import plain
from flopsheet.errors import UsageError
from flopsheet.planning.answers import Variation
from flopsheet.planning.inputs import CASES, TITLES, Assumption, write_value
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.registry import unasked_hint
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.answers import Answer
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Node
    from flopsheet.planning.run import Run

DEFAULT_RESULT = "training_cost"
"""What is varied where nobody names another result: the final run of the costliest model."""
TOP = 12
"""Inputs that a tornado lists at most."""


class Result(Struct, frozen=True):
    """A number of a plan that may be varied: what it is, its unit, the line behind it, and how a run gives it."""

    title: str
    unit: str
    node: Node
    of: Callable[[Run], Number]


def tornado(plan: Plan, name: str) -> Variation:
    """Return a result with each input at its Low cost and High cost, all others as shown, the widest swing first."""
    result = result_of(plan, name)
    headers = ("Input", *(TITLES[case] for case in ("low", "high")), "Result, low", "Result, high", "Swing")
    title = f"{result.title}, one input at a time"
    rows = tuple(swings(plan, result)[:TOP])
    return Variation("tornado", title, result.unit, _show_result(plan, result), headers, rows, 3)


def swings(plan: Plan, result: Result) -> list[tuple[Any, ...]]:
    """Return each input that moves a result, its ends, the result at each, and the swing: the widest first."""
    rows: list[tuple[float, tuple[Any, ...]]] = []
    read = plan.program.find_inputs([result.node])
    ranged = (driver for driver in plan.drivers if len(set(driver.cases[: len(CASES)])) > 1)
    for driver in (driver for driver in ranged if driver.name in read):
        low, high = driver.cases[0], driver.cases[len(CASES) - 1]
        ends = [_number(plan, result, {driver.name: value}) for value in (low, high)]
        lacking: Any = first_gap(ends)
        swing = abs(ends[1] - ends[0]) if lacking is None else lacking
        rows.append((swing, (driver.name, _show_value(driver, low), _show_value(driver, high), *ends, swing)))
    numbers = [(swing, row) for swing, row in rows if no_number(swing) is None]
    gaps = [row for swing, row in rows if no_number(swing) is not None]
    return [*gaps, *(row for swing, row in sorted(numbers, key=lambda pair: -pair[0]) if swing)]


def grid(plan: Plan, down: str, across: str, name: str) -> Variation:
    """Return a result with two inputs at each of their cases, all others as shown."""
    if down == across:
        raise UsageError(f"--grid {down},{across}: two different inputs are expected")
    result, one, other = result_of(plan, name), _input(plan, down), _input(plan, across)
    places = range(len(CASES))
    numbers = {
        (row, column): _number(plan, result, {one.name: one.cases[row], other.name: other.cases[column]})
        for row, column in product(places, places)
    }
    headers = (one.name, *(f"{other.name} = {_show_value(other, other.cases[column])}" for column in places))
    rows = tuple((_show_value(one, one.cases[row]), *(numbers[row, column] for column in places)) for row in places)
    title = f"{result.title}, by {one.name} and {other.name}"
    return Variation("grid", title, result.unit, _show_result(plan, result), headers, rows, 1)


def results(plan: Plan) -> dict[str, Result]:
    """Return every result by name: figures of all asked questions, lines of the cluster, and of the costliest model."""
    result = {line.name: _of_cluster(line.name, line.label, line.unit) for line in plan.case_lines}
    if plan.costed:
        costs = plan.run(plan.scenario).table(MODELS_TABLE).columns["training_cost"]
        place = max(range(len(costs)), key=lambda at: -1 if no_number(costs[at]) is not None else costs[at])
        who = plan.costed[place].name
        result |= {
            line.name: _of_model(line.name, f"{who}: {line.label}", line.unit, place) for line in plan.model_lines
        }
    for answer in plan.answers():
        figure = _of_figure(answer)
        result |= {answer.figure.name: figure, f"{answer.question.name}.{answer.figure.name}": figure}
    return result


def result_of(plan: Plan, name: str) -> Result:
    """Return a result by its name; UsageError for one that no asked question gives."""
    result = results(plan)
    if name not in result:
        figures = ", ".join(f"{answer.question.name}.{answer.figure.name}" for answer in plan.answers())
        hint = unasked_hint(plan.host, plan.program, name) or names_like(name, result)
        expected = f"; expected a line such as {DEFAULT_RESULT}, or one of {figures}"
        raise UsageError(f"the result {name!r} is unknown{hint or expected}")
    return result[name]


def _show_result(plan: Plan, result: Result) -> int | float:
    return plain(result.of(plan.run(plan.scenario)))


def _of_cluster(line: str, title: str, unit: str) -> Result:
    return Result(title, unit, (CASES_TABLE, line), lambda run: run.single(CASES_TABLE)[line])


def _of_figure(answer: Answer) -> Result:
    figure = answer.figure
    return Result(figure.title, answer.unit, (figure.table, figure.line), lambda run: run.figure(figure))


def of_model(plan: Plan, line: str, model: str) -> Result:
    """Return a line of a model as a result."""
    return _of_model(line, line, "", [subject.name for subject in plan.costed].index(model))


def _of_model(line: str, title: str, unit: str, place: int) -> Result:
    return Result(title, unit, (MODELS_TABLE, line), lambda run: run.first(MODELS_TABLE, [line], place)[line])


def _input(plan: Plan, name: str) -> Assumption:
    result = {driver.name: driver for driver in plan.drivers}
    if name not in result:
        raise UsageError(f"the input {name!r} is unknown{names_like(name, result)}; 'flopsheet inputs' lists them all")
    if len(set(result[name].cases[: len(CASES)])) == 1:
        raise UsageError(f"{name} has one value in all cases; give it a range, such as {name} = {{ low, base, high }}")
    return result[name]


def _number(plan: Plan, result: Result, inputs: Mapping[str, Number]) -> int | float:
    return plain(result.of(plan.run_varied(plan.scenario, inputs)))


def _show_value(driver: Assumption, value: Number) -> str:
    return f"{write_value(driver.input, value):,}" if not driver.input.labels else str(write_value(driver.input, value))
