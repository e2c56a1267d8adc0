"""The columns of Models that people read: what questions ask for in their sheet.toml, in units that fit the batch."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.nonumber import numbers_of
from flopsheet.accounting.quantized_weights import DIMENSIONS as QUANTIZED
from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.export.workbook.formula_names import with_readers
from flopsheet.planning.facts import FACTS, OWN_TOKENS
from flopsheet.planning.inputs import CASES, TITLES
from flopsheet.planning.memo import once
from flopsheet.planning.question import MODELS_TABLE, OVERRIDE
from flopsheet.planning.sheet import shared_columns
from flopsheet.units.readable import family, fitting, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.program import Program
    from flopsheet.planning.sheet_records import SheetColumn

    Scales = Mapping[str, "Scale"]
    """How each shown line is shown."""

WIDTH = 14
"""The template's columns for numbers, in characters."""
UNITLESS = ("", "-", "share", "flag", "output", "ratio")
"""Units that a header need not say."""
LOOKS = {"general": "tenth", "number": "whole"}
"""The look that a column has where it asks for one of which the sheet has no column."""
UNASKED = {"share": "percent", "flag": "yes", "output": "output", "ratio": "tenth"}
"""The look of a column that asks for none, by its unit; of others it is "computed"."""


class Scale(Struct, frozen=True):
    """The unit in which a line is shown, "" for its plain one, and the batch's largest value in that unit."""

    unit: str
    largest: float

    @property
    def width(self) -> float | None:
        """The width that the column needs where it is more than the template gives it."""
        characters = len(f"{self.largest:,.2f}") + 2
        return characters if characters > WIDTH else None


class ModelColumn(Struct, frozen=True):
    """A column: a line or total, live or in one `case`, in one of its readable units, the largest first; or a fact.

    `plain` is the unit in which a line gives it, "" for totals.
    """

    name: str
    title: str
    plain: str
    units: tuple[str, ...]
    look: str
    band: str
    case: str = ""

    @property
    def is_fact(self) -> bool:
        """Whether no line gives it."""
        return self.name in FACTS

    def header(self, scales: Scales | None = None) -> str:
        """Return the column's header with its unit, without `scales` the largest of its units."""
        if self.is_fact:
            return FACTS[self.name].header
        unit = scales[self.name].unit if scales else "".join(self.units[:1])
        return f"{self.title} ({unit})" if self.units else self.title

    @property
    def raw(self) -> str:
        """The column that holds the line in its plain unit."""
        return in_case(self.name, self.case) if self.case else self.name


class Batch(Struct, frozen=True, dict=True):
    """The costed models of a plan: their places among all models, from 1, and their numbers line by line."""

    plan: Plan

    @cached_property
    def numbers(self) -> list[int]:
        """The numbers of the costed models."""
        return [number for number, model in enumerate(self.plan.models, start=1) if model.ledger]

    def line(self, name: str, case: str = "") -> Sequence[Number]:
        """Return a planning line in a case, live by default, or a total of the models' ledgers."""
        lines = self.plan.run(case or self.plan.scenario).table(MODELS_TABLE).columns
        return lines[name] if name in lines else [_total(model, name) for model in self.plan.costed]


def shown_columns(program: Program) -> list[ModelColumn]:
    """Return the columns that people read, those of further questions where the first one has room for them."""
    titles = {line.name: (line.label, line.unit) for line in program.lines(MODELS_TABLE)}
    return [column for spec in shared_columns(program, MODELS_TABLE) for column in _columns(spec, titles)]


def shown_in_cases(program: Program) -> list[str]:
    """Return the lines that have a column for each case: those that people see so, and those that links read so."""
    read = [line for line in _read_in_cases(program) if line not in linked_in_cases(program)]
    return list(dict.fromkeys([*(column.name for column in shown_columns(program) if column.case), *read]))


def linked_in_cases(program: Program) -> list[str]:
    """Return the lines that links read in a case, and that read other tables: those have a row for each case."""
    links = (link.name for link in program.tables[MODELS_TABLE].links)
    names = with_readers(program.lines(MODELS_TABLE), links)
    return [line for line in _read_in_cases(program) if line in names]


def _read_in_cases(program: Program) -> list[str]:
    links = [link for table in program.tables.values() for link in table.links]
    return list(dict.fromkeys(link.line for link in links if link.case and link.table == MODELS_TABLE))


def scales(plan: Plan) -> Scales:
    """Return the scale of each shown line: the largest unit of which its largest value in the Base case has one."""
    batch = Batch(plan)
    columns = {spec.name: spec for spec in shown_columns(plan.program) if not spec.is_fact}
    bases = {name: numbers_of(batch.line(name, "base")) for name in columns}
    return {name: _scale(spec, max(bases[name], default=0)) for name, spec in columns.items()}


def _scale(column: ModelColumn, largest: Number) -> Scale:
    if not column.units:
        return Scale("", float(largest))
    unit = fitting(column.units, largest) if len(column.units) > 1 else column.units[0]
    return Scale(unit, plain(largest) / size(unit, column.plain))


@once
def fact_titles(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return title and unit of every dimension and line of the costed models' ledgers."""
    ledgers = {id(model.ledger): model.ledger for model in plan.costed if model.ledger}.values()
    dimensions = [*QUANTIZED, *(dimension for ledger in ledgers for dimension in ledger.dimensions)]
    lines = [entry.line for ledger in ledgers for entry in ledger.entries]
    result = {OVERRIDE: (OWN_TOKENS, "tokens")}
    result |= {dimension.name: (dimension.title, dimension.unit) for dimension in dimensions}
    return result | {line.name: (line.label, line.unit) for line in lines}


def meaning_of(plan: Plan, name: str) -> tuple[str, str] | None:
    """Return title and unit of an input, or of what a model brings along; None if it is neither."""
    definition = plan.program.inputs.get(name)
    return (definition.title, definition.unit) if definition else fact_titles(plan).get(name)


def in_case(line: str, case: str) -> str:
    """Return the header of a line's column in one case."""
    return f"{line}_{case}"


def _columns(spec: SheetColumn, titles: Mapping[str, tuple[str, str]]) -> Iterator[ModelColumn]:
    label, plain_unit = titles.get(spec.line, ("", ""))
    title, unit = spec.title or label or spec.line, spec.unit or plain_unit
    units = family(spec.units) if spec.units else () if unit in UNITLESS else (unit,)
    look = LOOKS.get(spec.look, spec.look) or UNASKED.get(plain_unit, "computed")
    if not spec.cases:
        yield ModelColumn(spec.line, title, plain_unit, units, look, spec.band)
        return
    for case in CASES:
        yield ModelColumn(spec.line, f"{title}: {TITLES[case]}", plain_unit, units, look, spec.band, case)


def _total(model: Costed, name: str) -> Number:
    try:
        return model.numbers[name]
    except KeyError:
        raise PluginError(f"column {name!r} of the table models: neither a line nor a total of {model.name}") from None
