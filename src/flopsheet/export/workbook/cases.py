"""The table of cases: a row a scenario, and a row an input at one of its ends, with what they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.export.workbook.assumptions import SCENARIO, driver_row, of_cases, point
from flopsheet.export.workbook.axes import chosen_lines, grid_axes, most_expensive, movers
from flopsheet.export.workbook.cells import cell_number, constant
from flopsheet.export.workbook.excel_form import excel_form, own_or
from flopsheet.export.workbook.formula_names import checks_of, flag_formula, names_read, own_header, refer
from flopsheet.export.workbook.link_formulas import link_formula
from flopsheet.export.workbook.model_columns import meaning_of
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.export.workbook.table_columns import RAW, width_of
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.question import CASES_TABLE, OVERRIDE
from flopsheet.planning.sensitivity import POINTS, Case, cases
from flopsheet.units.readable import readable_units, size
from livesheets import Column, Formula, TableFill, Value
from livesheets.excel import add_all, call, cell, column, here

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from livesheets.excel import Expression

UNMET = "unmet_checks"
"""The column with the number of checks that fail or warn in a case, as delivered."""
DOWN, ACROSS = "out_grid_down", "out_grid_across"
"""The cells with the names of the two inputs that the grid on Sensitivity moves."""


def cases_table(plan: Plan) -> TableFill:
    """Return the table of cases: every row carries all drivers, and the same formulas.

    The scenarios come first, then the live one, then the live one with each driver that can move a result at its two
    ends, then the live one with the two inputs of the grid at all of their points.
    """
    number = here("cases", "no")
    is_case, side = number <= call("COLUMNS", column("drivers", *of_cases(plan))), here("cases", "across_side")
    moved_input = call("IF", side, cell(DOWN), here("cases", "changed") & "")
    across = call("IF", side * (cell(DOWN) != cell(ACROSS)), cell(ACROSS), "")
    table = plan.program.tables[CASES_TABLE]
    refer_to = refer(plan.program, table)

    def text_of(text: str) -> Expression:
        return excel_form(formula.read(text), refer_to)

    checks = checks_of(plan.program, CASES_TABLE)
    columns = [
        Column("no", like="no", above=("No", "")),
        Column("case", like="case", above=("Case", "")),
        Column("scenario", call("IF", is_case, number, SCENARIO), "scenario", ("Case no.", "")),
        Column("changed", like="changed", above=("Changed input", "")),
        Column("side", like="side", above=("Value no.", "")),
        Column("across_side", like="side", above=("Value no. across", "")),
        Column("moved", moved_input, "changed", ("Moved input", "")),
        Column("across", across, "changed", ("Moved across", "")),
        *(_driver_column(plan, driver) for driver in plan.drivers),
        *(Column(link.name, None, "result", (link.title or link.name, "")) for link in table.links),
        *(_line_column(line.name, line, text_of(line.formula)) for line in plan.case_lines),
        *_chosen_columns(plan),
        *(Column(check_header(check.name), text_of(check.formula), "result", (check.title, "")) for check in checks),
        Column(UNMET, None, "result", ("Checks that fail or warn, as delivered", "")),
    ]
    alone = _ChosenModel.of(plan)
    all_cases = cases(plan, movers(plan), grid_axes(plan))
    rows = [_case(plan, place, case, alone) for place, case in enumerate(all_cases, start=1)]
    return TableFill(rows, tuple(_roomy(columns, rows)))


def _roomy(columns: Sequence[Column], rows: Sequence[Sequence[Value | Formula]]) -> Iterator[Column]:
    """Give the columns, those wider whose numbers or names of cases need more than the template's least."""
    for spec, values in zip(columns, zip(*rows, strict=True), strict=True):
        wide = width_of(values)
        yield spec if spec.like == "big" or wide <= RAW else replace(spec, width=wide)


def _line_column(header: str, line: Line, text: Expression | None) -> Column:
    """Return the column of a line: whole numbers where people read them in thousands and more of the unit."""
    look = "big" if any(size(unit, line.unit) > 1 for unit in readable_units(line.unit)) else "result"
    return Column(header, text, look, (line.label, line.unit))


def _driver_column(plan: Plan, driver: Assumption) -> Column:
    scenario = here("cases", "scenario")
    pairs = (("moved", "side"), ("across", "across_side"))
    moves = ((here("cases", name) == driver.name) * (here("cases", side) - scenario) for name, side in pairs)
    values = column("drivers", of_cases(plan)[0], point(POINTS))
    result = call("INDEX", values, driver_row(driver.name), add_all([scenario, *moves]))
    return Column(driver.name, result, "driver", (driver.title, driver.unit))


def _case(plan: Plan, place: int, case: Case, alone: _ChosenModel) -> list[Value | Formula]:
    def held_in(values: Iterable[Number]) -> list[Value]:
        return [None if plan.has_gaps else cell_number(value) for value in values]

    drivers = held_in(case.drivers.values())
    links: list[Value | Formula] = [constant(value) for value in case.links.values()]
    if case.label == "Live":
        program = plan.program
        table = program.tables[CASES_TABLE]
        values = held_in(case.links[link.name] for link in table.links)
        pairs = zip(table.links, values, strict=True)
        links = [Formula(link_formula(program, table, link, has_gaps=plan.has_gaps), value) for link, value in pairs]
    results = held_in(case.results[line.name] for line in plan.case_lines)
    checks = [None for _ in checks_of(plan.program, CASES_TABLE)]
    chosen_values = alone.values(plan, case)
    first: list[Value] = [place, case.label, case.scenario, case.changed, case.side or None, case.across_side or None]
    unmet = [sum(name in result.cases for result in check_results(plan)) for name in plan.cases[place - 1 : place]]
    return [*first, None, None, *drivers, *links, *results, *chosen_values, *checks, unmet[0] if unmet else None]


class _ChosenModel(Struct, frozen=True):
    """The model whose results may be chosen, as delivered, None without a costed one, and what gives its results."""

    model: Costed | None
    facts: Sequence[str]
    lines: Sequence[str]

    @classmethod
    def of(cls, plan: Plan) -> _ChosenModel:
        number = most_expensive(plan)
        model = None if number is None else plan.models[number - 1]
        return cls(model, chosen_facts(plan), [line.name for line in chosen_lines(plan)])

    def values(self, plan: Plan, case: Case) -> list[Value]:
        """Return the facts and lines in one case."""
        if self.model is None or plan.has_gaps:
            return [None] * (len(self.facts) + len(self.lines))
        lines = plan.alone(self.model, case.drivers, self.lines)
        numbers = {**case.drivers, **plan.own(self.model), OVERRIDE: self.model.model.drivers.get("tokens", 0)}
        facts = (numbers[name] if name in numbers else self.model.numbers.get(name, 0) for name in self.facts)
        return [*map(cell_number, facts), *(cell_number(lines[name]) for name in self.lines)]


CHOSEN_MODEL = "out_sensitivity_model_row"
"""The row of Models with the model whose lines are in the table of cases."""


def chosen_header(line: str) -> str:
    """Return the header of the column with a line of the chosen model in the table of cases."""
    return f"chosen_{line}"


def of_chosen_model(header: str) -> Expression:
    """Return what a column of Models has of the chosen model."""
    return call("INDEX", column("models", header), cell(CHOSEN_MODEL))


def result_headers(plan: Plan) -> tuple[str, str]:
    """Return the first and last of the columns of the table of cases that hold results."""
    names = [line.name for line in plan.case_lines] + [chosen_header(line.name) for line in chosen_lines(plan)]
    return names[0], names[-1]


def result_columns(plan: Plan) -> Expression:
    """Return the columns of the table of cases that hold results."""
    return column("cases", *result_headers(plan))


def chosen_facts(plan: Plan) -> list[str]:
    """Return what the chosen model brings along to its lines: totals of its ledger, and inputs of its own."""
    flags, inputs = plan.program.choices, {driver.name for driver in plan.drivers}
    lines = chosen_lines(plan)
    read = names_read(plan.program, (line.formula for line in lines))
    names = inputs | flags.keys() | {line.name for line in lines}
    return [*sorted(read - names), *(name for name in plan.own_inputs if name in read)]


def _chosen_columns(plan: Plan) -> list[Column]:
    """Return the facts and lines of one model, under the inputs of each row: what the budget does for the cluster.

    Without a costed model they are blank.
    """
    lines, facts = chosen_lines(plan), chosen_facts(plan)
    titles = {name: meaning_of(plan, name) or (name, "") for name in facts}
    names, flags = {*facts, *(line.name for line in lines)}, plan.program.choices

    def word_of(name: str) -> Expression:
        if name in flags:
            choice, place = flags[name]
            return flag_formula(plan.program, choice, place, word_of(choice))
        return here("cases", chosen_header(name) if name in names else name)

    def text_of(line: Line) -> Expression | None:
        return excel_form(formula.read(line.formula), word_of) if plan.costed else None

    return [
        *(Column(chosen_header(name), _chosen_fact(plan, name), "driver", titles[name]) for name in facts),
        *(_line_column(chosen_header(line.name), line, text_of(line)) for line in lines),
    ]


def _chosen_fact(plan: Plan, name: str) -> Expression | None:
    """Return the formula of what the chosen model brings along; of its own inputs the row's where it has none."""
    if not plan.costed:
        return None
    if name not in plan.own_inputs:
        return of_chosen_model(name)
    return own_or(of_chosen_model(own_header(name)), here("cases", name))
