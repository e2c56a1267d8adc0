"""Fill a template: what is not touched is copied as the same bytes, the rest is written in one stream."""

from __future__ import annotations

from itertools import count
from typing import IO, TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from livesheets.engine.active import find_active, refuse
from livesheets.engine.book import WORKBOOK, read_book, rels_name, table_named, targets
from livesheets.engine.charts import chart_parts, find_ranges, read_charts
from livesheets.engine.clone import plan_clones, with_own_xml
from livesheets.engine.dependent_parts import dependent_parts, pivot_parts
from livesheets.engine.draft import CONTENT_TYPES, new_draft, remove
from livesheets.engine.guards import protect
from livesheets.engine.impact import dirty_cells
from livesheets.engine.kind import agree
from livesheets.engine.layout import SheetJob, lay_out
from livesheets.engine.markup import child, parse, serialize, whole
from livesheets.engine.model import FillReport
from livesheets.engine.package import deflate, spool, write_package
from livesheets.engine.plan import check_room, locate_errors, plan_sheet, plan_sheets
from livesheets.engine.remarks import remarks
from livesheets.engine.resize import Scope, adapt
from livesheets.engine.rows import table_rows
from livesheets.engine.sheet import is_computed
from livesheets.engine.sheet_extras import formulas_around, update_extras
from livesheets.engine.stream import sheet_stream
from livesheets.engine.styles import Styles
from livesheets.engine.table import table_part
from livesheets.engine.texts import fill_cells, fill_headers, property_parts, refuse_marked, string_parts
from livesheets.engine.unadjusted_formulas import find_unadjusted
from livesheets.engine.values import Values, keep_values, watcher
from livesheets.engine.workbook import workbook_part
from livesheets.errors import TemplateError
from livesheets.package import open_package

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from livesheets.engine.book import Book
    from livesheets.engine.charts import Chart
    from livesheets.engine.dirty_cells import DirtyCells
    from livesheets.engine.draft import Draft
    from livesheets.engine.model import Fill
    from livesheets.engine.plan import SheetPlan

FORMULA_MARKS = (b"<f", b":f", b"<formula", b"cfvo", b"dataRef", b"linkedCell", b"listFillRange")
"""What the XML of a sheet with a formula has."""


class FillJob(Struct, frozen=True):
    """A fill under way: the template, what was asked, what changes, and what references are read against."""

    book: Book
    fill: Fill
    draft: Draft
    scopes: Mapping[str, Scope]
    dirty: DirtyCells
    charts: Sequence[Chart]
    styles: Styles
    spool: IO[bytes]


def fill(template: bytes, fill: Fill, output: Path) -> FillReport:
    """Write the filled template to a file, all or nothing; what cannot be filled is a TemplateError."""
    package = open_package(template)
    active = find_active(package)
    active_lines = refuse(active, fill.allow)
    book, draft = read_book(package), new_draft(package)
    refuse_marked(book, fill.texts)
    agree(draft, output.suffix, active)
    clones = plan_clones(book, draft, fill)
    plans = [*plan_sheets(book, fill), *clones]
    for plan in plans:
        if plan.part in draft.removed_parts:
            raise TemplateError(f"the sheet {plan.name!r} is a prototype: fill it through a clone")
        check_room(book, plan)
    others = _others(book, fill, draft, plans)
    dirty = dirty_cells(book, [*plans, *others], draft.removed_parts, fill.texts)
    with spool(output) as file:
        scopes = _scopes(book, draft, plans)
        charts = read_charts(book, draft.types, scopes[""])
        work = FillJob(book, fill, draft, scopes, dirty, charts, Styles(book.package), file)
        own = [plan for plan in (*plans, *others) if not plan.sheets]
        left = [*find_unadjusted(book, own, charts, scopes), *remarks(book, own, scopes)]
        plans += [plan for plan in others if fill.protect or _changes(work, plan)]
        _write_sheets(work, plans)
        report = _write_rest(work, clones)
        write_package(output, package, draft.parts, frozenset(draft.removed_parts))
    return replace(report, kept=active_lines, not_stretched=(*left, *report.not_stretched))


def cell_of(template: bytes, table: str) -> tuple[str, str]:
    """Return where a table is in a template: the sheet's name, and the range with headers, such as B5:H6."""
    result = table_named(read_book(open_package(template)), table)
    return result.sheet, str(result.area)


def _scopes(book: Book, draft: Draft, plans: Sequence[SheetPlan]) -> dict[str, Scope]:
    """Return what references are read against, by sheet of the output; "" for the workbook's own."""
    resizes = {plan.name.casefold(): tuple(table.resize for table in plan.plans) for plan in plans}
    standing = [sheet.name for sheet in book.sheets.values() if sheet.part not in draft.removed_parts]
    prototypes = [sheet.name for sheet in book.sheets.values() if sheet.part in draft.removed_parts]
    sheets = {name.casefold() for name in standing} | resizes.keys()
    tables = {table.name.casefold() for table in book.tables.values() if table.sheet in standing}
    tables |= {table.name.casefold() for plan in plans for table in plan.plans}
    gone_sheets = frozenset(name.casefold() for name in prototypes) - sheets
    gone_tables = frozenset(name for name, table in book.tables.items() if table.sheet in prototypes) - tables
    scopes = {name: Scope(name, resizes, {}, {}, gone_sheets, gone_tables) for name in ["", *standing]}
    for plan in plans:
        scopes[plan.name] = Scope(plan.name, resizes, plan.sheets, plan.tables, gone_sheets, gone_tables)
    return scopes


def _others(book: Book, fill: Fill, draft: Draft, plans: Sequence[SheetPlan]) -> list[SheetPlan]:
    """Return plans for the sheets that are not filled, but have formulas or markers, or are to be protected."""
    parts = {plan.part for plan in plans} | draft.removed_parts
    sheets = [sheet for sheet in book.sheets.values() if sheet.kind == "worksheet" and sheet.part not in parts]
    marks = (b"{{",) if fill.texts else ()
    return [
        plan_sheet(book, sheet.name, [], {})
        for sheet in sheets
        if fill.protect or any(mark in book.package.read(sheet.part) for mark in (*marks, *FORMULA_MARKS))
    ]


def _changes(work: FillJob, plan: SheetPlan) -> bool:
    """Whether a sheet that is not filled has a marker to fill, a value to forget, or refers to something that moves."""
    data = work.book.package.read(plan.part)
    return (bool(work.fill.texts) and b"{{" in data) or _forgets(work, plan) or _follows(plan, work.scopes[plan.name])


def _forgets(work: FillJob, plan: SheetPlan) -> bool:
    unknown, home = work.dirty.unknown, plan.name.casefold()
    return any(
        unknown.has(home, row, column) and is_computed(plan.xml, row, column) and child(cell, "v") is not None
        for row in sorted(plan.xml.calculated)
        for column, cell in plan.xml.cells.get(row, {}).items()
    )


def _follows(plan: SheetPlan, scope: Scope) -> bool:
    """Whether a formula on the sheet refers to something that moves."""
    inside = plan.xml.formulas.values()
    with locate_errors(f"a formula on the sheet {plan.name!r}"):
        return any(adapt(formula, scope) != formula for formula in (*inside, *formulas_around(plan.xml.root)))


def _write_sheets(work: FillJob, plans: Sequence[SheetPlan]) -> None:
    """Prepare each sheet that changes, and the charts that show its cells."""
    book, draft = work.book, work.draft
    sheets = {plan.name.casefold(): plan for plan in plans}
    values = Values(book, sheets, work.dirty, work.fill.texts, find_ranges(work.charts))
    numbers = _free_ids(book)
    for plan in plans:
        own = with_own_xml(book, plan) if plan.sheets else plan
        _write_sheet(work, SheetJob(own, work.scopes[plan.name], work.styles, work.dirty), values, numbers)
    for part, data in chart_parts(work.charts, values, work.fill.texts):
        draft.parts[part] = deflate(data, work.spool)


def _free_ids(book: Book) -> Iterator[int]:
    """Give table ids that no table of the template has."""
    ids = [whole(parse(book.package.read(table.part), table.part), "id", least=1) for table in book.tables.values()]
    return count(max(ids, default=0) + 1)


def _write_sheet(work: FillJob, job: SheetJob, values: Values, numbers: Iterator[int]) -> None:
    plan, draft = job.plan, work.draft
    fill_headers(plan.xml.root, work.fill.texts)
    fill_cells(plan.xml, work.fill.texts)
    tables = [table_rows(job, table, watcher(values, plan, table)) for table in plan.plans]
    keep_values(values, plan)
    for table in plan.plans:
        number = next(numbers) if plan.sheets else None
        draft.parts[table.part] = table_part(work.book, job, table, number)
    laid_out = lay_out(job)
    placeholders = update_extras(job, laid_out)
    if work.fill.protect:
        protect(plan.xml.root)
    draft.parts[plan.part] = deflate(sheet_stream(plan, laid_out, tables, placeholders), work.spool)


def _write_rest(work: FillJob, clones: Sequence[SheetPlan]) -> FillReport:
    """Prepare the parts that are no sheets: workbook, styles, texts, properties, lists of parts."""
    book, draft, fill = work.book, work.draft, work.fill
    remove(draft, targets(book.package, WORKBOOK, "calcChain"))
    draft.parts[WORKBOOK] = workbook_part(book, draft, clones, work.scopes, fill)
    draft.parts.update(work.styles.parts())
    dependents = dependent_parts(book, draft, work.scopes, work.dirty, fill.texts)
    caches, pivots = pivot_parts(book, work.scopes[""], work.dirty)
    draft.parts.update(dependents.parts | caches)
    for name, data in string_parts(book, fill.texts).items():
        draft.parts.setdefault(name, data)
    sheets_changed = bool(clones) or any(sheet.part in draft.removed_parts for sheet in book.sheets.values())
    draft.parts.update(property_parts(book.package, fill.properties, sheets_changed=sheets_changed))
    for name, root in ((CONTENT_TYPES, draft.types), (rels_name(WORKBOOK), draft.arrows)):
        data = serialize(root)
        if data != serialize(parse(draft.package.read(name), name)):
            draft.parts[name] = data
    return FillReport(not_stretched=tuple(dependents.remarks), refreshed=(*pivots, *dependents.boxes))
