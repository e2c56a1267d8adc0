"""The table behind the charts: the largest models by their parameter groups, and the dearest by cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.workbook.cells import here, listed
from flopsheet.export.workbook.heights import heights
from flopsheet.spreadsheet.engine import Column, TableFill, Value
from flopsheet.units.readable import divisor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.planning.plan import Plan

TOP = 15
LETTERS = 36
"""The letters of a name that have room beside a bar."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "Tables": ("embedding", "positional"),
    "Attention": ("attention", "cross_attention"),
    "MLP": ("mlp",),
    "Experts": ("experts", "shared_experts", "router"),
    "State space": ("ssm", "conv"),
    "Head": ("lm_head",),
}
REST = "Other"


def top_table(plan: Plan, groups: Sequence[str], unit: str) -> TableFill:
    """Return the table of the charts: a row a rank, up to fifteen; costs are in `unit`."""
    columns = _columns(groups, unit)
    ranks = range(1, min(TOP, len(plan.costed)) + 1)
    blank: list[Value] = [0 for column in columns[1:] if column.formula is None]
    rows: list[list[Value]] = [[rank, *blank] for rank in ranks]
    return TableFill(listed(columns, rows), columns, height=heights({2: (26, 10), 11: (26, 10)}))


def _parts(groups: Sequence[str]) -> dict[str, list[str]]:
    named = {title: [group for group in parts if group in groups] for title, parts in PARTS.items()}
    return named | {REST: [group for group in groups if not any(group in parts for parts in PARTS.values())]}


def _columns(groups: Sequence[str], unit: str) -> tuple[Column, ...]:
    number, second = here("top", "No"), here("top", "No by cost")
    shares = [Column(title, _share(parts, number)) for title, parts in _parts(groups).items()]
    return (
        Column("Rank"),
        Column("No", _place("order_parameters")),
        Column("Model", f"INDEX(models[Model],MATCH({number},models[No],0))"),
        *shares,
        Column("No by cost", _place("order_cost")),
        Column("Model by cost", f"INDEX(models[Model],MATCH({second},models[No],0))"),
        Column(f"Training cost ({unit})", f"SUMIFS(models[training_cost],models[No],{second})/{divisor(unit)}"),
        Column("Training days", f"SUMIFS(models[training_days],models[No],{second})"),
        Column("Label", _label_of("Model")),
        Column("Label by cost", _label_of("Model by cost")),
    )


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
