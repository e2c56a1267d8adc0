"""Which inputs move a result, and which two the grid on Sensitivity moves as delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan


def ranged(plan: Plan) -> list[Assumption]:
    """Return the inputs that differ between the cases that every plan has."""
    return [one for one in plan.drivers if len(set(one.cases[: len(CASES)])) > 1]


def most_expensive(plan: Plan) -> int | None:
    """Return the number of the model that takes most of the first result in the Base case: the one first chosen."""
    if not plan.costed:
        return None
    numbers = [number for number, model in enumerate(plan.models, start=1) if model.ledger]
    costs = plan.run("base").table(MODELS_TABLE).columns[plan.offered(MODELS_TABLE)[0].name]
    return max(zip(costs, numbers, strict=True), key=lambda pair: (pair[0], -pair[1]))[1]


def grid_axes(plan: Plan) -> tuple[Assumption, Assumption]:
    """Return the two inputs that move the result as delivered most; others where fewer do."""
    swings = {one.name: _swing(plan, one) for one in ranged(plan)}
    first, second, *_ = sorted(plan.drivers, key=lambda one: -swings.get(one.name, -1))
    return first, second


def _swing(plan: Plan, one: Assumption) -> Number:
    """Return how far apart the result as delivered is with an input at its two ends, 0 where it is not read."""
    number = most_expensive(plan)
    table = CASES_TABLE if number is None else MODELS_TABLE
    lines, line = plan.program.lines(table), plan.offered(table)[0].name
    if one.name not in read_by(lines, line):
        return 0
    runs = ({one.name: one.cases[place]} for place in (0, len(CASES) - 1))
    if number is None:
        low, high = (plan.changed(plan.scenario, given).single(CASES_TABLE)[line] for given in runs)
    else:
        model, live = plan.models[number - 1], plan.case(plan.scenario)
        low, high = (plan.alone(model, live | given)[line] for given in runs)
    return max(high - low, low - high)


def read_by(lines: Sequence[Line], wanted: str) -> set[str]:
    """Return every name that a line reads, directly or through lines before it."""
    texts = {line.name: line.formula for line in lines}
    needed: set[str] = set()
    waiting = {wanted}
    while waiting:
        name = waiting.pop()
        needed.add(name)
        waiting |= set(formula.read(texts[name]).names) - needed if name in texts else set()
    return needed
