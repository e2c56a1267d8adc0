"""What of a question's sheets fits to its tables when it is loaded: lines, units, looks, charts and tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.formula.steps import needed_names
from flopsheet.accounting.totals import total_names
from flopsheet.planning.facts import FACTS
from flopsheet.planning.question import CASES_TABLE, MODELS, MODELS_TABLE, extra_keys
from flopsheet.planning.sentence import names_in
from flopsheet.planning.sheet import FURTHER, SHARED, own_tables, shared_columns, sheets_of, tabs_of
from flopsheet.planning.sheet_records import LOOKS, SheetColumn
from flopsheet.planning.sound_timeline import one_of, unit_of, wrong_timeline, wrong_unit
from flopsheet.units.readable import units_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Table
    from flopsheet.planning.sheet_records import Best, SeenTable, SheetChart

    Wrong = tuple[str, str]

TABS = (
    *("About", "Assumptions", "Budget", "Models", "Charts", "Sensitivity", "Bridge", "Rules", "Problems", "Checks"),
    *("Scenarios", "Provenance", "Workings budget", "History"),
)
"""Sheets that every workbook has, and one that Excel keeps for itself."""
OF_ARCHITECTURES = ("card", "workings")
"""How the tabs of an architecture's sheets begin."""
ON_SHEETS_ALONE, ON_MODELS_ALONE = ("width", "print", "place"), ("band", "units", "cases")
"""What columns of a question's own tables, and of Models, may say alone."""
WIDEST = 255
"""Characters of a column in Excel."""
LOGS = range(2, 1001)
"""The bases of a logarithmic axis in Excel."""


def wrong_in_sheets(program: Program, question: Question) -> Iterator[Wrong]:
    """Find what the sheets of a question say of nothing, and what cannot be drawn."""
    view, own = question.described, own_tables(question)
    if view.best:
        yield from _wrong_best(program, view.best)
    for at, name in enumerate(view.drivers):
        yield from one_of(f"sheet.drivers[{at}]", name, program.inputs)
    spots = [
        (f"sheet.sheets[{s}].tables[{at}]", n) for s, tab in enumerate(view.sheets) for at, n in enumerate(tab.tables)
    ]
    names = [name for _, name in spots]
    for at, (place, name) in enumerate(spots):
        yield from one_of(place, name, own)
        if name in names[:at]:
            yield place, f"the table {name!r} is on another sheet; one sheet is expected for each table"
    for name, table in view.tables.items():
        if name not in (*SHARED, *own):
            yield from one_of(f"sheet.tables.{name}", name, (*SHARED, *own))
        elif name in program.tables:
            yield from _wrong_table(program, question, program.tables[name], table)
    for at, chart in enumerate(view.charts):
        yield from _wrong_chart(program, question, f"sheet.charts[{at}]", chart)
    yield from wrong_timeline(program, view.timeline)
    if not {*names} - {*own}:
        yield from _wrong_tabs(program, question)


def _wrong_best(program: Program, best: Best) -> Iterator[Wrong]:
    if best.table not in program.tables:
        yield from one_of("sheet.best.table", best.table, program.tables)
        return
    lines = [line.name for line in program.lines(best.table)]
    of_models = [line.name for line in program.lines(MODELS_TABLE)]
    required = ("line", "near") if best.nearest else ("line",)
    for part, names in {"line": lines, "order": lines, "near": lines, "risk": of_models}.items():
        if part in required or getattr(best, part):
            yield from one_of(f"sheet.best.{part}", getattr(best, part), names)
    for name in names_in(best):
        yield from one_of("sheet.best.said", name, [*lines, *program.inputs])
    if MODELS not in program.tables[best.table].rows:
        yield "sheet.best.table", f"{best.table} has no row for each model; a table over models is expected"


def _wrong_tabs(program: Program, question: Question) -> Iterator[Wrong]:
    """Find tabs that another sheet has, and sheets of one page with nothing on it."""
    others = [other for other in program.questions if other.name != question.name]
    owners = {name.casefold(): "every workbook has a sheet" for name in TABS}
    owners |= {tab.casefold(): f"question {other.name} has a sheet" for other in others for tab in tabs_of(other)}
    before = {table.name for other in others for table in other.tables}
    for at, sheet in enumerate(sheets_of(program, question)):
        place = f"sheet.sheets[{at - 1}]" if at else "sheet"
        name = sheet.name.casefold()
        if not name or name.partition(" ")[0] in OF_ARCHITECTURES or name in owners:
            owner = owners.get(name, "sheets of architectures are called like")
            yield f"{place}.name", f"{owner} {sheet.name!r}; another name is expected"
        owners[name] = "this question has a sheet"
        if sheet.one_page and all(table.name in before for table in sheet.tables):
            yield f"{place}.one_page", "the sheet has no table of its own; one with a table is expected"


def _wrong_table(program: Program, question: Question, table: Table, view: SeenTable) -> Iterator[Wrong]:
    where, lines = f"sheet.tables.{table.name}", [line.name for line in table.lines]
    for part in ("shown", "sensitivity"):
        for at, name in enumerate(getattr(view, part) or ()):
            yield from one_of(f"{where}.{part}[{at}]", name, lines)
    if view.rank:
        yield from one_of(f"{where}.rank", view.rank, _names(table))
    for at, column in enumerate(view.columns):
        yield from _wrong_column(program, question, table, f"{where}.columns[{at}]", column)
    every = shared_columns(program, table.name) if table.name == MODELS_TABLE else view.columns
    headers = [_header(program, table, column) for column in every]
    for at, column in enumerate(view.columns):
        if headers.count(_header(program, table, column)) > 1:
            yield f"{where}.columns[{at}]", f"{column.line!r} is there twice under one title and unit"


def _header(program: Program, table: Table, column: SheetColumn) -> tuple[str, str]:
    """Return what tells a column from others: two of one table cannot have the same header."""
    unit = column.units or column.unit or unit_of(program, table, column.line) or ""
    unit += " in cases" * column.cases
    if table.name != MODELS_TABLE:
        return column.line, unit
    line = next((candidate for candidate in table.lines if candidate.name == column.line), None)
    fact = FACTS[column.line].title if column.line in FACTS else ""
    return (fact or column.title or (line.label if line else column.line)).casefold(), unit


def _wrong_column(
    program: Program, question: Question, table: Table, where: str, column: SheetColumn
) -> Iterator[Wrong]:
    of_models = table.name == MODELS_TABLE
    if column.line not in _names(table):
        yield from one_of(f"{where}.line", column.line, _names(table))
        return
    plain = SheetColumn(column.line)
    for name in ON_SHEETS_ALONE if of_models else ON_MODELS_ALONE:
        if getattr(column, name) != getattr(plain, name):
            which = "the question's own tables" if of_models else "Models"
            yield f"{where}.{name}", f"columns of {which} alone can say it"
    if column.cases and (links := _links_read(table, column.line)):
        what = f"{column.line} reads {', '.join(links)} of other tables, which Models has in one case alone"
        yield f"{where}.cases", f"{what}; leave it out, or show the line in a table of the question's own"
    if not of_models and column.look not in ("", *LOOKS):
        yield f"{where}.look", f"the look {column.look!r} is one of Models alone"
    if column.width and not 1 <= column.width <= WIDEST:
        yield f"{where}.width", f"{column.width:g}; a number from 1 to {WIDEST} is expected"
    if column.place < 0 or (column.place and question.described.best is None):
        yield f"{where}.place", f"{column.place}; a place by sheet.best is expected, 1 for the best"
    yield from wrong_unit(program, table, where, column)


def _links_read(table: Table, name: str) -> list[str]:
    """Return the links that a line of a table reads, through earlier lines too."""
    read = needed_names([name], {line.name: formula.read(line.formula) for line in table.lines})
    return [link.name for link in table.links if link.name in read]


def _names(table: Table) -> list[str]:
    extra = [name for rows in table.rows for name in extra_keys(rows)]
    totals = (*FACTS, *total_names(), FURTHER) if table.name == MODELS_TABLE else ()
    return [*table.keys, *extra, *(line.name for line in table.lines), *totals]


def _wrong_chart(program: Program, question: Question, where: str, chart: SheetChart) -> Iterator[Wrong]:
    own = own_tables(question)
    if chart.table not in own:
        yield from one_of(f"{where}.table", chart.table, own)
        return
    table = program.tables[chart.table]
    names, wrong = _names(table), False
    for part in ("series", "over", "across"):
        for at, name in enumerate(getattr(chart, part)):
            wrong = wrong or name not in names
            yield from one_of(f"{where}.{part}[{at}]", name, names)
    if chart.category:
        yield from one_of(f"{where}.category", chart.category, names)
    if (chart.kind == "scatter") != bool(chart.across) or len(chart.across) not in (0, len(chart.series)):
        yield where, "a scatter has a line across for each of its series, other kinds have none"
    if chart.log and chart.log not in LOGS:
        yield f"{where}.log", f"{chart.log}; a base from {LOGS[0]} to {LOGS[-1]:,} is expected, such as 10"
    if not chart.series:
        yield f"{where}.series", "no line is drawn; one or more are expected"
    elif not wrong:
        yield from _wrong_units(program, question, where, chart)


def _wrong_units(program: Program, question: Question, where: str, chart: SheetChart) -> Iterator[Wrong]:
    """Find series in several units, and straight lines in another one: an axis has one unit."""
    table, columns = program.tables[chart.table], question.described.table(chart.table).columns
    column_units = {item.line: item.unit for item in reversed(columns) if item.unit}
    units = {column_units.get(name) or unit_of(program, table, name) or "" for name in (*chart.series, *chart.over)}
    if len(units) > 1:
        yield f"{where}.series", f"they are in {', '.join(sorted(units))}; columns in one unit are expected"
    lines = {line.name: line.unit for line in program.lines(CASES_TABLE)}
    all_units = {**lines, **{item.name: item.unit for item in program.inputs.values()}}
    for at, reference in enumerate(chart.references):
        place = f"{where}.references[{at}].of"
        yield from one_of(place, reference.of, all_units)
        if reference.of in all_units and not {all_units[reference.of], *units_of(all_units[reference.of])} & units:
            unit, chart_units = all_units[reference.of] or "no unit", ", ".join(sorted(units)) or "no unit"
            yield place, f"{reference.of} is in {unit} and the chart in {chart_units}; one unit is expected"
