"""The sheet Models: a row a costed model, results in readable units on the left, plain units on the right."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting import formula
from flopsheet.accounting.packed import pack
from flopsheet.accounting.values import plain
from flopsheet.errors import PluginError
from flopsheet.export.workbook.bridge import READ
from flopsheet.export.workbook.cells import unit_size
from flopsheet.export.workbook.excel_form import excel_form, guarded_form
from flopsheet.export.workbook.formula_names import chosen_by, flag_formula, input_cell, own_header, refer, used_header
from flopsheet.export.workbook.heights import heights
from flopsheet.export.workbook.link_formulas import link_formula
from flopsheet.export.workbook.model_columns import Batch, in_case, shown_columns, shown_in_cases
from flopsheet.export.workbook.question_tables import check_header
from flopsheet.export.workbook.row_formulas import OWN_OR_PLANNED, Cells, is_stated, row_formula
from flopsheet.export.workbook.workings_links import ModelRows, WorkingsLink, workings_links
from flopsheet.planning.facts import COUNT, FACTS, OFF_PUBLISHED, OWN_TOKENS, PUBLISHED, TOKENS, own_tokens
from flopsheet.planning.inputs import CASES
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE, OVERRIDE
from flopsheet.units.readable import size
from livesheets import Column, Rows, TableFill, Value
from livesheets.excel import call, column, here
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from flopsheet.accounting.line import Line
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.export.workbook.model_columns import ModelColumn, Scales
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Check
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


class FilledColumn(NamedTuple):
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
    shown = [_fill_column(batch, one, units) for one in shown_columns(plan.program)]
    filled = [*shown, *_raw_columns(batch, brought_columns(plan, architectures, groups))]
    if plan.has_gaps:  # what a spreadsheet makes of errors is computed cell by cell
        blank = [None] * len(batch.models)
        values = (list(one.values()) if one.column.formula is None else blank for one in filled)
        return TableFill([*zip(*values, strict=True)], tuple(_add_bands(filled)), height=heights({1: (32, 10)}))
    column = cache(lambda place: pack(list(filled[place].values())))
    rows = Rows(len(batch.models), lambda: zip(*map(column, range(len(filled))), strict=True), column)
    return TableFill(rows, tuple(_add_bands(filled)), height=heights({1: (32, 10)}))


def _fill_column(batch: Batch, one: ModelColumn, units: Scales) -> FilledColumn:
    if one.is_fact:
        column = Column(one.header(units), FORMULAS.get(one.name), one.look)
        value = FACTS[one.name].value
        return FilledColumn(one.band, column, lambda: map(value, batch.numbers, batch.models))
    scale, raw = units[one.name], here(TABLE, one.raw)
    header, line = one.header(units), partial(batch.line, one.name, one.case)
    if not scale.unit or size(scale.unit, one.plain) == 1:
        column = Column(header, raw, one.look, width=scale.width)
        return FilledColumn(one.band, column, lambda: map(plain, line()))
    unit = Cells(unit_size(scale.unit, one.plain), partial(repeat, size(scale.unit, one.plain)))
    text, values = row_formula("line / unit", {"line": Cells(raw, line), "unit": unit})
    return FilledColumn(one.band, Column(header, text, one.look, width=scale.width), values)


def brought_columns(
    plan: Plan, architectures: Sequence[ArchitectureTable], groups: Sequence[str]
) -> list[WorkingsLink]:
    """Return the columns brought from the tables of workings: what columns for people, lines and the bridge read.

    Parameters come first, groups last. PluginError names a total that some model has and no table.
    """
    lines = {line.name for line in plan.model_lines}
    shown = (one.name for one in shown_columns(plan.program) if not one.is_fact)
    totals = [name for name in dict.fromkeys((*shown, *plan.facts)) if name not in lines and name != OVERRIDE]
    known = {name for arch in architectures for name in arch.names}
    if lost := [name for name in totals if name not in known and any(one.numbers.get(name, 0) for one in plan.costed)]:
        raise PluginError(f"planning lines read {', '.join(lost)}, which no table of workings has as a column")
    wanted = {name: (name,) for name in totals} | READ | {group: (f"sum_parameters_{group}",) for group in groups}
    return [link for header, terms in wanted.items() for link in workings_links(TABLE, architectures, header, terms)]


def _raw_columns(batch: Batch, found: Sequence[WorkingsLink]) -> list[FilledColumn]:
    plan, run = batch.plan, batch.plan.run(batch.plan.scenario)
    table, located = plan.program.tables[TABLE], ModelRows(batch.models)
    refer_to = refer(plan.program, table, plan.own_inputs)

    def text_of(text: str) -> Expression:
        return excel_form(formula.read(text), refer_to)

    stated = Cells(here(TABLE, OWN_TOKENS), lambda: (own_tokens(one) or 0 for one in batch.models))
    unit = Cells(unit_size(TOKENS), partial(repeat, size(TOKENS)))
    return [
        *(
            FilledColumn(
                "Workings in plain units: brought from the tables of workings",
                Column(link.header, link.formula, "link"),
                partial(located.values, link),
            )
            for link in found
        ),
        *(column for name in plan.own_inputs for column in _own_columns(batch, name)),
        _raw(OVERRIDE, *row_formula("tokens * unit", {"tokens": stated, "unit": unit})),
        *(
            _raw(
                link.name,
                link_formula(plan.program, table, link, has_gaps=plan.has_gaps),
                partial(run.evaluate_link, TABLE, link),
            )
            for link in table.links
        ),
        *(_raw(line.name, text_of(line.formula), partial(batch.line, line.name)) for line in plan.model_lines),
        *(
            _raw(check_header(one.name), text_of(one.formula), partial(run.evaluate_check, one))
            for one in _checks(plan)
        ),
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
    names, chosen = {line.name for line in lines}, plan.program.choices
    read = {name for line in lines for name in formula.read(line.formula).names}
    read |= chosen_by(plan.program, read)
    same = _same_in_cases(lines, {*inputs, *chosen})
    for row, case in enumerate(CASES, start=1):

        def word_of(name: str, row: int = row, case: str = case) -> Expression:
            if name in plan.own_inputs:
                return here(TABLE, in_case(used_header(name), case))
            if name in inputs:
                return call("INDEX", column(CASES_TABLE, name), row)
            if name in chosen:
                choice, place = chosen[name]
                return flag_formula(plan.program, choice, place, word_of(choice))
            return here(TABLE, in_case(name, case) if name in names else name)

        for name in (name for name in plan.own_inputs if name in read):
            header, planned = in_case(used_header(name), case), call("INDEX", column(CASES_TABLE, name), row)
            yield _used_input(batch, name, header, planned, case, EACH_CASE)
        for line in lines:
            text = here(TABLE, line.name) if line.name in same else excel_form(formula.read(line.formula), word_of)
            yield _of_case(in_case(line.name, case), text, partial(batch.line, line.name, case))


def _of_case(header: str, text: Expression, values: Callable[[], Iterable[Value]]) -> FilledColumn:
    """Return a line's column in a case; what reads no column of Models comes from another sheet."""
    tables = {read_structured(piece.text).table for piece in tokens(str(text)) if piece.kind == "table"}
    look = "raw" if TABLE in tables else "link"
    return FilledColumn(EACH_CASE, Column(header, text, look), values)


def _same_in_cases(lines: Sequence[Line], moving: Collection[str]) -> set[str]:
    """Return the lines that read no input, directly or through others: every case has the live number."""
    moved = set(moving)
    for line in lines:
        if moved & {*formula.read(line.formula).names}:
            moved.add(line.name)
    return {line.name for line in lines} - moved


def _used_input(batch: Batch, name: str, header: str, planned: Expression, case: str, band: str) -> FilledColumn:
    """Return the column with an input as each row uses it in a case: the model's own, else the plan's."""
    own = here(TABLE, own_header(name))
    cells = {
        "own": Cells(own, lambda: (batch.plan.own(one).get(name, 0) for one in batch.models)),
        "stated": Cells(is_stated(own), lambda: (name in batch.plan.own(one) for one in batch.models)),
        "planned": Cells(planned, partial(repeat, batch.plan.case(case)[name])),
    }
    return _raw(header, *row_formula(OWN_OR_PLANNED, cells), band)


def _made_of(plan: Plan) -> list[Line]:
    """Return the lines that are shown in each case, and those that they are made of."""
    lines = {line.name: line for line in plan.model_lines}
    waiting = shown_in_cases(plan.program)
    needed = set(waiting)
    while waiting:
        more = lines.keys() & set(formula.read(lines[waiting.pop()].formula).names) - needed
        needed |= more
        waiting += more
    results = [line for line in plan.model_lines if line.name in needed]
    links = {link.name for link in plan.program.tables[TABLE].links}
    if linked := [line.name for line in results if links & {*formula.read(line.formula).names}]:
        raise PluginError(f"{', '.join(linked)} of models read other tables: they have no columns for each case")
    return results


def _own_columns(batch: Batch, name: str) -> list[FilledColumn]:
    """Return what a model states of an input for itself, blank for the plan's, and the value that its row uses."""
    stated = Column(own_header(name), None, "input")
    return [
        FilledColumn(OWN, stated, lambda: (batch.plan.own(one).get(name) for one in batch.models)),
        _used_input(batch, name, used_header(name), input_cell(name), batch.plan.scenario, OWN),
    ]


def _checks(plan: Plan) -> list[Check]:
    return [check for _, check in plan.program.checks if check.table == TABLE]


def _add_bands(filled: Sequence[FilledColumn]) -> list[Column]:
    banded, last = [], ""
    for band, one, _ in filled:
        banded.append(replace(one, above=(band if band != last else "",)))
        last = band
    return banded
