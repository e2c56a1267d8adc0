"""The table behind the charts: the largest models by their parameter groups, and the dearest by cost."""

from __future__ import annotations

from bisect import insort
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.models import order_key, planned
from flopsheet.export.workbook.units import divisor, size
from flopsheet.export.xlsx import Column, TableFill, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan

    Ranked = tuple[float, int, Costed]
    """What charts sort by, the model's number, and the model."""

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
    by_size, by_cost = _ranked(plan)
    rows: list[list[Value]] = []
    for rank, ((first, large), (second, dear)) in enumerate(zip(by_size, by_cost, strict=True), start=1):
        shares = _shares(large.numbers, groups)
        training = plan.training(dear, plan.scenario)
        cost = float(training["training_cost"]) / size(unit)
        values = [*shares, second, dear.name, cost, plain(training["training_days"])]
        rows.append([rank, first, large.name, *values, _label(large.name), _label(dear.name)])
    return TableFill(rows, _columns(groups, unit), height=heights({2: (26, 10), 11: (26, 10)}))


def _ranked(plan: Plan) -> list[list[tuple[int, Costed]]]:
    """Return the first models by size, and by cost, gone through once."""
    tops: dict[str, list[Ranked]] = {"parameters": [], "training_cost": []}
    for number, model, numbers in planned(plan):
        for name, top in tops.items():
            key = order_key(numbers[name], number)
            if len(top) < TOP or key > top[-1][0]:
                insort(top, (key, number, model), key=lambda item: -item[0])
                del top[TOP:]
    return [[(number, model) for _, number, model in top] for top in tops.values()]


def _shares(numbers: Mapping[str, Number], groups: Sequence[str]) -> list[Value]:
    whole = float(numbers["parameters"])
    sums = [[numbers.get(f"sum_parameters_{group}", 0) for group in parts] for parts in _parts(groups).values()]
    return [float(sum(part)) / whole for part in sums]


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


def _label(name: str) -> str:
    """Return what stands beside a bar: of a name in two lines, LibreOffice would leave out the neighbours."""
    return name[:LETTERS] + ("…" if len(name) > LETTERS else "")


def _label_of(column: str) -> str:
    """Return the formula of the label of a column's name."""
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
