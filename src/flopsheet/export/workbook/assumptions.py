"""The sheets Assumptions and Budget: a row a driver, and a row a scenario with all drivers and what they buy."""

from __future__ import annotations

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.xlsx import Column, TableFill, Value
from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.catalogue import Driver
from flopsheet.planning.plan import CASES, Plan

BIG = ("budget_flop", "flops_per_accelerator", "budget_cost", "energy_kwh", "energy_cost", "carbon_kg")


def drivers_table(plan: Plan) -> TableFill:
    """Return the table of drivers; Live is the case that the scenario chooses."""
    live = "INDEX(drivers[[#This Row],[Low]:[High]],in_scenario)"
    headers = ("Block", "Input", "Unit", "Low", "Base", "High", "Live", "Source", "Date", "Comment", "Name")
    columns = tuple(Column(header, live if header == "Live" else None) for header in headers)
    return TableFill([_driver(plan, driver) for driver in plan.drivers], columns)


def driver_names(plan: Plan, sheet: str, first_row: int) -> dict[str, str]:
    """Return the defined name of each driver's live cell."""
    return {f"in_{d.name}": f"'{sheet}'!$G${row}" for row, d in enumerate(plan.drivers, start=first_row)}


def cases_table(plan: Plan) -> TableFill:
    """Return the table of scenarios: every row carries all drivers, and the same formulas."""
    names = {driver.name for driver in plan.drivers}
    columns = [
        Column("no", like="no", above=("No", "")),
        Column("case", like="case", above=("Scenario", "")),
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
    assert names.isdisjoint(line.name for line in CLUSTER_LINES)
    return TableFill([_case(plan, number, case) for number, case in enumerate(CASES, start=1)], tuple(columns))


def _driver(plan: Plan, driver: Driver) -> list[Value]:
    low, base, high = driver.cases
    live = plan.case(plan.scenario)[driver.name]
    said = [driver.source, driver.date, driver.about, driver.name]
    return [driver.block.capitalize(), driver.title, driver.unit, low, base, high, plain(live), *said]


def _driver_column(driver: Driver) -> Column:
    found = f'MATCH("{driver.name}",drivers[Name],0)'
    text = f"INDEX(drivers[[Low]:[High]],{found},{here('cases', 'no')})"
    return Column(driver.name, text, "driver", (driver.title, driver.unit))


def _case(plan: Plan, number: int, case: str) -> list[Value]:
    drivers: list[Value] = [plain(value) for value in plan.case(case).values()]
    results: list[Value] = [plain(plan.cluster[case][line.name]) for line in CLUSTER_LINES]
    return [number, case.capitalize(), *drivers, *results]
