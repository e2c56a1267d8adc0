"""The table behind the charts: the largest models by their parameter groups, the most expensive with their range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting.data import read_table
from flopsheet.export.workbook.assumptions import SCENARIO
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.formula_names import KEYS, input_cell
from flopsheet.export.workbook.list_fill import fill_list
from livesheets.excel import add_all, call, column, here, multiply_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan
    from livesheets import TableFill, Value
    from livesheets.excel import Expression, Operand

TOP = 15
PARTS: Mapping[str, Sequence[str]] = read_table("flopsheet.export.layout", "groups.toml")
REST = "Other"


def top_table(plan: Plan, groups: Sequence[str], unit: str) -> TableFill:
    """Return the table of the charts: a row a rank, up to fifteen; costs are in `unit`."""
    parts = _parts(groups)
    ranks = range(1, min(TOP, len(plan.costed)) + 1)
    names: dict[str, Operand | None] = {"unit": unit_size(unit), "compared_with": _compared_with(plan)}
    names |= {f"share_{place}": _share(part) for place, part in enumerate(parts.values(), start=1)}
    blank: list[Value] = [0 for part in parts.values() if not part]
    rows = ([rank, *blank] for rank in ranks)
    return fill_list("top", rows, names, repeats={"unit": [unit], "part": list(parts)})


def _parts(groups: Sequence[str]) -> dict[str, list[str]]:
    by_title = {title: [group for group in parts if group in groups] for title, parts in PARTS.items()}
    return by_title | {REST: [group for group in groups if not any(group in parts for parts in PARTS.values())]}


CAP = "budget_usd"
OF_A_RUN = ("budget_covers", "acquisition")
"""Choices of a program whose first says that the cap is one on the rent of a final run, which the charts show."""


def _compared_with(plan: Plan) -> Expression:
    """Return the formula of what costs are compared with: a cap on the rent of a run, else the cost of the cluster."""
    cluster, inputs = call("INDEX", column("cases", "budget_cost"), SCENARIO), {driver.name for driver in plan.drivers}
    if CAP not in inputs:
        return cluster
    of_a_run = [call("CHOOSE", input_cell(name), 1, 0) for name in OF_A_RUN if name in inputs]
    return call("IF", multiply_all([input_cell(CAP), *of_a_run]) == 0, cluster, input_cell(CAP))


def _share(parts: Sequence[str]) -> Expression | None:
    """Return the formula of a share; none where the batch has no such parts."""
    if not parts:
        return None
    names = (*parts, "parameters")
    *groups, whole = (call("SUMIFS", column("models", name), KEYS, here("top", "No")) for name in names)
    return add_all(groups) / whole
