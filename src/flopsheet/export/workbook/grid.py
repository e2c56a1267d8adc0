"""The grid on the sheet Sensitivity: the chosen result with two inputs at points between Low cost and High cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.layout.shipped_lists import laid_out
from flopsheet.export.workbook.assumptions import point
from flopsheet.export.workbook.axes import grid_axes
from flopsheet.export.workbook.cases import ACROSS, DOWN, result_columns
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.planning.sensitivity import POINTS
from livesheets import Formula, TableFill, Value
from livesheets.excel import call, cell, column

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan
    from livesheets.excel import Expression, Operand

TABLE = "grid"
EACH_POINT = column("drivers", point(1), point(POINTS))
"""The columns of the table of drivers with an input's points."""


def grid_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the two chosen inputs, their names and units, and the points across."""
    result: dict[str, Value | Formula] = {}
    for side, axis, one in zip(("down", "across"), (DOWN, ACROSS), grid_axes(plan), strict=True):
        result[f"in_grid_{side}"] = one.title
        row = cell(f"{axis}_row")
        result[f"{axis}_row"] = Formula(call("MATCH", cell(f"in_grid_{side}"), column("drivers", "Input"), 0))
        result[axis] = Formula(call("INDEX", column("drivers", "Name"), row))
        result[f"{axis}_unit"] = Formula(call("INDEX", column("drivers", "Unit"), row) & "")
    title = Formula('in_sensitivity&" with two inputs at once, in "&out_sensitivity_unit')
    result["out_grid_title"] = title
    return result | {f"{ACROSS}_{place}": Formula(_point(ACROSS, place)) for place in range(1, POINTS + 1)}


def grid_table(plan: Plan) -> TableFill:
    """Return a row for each point of the input down, with the result at each point of the input across."""
    names = {"each_point": EACH_POINT, "case_results": result_columns(plan)}
    return fill_list(TABLE, ([row] for row in range(1, POINTS + 1)), names)


def shown_points() -> list[str]:
    """Return the headers of the points across, from Low cost to High cost."""
    return [header for header, *_ in laid_out(TABLE)][1 : POINTS + 1]


def _point(axis: str, place: Operand) -> Expression:
    """Return the formula of a point of a chosen input, in the unit in which people see it."""
    row = cell(f"{axis}_row")
    return call("INDEX", EACH_POINT, row, place) / call("INDEX", column("drivers", "Times"), row)
