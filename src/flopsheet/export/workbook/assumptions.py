"""The sheets Assumptions and Budget: a row a driver, and a row a scenario with all drivers and what they buy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.configs.addresses import letters, quoted
from flopsheet.export.workbook.card import lowered
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.units import readable, times
from flopsheet.export.xlsx import Column, TableFill, Value
from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.plan import CASES, Plan
from flopsheet.planning.sensitivity import Case, cases

if TYPE_CHECKING:
    from flopsheet.export.xlsx.book import Table
    from flopsheet.planning.catalogue import Driver

HEADERS = ("Block", "Input", "Unit", "Low", "Base", "High", "Live", "Source", "Date", "Comment", "Name")
BIG = ("budget_flop", "flops_per_accelerator", "budget_cost", "energy_kwh", "energy_cost", "carbon_kg")


def drivers_table(plan: Plan) -> TableFill:
    """Return the table of drivers; Live is the case that the scenario chooses."""
    live = "INDEX(drivers[[#This Row],[Low]:[High]],in_scenario)"
    columns = tuple(Column(header, live if header == "Live" else None) for header in HEADERS)
    rows = [_driver(plan, driver) for driver in plan.drivers]
    return TableFill(rows, columns, height=heights({7: (52, 8), 9: (44, 8)}))


def driver_names(plan: Plan, table: Table) -> dict[str, str]:
    """Return the defined name of each driver's live cell in the template's table."""
    sheet, column = quoted(table.sheet), letters(table.area.left + HEADERS.index("Live"))
    rows = enumerate(plan.drivers, start=table.area.top + 1)
    return {f"in_{driver.name}": f"{sheet}!${column}${row}" for row, driver in rows}


def budget_table(plan: Plan) -> TableFill:
    """Return the table Budget: a row a driver or line of the cluster, the scenarios across, in readable units."""
    titles = {driver.name: driver.title for driver in plan.drivers} | {line.name: line.label for line in CLUSTER_LINES}
    texts = {line.name: formula.read(line.formula) for line in CLUSTER_LINES}
    words = {name: text.markdown(lambda word: lowered(titles[word])) for name, text in texts.items()}
    said = [("Driver", driver.title, driver.unit, driver.name) for driver in plan.drivers]
    said += [("Result", line.label, line.unit, line.name) for line in CLUSTER_LINES]
    known = {case: plan.case(case) | plan.cluster[case] for case in CASES}
    rows: list[list[Value]] = []
    for part, title, plain_unit, name in said:
        unit = readable(plain_unit, known["base"][name])
        scale = times(unit, plain_unit)
        values = [plain(known[case][name]) / scale for case in (*CASES, plan.scenario)]
        rows.append([part, title, unit, *values, words.get(name, ""), plain_unit, scale, name])
    last = CLUSTER_LINES[-1].name
    columns = [Column(header) for header in ("Part", "Line", "Unit")]
    columns += [Column(header, _found(header, last)) for header in (*(case.capitalize() for case in CASES), "Live")]
    columns += [Column(header) for header in ("In words", "Plain unit", "Times", "Id")]
    return TableFill(rows, tuple(columns), height=heights({7: (74, 9)}))


def _found(header: str, last: str) -> str:
    row = "in_scenario" if header == "Live" else str(CASES.index(header.lower()) + 1)
    columns = f"[no]:[{last}]"
    found = f"INDEX(cases[{columns}],{row},MATCH({here('budget', 'Id')},cases[[#Headers],{columns}],0))"
    return f"{found}/{here('budget', 'Times')}"


def cases_table(plan: Plan) -> TableFill:
    """Return the table of cases: every row carries all drivers, and the same formulas.

    The scenarios come first, then the live one, then the live one with one driver after the other at Low and High.
    """
    number = here("cases", "no")
    scenario = f"IF({number}<=COLUMNS(drivers[[Low]:[High]]),{number},in_scenario)"
    columns = [
        Column("no", like="no", above=("No", "")),
        Column("case", like="case", above=("Case", "")),
        Column("scenario", scenario, "scenario", ("Scenario", "place")),
        Column("changed", like="changed", above=("Changed input", "")),
        Column("side", like="side", above=("to its", "place")),
        *(_driver_column(driver) for driver in plan.drivers),
        *(
            Column(
                line.name,
                formula.read(line.formula).excel(lambda name: here("cases", name)),
                "big" if line.name in BIG else "result",
                (line.label, line.unit),
            )
            for line in CLUSTER_LINES
        ),
    ]
    return TableFill([_case(number, case) for number, case in enumerate(cases(plan), start=1)], tuple(columns))


def _driver(plan: Plan, driver: Driver) -> list[Value]:
    low, base, high = driver.cases
    live = plan.case(plan.scenario)[driver.name]
    said = [driver.source, driver.date, driver.about, driver.name]
    return [driver.block.capitalize(), driver.title, driver.unit, low, base, high, plain(live), *said]


def _driver_column(driver: Driver) -> Column:
    found = f'MATCH("{driver.name}",drivers[Name],0)'
    chosen = f'IF({here("cases", "changed")}="{driver.name}",{here("cases", "side")},{here("cases", "scenario")})'
    text = f"INDEX(drivers[[Low]:[High]],{found},{chosen})"
    return Column(driver.name, text, "driver", (driver.title, driver.unit))


def _case(number: int, case: Case) -> list[Value]:
    drivers: list[Value] = [plain(value) for value in case.drivers.values()]
    results: list[Value] = [plain(case.results[line.name]) for line in CLUSTER_LINES]
    return [number, case.label, case.scenario, case.changed, case.side or None, *drivers, *results]
