"""The answer of a question in words: which option is first, among models and named scenarios, and what it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import label
from flopsheet.export.plan_tables import show_number
from flopsheet.planning.inputs import CASES, either
from flopsheet.planning.sentence import ACCELERATOR, MODEL, Named, pieces
from flopsheet.planning.variations import of_model, swings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.planning.plan import Plan
    from flopsheet.planning.sheet_records import Best

MOST_RISKS = 3
FROM = "base"
"""The case with which named scenarios are compared: each is that case with other inputs."""


class Option(NamedTuple):
    """A model under a scenario, as a row of a question's table has it."""

    case: str
    row: Mapping[str, Any]


def options(plan: Plan, best: Best) -> list[Option]:
    """Return the models in the chosen case, and where that is the Base case in each named scenario; the best first.

    Places are those within a case; between cases the `order` of the table decides, where it has one.
    """
    others = [case for case in plan.cases if case not in (*CASES, plan.scenario)] if plan.scenario == FROM else []
    results = [Option(case, row) for case in (plan.scenario, *others) for row in plan.table(best.table, case)]
    return sorted(results, key=lambda option: _order(option, best))


def _order(option: Option, best: Best) -> tuple[bool, Any]:
    return (False, option.row[best.order or best.line]) if is_viable(option, best) else (True, 0)


def is_viable(option: Option, best: Best) -> bool:
    """Tell whether an option has a place; where an input is missing, none is known."""
    place = option.row[best.line]
    return no_number(place) is None and bool(place)


def sentence(plan: Plan, best: Best) -> Iterator[str]:
    """Give the answer, what it does not survive, and its largest risks: parts that name 0 or nothing are left out.

    So are the ends of ranges in a named scenario, as they are those of the Base case.
    """
    viable = [option for option in options(plan, best) if is_viable(option, best)]
    if not viable:
        yield f"{best.none}.{_nearest(plan, best)}"
        return
    table = plan.program.tables[best.table]
    elsewhere = {link.name for link in table.links if link.case and viable[0].case not in CASES}
    units = {line.name: line.unit for line in table.lines if line.formula not in elsewhere}
    answer, turns = ([_part(plan, part, viable, units) for part in parts] for parts in (best.said, best.turns))
    scenario = "" if viable[0].case in CASES else f"{plan.titles[viable[0].case]}: "
    yield scenario + "".join(answer)
    if any(turns):
        yield f"No longer viable {either(list(filter(None, turns)))}."
    if best.risk and (risks := _risks(plan, best.risk, viable[0])):
        yield f"Largest risks: {'; '.join(risks)}."


def _nearest(plan: Plan, best: Best) -> str:
    """Return what is said of the option that comes nearest; nothing where no question's table says which that is."""
    rows = plan.table(best.table, plan.scenario) if best.near else []
    results = [Option(plan.scenario, row) for row in rows if no_number(row[best.near]) is None and row[best.near] == 1]
    units = {line.name: line.unit for line in plan.program.tables[best.table].lines}
    return "".join(_part(plan, part, results[:1], units) for part in best.nearest) if results else ""


def _risks(plan: Plan, line: str, first: Option) -> list[str]:
    """Return the inputs whose ranges move the first option's cost most, one at a time.

    Those that a named scenario sets are left out: their ranges are those of the Base case.
    """
    of_plan, base, own = plan.show_case(first.case), plan.case(FROM), plan.case(first.case)
    result = swings(of_plan, of_model(of_plan, line, first.row[MODEL]))
    risks = [swing for swing in result if base[swing[0]] == own[swing[0]] or first.case in CASES][:MOST_RISKS]
    titles = {driver.name: driver.title for driver in plan.drivers}
    return [
        f"{titles[name]} {low} to {high}: {show_number(least, 'USD')} to {show_number(most, 'USD')}"
        for name, low, high, least, most, _ in risks
    ]


def _part(plan: Plan, part: str, viable: Sequence[Option], units: Mapping[str, str]) -> str:
    words = [piece if isinstance(piece, str) else _name_option(plan, piece, viable, units) for piece in pieces(part)]
    return "" if None in words else "".join(text for text in words if text)


def _name_option(plan: Plan, item: Named, viable: Sequence[Option], units: Mapping[str, str]) -> str | None:
    """Return what is named as people read it; None for 0 and for what is not there."""
    if item.place > len(viable):
        return None
    case, row = viable[item.place - 1]
    if item.name in (MODEL, ACCELERATOR):
        return plan.accelerators[case].title if item.name == ACCELERATOR else _model(plan, viable, item.place)
    dimension = plan.program.inputs.get(item.name)
    value = row[item.name] if dimension is None else plan.case(case)[item.name]
    if dimension is not None and item.words:
        return item.words[dimension.labels.index(label(dimension, value)) if dimension.labels else int(value)]
    unit = units.get(item.name) if dimension is None else dimension.unit
    if unit is None or no_number(value) is not None or not value:
        return None
    return show_number(value, unit).removesuffix(f" {unit}") if item.plain else show_number(value, unit)


def _model(plan: Plan, viable: Sequence[Option], place: int) -> str:
    """Return the model in a place, with its scenario where that is another than the first one's."""
    (first, _), (case, row) = viable[0], viable[place - 1]
    return str(row[MODEL]) if case == first else f"{plan.titles[case]}, {row[MODEL]}"


def worded(plan: Plan) -> list[Best]:
    """Return the answers in words of what was asked; where that has none, of the questions that come along."""
    said = {one.name: best for one in plan.questions if (best := one.described.best) and best.said}
    asked = [best for name, best in said.items() if name in plan.asked]
    return asked or [*said.values()]


def answers(plan: Plan) -> Iterator[str]:
    """Give the answer of each question that has one in words."""
    for best in worded(plan) if plan.costed else ():
        yield from sentence(plan, best)
