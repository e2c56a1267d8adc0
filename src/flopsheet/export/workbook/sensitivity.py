"""The sheet Sensitivity: how one result, of the cluster or of a chosen model, changes with one input at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.line import lowered
from flopsheet.accounting.nonumber import numbers_of
from flopsheet.export.layout.shipped_lists import filled
from flopsheet.export.workbook.assumptions import OF_ENDS
from flopsheet.export.workbook.axes import most_expensive, movers, offered_of_model, swings
from flopsheet.export.workbook.cases import CHOSEN_MODEL, chosen_header, result_columns
from flopsheet.export.workbook.cells import here, listed
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASES_TABLE
from flopsheet.planning.sensitivity import SIDES
from flopsheet.spreadsheet.engine import Formula, TableFill, Value
from flopsheet.units.readable import readable, size

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

TABLE, TORNADO, RESULTS = "sensitivity", "tornado", "results"
TOP = 8
"""The inputs that the chart shows at most."""
ENDS = (SIDES[1], "Live", SIDES[3])
CHANGES = tuple(f"{title} change" for title in SIDES.values())
CLUSTER, MODEL = "Cluster", "Model"


def sensitivity_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the chosen result and model, the result's unit, and its live value, from which the changes count."""
    headers = result_columns(plan).replace("cases[", "cases[[#Headers],", 1)
    base = f'INDEX({result_columns(plan)},MATCH("Live",cases[case],0),out_sensitivity_column)/out_sensitivity_times'
    row = Formula("IFERROR(MATCH(in_sensitivity_model,models[No],0),1)")
    return {
        "in_sensitivity": _results(plan)[0][0],
        "in_sensitivity_model": most_expensive(plan),
        CHOSEN_MODEL: row,
        "out_sensitivity_model": Formula(f"INDEX(models[Model],{CHOSEN_MODEL})" if plan.costed else '""'),
        "out_sensitivity_row": Formula("MATCH(in_sensitivity,results[Result],0)"),
        "out_sensitivity_unit": Formula('INDEX(results[Unit],out_sensitivity_row)&""'),
        "out_sensitivity_times": Formula("INDEX(results[Times],out_sensitivity_row)"),
        "out_sensitivity": Formula("INDEX(results[Live],out_sensitivity_row)"),
        "out_sensitivity_column": Formula(f"MATCH(INDEX(results[Id],out_sensitivity_row),{headers},0)"),
        "out_sensitivity_base": Formula(base),
    }


def results_table(plan: Plan) -> TableFill:
    """Return a row for each result that may be chosen, with its live value."""
    cluster = f"INDEX(budget[Live],MATCH({here(RESULTS, 'Line')},budget[Id],0))"
    live = cluster
    if plan.costed:
        span = f"[{plan.model_lines[0].name}]:[{plan.model_lines[-1].name}]"
        found = f"MATCH({here(RESULTS, 'Line')},models[[#Headers],{span}],0)"
        model = f"INDEX(models[{span}],{CHOSEN_MODEL},{found})/{here(RESULTS, 'Times')}"
        live = f'IF({here(RESULTS, "Of")}="{CLUSTER}",{cluster},{model})'
    columns = filled(RESULTS, {"Live": live})
    return TableFill(listed(columns, [list(row) for row in _results(plan)]), columns)


def _results(plan: Plan) -> list[tuple[str, str, str, int | float, str, str]]:
    """Return title, kind, unit, size of the unit, line and column of each result, the one as delivered first."""
    found = []
    number = most_expensive(plan)
    if number is not None:
        base = plan.training(plan.models[number - 1], "base")
        lines = {line.name: line for line in plan.model_lines}
        for line in (lines[name] for name in offered_of_model(plan)):
            unit = readable(line.unit, numbers_of([base[line.name], 0])[0])
            title = f"Chosen model: {lowered(line.label)}"
            found.append((title, MODEL, unit, size(unit, line.unit), line.name, chosen_header(line.name)))
    for line in dict.fromkeys((*plan.offered(CASES_TABLE), *plan.case_lines)):
        unit = readable(line.unit, numbers_of([plan.cluster["base"][line.name], 0])[0])
        found.append((line.label, CLUSTER, unit, size(unit, line.unit), line.name, line.name))
    return found


def sensitivity_table(plan: Plan) -> TableFill:
    """Return a row an input that can move a result: its cases, the result with each, and how far they are apart."""
    row = _mine("Row")
    formulas = {
        "Input": f"INDEX(drivers[Input],{row})",
        "Unit": f'INDEX(drivers[Unit],{row})&""',
        **{side: f"INDEX(drivers[{side}],{row})" for side in ENDS},
        **{f"{label} result": _result(plan, side) for side, label in SIDES.items()},
        **{f"{label} change": f"{_mine(f'{label} result')}-out_sensitivity" for label in SIDES.values()},
        "Swing": f"MAX({_changes()})-MIN({_changes()})",
        "Rank": _rank(),
        "Row": f"MATCH({_mine('Name')},drivers[Name],0)",
    }
    columns = filled(TABLE, formulas)
    return TableFill(listed(columns, [[one.name] for one in movers(plan)]), columns)


def tornado_table(plan: Plan) -> TableFill:
    """Return the inputs with the largest swing, the largest first: as many as move the result as delivered.

    Where another result that is chosen moves with fewer, the last rows show nothing.
    """
    found = here(TORNADO, "Row")
    same = (*ENDS, *(f"{label} result" for label in SIDES.values()))
    shown = {"Input": "Input", "Unit of the input": "Unit"} | dict(zip(same, same, strict=True))
    formulas = {header: _if_moved(f"INDEX({TABLE}[{of}],{found})") for header, of in shown.items()}
    formulas |= {header: f"INDEX({TABLE}[{header}],{found})" for header in (*CHANGES, "Swing")}
    columns = filled(TORNADO, {**formulas, "Row": f"MATCH({here(TORNADO, 'Rank')},{TABLE}[Rank],0)"})
    return TableFill(listed(columns, [[rank] for rank in range(1, _bars(plan) + 1)]), columns)


def _if_moved(text: str) -> str:
    return f'IF({here(TORNADO, "Swing")}=0,"",{text})'


def _bars(plan: Plan) -> int:
    """Return how many inputs move the result as delivered: the chart has no place without a bar."""
    return min(TOP, max(1, sum(1 for swing in swings(plan).values() if swing)))


def _mine(header: str) -> str:
    return here(TABLE, header)


def _changes() -> str:
    return f"0,{','.join(map(_mine, CHANGES))}"


def _result(plan: Plan, side: int) -> str:
    column = f"INDEX({result_columns(plan)},0,out_sensitivity_column)"
    place = f"COLUMNS(drivers[{OF_ENDS}])" if side == len(CASES) else str(side)
    return f"SUMIFS({column},cases[changed],{_mine('Name')},cases[side],{place})/out_sensitivity_times"


def _rank() -> str:
    """Return the formula of the rank: equal swings in the order of the rows."""
    swing, row = _mine("Swing"), _mine("Row")
    equal = f"({TABLE}[Swing]={swing})*({TABLE}[Row]<{row})"
    return f"1+SUMPRODUCT(({TABLE}[Swing]>{swing})+{equal})"
