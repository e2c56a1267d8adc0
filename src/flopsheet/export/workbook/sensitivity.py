"""The sheet Sensitivity: what a result of the cluster becomes as one input after the other goes to its two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.assumptions import OF_CASES
from flopsheet.export.workbook.cells import here, listed
from flopsheet.planning.inputs import CASES
from flopsheet.planning.questions.budget.lines import CLUSTER_LINES
from flopsheet.planning.sensitivity import OUTPUT, SIDES
from flopsheet.spreadsheet.engine import Column, Formula, TableFill, Value

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

TABLE, TORNADO = "sensitivity", "tornado"
TOP = 8
"""The inputs that the chart shows."""
CHANGES = tuple(f"{title} change" for title in SIDES.values())
RESULTS = f"cases[[{CLUSTER_LINES[0].name}]:[{CLUSTER_LINES[-1].name}]]"


def sensitivity_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the chosen result, its unit, and its live value, from which the changes count."""
    line = next(line for line in plan.case_lines if line.name == OUTPUT)
    headers = RESULTS.replace("cases[", "cases[[#Headers],", 1)
    base = f'INDEX({RESULTS},MATCH("Live",cases[case],0),out_sensitivity_column)/out_sensitivity_times'
    return {
        "in_sensitivity": line.label,
        "out_sensitivity_row": Formula("MATCH(in_sensitivity,budget[Line],0)"),
        "out_sensitivity_unit": Formula('INDEX(budget[Unit],out_sensitivity_row)&""'),
        "out_sensitivity_times": Formula("INDEX(budget[Times],out_sensitivity_row)"),
        "out_sensitivity": Formula("INDEX(budget[Live],out_sensitivity_row)"),
        "out_sensitivity_column": Formula(f"MATCH(INDEX(budget[Id],out_sensitivity_row),{headers},0)"),
        "out_sensitivity_base": Formula(base),
    }


def sensitivity_table(plan: Plan) -> TableFill:
    """Return a row an input: its cases, the result with each, and how far they are apart."""
    columns = (
        Column("Input", f"INDEX(drivers[Input],{_mine('Row')})"),
        Column("Unit", f'INDEX(drivers[Unit],{_mine("Row")})&""'),
        *(Column(side, f"INDEX(drivers[{side}],{_mine('Row')})") for side in (SIDES[1], "Live", SIDES[3])),
        *(Column(f"{label} result", _result(side)) for side, label in SIDES.items()),
        *(Column(f"{label} change", f"{_mine(f'{label} result')}-out_sensitivity") for label in SIDES.values()),
        Column("Swing", f"MAX({_changes()})-MIN({_changes()})"),
        Column("Rank", _rank()),
        Column("Row", f"MATCH({_mine('Name')},drivers[Name],0)"),
        Column("Name"),
    )
    return TableFill(listed(columns, [[driver.name] for driver in plan.drivers]), columns)


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
    return TableFill(listed(columns, [[rank] for rank in range(1, min(TOP, len(plan.drivers)) + 1)]), columns)


def _mine(header: str) -> str:
    return here(TABLE, header)


def _changes() -> str:
    return f"0,{','.join(map(_mine, CHANGES))}"


def _result(side: int) -> str:
    column = f"INDEX({RESULTS},0,out_sensitivity_column)"
    place = f"COLUMNS(drivers[{OF_CASES}])" if side == len(CASES) else str(side)
    return f"SUMIFS({column},cases[changed],{_mine('Name')},cases[side],{place})/out_sensitivity_times"


def _rank() -> str:
    """Return the formula of the rank: equal swings in the order of the rows."""
    swing, row = _mine("Swing"), _mine("Row")
    equal = f"({TABLE}[Swing]={swing})*({TABLE}[Row]<{row})"
    return f"1+SUMPRODUCT(({TABLE}[Swing]>{swing})+{equal})"
