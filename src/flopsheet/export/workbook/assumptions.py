"""The sheets Assumptions and Budget: a row a driver, and a row a scenario with all drivers and what they buy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.card import lowered
from flopsheet.export.workbook.cells import here, listed
from flopsheet.export.workbook.gathering import link_formula
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.naming import refer, titles
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.planning.inputs import TITLES
from flopsheet.planning.question import CASES_TABLE
from flopsheet.planning.sensitivity import Case, cases
from flopsheet.spreadsheet.addresses import letters, quoted
from flopsheet.spreadsheet.engine import Column, Formula, TableFill, Value
from flopsheet.units.readable import readable, size

if TYPE_CHECKING:
    from flopsheet.planning.inputs import Assumption
    from flopsheet.planning.plan import Plan
    from flopsheet.spreadsheet.engine.book import Table

HEADERS = ("Block", "Input", "Unit", *TITLES.values(), "Live", "Source", "Date", "Comment", "Name")
OF_CASES = f"[{TITLES['low']}]:[{TITLES['high']}]"
"""The columns of the cases."""
BIG = (
    "budget_flop",
    "budget_flop_sparse",
    "flops_per_accelerator",
    "budget_cost",
    "energy_kwh",
    "energy_cost",
    "carbon_kg",
)


def drivers_table(plan: Plan) -> TableFill:
    """Return the table of drivers; Live is the case that the scenario chooses."""
    live = f"INDEX(drivers[[#This Row],{OF_CASES}],in_scenario)"
    columns = tuple(Column(header, live if header == "Live" else None) for header in HEADERS)
    rows = listed(columns, [_driver(driver) for driver in plan.drivers])
    return TableFill(rows, columns, height=heights({7: (52, 8), 9: (44, 8)}))


def driver_names(plan: Plan, table: Table) -> dict[str, str]:
    """Return the defined name of each driver's live cell in the template's table."""
    sheet, column = quoted(table.sheet), letters(table.area.left + HEADERS.index("Live"))
    rows = enumerate(plan.drivers, start=table.area.top + 1)
    return {f"in_{driver.name}": f"{sheet}!${column}${row}" for row, driver in rows}


def budget_table(plan: Plan) -> TableFill:
    """Return the table Budget: a row a driver or line of the cluster, the scenarios across, in readable units."""
    said_as = titles(plan.program, plan.program.tables[CASES_TABLE])
    texts = {line.name: formula.read(line.formula) for line in plan.case_lines}
    words = {name: text.markdown(lambda word: lowered(said_as[word])) for name, text in texts.items()}
    said = [("Driver", driver.title, driver.unit, driver.name) for driver in plan.drivers]
    said += [("Result", line.label, line.unit, line.name) for line in plan.case_lines]
    base = plan.case("base") | plan.cluster["base"]
    rows: list[list[Value]] = []
    for part, title, plain_unit, name in said:
        unit = readable(plain_unit, base[name])
        rows.append([part, title, unit, words.get(name, ""), plain_unit, size(unit, plain_unit), name])
    last = plan.case_lines[-1].name
    columns = [Column(header) for header in ("Part", "Line", "Unit")]
    columns += [Column(header, _found(header, last)) for header in (*TITLES.values(), "Live")]
    columns += [Column(header) for header in ("In words", "Plain unit", "Times", "Id")]
    return TableFill(listed(columns, rows), tuple(columns), height=heights({7: (74, 9)}))


def _found(header: str, last: str) -> str:
    row = "in_scenario" if header == "Live" else str([*TITLES.values()].index(header) + 1)
    columns = f"[no]:[{last}]"
    found = f"INDEX(cases[{columns}],{row},MATCH({here('budget', 'Id')},cases[[#Headers],{columns}],0))"
    return f"{found}/{here('budget', 'Times')}"


def cases_table(plan: Plan) -> TableFill:
    """Return the table of cases: every row carries all drivers, and the same formulas.

    The scenarios come first, then the live one, then the live one with one driver after the other at its two ends.
    """
    number = here("cases", "no")
    scenario = f"IF({number}<=COLUMNS(drivers[{OF_CASES}]),{number},in_scenario)"
    table = plan.program.tables[CASES_TABLE]
    said = refer(plan.program, table)
    checks = [check for _, check in plan.program.checks if check.table == CASES_TABLE]
    columns = [
        Column("no", like="no", above=("No", "")),
        Column("case", like="case", above=("Case", "")),
        Column("scenario", scenario, "scenario", ("Scenario", "place")),
        Column("changed", like="changed", above=("Changed input", "")),
        Column("side", like="side", above=("to its", "place")),
        *(_driver_column(driver) for driver in plan.drivers),
        *(Column(link.name, None, "result", (link.title or link.name, "")) for link in table.links),
        *(
            Column(
                line.name,
                formula.read(line.formula).excel(said),
                "big" if line.name in BIG else "result",
                (line.label, line.unit),
            )
            for line in plan.case_lines
        ),
        *(
            Column(check_header(check.name), formula.read(check.formula).excel(said), "result", (check.title, ""))
            for check in checks
        ),
    ]
    return TableFill([_case(plan, number, case) for number, case in enumerate(cases(plan), start=1)], tuple(columns))


def _driver(driver: Assumption) -> list[Value]:
    notes = [driver.source, driver.date, driver.about, driver.name]
    return [driver.section.capitalize(), driver.title, driver.unit, *driver.cases, *notes]


def _driver_column(driver: Assumption) -> Column:
    found = f'MATCH("{driver.name}",drivers[Name],0)'
    chosen = f'IF({here("cases", "changed")}="{driver.name}",{here("cases", "side")},{here("cases", "scenario")})'
    text = f"INDEX(drivers[{OF_CASES}],{found},{chosen})"
    return Column(driver.name, text, "driver", (driver.title, driver.unit))


def _case(plan: Plan, number: int, case: Case) -> list[Value | Formula]:
    drivers: list[Value] = [plain(value) for value in case.drivers.values()]
    links: list[Value | Formula] = [plain(value) for value in case.links.values()]
    if case.label == "Live":
        program = plan.program
        table = program.tables[CASES_TABLE]
        links = [Formula(link_formula(program, table, link), plain(case.links[link.name])) for link in table.links]
    results: list[Value] = [plain(case.results[line.name]) for line in plan.case_lines]
    checks = [None for _, check in plan.program.checks if check.table == CASES_TABLE]
    return [number, case.label, case.scenario, case.changed, case.side or None, *drivers, *links, *results, *checks]
