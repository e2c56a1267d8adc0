"""The grid on the sheet Sensitivity: the chosen result with two inputs at points between Low cost and High cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.assumptions import point
from flopsheet.export.workbook.axes import grid_axes
from flopsheet.export.workbook.cases import result_columns
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.planning.sensitivity import POINTS
from livesheets.excel import column

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan
    from livesheets import Formula, TableFill, Value

TABLE = "grid"
EACH_POINT = column("drivers", point(1), point(POINTS))
"""The columns of the table of drivers with an input's points."""


def grid_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the two chosen inputs."""
    return {f"in_grid_{side}": driver.title for side, driver in zip(("down", "across"), grid_axes(plan), strict=True)}


def grid_table(plan: Plan) -> TableFill:
    """Return a row for each point of the input down, with the result at each point of the input across."""
    names = {"each_point": EACH_POINT, "case_results": result_columns(plan)}
    return fill_list(TABLE, ([row] for row in range(1, POINTS + 1)), names)
