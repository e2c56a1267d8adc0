"""The sheet Sensitivity: how one result, of the cluster or of a chosen model, changes with one input, and with two."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.line import lower_title
from flopsheet.export.workbook.assumptions import case_number, point
from flopsheet.export.workbook.axes import grid_axes, most_expensive, movers, offered_of_model, swings
from flopsheet.export.workbook.cases import chosen_header, result_columns, result_headers
from flopsheet.export.workbook.cells import unit_for
from flopsheet.export.workbook.formula_names import LIVE_ROW
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.planning.question import CASES_TABLE
from flopsheet.planning.sensitivity import POINTS, SIDES
from flopsheet.units.readable import size
from livesheets.excel import column, headers

if TYPE_CHECKING:
    from flopsheet.planning.plan import Plan
    from livesheets import Formula, TableFill, Value
    from livesheets.excel import Expression

TABLE, TORNADO, RESULTS, GRID = "sensitivity", "tornado", "results", "grid"
EACH_POINT = column("drivers", point(1), point(POINTS))
"""The columns of the table of drivers with an input's points."""
TOP = 8
"""The inputs that the chart shows at most."""
CLUSTER, MODEL = "Cluster", "Model"


def sensitivity_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the chosen result and model."""
    return {"in_sensitivity": _results(plan)[0][0], "in_sensitivity_model": most_expensive(plan)}


def result_spans(plan: Plan) -> dict[str, Expression]:
    """Return what formulas of cells read of the table of cases: its results, with their headers, and the live row."""
    spans = {"case_results": result_columns(plan), "case_result_headers": headers(CASES_TABLE, *result_headers(plan))}
    return {**spans, "live_row": LIVE_ROW}


def results_table(plan: Plan) -> TableFill:
    """Return a row for each result that may be chosen, with its live value."""
    if not plan.costed:
        return fill_list(RESULTS, _results(plan), where="no_models")
    span = plan.model_lines[0].name, plan.model_lines[-1].name
    spans = {"model_lines": column("models", *span), "model_headers": headers("models", *span)}
    return fill_list(RESULTS, _results(plan), {**spans, "cluster": CLUSTER})


def _results(plan: Plan) -> list[tuple[str, str, str, int | float, str, str]]:
    """Return title, kind, unit, size of the unit, line and column of each result, the one as delivered first."""
    results = []
    number = most_expensive(plan)
    if number is not None:
        base = plan.training(plan.models[number - 1], "base")
        lines = {line.name: line for line in plan.model_lines}
        for line in (lines[name] for name in offered_of_model(plan)):
            unit = unit_for(line.unit, base[line.name])
            title = f"Chosen model: {lower_title(line.label)}"
            results.append((title, MODEL, unit, size(unit, line.unit), line.name, chosen_header(line.name)))
    for line in dict.fromkeys((*plan.list_offered(CASES_TABLE), *plan.case_lines)):
        unit = unit_for(line.unit, plan.cluster["base"][line.name])
        results.append((line.label, CLUSTER, unit, size(unit, line.unit), line.name, line.name))
    return results


def sensitivity_table(plan: Plan) -> TableFill:
    """Return a row an input that can move a result: its cases, the result with each, and how far they are apart."""
    low, high = map(case_number, SIDES)
    names = {"case_results": result_columns(plan), "low_case": low, "high_case": high}
    return fill_list(TABLE, ([driver.name] for driver in movers(plan)), names)


def tornado_table(plan: Plan) -> TableFill:
    """Return the inputs with the largest swing, the largest first: as many as move the result as delivered.

    Where another result that is chosen moves with fewer, the last rows show nothing.
    """
    bars = min(TOP, max(1, sum(map(bool, swings(plan).values()))))  # the chart has no place without a bar
    return fill_list(TORNADO, ([rank] for rank in range(1, bars + 1)))


def grid_names(plan: Plan) -> dict[str, Value | Formula]:
    """Return the two chosen inputs."""
    return {f"in_grid_{side}": driver.title for side, driver in zip(("down", "across"), grid_axes(plan), strict=True)}


def grid_table(plan: Plan) -> TableFill:
    """Return a row for each point of the input down, with the result at each point of the input across."""
    names = {"each_point": EACH_POINT, "case_results": result_columns(plan)}
    return fill_list(GRID, ([row] for row in range(1, POINTS + 1)), names)
