"""The table behind the charts: the largest models by their parameter groups, the most expensive with their range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.assumptions import SCENARIO
from flopsheet.export.workbook.cells import plain_rows, unit_size
from flopsheet.export.workbook.formula_names import KEYS, input_cell
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.model_columns import in_case
from flopsheet.planning.inputs import TITLES
from livesheets import Column, TableFill, Value
from livesheets.excel import add_all, call, column, here

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan
    from livesheets.excel import Expression

TOP = 15
SMALL = 0.01
"""What is smaller would be written as 0.00."""
LETTERS = 24
"""The letters of a name that have room next to a bar."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "Embeddings": ("embedding", "positional"),
    "Attention": ("attention", "cross_attention"),
    "MLP": ("mlp",),
    "Experts": ("experts", "shared_experts", "router"),
    "State space": ("ssm", "conv"),
    "Head": ("lm_head",),
}
REST = "Other"


def top_table(plan: Plan, groups: Sequence[str], unit: str) -> TableFill:
    """Return the table of the charts: a row a rank, up to fifteen; costs are in `unit`."""
    columns = _columns(plan, groups, unit)
    ranks = range(1, min(TOP, len(plan.costed)) + 1)
    blank: list[Value] = [0 for column in columns[1:] if column.formula is None]
    rows: list[list[Value]] = [[rank, *blank] for rank in ranks]
    return TableFill(plain_rows(columns, rows), columns, height=heights({2: (26, 10), 11: (26, 10)}))


def _parts(groups: Sequence[str]) -> dict[str, list[str]]:
    named = {title: [group for group in parts if group in groups] for title, parts in PARTS.items()}
    return named | {REST: [group for group in groups if not any(group in parts for parts in PARTS.values())]}


def _columns(plan: Plan, groups: Sequence[str], unit: str) -> tuple[Column, ...]:
    number, second = here("top", "No"), here("top", "No by cost")
    cost = f"Training cost ({unit})"
    shares = [Column(title, _share(parts, number)) for title, parts in _parts(groups).items()]
    return (
        Column("Rank"),
        Column("No", _place("order_parameters")),
        Column("Model", _name_of(number)),
        *shares,
        Column("No by cost", _place("order_cost")),
        Column("Model by cost", _name_of(second)),
        Column(cost, _of_model("training_cost", unit)),
        Column("Training days", _of_model("training_days")),
        *_ends("Cost", "training_cost", unit),
        *_ends("Days", "training_days"),
        Column(f"{COMPARED} ({unit})", _compared_with(plan) / unit_size(unit)),
        Column("Days in the plan", input_cell("days")),
        Column("Label", _label_of("Model")),
        Column("Label by cost", _label_of("Model by cost") & ": " & _digits(cost)),
        Column("Label by days", _label_of("Model by cost") & ": " & _digits("Training days")),
    )


def _name_of(number: Expression) -> Expression:
    return call("INDEX", column("models", "Model"), call("MATCH", number, KEYS, 0))


def _of_model(line: str, unit: str = "") -> Expression:
    result = call("SUMIFS", column("models", line), KEYS, here("top", "No by cost"))
    return result / unit_size(unit) if unit else result


def _ends(title: str, line: str, unit: str = "") -> list[Column]:
    """Return the high end of a model's range, and how far it is from the low end."""
    low, high = (_of_model(in_case(line, case), unit) for case in ("low", "high"))
    header = f"{title}: {TITLES['high']}"
    return [Column(header, high), Column(f"{title}: range", call("MAX", 0, here("top", header) - low))]


COMPARED, CAP = "Money cap, or cost of the cluster", "budget_usd"


def _compared_with(plan: Plan) -> Expression:
    """Return the formula of what costs are compared with: the plan's cap on money, else the cost of the cluster."""
    cluster, cap = call("INDEX", column("cases", "budget_cost"), SCENARIO), input_cell(CAP)
    known = any(one.name == CAP for one in plan.drivers)
    return call("IF", cap == 0, cluster, cap) if known else cluster


def _digits(header: str) -> Expression:
    """Return the formula of a number as a label says it: small ones keep a digit."""
    number = here("top", header)
    return call("IF", number < SMALL, call("TEXT", number, "0.0E+00"), call("FIXED", number, 2))


def _label_of(header: str) -> Expression:
    """Return the formula of a bar's label: of a name in two lines, LibreOffice would leave out the neighbors."""
    name = here("top", header)
    return call("LEFT", name, LETTERS) & call("IF", call("MID", name, LETTERS + 1, 1) == "", "", "…")


def _place(order: str) -> Expression:
    ordered = column("models", order)
    return call("INDEX", KEYS, call("MATCH", call("LARGE", ordered, here("top", "Rank")), ordered, 0))


def _share(parts: Sequence[str], number: Expression) -> Expression | None:
    """Return the formula of a share; none where the batch has no such parts."""
    if not parts:
        return None
    *groups, whole = (call("SUMIFS", column("models", name), KEYS, number) for name in (*parts, "parameters"))
    return add_all(groups) / whole
