"""Figures in the workbook: their named cells, those of every plan's questions on About alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import no_number
from flopsheet.accounting.values import plain
from flopsheet.export.layout.spec import CoverLayout, DriverLayout, FigureLayout, figure_name
from flopsheet.export.workbook.assumptions import SCENARIO, case_number
from flopsheet.export.workbook.by_case import EACH_CASE, follows
from flopsheet.export.workbook.cells import MISSING, NEGLIGIBLE, unit_for, unit_size
from flopsheet.export.workbook.link_formulas import gather_line, name_by_case
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import CASE_KEY, CASES_TABLE
from flopsheet.planning.registry import BASE
from flopsheet.planning.sheet import cover_inputs
from flopsheet.units.readable import size
from livesheets import Formula, Value
from livesheets.excel import call, cell, column, literal

if TYPE_CHECKING:
    from flopsheet.planning.answers import Answer
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Figure, Question
    from livesheets.excel import Expression

Cells = dict[str, Value | Formula]
STALE = f"{TITLES['low']}, {TITLES['base']} and {TITLES['high']} are as delivered; inputs have changed since"

WORDS = {"flag": "yes or no"}
"""What figures show in place of units."""
CHANGED = "Inputs have changed since"
"""The same next to named scenarios, whose formulas are longer."""


def figure_key(question: Question, figure: Figure) -> str:
    """Return what the names of a figure's cells hold: that of its question too, if not every plan asks it."""
    return figure.name if question.name in BASE else f"{question.name}_{figure.name}"


def figure_layout(program: Program, question: Question, figure: Figure, models: int = 0) -> FigureLayout:
    """Return what the layout of a figure needs to know."""
    is_shared = figure.table == CASES_TABLE
    return FigureLayout(figure_key(question, figure), is_shared, program.unit(figure), follows(program, figure, models))


def cover_layout(
    program: Program, scenarios: tuple[str, ...] = (), lead: str = "", without: tuple[str, ...] = ()
) -> CoverLayout:
    """Return the figures and inputs of the questions that every plan asks, or the inputs of the one that leads."""
    figures = () if lead else tuple(figure_layout(program, *pair) for pair in program.figures if pair[0].name in BASE)
    inputs = cover_inputs(program, (lead,) if lead else BASE)
    drivers = tuple(DriverLayout(driver.name, driver.unit == "share") for driver in inputs)
    return CoverLayout(figures, drivers, scenarios, lead, without)


def base_answers(plan: Plan) -> list[Answer]:
    """Return the figures of the questions that every plan asks."""
    return [answer for answer in plan.answers() if answer.question.name in BASE]


def unit_of(answer: Answer) -> str:
    """Return the unit in which people read the Base case of a figure."""
    return unit_for(answer.unit, answer.numbers["base"])


def figure_cells(plan: Plan, answer: Answer) -> Cells:
    """Return the cells of a figure by name: what it is, its unit, its live value, and that of each case."""
    figure, key, unit = answer.figure, figure_key(answer.question, answer.figure), unit_of(answer)
    live = gather_line(figure.how, plan.program.tables[figure.table], figure.line)
    names: Cells = {
        f"lbl_{key}": figure.title,
        f"unit_{key}": WORDS.get(unit, unit),
        f"abt_{key}": figure.about,
        f"out_{key}": Formula(live / unit_size(unit, answer.unit)),
    }
    for row, case in enumerate(CASES, start=1):
        names[figure_name(case, key)] = figure_in_case(plan, answer, row)
    if answer.question.name in BASE and figure.table == CASES_TABLE:
        return names
    return names | {f"since_{key}": "" if follows(plan.program, figure, len(plan.costed)) else _since(plan, key)}


def figure_in_case(plan: Plan, answer: Answer, row: int, times: int = 1) -> Value | Formula:
    """Return a figure in a case by its place, so many times: live where it can be, else as delivered."""
    unit = unit_of(answer)
    if follows(plan.program, answer.figure, len(plan.costed)):
        result = _in_case(plan, answer, row) / unit_size(unit, answer.unit)
        return Formula(result * times if times > 1 else result)
    number = answer.numbers[plan.cases[row - 1]]
    if no_number(number) is not None:
        return Formula(MISSING)
    return plain(number) / size(unit, answer.unit) * times


def _in_case(plan: Plan, answer: Answer, row: int) -> Expression:
    """Return the formula of a figure in a case, by the case's place."""
    figure = answer.figure
    if figure.table == CASES_TABLE:
        return call("INDEX", column(CASES_TABLE, figure.line), row)
    table = plan.program.tables[figure.table]
    by_case = table._replace(name=name_by_case(table.name), rows=(EACH_CASE, *table.rows))
    number = case_number(row, plan.titles[plan.cases[row - 1]])
    conditions = [(column(by_case.name, CASE_KEY), literal(number))]
    return gather_line(figure.how, by_case, figure.line, conditions, (EACH_CASE,))


def figure_meanings(answer: Answer) -> dict[str, tuple[str, str, str]]:
    """Return title, unit and meaning of a figure's cells with numbers."""
    key, what = figure_key(answer.question, answer.figure), (answer.figure.title, unit_of(answer), answer.figure.about)
    return {figure_name(cell, key): what for cell in ("out", *CASES)}


def _since(plan: Plan, key: str) -> Formula:
    """Return what says that numbers of the cases are no longer those of the inputs; named scenarios keep none."""
    live = cell(f"out_{key}")
    cases = [cell(f"out_{key}_{case}") for case in CASES] + [live] * len(plan.named)
    case_value = call("CHOOSE", SCENARIO, *cases)
    same = call("ABS", case_value - live) <= NEGLIGIBLE * call("ABS", live)
    if plan.has_gaps:
        is_broken = call("ISERROR", case_value)
        same = call("IF", call("ISERROR", live), is_broken, call("IF", is_broken, literal(value=False), same))
    return Formula(call("IF", same, "", CHANGED if plan.named else STALE))
