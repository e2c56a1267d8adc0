"""The sheet Models: a row a costed model, results in readable units on the left, plain units on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.links import Link, bringer, links
from flopsheet.export.workbook.units import (
    BYTES,
    COUNTS,
    ENERGY,
    HOURS,
    MONEY,
    STEPS,
    WORK,
    divisor,
    fitting,
    size,
)
from flopsheet.export.xlsx import Column, Rows, TableFill, Value
from flopsheet.planning.budget import MODEL_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.export.workbook.shape import Shape
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan

    Scales = Mapping[str, "Scale"]
    """How each shown line is shown."""

TABLE = "models"
LINKS: Mapping[str, tuple[str, ...]] = {
    "parameters": ("parameters",),
    "parameters_active": ("parameters_active",),
    "flops_per_token": ("flops_per_token",),
    "flops_training_per_token": ("flops_training_per_token",),
    "flops_forward": ("flops_forward",),
    "flops_forward_linear": ("flops_forward_linear",),
    "weights_bytes": ("weights_bytes",),
    "kv_cache_bytes": ("kv_cache_bytes",),
    "state_bytes": ("state_bytes",),
    "training_state_bytes": ("training_state_bytes",),
    "layers": ("n_layers", "encoder_layers", "decoder_layers"),
    "width": ("d_model",),
}
"""What is brought from the tables of workings, whichever holds the model: the sum of the lines that it has."""

TOKENS, PUBLISHED = "Own tokens (T)", "Published (B)"
"""What planners type: its unit is always the same."""


@dataclass(frozen=True)
class Scale:
    """The unit in which a line is shown, "" for its plain one, and the batch's largest value in that unit."""

    unit: str
    largest: float

    @property
    def width(self) -> float | None:
        """The width that the column needs where it is more than the template gives it."""
        needed = len(f"{self.largest:,.2f}") + 2
        return needed if needed > WIDTH else None


@dataclass(frozen=True)
class Shown:
    """A column for people: a line in one of its readable units, the largest first."""

    title: str
    line: str
    units: tuple[str, ...] = ()
    like: str = "computed"
    band: str = ""

    def header(self, scales: Scales) -> str:
        """Return the column's header with its unit."""
        return f"{self.title} ({scales[self.line].unit})" if self.units else self.title


SHOWN = (
    Shown("Parameters", "parameters", COUNTS, band="Size"),
    Shown("Active", "parameters_active", COUNTS, band="Size"),
    Shown("Forward a token", "flops_per_token", STEPS, band="Size"),
    Shown("Weights", "weights_bytes", BYTES, "tenth", "Memory to serve"),
    Shown("KV cache", "kv_cache_bytes", BYTES, band="Memory to serve"),
    Shown("State", "state_bytes", ("MiB",), "tenth", "Memory to serve"),
    Shown("Training state", "training_state_bytes", BYTES, "tenth", "Training"),
    Shown("Training tokens", "training_tokens", ("T",), band="Training"),
    Shown("Tokens a parameter", "tokens_per_parameter", (), "tenth", "Training"),
    Shown("MFU", "model_mfu", (), "percent", "Training"),
    Shown("Training compute", "training_flops", WORK, band="Training"),
    Shown("GPU-hours", "training_hours", HOURS, band="Training"),
    Shown("Days on the cluster", "training_days", (), "tenth", "Training"),
    Shown("Cost", "training_cost", MONEY, band="Training"),
    Shown("Energy", "training_energy", ENERGY, "tenth", "Training"),
    Shown("Tokens the budget affords", "affordable_tokens", ("T",), band="Budget"),
    Shown("Fits the time", "fits_time", (), "yes", "Budget"),
    Shown("Fits the memory", "fits_memory", (), "end", "Budget"),
)
"""Tokens have one unit, that of the blue cells which planners type them into."""
TOTALS = tuple(shown.line for shown in SHOWN if shown.line not in {line.name for line in MODEL_LINES})
"""The shown columns that are totals of a model's ledger."""
WIDTH = 14
"""The template's columns for numbers, in characters."""
SIZES = 2
"""How many shown columns stand before the published count."""


def scales(plan: Plan) -> Scales:
    """Return the scale of each shown line: the largest unit of which its largest value in the Base case has one."""
    lines = [shown.line for shown in SHOWN]
    found: Iterable[Number] = [0] * len(lines)
    for _, _, numbers in planned(plan, "base"):
        found = list(map(max, found, itemgetter(*lines)(numbers)))
    largest = dict(zip(lines, found, strict=True))
    chosen = {shown.line: fitting(shown.units, largest[shown.line]) if shown.units else "" for shown in SHOWN}
    return {line: Scale(unit, plain(largest[line]) / size(unit)) for line, unit in chosen.items()}


def models_table(plan: Plan, shapes: Sequence[Shape], groups: Sequence[str], units: Scales) -> TableFill:
    """Return the table Models; `groups` are the parameter groups that get a column for the charts."""
    found = brought(shapes, groups)
    columns = [*_shown_columns(units), *_raw_columns(plan, found)]

    bring = bringer(found)

    def rows() -> Iterator[list[Value]]:
        for number, model, numbers in planned(plan):
            yield [*_shown(model, numbers, number, units), *bring(model), *_raw(model, numbers, number)]

    return TableFill(Rows(len(plan.costed), rows), tuple(_banded(columns)), height=heights({1: (32, 10)}))


def planned(plan: Plan, case: str = "") -> Iterator[tuple[int, Costed, Mapping[str, Number]]]:
    """Give each costed model with its number, and the totals and planning lines that are shown, live by default."""
    for number, model in enumerate(plan.models, start=1):
        if model.ledger:
            yield number, model, model.numbers.some(TOTALS) | plan.training(model, case or plan.scenario)


def _shown_columns(units: Scales) -> list[tuple[str, Column]]:
    results = [(s.band, Column(s.header(units), _divided(s, units), s.like, width=units[s.line].width)) for s in SHOWN]
    published = here(TABLE, PUBLISHED)
    off = f'IF(N({published})=0,"",{here(TABLE, "parameters")}/{divisor("B")}/{published}-1)'
    return [
        ("Model", Column("No", like="no")),
        ("Model", Column("Model", like="name")),
        ("Model", Column("Status", like="status")),
        ("Model", Column("Architecture", like="text")),
        *results[:SIZES],
        ("Size", Column(PUBLISHED, like="fact")),
        ("Size", Column("Off published", off, "difference")),
        *results[SIZES:7],
        ("Training", Column(TOKENS, like="input")),
        *results[7:],
    ]


def _divided(shown: Shown, units: Scales) -> str:
    raw = here(TABLE, shown.line)
    return f"{raw}/{divisor(units[shown.line].unit)}" if shown.units else raw


def _shown(model: Costed, numbers: Mapping[str, Number], number: int, units: Scales) -> list[Value]:
    published = model.model.published or model.model.stored
    count = published.parameters / 10**9 if published else None
    off = float(numbers["parameters"]) / 10**9 / count - 1 if count else ""
    values: list[Value] = [
        plain(numbers[s.line]) / size(units[s.line].unit) if s.units else plain(numbers[s.line]) for s in SHOWN
    ]
    own = model.model.drivers.get("tokens")
    identity: list[Value] = [number, model.name, model.status, model.model.architecture]
    return [*identity, *values[:SIZES], count, off, *values[SIZES:7], own / 10**12 if own else None, *values[7:]]


def brought(shapes: Sequence[Shape], groups: Sequence[str]) -> list[Link]:
    """Return the columns brought from the tables of workings; parameters come first, groups last."""
    wanted = {**LINKS, **{group: (f"sum_parameters_{group}",) for group in groups}}
    return [link for header, lines in wanted.items() for link in links(TABLE, shapes, header, lines)]


def _raw_columns(plan: Plan, found: Sequence[Link]) -> list[tuple[str, Column]]:
    number = here(TABLE, "No")
    drivers = {driver.name for driver in plan.drivers}
    lines = [(line.name, model_formula(line, drivers)) for line in MODEL_LINES]
    tokens = ("tokens_override", f"{here(TABLE, TOKENS)}*1000000000000")
    order = [(f"order_{name}", f"{here(TABLE, of)}*(1-{number}/1000000000000)") for name, of in ORDERS.items()]
    return [
        *(
            ("Workings in plain units: brought from the tables of workings", Column(link.header, link.formula, "link"))
            for link in found
        ),
        *(("Workings in plain units: planning", Column(n, f, "raw")) for n, f in (tokens, *lines)),
        *(("Order for charts", Column(n, f, "raw")) for n, f in order),
    ]


ORDERS = {"parameters": "parameters", "cost": "training_cost"}
"""Columns by which charts sort; a trace of the number keeps equal ones apart."""


def model_formula(line: Line, drivers: set[str]) -> str:
    """Return a planning line as Excel formula: drivers by name, everything else from the model's row."""
    return formula.read(line.formula).excel(lambda name: f"in_{name}" if name in drivers else here(TABLE, name))


def _raw(model: Costed, numbers: Mapping[str, Number], number: int) -> list[Value]:
    lines: list[Value] = [numbers[line.name] for line in MODEL_LINES]
    order: list[Value] = [order_key(numbers[of], number) for of in ORDERS.values()]
    return [model.model.drivers.get("tokens", 0), *lines, *order]


def order_key(value: Number, number: int) -> float:
    """Return what charts sort by: the value, less a trace of the model's number."""
    return float(value) * (1 - number / 1000000000000)


def _banded(columns: Sequence[tuple[str, Column]]) -> list[Column]:
    banded, last = [], ""
    for band, column in columns:
        banded.append(replace(column, above=(band if band != last else "",)))
        last = band
    return banded
