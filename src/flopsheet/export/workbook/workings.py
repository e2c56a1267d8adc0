"""The tables of workings: a row per model, a column per dimension, helper, line, subtotal or total."""

from __future__ import annotations

from functools import cached_property
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.formula import Formula as Parsed
from flopsheet.accounting.formula import Steps
from flopsheet.accounting.line import write_group
from flopsheet.accounting.values import label
from flopsheet.export.workbook.architecture_table import without
from flopsheet.export.workbook.cells import is_chosen, line_formula
from flopsheet.export.workbook.column_spec import ColumnSpec, show_once, split_sum
from flopsheet.export.workbook.followers import WORKLOAD_NAMES, followers_of, row_rules, rule_specs
from flopsheet.export.workbook.rules import rule_columns
from flopsheet.export.workbook.table_columns import RAW
from livesheets import Clone, Column, Formula, Rows, TableFill
from livesheets.excel import array, call, here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Dimension, Number
    from flopsheet.accounting.totals import Entry
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.planning.costed_model import Costed
    from livesheets import Row, Table, Value
    from livesheets.excel import Expression

SHORT = 10
"""Characters of a number with decimals for which the template's columns have room."""
BANDS = {"workload": "Helpers", "parameters": "Parameters", "flops": "Forward FLOP", "memory": "Memory"}


def workings(arch: ArchitectureTable, specs: Sequence[ColumnSpec], sample: Table, checks: Formula) -> Clone:
    """Return the sheet of workings of one architecture; `sample` is the prototype's table."""
    cells: dict[str, Value | Formula] = {"title": f"{arch.ledger.architecture.title}: workings", "check": checks}
    return Clone(sample.sheet, arch.sheet, {sample.name: (arch.table, workings_table(arch, specs))}, cells)


def workings_table(arch: ArchitectureTable, specs: Sequence[ColumnSpec]) -> TableFill:
    """Return the table of workings of one architecture."""
    values = _WorkingsValues(specs, arch.models)
    rows = Rows(len(arch.models), lambda: values.rows(arch.models), values.column, values.row)
    return TableFill(rows, tuple(_columns(specs)))


class _WorkingsValues(Struct, frozen=True, dict=True):
    """The values of columns for models by number, row by row or column by column."""

    specs: Sequence[ColumnSpec]
    models: Mapping[int, Costed]

    def rows(self, models: Mapping[int, Costed]) -> Iterator[Row]:
        """Give a row per model: what is computed for it goes behind its numbers, and all columns are taken at once."""
        rows = [model.numbers.row for model in models.values()]
        formula_values = self._steps.rows([row[place] for place in self._places] for row in rows)
        columns = [values(models) for values in self._direct_values.values()]
        direct_values = zip(*columns, strict=True) if columns else repeat(())
        for number, row, own, results in zip(models, rows, direct_values, formula_values, strict=False):
            values = self._row_of((*row, *own, *results))
            yield self._following(number, values) if self._follows else values

    def _following(self, number: int, row: Sequence[Value]) -> Row:
        """Return a row in which dimensions that follow others have their formulas."""
        results: list[Value | Formula] = [*row]
        for place, texts in self._follows:
            if number in texts:
                results[place] = Formula(texts[number], row[place], follows=True)
        return results

    @cached_property
    def _follows(self) -> list[tuple[int, Mapping[int, Expression]]]:
        return [(place, spec.follows) for place, spec in enumerate(self.specs) if spec.follows]

    def row(self, at: int) -> Row:
        """Return one row."""
        number = self._numbers[at]
        return next(self.rows({number: self.models[number]}))

    def column(self, place: int) -> Iterable[Value]:
        """Return the values of one column."""
        value = self.specs[place].value
        if callable(value):
            return value(self.models)
        models = self.models.values()
        if isinstance(value, str):
            return [model.numbers.row[model.numbers.places[value]] for model in models]
        steps = Steps({"": value})
        return [steps.evaluate(model.numbers.some(value.names))[""] for model in models]

    @cached_property
    def _numbers(self) -> list[int]:
        return list(self.models)

    @cached_property
    def _steps(self) -> Steps:
        return Steps({spec.header: spec.value for spec in self.specs if isinstance(spec.value, Parsed)})

    @cached_property
    def _places(self) -> list[int]:
        """The places of what the formulas ask for in a model's numbers."""
        places = next(iter(self.models.values())).numbers.places
        return [places[name] for name in self._steps.given]

    @cached_property
    def _direct_values(self) -> Mapping[str, Callable[[Mapping[int, Costed]], Iterable[Value]]]:
        return {spec.header: spec.value for spec in self.specs if callable(spec.value)}

    @cached_property
    def _row_of(self) -> Callable[[Sequence[Value]], Sequence[Value]]:
        """What takes a row out of a model's numbers, what is given for it, and what is computed."""
        places = next(iter(self.models.values())).numbers.places
        headers = (*self._direct_values, *self._steps.formulas)
        behind = {header: place for place, header in enumerate(headers, len(places))}
        return itemgetter(*[places[p.value] if isinstance(p.value, str) else behind[p.header] for p in self.specs])


def column_specs(arch: ArchitectureTable) -> list[ColumnSpec]:
    """Return the columns of an architecture's workings, in their order."""
    dimensions = [spec for dimension in arch.dimensions for spec in _dimension(arch, dimension)]
    lines = [spec for entry in arch.entries for spec in _line(arch, entry)]
    return [*_identity(), *dimensions, *lines, *rule_columns(arch), *rule_specs(arch, row_rules(arch))]


def _columns(specs: Sequence[ColumnSpec]) -> list[Column]:
    bands = show_once(spec.band for spec in specs)
    return [
        Column(spec.header, spec.formula, spec.like, (band, spec.title, spec.unit), spec.width, spec.choices)
        for spec, band in zip(specs, bands, strict=True)
    ]


def _identity() -> list[ColumnSpec]:
    return [
        ColumnSpec("no", "no", "Model", "No", "", lambda models: models),
        ColumnSpec("model", "model", "Model", "Model", "", _each(lambda model: model.name)),
        ColumnSpec("status", "status", "Model", "Status", "", _each(lambda model: model.status)),
        ColumnSpec("file", "file", "Model", "Config file", "", _each(lambda model: model.model.source)),
    ]


def _each(value: Callable[[Costed], Value]) -> Callable[[Mapping[int, Costed]], Iterable[Value]]:
    return lambda models: map(value, models.values())


def _dimension(arch: ArchitectureTable, dimension: Dimension) -> list[ColumnSpec]:
    name = dimension.name
    band = "Workload" if name in WORKLOAD_NAMES else "Config values"
    if dimension.kind == "choice":
        return _choice(arch, dimension, band)
    like = "assumption" if name in WORKLOAD_NAMES else "flag" if dimension.kind == "flag" else "fact"
    numbers = (model.numbers[name] for model in arch.models.values() if dimension.kind in ("ratio", "share"))
    width = RAW if any(map(_is_long, numbers)) else None
    follows = followers_of(arch)[name]
    return [ColumnSpec(name, like, band, dimension.title, dimension.unit, name, width=width, follows=follows)]


def _is_long(number: Number) -> bool:
    """Tell whether a number has more digits than the template's columns have room for."""
    return number % 1 != 0 and len(str(float(number))) > SHORT


def _choice(arch: ArchitectureTable, dimension: Dimension, band: str) -> list[ColumnSpec]:
    name = dimension.name
    index = call("MATCH", here(arch.table, name), array(*dimension.labels), 0)
    labels = _each(lambda model: label(dimension, model.numbers[name]))
    return [
        ColumnSpec(name, "choice", band, dimension.title, "", labels, choices=dimension.labels),
        ColumnSpec(f"{name}_index", "helper", band, f"{dimension.title}, place", "", name, index),
    ]


def _line(arch: ArchitectureTable, entry: Entry) -> list[ColumnSpec]:
    """Return the column of an entry; before a total or helper that is a long sum, the columns of its parts."""
    line = entry.line
    flag = is_chosen(arch, line.name)
    text = line_formula(arch, entry) if flag is None else flag
    spec = ColumnSpec(line.name, entry.role, _band(entry), line.label, line.unit, line.name, text)
    if flag is not None or entry.role not in ("helper", "total"):
        return [spec]
    parts, whole = split_sum(arch, spec, without(arch.ledger.formulas[line.name], arch.left_out))
    return [*parts, replace(spec, formula=whole)]


def _band(entry: Entry) -> str:
    section = BANDS[entry.section]
    if entry.role in ("line", "subtotal"):
        return f"{section}: {write_group(entry.line.group)}"
    if entry.section == "workload":
        return section
    return f"{section}: totals" if entry.role == "total" else f"{section}: helpers"


IDENTITY = tuple(spec.header for spec in _identity())
"""The columns that every table of workings begins with."""
