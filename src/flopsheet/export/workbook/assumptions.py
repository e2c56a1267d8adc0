"""The sheets Assumptions and Budget: a row a driver, and a row a scenario with all drivers and what they buy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.axes import grid_axes, most_expensive
from flopsheet.export.workbook.card import lowered
from flopsheet.export.workbook.cells import here, listed
from flopsheet.export.workbook.formula_names import choices, refer, titles
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.link_formulas import link_formula
from flopsheet.export.workbook.model_columns import fact_titles
from flopsheet.export.workbook.models import own_header
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.export.workbook.row_formulas import own_or
from flopsheet.planning.inputs import TITLES, written
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE, OVERRIDE
from flopsheet.planning.sensitivity import POINTS, Case, cases
from flopsheet.spreadsheet.addresses import letters, quoted
from flopsheet.spreadsheet.engine import Column, Formula, TableFill, Value
from flopsheet.spreadsheet.engine.model import RowChoices
from flopsheet.units.readable import readable, readable_units, size

if TYPE_CHECKING:
    from flopsheet.accounting.line import Line, Number
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from flopsheet.spreadsheet.engine.book import Table

DOWN, ACROSS = "out_grid_down", "out_grid_across"
"""The cells with the names of the two inputs that the grid on Sensitivity moves."""
TIMES, VALUE = "Times", "Value"
"""How many plain units the shown one is, and the live value in plain units: a choice's place in its list."""
OF_ENDS = f"[{TITLES['low']}]:[{TITLES['high']}]"
"""The columns of the cases that every plan has."""
CHOICE = "choice"
"""What stands in the place of a unit where a word is chosen."""
MANY = 10**7
"""From here on, people read a number in a larger unit."""


def of_cases(plan: Plan) -> str:
    """Return the columns of all cases as formulas read them, named scenarios included."""
    first, *_, last = map(_value, plan.titles.values())
    return f"[{first}]:[{last}]"


def drivers_table(plan: Plan) -> TableFill:
    """Return the table of drivers: as people type them and, behind their names, as formulas read them."""
    columns, words = _columns(plan), _words(plan)
    rows = listed(columns, [_driver(driver, len(words)) for driver in plan.drivers])
    tall = {len(plan.titles) + 4: (74, 8), len(plan.titles) + 6: (44, 8)}
    return TableFill(rows, columns, height=heights(tall), row_choices=_choices(plan))


def _columns(plan: Plan) -> tuple[Column, ...]:
    cases, words = list(plan.titles.values()), _words(plan)
    return (
        *map(Column, ("Block", "Input", "Unit", *cases)),
        Column("Live", f"INDEX(drivers[[#This Row],[{cases[0]}]:[{cases[-1]}]],in_scenario)"),
        *map(Column, ("Source", "Date", "Comment", "Name", TIMES)),
        *(Column(_value(case), _plain(case, words[-1]), like=_value(TITLES["base"])) for case in cases),
        *(Column(point(k), text, like=_value(TITLES["base"])) for k, text in enumerate(_points(), start=1)),
        Column(VALUE, f"INDEX(drivers[[#This Row],{of_cases(plan)}],in_scenario)"),
        *(Column(word, like=_word(1)) for word in words),
    )


def _words(plan: Plan) -> list[str]:
    """Return the headers of the columns with the words of choices: one at least, which shows how they look."""
    most = max((len(one.input.labels) for one in plan.drivers), default=0)
    return [_word(place) for place in range(1, 1 + max(1, most))]


def _value(case: str) -> str:
    """Return the header of the column with a case as formulas read it."""
    return f"{case} value"


def place_span(plan: Plan, place: int) -> str:
    """Return the columns of all cases and of the points up to a place: what a row of cases chooses from."""
    first, *_ = map(_value, plan.titles.values())
    return f"[{first}]:[{point(place)}]"


def point(place: int) -> str:
    """Return the header of the column with a point between Low cost and High cost as formulas read it."""
    return f"Point {place}"


def _points() -> list[str]:
    """Return the formulas of the points at even steps from Low cost to High cost; of a choice its nearest places."""
    low, high = (here("drivers", _value(TITLES[end])) for end in ("low", "high"))
    middle = f"({low}+{high})/2"
    between = (f"({low}+{middle})/2", middle, f"({high}+{middle})/2")
    is_choice = f"ISTEXT({here('drivers', TITLES['low'])})"
    return [low, *(f"IF({is_choice},ROUND({text},0),{text})" for text in between), high]


def _word(place: int) -> str:
    """Return the header of the column with a choice's word of this place."""
    return f"Choice {place}"


def _plain(case: str, last: str) -> str:
    """Return the formula of a case as formulas read it: a word's place in the row's list, or plain units."""
    shown, words = here("drivers", case), f"drivers[[#This Row],[{_word(1)}]:[{last}]]"
    return f"IF(ISTEXT({shown}),MATCH({shown},{words},0),{shown}*{here('drivers', TIMES)})"


def _choices(plan: Plan) -> list[RowChoices]:
    first, *_, last = plan.titles.values()
    rows = ((row, len(driver.input.labels)) for row, driver in enumerate(plan.drivers))
    return [RowChoices(row, (first, last), (_word(1), _word(count))) for row, count in rows if count]


def driver_names(plan: Plan, table: Table) -> dict[str, str]:
    """Return the defined name of the cell with each driver's live value in the template's table."""
    place = [column.header for column in _columns(plan)].index(VALUE)
    sheet, column = quoted(table.sheet), letters(table.area.left + place)
    rows = enumerate(plan.drivers, start=table.area.top + 1)
    return {f"in_{driver.name}": f"{sheet}!${column}${row}" for row, driver in rows}


def budget_table(plan: Plan) -> TableFill:
    """Return the table Budget: a row a driver or line of the cluster, the scenarios across, in readable units."""
    said_as = titles(plan.program, plan.program.tables[CASES_TABLE])
    texts = {line.name: formula.read(line.formula) for line in plan.case_lines}
    words = {name: text.markdown(lambda word: lowered(said_as[word])) for name, text in texts.items()}
    said = [("Driver", one.title, one.unit, one.name) for one in plan.drivers if not one.input.labels]
    said += [("Result", line.label, line.unit, line.name) for line in plan.case_lines]
    base = plan.case("base") | plan.cluster["base"]
    rows: list[list[Value]] = []
    for part, title, plain_unit, name in said:
        unit = readable(plain_unit, base[name])
        rows.append([part, title, unit, words.get(name, ""), plain_unit, size(unit, plain_unit), name])
    last = plan.case_lines[-1].name
    columns = [Column(header) for header in ("Part", "Line", "Unit")]
    cases = list(plan.titles.values())
    columns += [Column(header, _found(str(row), last)) for row, header in enumerate(cases, start=1)]
    columns += [Column("Live", _found("in_scenario", last))]
    columns += [Column(header) for header in ("In words", "Plain unit", "Times", "Id")]
    return TableFill(listed(columns, rows), tuple(columns), height=heights({4 + len(cases): (74, 9)}))


def _found(row: str, last: str) -> str:
    columns = f"[no]:[{last}]"
    found = f"INDEX(cases[{columns}],{row},MATCH({here('budget', 'Id')},cases[[#Headers],{columns}],0))"
    return f"{found}/{here('budget', 'Times')}"


def cases_table(plan: Plan) -> TableFill:
    """Return the table of cases: every row carries all drivers, and the same formulas.

    The scenarios come first, then the live one, then the live one with one driver after the other at its two ends,
    then the live one with the two inputs of the grid at all of their points.
    """
    number = here("cases", "no")
    scenario = f"IF({number}<=COLUMNS(drivers[{of_cases(plan)}]),{number},in_scenario)"
    table = plan.program.tables[CASES_TABLE]
    said = refer(plan.program, table)
    checks = [check for _, check in plan.program.checks if check.table == CASES_TABLE]
    columns = [
        Column("no", like="no", above=("No", "")),
        Column("case", like="case", above=("Case", "")),
        Column("scenario", scenario, "scenario", ("Scenario", "place")),
        Column("changed", like="changed", above=("Changed input", "")),
        Column("side", like="side", above=("to its", "place")),
        Column("across_side", like="side", above=("Grid: across", "place")),
        Column(
            "moved",
            f'IF({here("cases", "across_side")},{DOWN},{here("cases", "changed")}&"")',
            "changed",
            ("Moved input", ""),
        ),
        Column(
            "across",
            f'IF({here("cases", "across_side")}*({DOWN}<>{ACROSS}),{ACROSS},"")',
            "changed",
            ("Moved across", ""),
        ),
        *(_driver_column(plan, driver) for driver in plan.drivers),
        *(Column(link.name, None, "result", (link.title or link.name, "")) for link in table.links),
        *(
            Column(
                line.name,
                formula.read(line.formula).excel(said),
                "big" if readable_units(line.unit) else "result",
                (line.label, line.unit),
            )
            for line in plan.case_lines
        ),
        *_chosen_columns(plan),
        *(
            Column(check_header(check.name), formula.read(check.formula).excel(said), "result", (check.title, ""))
            for check in checks
        ),
    ]
    model = most_expensive(plan)
    rows = [_case(plan, place, case, model) for place, case in enumerate(cases(plan, grid_axes(plan)), start=1)]
    return TableFill(rows, tuple(columns))


def _driver(driver: Assumption, words: int) -> list[Value]:
    labels, unit = driver.input.labels, shown_unit(driver)
    times = 1 if labels else size(unit, driver.unit)
    shown = [written(driver.input, value) if labels else _in_unit(value, times) for value in driver.cases]
    notes = [driver.source, driver.date, driver.about, driver.name]
    choices = [*labels, *[None] * (words - len(labels))]
    return [driver.section.capitalize(), driver.title, unit, *shown, *notes, times, *choices]


def shown_unit(driver: Assumption) -> str:
    """Return the unit in which an input is shown: a readable one of large numbers that are exact in it."""
    if driver.input.labels:
        return driver.unit or CHOICE
    if driver.base is None or driver.base < MANY:
        return driver.unit
    unit = readable(driver.unit, driver.base)
    times = size(unit, driver.unit)
    exact = all(plain(value) == _in_unit(value, times) * times for value in driver.cases)
    return unit if exact and driver.base >= times else driver.unit


def _in_unit(value: Number, times: float) -> int | float:
    return plain(value) if times == 1 else plain(Fraction(value) / times)


def _driver_column(plan: Plan, driver: Assumption) -> Column:
    found = f'MATCH("{driver.name}",drivers[Name],0)'
    scenario = here("cases", "scenario")
    moves = [
        f'({here("cases", name)}="{driver.name}")*({here("cases", side)}-{scenario})'
        for name, side in (("moved", "side"), ("across", "across_side"))
    ]
    text = f"INDEX(drivers[{place_span(plan, POINTS)}],{found},{'+'.join([scenario, *moves])})"
    return Column(driver.name, text, "driver", (driver.title, driver.unit))


def _case(plan: Plan, place: int, case: Case, model: int | None) -> list[Value | Formula]:
    drivers: list[Value] = [plain(value) for value in case.drivers.values()]
    links: list[Value | Formula] = [plain(value) for value in case.links.values()]
    if case.label == "Live":
        program = plan.program
        table = program.tables[CASES_TABLE]
        links = [Formula(link_formula(program, table, link), plain(case.links[link.name])) for link in table.links]
    results: list[Value] = [plain(case.results[line.name]) for line in plan.case_lines]
    checks = [None for _, check in plan.program.checks if check.table == CASES_TABLE]
    chosen: list[Value] = (
        _chosen(plan, case, plan.models[model - 1]) if model is not None else [None] * len(_chosen_columns(plan))
    )
    first: list[Value] = [place, case.label, case.scenario, case.changed, case.side or None, case.across_side or None]
    first += [None, None]
    return [*first, *drivers, *links, *results, *chosen, *checks]


def _chosen(plan: Plan, case: Case, model: Costed) -> list[Value]:
    """Return the facts and lines of the chosen model in one case."""
    lines = plan.alone(model, case.drivers)
    known = {**case.drivers, **plan.own(model), OVERRIDE: model.model.drivers.get("tokens", 0)}
    facts = (known[name] if name in known else model.numbers.get(name, 0) for name in chosen_facts(plan))
    return [*map(plain, facts), *(plain(lines[line.name]) for line in chosen_lines(plan))]


CHOSEN_MODEL = "out_sensitivity_model_row"
"""The row of Models with the model whose lines stand in the table of cases."""


def chosen_header(line: str) -> str:
    """Return the header of the column with a line of the chosen model in the table of cases."""
    return f"chosen_{line}"


def result_columns(plan: Plan) -> str:
    """Return the columns of the table of cases that hold results."""
    names = [line.name for line in plan.case_lines] + [chosen_header(line.name) for line in chosen_lines(plan)]
    return f"cases[[{names[0]}]:[{names[-1]}]]"


def chosen_lines(plan: Plan) -> list[Line]:
    """Return the lines of the chosen model: those that need nothing but inputs, the model's totals and each other."""
    known = {*(one.name for one in plan.drivers), *choices(plan.program), *plan.facts, OVERRIDE}
    lines = {line.name: line for line in plan.model_lines}
    ordered = [lines[name] for table, name in plan.program.order if table == MODELS_TABLE]
    found = set()
    for line in ordered:
        if known >= set(formula.read(line.formula).names):
            known.add(line.name)
            found.add(line.name)
    return [line for line in plan.model_lines if line.name in found]


def chosen_facts(plan: Plan) -> list[str]:
    """Return what the chosen model brings along to its lines: totals of its ledger, and inputs of its own."""
    flags, inputs = choices(plan.program), {one.name for one in plan.drivers}
    lines = chosen_lines(plan)
    read = {name for line in lines for name in formula.read(line.formula).names}
    read |= {flags[name].input for name in read & flags.keys()}
    known = inputs | flags.keys() | {line.name for line in lines}
    return [*sorted(read - known), *(name for name in plan.own_inputs if name in read)]


def _chosen_columns(plan: Plan) -> list[Column]:
    """Return the facts and lines of one model, under the inputs of each row: what the budget does for the cluster.

    Without a costed model they are blank.
    """
    lines, facts = chosen_lines(plan), chosen_facts(plan)
    names, flags = {*facts, *(line.name for line in lines)}, choices(plan.program)

    def said(name: str) -> str:
        if name in flags:
            return flags[name].excel(said(flags[name].input))
        return here("cases", chosen_header(name) if name in names else name)

    return [
        *(Column(chosen_header(name), _chosen_fact(plan, name), "driver", _above(plan, name)) for name in facts),
        *(
            Column(
                chosen_header(one.name),
                formula.read(one.formula).excel(said) if plan.costed else None,
                "big",
                (one.label, one.unit),
            )
            for one in lines
        ),
    ]


def _chosen_fact(plan: Plan, name: str) -> str | None:
    """Return the formula of what the chosen model brings along; of its own inputs the row's where it has none."""
    if not plan.costed:
        return None
    if name not in plan.own_inputs:
        return f"INDEX(models[{name}],{CHOSEN_MODEL})"
    return own_or(f"INDEX(models[{own_header(name)}],{CHOSEN_MODEL})", here("cases", name))


def _above(plan: Plan, name: str) -> tuple[str, str]:
    """Return the title and unit of what a model brings along."""
    one = plan.program.inputs.get(name)
    return (one.title, one.unit) if one else fact_titles(plan).get(name, (name, ""))
