"""The sheet Models: a row a costed model, results in readable units on the left, plain units on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from operator import itemgetter
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.gathering import link_formula
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.links import Link, bringer, links
from flopsheet.export.workbook.naming import refer, used_header
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.planning.inputs import CASES
from flopsheet.planning.questions.budget.lines import MODEL_LINES
from flopsheet.planning.sheet import shared_columns
from flopsheet.spreadsheet.engine import Column, Rows, TableFill, Value
from flopsheet.units.readable import (
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.export.workbook.shape import Shape
    from flopsheet.planning.costing import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Check
    from flopsheet.planning.sheet import SheetColumn

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

COST = "training_cost"
"""The line that is shown in each case."""
OVERRIDE = "tokens_override"
"""The model's own tokens in plain units, 0 without."""
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
LAST = 3
"""How many shown columns stand behind those of further questions."""
UNITLESS = ("", "share", "flag", "ratio")
ASKED = {"tenth": "tenth", "general": "tenth", "percent": "percent", "difference": "difference", "yes": "yes"}
"""Which column of the template shows each look that a question may ask for."""
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
    found = brought(plan, shapes, groups)
    columns = [*_shown_columns(plan, units), *_raw_columns(plan, found)]

    bring = bringer(found)
    made_of = [line.name for line in _made_of(plan, COST)]

    def rows() -> Iterator[list[Value]]:
        further = _further(plan)
        for place, (number, model, numbers) in enumerate(planned(plan)):
            links, checks = ([column[place] for column in one] for one in further)
            shown = _shown(plan, model, numbers, number, units)
            raw = _raw(plan, model, numbers, links)
            costs = _costs(plan, model, made_of)
            yield [*shown, *bring(model), *raw, *checks, *costs, *_order(numbers, number)]

    @cache
    def transposed() -> list[tuple[Value, ...]]:
        """Return the columns: checks look through all of them, and rows are made again of them."""
        return list(zip(*rows(), strict=True))

    made = Rows(len(plan.costed), lambda: zip(*transposed(), strict=True), lambda place: transposed()[place])
    return TableFill(made, tuple(_banded(columns)), height=heights({1: (32, 10)}))


def planned(plan: Plan, case: str = "") -> Iterator[tuple[int, Costed, Mapping[str, Number]]]:
    """Give each costed model with its number, and the totals and planning lines that are shown, live by default."""
    for number, model in enumerate(plan.models, start=1):
        if model.ledger:
            yield number, model, model.numbers.some(TOTALS) | plan.training(model, case or plan.scenario)


def _shown_columns(plan: Plan, units: Scales) -> list[tuple[str, Column]]:
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
        *results[7:-LAST],
        *_asked_columns(plan),
        *results[-LAST:],
    ]


def _asked_columns(plan: Plan) -> list[tuple[str, Column]]:
    """Return the readable columns that questions ask for in their sheet.toml."""
    return [("Further questions", _asked_column(plan, one)) for one in shared_columns(plan.program, TABLE)]


def _asked_column(plan: Plan, asked: SheetColumn) -> Column:
    line = next(line for line in plan.model_lines if line.name == asked.line)
    unit = asked.unit or line.unit
    header = f"{asked.title or line.label} ({unit})" if unit not in UNITLESS else asked.title or line.label
    text = here(TABLE, line.name)
    return Column(header, f"{text}/{divisor(unit)}" if size(unit) > 1 else text, ASKED.get(asked.look, "computed"))


def _divided(shown: Shown, units: Scales) -> str:
    raw = here(TABLE, shown.line)
    return f"{raw}/{divisor(units[shown.line].unit)}" if shown.units else raw


def _shown(plan: Plan, model: Costed, numbers: Mapping[str, Number], number: int, units: Scales) -> list[Value]:
    published = model.model.published or model.model.stored
    count = published.parameters / 10**9 if published else None
    off = float(numbers["parameters"]) / 10**9 / count - 1 if count else ""
    values: list[Value] = [
        plain(numbers[s.line]) / size(units[s.line].unit) if s.units else plain(numbers[s.line]) for s in SHOWN
    ]
    asked: list[Value] = [plain(numbers[one.line]) / size(one.unit) for one in shared_columns(plan.program, TABLE)]
    own = model.model.drivers.get("tokens")
    identity: list[Value] = [number, model.name, model.status, model.model.architecture]
    tokens = own / 10**12 if own else None
    first = [*identity, *values[:SIZES], count, off, *values[SIZES:7], tokens]
    return [*first, *values[7:-LAST], *asked, *values[-LAST:]]


def brought(plan: Plan, shapes: Sequence[Shape], groups: Sequence[str]) -> list[Link]:
    """Return the columns brought from the tables of workings; parameters come first, groups last.

    Every total that a planning line reads is among them.
    """
    facts = {name: (name,) for name in plan.facts if name not in LINKS and name != OVERRIDE}
    wanted = {**LINKS, **facts, **{group: (f"sum_parameters_{group}",) for group in groups}}
    return [link for header, lines in wanted.items() for link in links(TABLE, shapes, header, lines)]


def _raw_columns(plan: Plan, found: Sequence[Link]) -> list[tuple[str, Column]]:
    number, table = here(TABLE, "No"), plan.program.tables[TABLE]
    said = refer(plan.program, table, plan.own_inputs)
    own = [column for name in plan.own_inputs for column in _own_columns(name)]
    tokens = (OVERRIDE, f"{here(TABLE, TOKENS)}*1000000000000")
    found_links = [(link.name, link_formula(plan.program, table, link)) for link in table.links]
    lines = [(line.name, formula.read(line.formula).excel(said)) for line in plan.model_lines]
    checks = [(check_header(c.name), formula.read(c.formula).excel(said)) for c in _checks(plan)]
    order = [(f"order_{name}", f"{here(TABLE, of)}*(1-{number}/1000000000000)") for name, of in ORDERS.items()]
    return [
        *(
            ("Workings in plain units: brought from the tables of workings", Column(link.header, link.formula, "link"))
            for link in found
        ),
        *own,
        *(
            ("Workings in plain units: planning", Column(n, f, "raw"))
            for n, f in (tokens, *found_links, *lines, *checks)
        ),
        *(("Cost in each case", Column(n, f, "raw")) for n, f in _case_columns(plan)),
        *(("Order for charts", Column(n, f, "raw")) for n, f in order),
    ]


def _case_columns(plan: Plan) -> Iterator[tuple[str, str]]:
    """Give the header and formula of a model's cost in each case, and of the lines that it is made of."""
    inputs = {driver.name for driver in plan.drivers}
    lines = _made_of(plan, COST)
    names = {line.name for line in lines}
    for row, case in enumerate(CASES, start=1):

        def said(name: str, row: int = row, case: str = case) -> str:
            if name in inputs:
                planned, own = f"INDEX(cases[{name}],{row})", here(TABLE, own_header(name))
                return f'IF({own}="",{planned},{own})' if name in plan.own_inputs else planned
            return here(TABLE, in_case(name, case) if name in names else name)

        yield from ((in_case(line.name, case), formula.read(line.formula).excel(said)) for line in lines)


def in_case(line: str, case: str) -> str:
    """Return the header of a line's column in one case."""
    return f"{line}_{case}"


def _made_of(plan: Plan, wanted: str) -> list[Line]:
    """Return the lines that a line is made of, itself the last."""
    needed = {wanted}
    for line in reversed(plan.model_lines):
        if line.name in needed:
            needed |= set(formula.read(line.formula).names)
    return [line for line in plan.model_lines if line.name in needed]


ORDERS = {"parameters": "parameters", "cost": "training_cost"}
"""Columns by which charts sort; a trace of the number keeps equal ones apart."""
EVERYTHING = f"{TABLE}[[No]:[order_{[*ORDERS][-1]}]]"
"""All columns of the table, from its first to its last."""


def _own_columns(name: str) -> list[tuple[str, Column]]:
    """Return what a model states of an input for itself, blank for the plan's, and the value that its row uses."""
    own = here(TABLE, own_header(name))
    return [
        ("Inputs of single models", Column(own_header(name), None, "input")),
        ("Inputs of single models", Column(used_header(name), f'IF({own}="",in_{name},{own})', "raw")),
    ]


def own_header(name: str) -> str:
    """Return the header of the column with what models state for themselves of an input."""
    return f"own_{name}"


def _checks(plan: Plan) -> list[Check]:
    return [check for _, check in plan.program.checks if check.table == TABLE]


def _further(plan: Plan) -> tuple[list[Sequence[Number]], list[Sequence[Number]]]:
    """Return what links bring to the models, and what checks of them give, a column each."""
    run = plan.run(plan.scenario)
    return list(run.linked(TABLE).values()), [run.checked(check) for check in _checks(plan)]


def _raw(plan: Plan, model: Costed, numbers: Mapping[str, Number], links: Sequence[Number]) -> list[Value]:
    own: list[Value] = []
    for name in plan.own_inputs:
        given = model.model.drivers.get(name)
        own += [given, plain(plan.case(plan.scenario)[name]) if given is None else given]
    lines: list[Value] = [numbers[line.name] for line in plan.model_lines]
    return [*own, model.model.drivers.get("tokens", 0), *links, *lines]


def _order(numbers: Mapping[str, Number], number: int) -> list[Value]:
    return [order_key(numbers[of], number) for of in ORDERS.values()]


def _costs(plan: Plan, model: Costed, made_of: Sequence[str]) -> list[Value]:
    return [found[line] for found in map(partial(plan.training, model), CASES) for line in made_of]


def order_key(value: Number, number: int) -> float:
    """Return what charts sort by: the value, less a trace of the model's number."""
    return float(value) * (1 - number / 1000000000000)


def _banded(columns: Sequence[tuple[str, Column]]) -> list[Column]:
    banded, last = [], ""
    for band, column in columns:
        banded.append(replace(column, above=(band if band != last else "",)))
        last = band
    return banded
