"""The sheet Sensitivity: what a result of the cluster becomes as one input after the other goes to its Low and High."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.units import readable, size
from flopsheet.export.xlsx import Column, Formula, TableFill, Value
from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.plan import CASES
from flopsheet.planning.sensitivity import OUTPUT, SIDES, cases

if TYPE_CHECKING:
    from flopsheet.planning.catalogue import Driver
    from flopsheet.planning.plan import Plan

TABLE, TORNADO = "sensitivity", "tornado"
TOP = 8
"""The inputs that the chart shows."""
CHANGES = ("Change at Low", "Change at High")
RESULTS = f"cases[[{CLUSTER_LINES[0].name}]:[{CLUSTER_LINES[-1].name}]]"


def sensitivity_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the chosen result, its unit, and its live value, from which the changes count."""
    names = [line.name for line in CLUSTER_LINES]
    line = CLUSTER_LINES[names.index(OUTPUT)]
    unit = readable(line.unit, plan.cluster["base"][OUTPUT])
    row = len(plan.drivers) + names.index(OUTPUT) + 1
    live = plain(plan.cluster[plan.scenario][OUTPUT]) / size(unit)
    headers = RESULTS.replace("cases[", "cases[[#Headers],", 1)
    base = f'INDEX({RESULTS},MATCH("Live",cases[case],0),out_sensitivity_column)/out_sensitivity_times'
    return {
        "in_sensitivity": line.label,
        "out_sensitivity_row": Formula("MATCH(in_sensitivity,budget[Line],0)", row),
        "out_sensitivity_unit": Formula("INDEX(budget[Unit],out_sensitivity_row)", unit),
        "out_sensitivity_times": Formula("INDEX(budget[Times],out_sensitivity_row)", size(unit)),
        "out_sensitivity": Formula("INDEX(budget[Live],out_sensitivity_row)", live),
        "out_sensitivity_column": Formula(
            f"MATCH(INDEX(budget[Id],out_sensitivity_row),{headers},0)", names.index(OUTPUT) + 1
        ),
        "out_sensitivity_base": Formula(base, live),
    }


def sensitivity_table(plan: Plan) -> TableFill:
    """Return a row an input: its cases, the result with each, and how far they are apart."""
    columns = (
        Column("Input", f"INDEX(drivers[Input],{_mine('Row')})"),
        Column("Unit", f"INDEX(drivers[Unit],{_mine('Row')})"),
        *(Column(side, f"INDEX(drivers[{side}],{_mine('Row')})") for side in ("Low", "Live", "High")),
        *(Column(f"Result at {label}", _result(side)) for side, label in SIDES.items()),
        *(Column(f"Change at {label}", f"{_mine(f'Result at {label}')}-out_sensitivity") for label in SIDES.values()),
        Column("Swing", f"MAX({_changes()})-MIN({_changes()})"),
        Column("Rank", _rank()),
        Column("Row", f"MATCH({_mine('Name')},drivers[Name],0)"),
        Column("Name"),
    )
    return TableFill([_row(plan, swing) for swing in _swings(plan)], columns)


def tornado_table(plan: Plan) -> TableFill:
    """Return the inputs with the largest swing, the largest first; one that changes nothing is not named."""
    found = here(TORNADO, "Row")
    named = f'IF({here(TORNADO, "Swing")}=0,"",INDEX({TABLE}[Input],{found}))'
    columns = (
        Column("Input", named),
        Column("Rank"),
        Column("Row", f"MATCH({here(TORNADO, 'Rank')},{TABLE}[Rank],0)"),
        *(Column(header, f"INDEX({TABLE}[{header}],{found})") for header in (*CHANGES, "Swing")),
    )
    largest = sorted(_swings(plan), key=lambda swing: swing.rank)[:TOP]
    rows: list[list[Value]] = [
        [swing.driver.title if swing.swing else "", swing.rank, swing.row, *swing.changes, swing.swing]
        for swing in largest
    ]
    return TableFill(rows, columns)


def _mine(header: str) -> str:
    return here(TABLE, header)


def _changes() -> str:
    return f"0,{','.join(map(_mine, CHANGES))}"


def _result(side: int) -> str:
    column = f"INDEX({RESULTS},0,out_sensitivity_column)"
    place = "COLUMNS(drivers[[Low]:[High]])" if side == len(CASES) else str(side)
    return f"SUMIFS({column},cases[changed],{_mine('Name')},cases[side],{place})/out_sensitivity_times"


def _rank() -> str:
    """Return the formula of the rank: equal swings in the order of the rows."""
    swing, row = _mine("Swing"), _mine("Row")
    equal = f"({TABLE}[Swing]={swing})*({TABLE}[Row]<{row})"
    return f"1+SUMPRODUCT(({TABLE}[Swing]>{swing})+{equal})"


@dataclass(frozen=True)
class Swing:
    """What an input does: the result with its Low and High, the changes, how far they are apart, its rank."""

    driver: Driver
    row: int
    results: tuple[float, float]
    changes: tuple[float, float]
    rank: int = 0

    @property
    def swing(self) -> float:
        """How far the changes are apart, no change among them."""
        return max(0.0, *self.changes) - min(0.0, *self.changes)


def _swings(plan: Plan) -> list[Swing]:
    live = plain(plan.cluster[plan.scenario][OUTPUT])
    plain_unit = next(line.unit for line in CLUSTER_LINES if line.name == OUTPUT)
    times = size(readable(plain_unit, plan.cluster["base"][OUTPUT]))
    found = {(case.changed, case.side): float(case.results[OUTPUT]) / times for case in cases(plan)}
    swings = []
    for row, driver in enumerate(plan.drivers, start=1):
        low, high = (found[driver.name, side] for side in SIDES)
        swings.append(Swing(driver, row, (low, high), (low - live / times, high - live / times)))
    order = sorted(swings, key=lambda swing: (-swing.swing, swing.row))
    return [replace(swing, rank=order.index(swing) + 1) for swing in swings]


def _row(plan: Plan, swing: Swing) -> list[Value]:
    driver = swing.driver
    values = (driver.low, plain(plan.case(plan.scenario)[driver.name]), driver.high)
    results = (*swing.results, *swing.changes, swing.swing, swing.rank)
    return [driver.title, driver.unit, *values, *results, swing.row, driver.name]
