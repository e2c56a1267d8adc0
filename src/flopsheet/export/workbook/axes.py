"""Which results may be chosen on Sensitivity, which inputs move them, and which two the grid moves as delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import first_gap, no_number
from flopsheet.export.workbook.formula_names import checks_of, chosen_by, names_read
from flopsheet.export.workbook.model_columns import Batch
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE, OVERRIDE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan


def _list_ranged(plan: Plan) -> list[Assumption]:
    """Return the inputs that differ between the cases that every plan has."""
    return [driver for driver in plan.drivers if len(set(driver.cases[: len(CASES)])) > 1]


def most_expensive(plan: Plan) -> int | None:
    """Return the number of the model that takes most of the first result in the Base case: the one first chosen."""
    if not plan.costed:
        return None
    numbers = Batch(plan).numbers
    costs = plan.run("base").table(MODELS_TABLE).columns[plan.list_offered(MODELS_TABLE)[0].name]
    pairs = [pair for pair in zip(costs, numbers, strict=True) if no_number(pair[0]) is None]
    return max(pairs, key=lambda pair: (pair[0], -pair[1]))[1] if pairs else numbers[0]


def grid_axes(plan: Plan) -> tuple[Assumption, Assumption]:
    """Return the two inputs that move the result as delivered most; others where fewer do."""
    result = swings(plan)
    first, second, *_ = sorted(plan.drivers, key=lambda driver: -result.get(driver.name, -1))
    return first, second


def swings(plan: Plan) -> dict[str, Number]:
    """Return how far the result as delivered moves with each input that has a range."""
    return {driver.name: _swing(plan, driver) for driver in _list_ranged(plan)}


def _swing(plan: Plan, driver: Assumption) -> Number:
    """Return how far apart the result as delivered is with an input at its two ends, 0 where it is not read."""
    number = most_expensive(plan)
    table = CASES_TABLE if number is None else MODELS_TABLE
    lines, line = plan.program.lines(table), plan.list_offered(table)[0].name
    read = read_by(lines, line)
    if driver.name not in read | chosen_by(plan.program, read):
        return 0
    runs = ({driver.name: driver.cases[place]} for place in (0, len(CASES) - 1))
    if number is None:
        low, high = (plan.run_changed(plan.scenario, change).single(CASES_TABLE)[line] for change in runs)
    else:
        model, live = plan.models[number - 1], plan.case(plan.scenario)
        low, high = (plan.alone(model, live | change, [line])[line] for change in runs)
    return max(high - low, low - high) if first_gap((high, low)) is None else 0


def offered_of_model(plan: Plan) -> list[str]:
    """Return the lines of one model that may be chosen as the result, in their order."""
    first = [line.name for line in plan.list_offered(MODELS_TABLE)]
    shown_names = [line.name for line in plan.program.list_shown(MODELS_TABLE) if line.unit not in ("", "flag")]
    alone = _alone(plan)
    return [name for name in dict.fromkeys((*first, *shown_names)) if name in alone]


def chosen_lines(plan: Plan) -> list[Line]:
    """Return the lines that give the chosen model's results: all that those read."""
    names = read_by(plan.model_lines, *offered_of_model(plan))
    return [line for line in plan.model_lines if line.name in names]


def _alone(plan: Plan) -> set[str]:
    """Return the lines of a model that need nothing but inputs, the model's totals and each other."""
    names = {*(driver.name for driver in plan.drivers), *plan.program.choices, *plan.facts, OVERRIDE}
    lines = {line.name: line for line in plan.model_lines}
    for table, name in plan.program.order:
        if table == MODELS_TABLE and names.issuperset(formula.read(lines[name].formula).names):
            names.add(name)
    return names & lines.keys()


def movers(plan: Plan) -> list[Assumption]:
    """Return the inputs with a range that can move a result, which Sensitivity tries one at a time.

    Without any, the two of the grid.
    """
    read = moving(plan)
    return [driver for driver in _list_ranged(plan) if driver.name in read] or list(grid_axes(plan))


def moving(plan: Plan) -> set[str]:
    """Return the names that results of the cluster or of the chosen model read, and its checks.

    Of an input that only tables of questions read, two rows of cases would show nothing that it changes.
    """
    tables, texts = [CASES_TABLE], [line.formula for line in chosen_lines(plan)]
    for name in tables:  # grows by what the tables link to
        table = plan.program.tables[name]
        texts += [line.formula for line in plan.program.lines(name)]
        texts += [check.formula for check in checks_of(plan.program, name)]
        tables += {link.table for link in table.links}.difference(tables)
    return names_read(plan.program, texts)


def read_by(lines: Sequence[Line], *wanted: str) -> set[str]:
    """Return every name that lines read, directly or through others, and the lines themselves."""
    texts = {line.name: line.formula for line in lines}
    result: set[str] = set()
    waiting = {*wanted}
    while waiting:
        name = waiting.pop()
        result.add(name)
        waiting |= set(formula.read(texts[name]).names) - result if name in texts else set()
    return result
