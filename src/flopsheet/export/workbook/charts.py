"""The table behind the charts: the largest models by their parameter groups, the most expensive with their range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.cells import here, listed
from flopsheet.export.workbook.formula_names import input_cell
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.model_columns import in_case
from flopsheet.planning.inputs import TITLES
from flopsheet.spreadsheet.engine import Column, TableFill, Value
from flopsheet.units.readable import divisor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan

TOP = 15
SMALL = "0.01"
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
    return TableFill(listed(columns, rows), columns, height=heights({2: (26, 10), 11: (26, 10)}))


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
        Column("Model", f"INDEX(models[Model],MATCH({number},models[No],0))"),
        *shares,
        Column("No by cost", _place("order_cost")),
        Column("Model by cost", f"INDEX(models[Model],MATCH({second},models[No],0))"),
        Column(cost, _of_model("training_cost", divisor(unit))),
        Column("Training days", _of_model("training_days")),
        *_ends("Cost", "training_cost", divisor(unit)),
        *_ends("Days", "training_days"),
        Column(f"{COMPARED} ({unit})", f"{_compared(plan)}/{divisor(unit)}"),
        Column("Days in the plan", "in_days"),
        Column("Label", _label_of("Model")),
        Column("Label by cost", f'{_label_of("Model by cost")}&": "&{_digits(cost)}'),
        Column("Label by days", f'{_label_of("Model by cost")}&": "&{_digits("Training days")}'),
    )


def _of_model(line: str, times: str = "1") -> str:
    found = f"SUMIFS(models[{line}],models[No],{here('top', 'No by cost')})"
    return found if times == "1" else f"{found}/{times}"


def _ends(title: str, line: str, times: str = "1") -> list[Column]:
    """Return the high end of a model's range, and how far it is from the low end."""
    low, high = (_of_model(in_case(line, case), times) for case in ("low", "high"))
    header = f"{title}: {TITLES['high']}"
    return [Column(header, high), Column(f"{title}: range", f"MAX(0,{here('top', header)}-{low})")]


COMPARED, CAP = "Money cap, or cost of the cluster", "budget_usd"


def _compared(plan: Plan) -> str:
    """Return the formula of what costs are compared with: the plan's cap on money, else the cost of the cluster."""
    cluster = "INDEX(cases[budget_cost],in_scenario)"
    known = any(one.name == CAP for one in plan.drivers)
    return f"IF({input_cell(CAP)}=0,{cluster},{input_cell(CAP)})" if known else cluster


def _digits(column: str) -> str:
    """Return the formula of a number as a label says it: small ones keep a digit."""
    number = here("top", column)
    return f'IF({number}<{SMALL},TEXT({number},"0.0E+00"),FIXED({number},2))'


def _label_of(column: str) -> str:
    """Return the formula of a bar's label: of a name in two lines, LibreOffice would leave out the neighbors."""
    name = here("top", column)
    return f'LEFT({name},{LETTERS})&IF(MID({name},{LETTERS + 1},1)="","","…")'


def _place(order: str) -> str:
    return f"INDEX(models[No],MATCH(LARGE(models[{order}],{here('top', 'Rank')}),models[{order}],0))"


def _share(parts: Sequence[str], number: str) -> str | None:
    """Return the formula of a share; none where the batch has no such parts."""
    if not parts:
        return None
    sums = "+".join(f"SUMIFS(models[{group}],models[No],{number})" for group in parts)
    return f"({sums})/SUMIFS(models[parameters],models[No],{number})"
