"""The grid on the sheet Sensitivity: the chosen result with two inputs at points between Low cost and High cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.layout.shipped_lists import filled, laid_out
from flopsheet.export.workbook.assumptions import place_span, point
from flopsheet.export.workbook.axes import grid_axes
from flopsheet.export.workbook.cases import ACROSS, DOWN, result_columns
from flopsheet.export.workbook.cells import here, listed
from flopsheet.planning.sensitivity import POINTS
from flopsheet.spreadsheet.engine import Formula, TableFill, Value

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan

TABLE = "grid"
SPAN = f"[{point(1)}]:[{point(POINTS)}]"
"""The columns of the table of drivers with an input's points."""


def grid_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the two chosen inputs, their names and units, and the points across."""
    found: dict[str, Value | Formula] = {}
    for side, axis, one in zip(("down", "across"), (DOWN, ACROSS), grid_axes(plan), strict=True):
        found[f"in_grid_{side}"] = one.title
        found[f"{axis}_row"] = Formula(f"MATCH(in_grid_{side},drivers[Input],0)")
        found[axis] = Formula(f"INDEX(drivers[Name],{axis}_row)")
        found[f"{axis}_unit"] = Formula(f'INDEX(drivers[Unit],{axis}_row)&""')
    title = Formula('in_sensitivity&" with two inputs at once, in "&out_sensitivity_unit')
    found["out_grid_title"] = title
    return found | {f"{ACROSS}_{place}": Formula(_point(ACROSS, str(place))) for place in range(1, POINTS + 1)}


def grid_table(plan: Plan) -> TableFill:
    """Return a row for each point of the input down, with the result at each point of the input across."""
    formulas = {header: _result(plan, place) for place, header in enumerate(shown_points(), start=1)}
    columns = filled(TABLE, {"Down": _point(DOWN, here(TABLE, "Row")), **formulas})
    return TableFill(listed(columns, [[row] for row in range(1, POINTS + 1)]), columns)


def shown_points() -> list[str]:
    """Return the headers of the points across, from Low cost to High cost."""
    return [header for header, *_ in laid_out(TABLE)][1 : POINTS + 1]


def _point(axis: str, place: str) -> str:
    """Return the formula of a point of a chosen input, in the unit in which people see it."""
    return f"INDEX(drivers[{SPAN}],{axis}_row,{place})/INDEX(drivers[Times],{axis}_row)"


def _result(plan: Plan, place: int) -> str:
    found = f"INDEX({result_columns(plan)},0,out_sensitivity_column)"
    down = f"cases[side],MAX(cases[scenario])+{here(TABLE, 'Row')}"
    across = f"cases[across_side],COLUMNS(drivers[{place_span(plan, place)}])"
    return f"SUMIFS({found},{down},{across})/out_sensitivity_times"
