"""The sheet Models: a row a costed model, results in readable units on the left, plain units on the right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.export.workbook.cells import here
from flopsheet.export.workbook.gathering import link_formula
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.links import Link, Located, links
from flopsheet.export.workbook.naming import choices, refer, used_header
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.question import OVERRIDE
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
    readable_units,
    size,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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

IN_CASES = ("training_cost", "training_days")
"""The lines that are shown in each case."""
TOKENS, PUBLISHED = "Token override (T)", "Published (B)"
"""What planners type: its unit is always the same."""
OFF = "vs. published"


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
    """A column for people: a line, live or in one `case`, in one of its readable units, the largest first.

    Without a line it holds what planners type or a config brings.
    """

    title: str
    line: str = ""
    units: tuple[str, ...] = ()
    like: str = "computed"
    band: str = ""
    case: str = ""

    def header(self, scales: Scales) -> str:
        """Return the column's header with its unit."""
        return f"{self.title} ({scales[self.line].unit})" if self.units else self.title

    @property
    def raw(self) -> str:
        """The column that holds the line in its plain unit."""
        return in_case(self.line, self.case) if self.case else self.line


def _of_cases(title: str, line: str, units: tuple[str, ...], like: str) -> tuple[Shown, ...]:
    return tuple(Shown(f"{title}: {TITLES[case]}", line, units, like, f"{title} in each case", case) for case in CASES)


FURTHER = Shown("", band="Further questions")
"""Where the columns stand that questions ask for in their sheet.toml."""
SHOWN = (
    Shown("No", like="no", band="Model"),
    Shown("Model", like="name", band="Model"),
    Shown("Status", like="status", band="Model"),
    Shown("Architecture", like="text", band="Model"),
    Shown("Parameters", "parameters", COUNTS, band="Size"),
    Shown("Active", "parameters_active", COUNTS, band="Size"),
    Shown(TOKENS, like="input", band="Training"),
    Shown("Training tokens", "training_tokens", ("T",), band="Training"),
    *_of_cases("Cost", "training_cost", MONEY, "figure"),
    *_of_cases("Days", "training_days", (), "day"),
    Shown("Within schedule", "fits_time", (), "yes", "Live scenario"),
    Shown("Fits in cluster memory", "fits_memory", (), "end", "Live scenario"),
    Shown(PUBLISHED, like="fact", band="Size"),
    Shown(OFF, like="difference", band="Size"),
    Shown("Forward per token", "flops_per_token", STEPS, band="Size"),
    Shown("Weights", "weights_bytes", BYTES, "tenth", "Memory to serve"),
    Shown("KV cache", "kv_cache_bytes", BYTES, band="Memory to serve"),
    Shown("State", "state_bytes", ("MiB",), "tenth", "Memory to serve"),
    Shown("Training state", "training_state_bytes", BYTES, "tenth", "Training, live scenario"),
    Shown("Tokens per parameter", "tokens_per_parameter", (), "tenth", "Training, live scenario"),
    Shown("MFU", "model_mfu", (), "percent", "Training, live scenario"),
    Shown("Training compute", "training_flops", WORK, band="Training, live scenario"),
    Shown("GPU-hours", "training_hours", HOURS, band="Training, live scenario"),
    Shown("Days on the cluster", "training_days", (), "tenth", "Training, live scenario"),
    Shown("Cost", "training_cost", MONEY, band="Training, live scenario"),
    Shown("Energy", "training_energy", ENERGY, "tenth", "Training, live scenario"),
    FURTHER,
    Shown("Tokens trainable in the window", "affordable_tokens", ("T",), "last", "Budget"),
)
"""Tokens have one unit, that of the blue cells which planners type them into."""
TOTALS = tuple({s.line for s in SHOWN if s.line} - {line.name for line in MODEL_LINES})
"""The shown columns that are totals of a model's ledger."""
WIDTH = 14
"""The template's columns for numbers, in characters."""
UNITLESS = ("", "share", "flag", "ratio")
ASKED = {"tenth": "tenth", "general": "tenth", "percent": "percent", "difference": "difference", "yes": "yes"}
"""Which column of the template shows each look that a question may ask for."""


def scales(plan: Plan) -> Scales:
    """Return the scale of each shown line: the largest unit of which its largest value in the Base case has one."""
    batch = Batch(plan)
    units = {shown.line: shown.units for shown in SHOWN if shown.line}
    largest = {line: max(batch.line(line, "base"), default=0) for line in units}
    chosen = {line: fitting(units[line], largest[line]) if units[line] else "" for line in units}
    return {line: Scale(unit, plain(largest[line]) / size(unit, "")) for line, unit in chosen.items()}


class Filled(NamedTuple):
    """A column of the table under its band, with what gives its value for each costed model."""

    band: str
    column: Column
    values: Callable[[], Iterable[Value]]


@dataclass(frozen=True)
class Batch:
    """The costed models of a plan: their places among all models, from 1, and their numbers line by line."""

    plan: Plan

    @cached_property
    def numbers(self) -> list[int]:
        """The numbers of the costed models."""
        return [number for number, model in enumerate(self.plan.models, start=1) if model.ledger]

    @cached_property
    def models(self) -> list[Costed]:
        """The costed models."""
        return self.plan.costed

    def line(self, name: str, case: str = "") -> Sequence[Number]:
        """Return a planning line in a case, live by default, or a total of the models' ledgers."""
        lines = self.plan.run(case or self.plan.scenario).table(TABLE).columns
        return lines[name] if name in lines else [model.numbers[name] for model in self.models]


def models_table(plan: Plan, shapes: Sequence[Shape], groups: Sequence[str], units: Scales) -> TableFill:
    """Return the table Models; `groups` are the parameter groups that get a column for the charts.

    Rows are made of columns while they are written, and a column by itself for what looks through all of it.
    """
    batch = Batch(plan)
    filled = [*_shown_columns(batch, units), *_raw_columns(batch, brought(plan, shapes, groups))]
    rows = Rows(
        len(batch.models),
        lambda: zip(*[one.values() for one in filled], strict=True),
        lambda place: filled[place].values(),
    )
    return TableFill(rows, tuple(_banded(filled)), height=heights({1: (32, 10)}))


def _shown_columns(batch: Batch, units: Scales) -> list[Filled]:
    facts = _facts(batch)
    found: list[Filled] = []
    for shown in SHOWN:
        if shown is FURTHER:
            found += _asked_columns(batch)
        elif shown.line:
            found.append(_result(batch, shown, units))
        else:
            text, values = facts[shown.title]
            found.append(Filled(shown.band, Column(shown.title, text, shown.like), values))
    return found


def _facts(batch: Batch) -> Mapping[str, tuple[str | None, Callable[[], Iterable[Value]]]]:
    """Return the formula and the values of each column that shows no line."""
    models, published = batch.models, here(TABLE, PUBLISHED)
    off = f'IF(N({published})=0,"",{here(TABLE, "parameters")}/{divisor("B")}/{published}-1)'
    return {
        "No": (None, lambda: batch.numbers),
        "Model": (None, lambda: (one.name for one in models)),
        "Status": (None, lambda: (one.status for one in models)),
        "Architecture": (None, lambda: (one.model.architecture for one in models)),
        TOKENS: (None, lambda: map(_own_tokens, models)),
        PUBLISHED: (None, lambda: map(_published_count, models)),
        OFF: (off, lambda: map(_off_published, models)),
    }


def _result(batch: Batch, shown: Shown, units: Scales) -> Filled:
    scale, raw = units[shown.line], here(TABLE, shown.raw)
    unit = scale.unit if shown.units else ""
    column = Column(shown.header(units), f"{raw}/{divisor(unit)}" if unit else raw, shown.like, width=scale.width)
    return Filled(shown.band, column, lambda: _in_unit(batch.line(shown.line, shown.case), unit))


def _in_unit(numbers: Iterable[Number], unit: str) -> Iterable[Value]:
    parts = size(unit, "")
    return (plain(one) / parts for one in numbers) if unit else map(plain, numbers)


def _published_count(model: Costed) -> float | None:
    published = model.model.published or model.model.stored
    return published.parameters / 10**9 if published else None


def _off_published(model: Costed) -> Value:
    count = _published_count(model)
    return float(model.numbers["parameters"]) / 10**9 / count - 1 if count else ""


def _own_tokens(model: Costed) -> float | None:
    own = model.model.drivers.get("tokens")
    return own / 10**12 if own else None


def _asked_columns(batch: Batch) -> list[Filled]:
    """Return the readable columns that questions ask for in their sheet.toml."""
    return [_asked_column(batch, one) for one in shared_columns(batch.plan.program, TABLE)]


def _asked_column(batch: Batch, asked: SheetColumn) -> Filled:
    line = next(line for line in batch.plan.model_lines if line.name == asked.line)
    unit = asked.unit or line.unit
    header = f"{asked.title or line.label} ({unit})" if unit not in UNITLESS else asked.title or line.label
    text = here(TABLE, line.name)
    if unit != line.unit and unit not in readable_units(line.unit):
        known = ", ".join(dict.fromkeys([line.unit, *readable_units(line.unit)]))
        raise PluginError(f"sheet.toml: table {TABLE}, column {asked.line!r}: unit {unit!r}; expected one of {known}")
    parts = size(unit, line.unit)
    formula_text = f"{text}/{divisor(unit, line.unit)}" if parts > 1 else text
    column = Column(header, formula_text, ASKED.get(asked.look, "computed"))
    return Filled("Further questions", column, lambda: _in_unit(batch.line(line.name), unit if parts > 1 else ""))


def brought(plan: Plan, shapes: Sequence[Shape], groups: Sequence[str]) -> list[Link]:
    """Return the columns brought from the tables of workings; parameters come first, groups last.

    Every total that a planning line reads is among them; PluginError names one that some model has and no table.
    """
    facts = {name: (name,) for name in plan.facts if name not in LINKS and name != OVERRIDE}
    shown = {name for shape in shapes for name in shape.names}
    if lost := [name for name in facts if name not in shown and any(one.numbers.get(name, 0) for one in plan.costed)]:
        raise PluginError(f"planning lines read {', '.join(lost)}, which no table of workings has as a column")
    wanted = {**LINKS, **facts, **{group: (f"sum_parameters_{group}",) for group in groups}}
    return [link for header, lines in wanted.items() for link in links(TABLE, shapes, header, lines)]


def _raw_columns(batch: Batch, found: Sequence[Link]) -> list[Filled]:
    plan, run = batch.plan, batch.plan.run(batch.plan.scenario)
    table, located = plan.program.tables[TABLE], Located(batch.models)
    refer_to = refer(plan.program, table, plan.own_inputs)

    def text_of(text: str) -> str:
        return formula.read(text).excel(refer_to)

    tokens = Column(OVERRIDE, f"{here(TABLE, TOKENS)}*1000000000000", "raw")
    return [
        *(
            Filled(
                "Workings in plain units: brought from the tables of workings",
                Column(link.header, link.formula, "link"),
                partial(located.values, link),
            )
            for link in found
        ),
        *(column for name in plan.own_inputs for column in _own_columns(batch, name)),
        Filled(PLANNING, tokens, lambda: (one.model.drivers.get("tokens", 0) for one in batch.models)),
        *(
            _raw(link.name, link_formula(plan.program, table, link), partial(run.linked, TABLE, link))
            for link in table.links
        ),
        *(_raw(line.name, text_of(line.formula), partial(batch.line, line.name)) for line in plan.model_lines),
        *(_raw(check_header(one.name), text_of(one.formula), partial(run.checked, one)) for one in _checks(plan)),
        *_case_columns(batch),
        *(_order(batch, name, of) for name, of in ORDERS.items()),
    ]


PLANNING = "Workings in plain units: planning"


def _raw(header: str, text: str, values: Callable[[], Iterable[Value]], band: str = PLANNING) -> Filled:
    return Filled(band, Column(header, text, "raw"), values)


def _order(batch: Batch, name: str, of: str) -> Filled:
    text = f"{here(TABLE, of)}*(1-{here(TABLE, 'No')}/1000000000000)"
    return _raw(f"order_{name}", text, lambda: map(order_key, batch.line(of), batch.numbers), "Order for charts")


def _case_columns(batch: Batch) -> Iterator[Filled]:
    """Give what is shown in each case, and the lines that it is made of."""
    plan = batch.plan
    inputs = {driver.name for driver in plan.drivers}
    lines = _made_of(plan)
    names, chosen = {line.name for line in lines}, choices(plan.program)
    for row, case in enumerate(CASES, start=1):

        def said(name: str, row: int = row, case: str = case) -> str:
            if name in inputs:
                planned, own = f"INDEX(cases[{name}],{row})", here(TABLE, own_header(name))
                return f'IF({own}="",{planned},{own})' if name in plan.own_inputs else planned
            if name in chosen:
                one, at = chosen[name]
                return f"IF({said(one)}={at},1,0)"
            return here(TABLE, in_case(name, case) if name in names else name)

        for line in lines:
            text = formula.read(line.formula).excel(said)
            yield _raw(in_case(line.name, case), text, partial(batch.line, line.name, case), IN_EACH)


IN_EACH = "Workings in plain units: each case"


def in_case(line: str, case: str) -> str:
    """Return the header of a line's column in one case."""
    return f"{line}_{case}"


def _made_of(plan: Plan) -> list[Line]:
    """Return the lines that are shown in each case, and those that they are made of."""
    lines = {line.name: line for line in plan.model_lines}
    needed, waiting = set(IN_CASES), [*IN_CASES]
    while waiting:
        more = lines.keys() & set(formula.read(lines[waiting.pop()].formula).names) - needed
        needed |= more
        waiting += more
    return [line for line in plan.model_lines if line.name in needed]


ORDERS = {"parameters": "parameters", "cost": "training_cost"}
"""Columns by which charts sort; a trace of the number keeps equal ones apart."""
EVERYTHING = f"{TABLE}[[No]:[order_{[*ORDERS][-1]}]]"
"""All columns of the table, from its first to its last."""


def _own_columns(batch: Batch, name: str) -> list[Filled]:
    """Return what a model states of an input for itself, blank for the plan's, and the value that its row uses."""
    own, planned = here(TABLE, own_header(name)), plain(batch.plan.case(batch.plan.scenario)[name])
    used = Column(used_header(name), f'IF({own}="",in_{name},{own})', "raw")
    return [
        Filled(
            OWN, Column(own_header(name), None, "input"), lambda: (batch.plan.own(m).get(name) for m in batch.models)
        ),
        Filled(OWN, used, lambda: (batch.plan.own(m).get(name, planned) for m in batch.models)),
    ]


OWN = "Inputs of single models"


def own_header(name: str) -> str:
    """Return the header of the column with what models state for themselves of an input."""
    return f"own_{name}"


def _checks(plan: Plan) -> list[Check]:
    return [check for _, check in plan.program.checks if check.table == TABLE]


def order_key(value: Number, number: int) -> float:
    """Return what charts sort by: the value, less a trace of the model's number."""
    return float(value) * (1 - number / 1000000000000)


def _banded(filled: Sequence[Filled]) -> list[Column]:
    banded, last = [], ""
    for band, column, _ in filled:
        banded.append(replace(column, above=(band if band != last else "",)))
        last = band
    return banded
