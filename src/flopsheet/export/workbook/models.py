"""The sheet Models: a row a costed model, results in readable units on the left, plain units on the right."""

from __future__ import annotations

from functools import cache, partial
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting import formula
from flopsheet.accounting.packed_numbers import pack
from flopsheet.accounting.values import add, plain
from flopsheet.errors import PluginError
from flopsheet.export.workbook.axes import read_by
from flopsheet.export.workbook.bridge import READ
from flopsheet.export.workbook.cells import lookup, unit_size
from flopsheet.export.workbook.column_spec import MAX_FORMULA, group_terms, show_once
from flopsheet.export.workbook.excel_form import OWN_OR_PLANNED, Cells, excel_form, guarded_form, is_stated, row_formula
from flopsheet.export.workbook.formula_names import (
    checks_of,
    flag_formula,
    input_cell,
    names_read,
    own_header,
    refer,
    used_header,
    with_readers,
)
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.link_formulas import link_formula
from flopsheet.export.workbook.model_columns import Batch, in_case, shown_columns, shown_in_cases
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.planning.facts import COUNT, FACTS, OFF_PUBLISHED, OWN_TOKENS, PUBLISHED, TOKENS, own_tokens
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE, OVERRIDE
from flopsheet.units.readable import size
from livesheets import Column, Rows, TableFill, Value
from livesheets.excel import add_all, call, column, column_of_row, here, literal
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from flopsheet.accounting.line import Line, Number
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.export.workbook.model_columns import ModelColumn, Scales
    from flopsheet.planning.costed_model import Costed
    from flopsheet.planning.plan import Plan
    from livesheets import Row, Value
    from livesheets.excel import Expression

TABLE = MODELS_TABLE
_PUBLISHED = {
    "parameters": here(TABLE, "parameters"),
    "count_unit": unit_size(COUNT),
    "published": call("N", here(TABLE, PUBLISHED)),
}
FORMULAS = {"off_published": guarded_form(OFF_PUBLISHED, _PUBLISHED.__getitem__)}
"""The facts that are computed from others."""
ORDERS = {"parameters": "parameters", "cost": "training_cost"}
"""Columns by which charts sort; a trace of the number keeps equal ones apart."""
EVERYTHING = column(TABLE, "No", f"order_{[*ORDERS][-1]}")
"""All columns of the table, from its first to its last."""
PLANNING, OWN = "Workings in plain units: planning", "Inputs of single models"
EACH_CASE = "Workings in plain units: each case"
BROUGHT = "Workings in plain units: brought from the tables of workings"


class FilledColumn(Struct, frozen=True):
    """A column of the table under its band, with what gives its value for each costed model."""

    band: str
    column: Column
    values: Callable[[], Iterable[Value]]


def models_table(
    plan: Plan, architectures: Sequence[ArchitectureTable], groups: Sequence[str], units: Scales
) -> TableFill:
    """Return the table Models; `groups` are the parameter groups that get a column for the charts.

    A column is made once: checks look through all of them, then rows are made of them while they are written.
    """
    batch = Batch(plan)
    people_columns = [_fill_column(batch, spec, units) for spec in shown_columns(plan.program)]
    all_columns = [*people_columns, *_raw_columns(batch, brought_columns(plan, architectures, groups))]
    if plan.has_gaps:  # what a spreadsheet makes of errors is computed cell by cell
        blank = [None] * len(batch.plan.costed)
        values = (list(item.values()) if item.column.formula is None else blank for item in all_columns)
        rows: Sequence[Row] | Rows = [*zip(*values, strict=True)]
    else:
        column = cache(lambda place: pack(list(all_columns[place].values())))
        rows = Rows(len(batch.plan.costed), lambda: zip(*map(column, range(len(all_columns))), strict=True), column)
    return TableFill(rows, tuple(_add_bands(all_columns)), height=heights({1: (32, 10)}))


def _fill_column(batch: Batch, spec: ModelColumn, units: Scales) -> FilledColumn:
    if spec.is_fact:
        column = Column(spec.header(units), FORMULAS.get(spec.name), spec.look)
        value = FACTS[spec.name].value
        return FilledColumn(spec.band, column, lambda: map(value, batch.numbers, batch.plan.costed))
    scale, raw = units[spec.name], here(TABLE, spec.raw)
    header, line = spec.header(units), partial(batch.line, spec.name, spec.case)
    if not scale.unit or size(scale.unit, spec.plain) == 1:
        column = Column(header, raw, spec.look, width=scale.width)
        return FilledColumn(spec.band, column, lambda: map(plain, line()))
    unit = Cells(unit_size(scale.unit, spec.plain), partial(repeat, size(scale.unit, spec.plain)))
    text, values = row_formula("line / unit", {"line": Cells(raw, line), "unit": unit})
    return FilledColumn(spec.band, Column(header, text, spec.look, width=scale.width), values)


def brought_columns(
    plan: Plan, architectures: Sequence[ArchitectureTable], groups: Sequence[str]
) -> list[WorkingsLink]:
    """Return the columns brought from the tables of workings: what columns for people, lines and the bridge read.

    Parameters come first, groups last. PluginError names a total that some model has and no table.
    """
    lines = {line.name for line in plan.model_lines}
    shown_names = (spec.name for spec in shown_columns(plan.program) if not spec.is_fact)
    totals = [name for name in dict.fromkeys((*shown_names, *plan.facts)) if name not in lines and name != OVERRIDE]
    available = {name for arch in architectures for name in arch.names}
    absent = [name for name in totals if name not in available]
    if missing := [name for name in absent if any(model.numbers.get(name, 0) for model in plan.costed)]:
        raise PluginError(f"planning lines read {', '.join(missing)}, which no table of workings has as a column")
    sources: dict[str, Sequence[str]] = {name: (name,) for name in totals} | {**READ}
    sources |= {group: (f"sum_parameters_{group}",) for group in groups}
    return [link for header, terms in sources.items() for link in workings_links(TABLE, architectures, header, terms)]


def _raw_columns(batch: Batch, links: Sequence[WorkingsLink]) -> list[FilledColumn]:
    plan, run = batch.plan, batch.plan.run(batch.plan.scenario)
    table, values = plan.program.tables[TABLE], ModelRows(plan.costed).values
    refer_to = refer(plan.program, table, plan.own_inputs)

    def excel(text: str) -> Expression:
        return excel_form(formula.read(text), refer_to)

    link_text = partial(link_formula, plan.program, table, has_gaps=plan.has_gaps)
    checks = checks_of(plan.program, TABLE)
    own_counts = Cells(here(TABLE, OWN_TOKENS), lambda: (own_tokens(model) or 0 for model in batch.plan.costed))
    unit = Cells(unit_size(TOKENS), partial(repeat, size(TOKENS)))
    return [
        *(FilledColumn(BROUGHT, Column(link.header, link.formula, "link"), partial(values, link)) for link in links),
        *(column for name in plan.own_inputs for column in _own_columns(batch, name)),
        _raw(OVERRIDE, *row_formula("tokens * unit", {"tokens": own_counts, "unit": unit})),
        *(_raw(link.name, link_text(link), partial(run.evaluate_link, TABLE, link)) for link in table.links),
        *(_raw(line.name, excel(line.formula), partial(batch.line, line.name)) for line in plan.model_lines),
        *(_raw(check_header(check.name), excel(check.formula), partial(run.evaluate_check, check)) for check in checks),
        *_case_columns(batch),
        *(_order(batch, name, of) for name, of in ORDERS.items()),
    ]


def _raw(header: str, text: Expression, values: Callable[[], Iterable[Value]], band: str = PLANNING) -> FilledColumn:
    return FilledColumn(band, Column(header, text, "raw"), values)


def _order(batch: Batch, name: str, of: str) -> FilledColumn:
    line, number = Cells(here(TABLE, of), partial(batch.line, of)), Cells(here(TABLE, "No"), lambda: batch.numbers)
    result = row_formula("line * (1 - number / 1000000000000)", {"line": line, "number": number})
    return _raw(f"order_{name}", *result, "Order for charts")


def _case_columns(batch: Batch) -> Iterator[FilledColumn]:
    """Give what is shown in each case, and the lines that it is made of."""
    plan = batch.plan
    inputs = {driver.name for driver in plan.drivers}
    lines = _made_of(plan)
    names, choices = {line.name for line in lines}, plan.program.choices
    read = names_read(plan.program, (line.formula for line in lines))
    same = names - with_readers(lines, {*inputs, *choices})  # no input moves them: every case has the live number
    for row, case in enumerate(CASES, start=1):

        def word_of(name: str, row: int = row, case: str = case) -> Expression:
            if name in plan.own_inputs:
                return here(TABLE, in_case(used_header(name), case))
            if name in inputs:
                return call("INDEX", column(CASES_TABLE, name), row)
            if name in choices:
                choice, place = choices[name]
                return flag_formula(plan.program, choice, place, word_of(choice))
            return here(TABLE, in_case(name, case) if name in names else name)

        for name in (name for name in plan.own_inputs if name in read):
            header, plan_value = in_case(used_header(name), case), call("INDEX", column(CASES_TABLE, name), row)
            yield _used_input(batch, name, header, plan_value, case, EACH_CASE)
        for line in lines:
            text = here(TABLE, line.name) if line.name in same else excel_form(formula.read(line.formula), word_of)
            tables = {read_structured(piece.text).table for piece in tokens(str(text)) if piece.kind == "table"}
            look = "raw" if TABLE in tables else "link"  # what reads no column of Models comes from another sheet
            column_of_case = Column(in_case(line.name, case), text, look)
            yield FilledColumn(EACH_CASE, column_of_case, partial(batch.line, line.name, case))


def _used_input(batch: Batch, name: str, header: str, plan_value: Expression, case: str, band: str) -> FilledColumn:
    """Return the column with an input as each row uses it in a case: the model's own, else the plan's."""
    own = here(TABLE, own_header(name))
    cells = {
        "own": Cells(own, lambda: (batch.plan.own(model).get(name, 0) for model in batch.plan.costed)),
        "stated": Cells(is_stated(own), lambda: (name in batch.plan.own(model) for model in batch.plan.costed)),
        "planned": Cells(plan_value, partial(repeat, batch.plan.case(case)[name])),
    }
    return _raw(header, *row_formula(OWN_OR_PLANNED, cells), band)


def _made_of(plan: Plan) -> list[Line]:
    """Return the lines that are shown in each case, and those that they are made of."""
    names = read_by(plan.model_lines, *shown_in_cases(plan.program))
    results = [line for line in plan.model_lines if line.name in names]
    links = {link.name for link in plan.program.tables[TABLE].links}
    if linked_lines := [line.name for line in results if links & {*formula.read(line.formula).names}]:
        raise PluginError(f"{', '.join(linked_lines)} of models read other tables: they have no columns for each case")
    return results


def _own_columns(batch: Batch, name: str) -> list[FilledColumn]:
    """Return what a model states of an input for itself, blank for the plan's, and the value that its row uses."""
    own_column = Column(own_header(name), None, "input")
    return [
        FilledColumn(OWN, own_column, lambda: (batch.plan.own(model).get(name) for model in batch.plan.costed)),
        _used_input(batch, name, used_header(name), input_cell(name), batch.plan.scenario, OWN),
    ]


def _add_bands(columns: Sequence[FilledColumn]) -> list[Column]:
    bands = show_once(item.band for item in columns)
    return [replace(item.column, above=(band,)) for item, band in zip(columns, bands, strict=True)]


class WorkingsLink(Struct, frozen=True):
    """A column that brings lines from tables of workings; `terms` are the tables and lines that it looks into."""

    header: str
    formula: Expression
    terms: tuple[tuple[str, str], ...]

    def lines(self, table: str) -> list[str]:
        """Return the lines that are brought from one table."""
        return [line for name, line in self.terms if name == table]


class ModelRows:
    """The numbers of models, each with the table that it is in, and where each line is in the rows of a table."""

    def __init__(self, models: Sequence[Costed]) -> None:
        """Look each model up once, for all links."""
        self.rows = [(model.model.architecture, model.numbers.row) for model in models]
        self.places = {model.model.architecture: model.numbers.places for model in models}

    def values(self, link: WorkingsLink) -> list[Value]:
        """Return what a link brings to each model; 0 where the model's table is not among those looked into."""
        sums = {table: _sum_of([places[line] for line in link.lines(table)]) for table, places in self.places.items()}
        return [sums[table](row) for table, row in self.rows]


def _sum_of(places: Sequence[int]) -> Callable[[Sequence[Number]], Number]:
    """Return what sums the numbers at some places of a row."""
    if not places:
        return lambda _: 0
    take = itemgetter(*places)
    return take if len(places) == 1 else lambda row: add(take(row))


def workings_links(
    table: str, architectures: Sequence[ArchitectureTable], header: str, lines: Sequence[str]
) -> list[WorkingsLink]:
    """Return the columns that bring the sum of some lines; a sum too long to read is in parts before it."""
    terms = [(arch.table, line) for arch in architectures for line in lines if line in arch.names]
    groups = group_terms(terms, lambda group: len(str(_lookups(group, column_of_row("No")))) + 1, MAX_FORMULA)
    number = here(table, "No")
    if len(groups) <= 1:
        return [WorkingsLink(header, _lookups(terms, number) if terms else literal(0), tuple(terms))]
    places = enumerate(groups, start=1)
    parts = [WorkingsLink(f"{header}_part{place}", _lookups(group, number), tuple(group)) for place, group in places]
    whole = add_all(here(table, part.header) for part in parts)
    return [*parts, WorkingsLink(header, whole, tuple(terms))]


def _lookups(terms: Sequence[tuple[str, str]], number: Expression) -> Expression:
    return add_all(lookup(table, line, number) for table, line in terms)
