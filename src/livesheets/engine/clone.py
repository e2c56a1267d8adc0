"""Copies of prototype sheets: new parts with their own tables, and the prototypes themselves taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from livesheets.addresses import is_name, row_and_column
from livesheets.engine.book import (
    defined_names,
    name_cell,
    relationships,
    sheet_named,
    table_named,
)
from livesheets.engine.draft import content_type, copy_arrows, declare, free_name, only_reached_from, remove
from livesheets.engine.markup import attribute
from livesheets.engine.plan import SheetPlan, locate_errors, plan_table
from livesheets.engine.sheet import read_sheet
from livesheets.engine.sheet_extras import clone_extras
from livesheets.errors import TemplateError
from livesheets.references import read_area
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Mapping

    from livesheets.engine.book import Book, Sheet
    from livesheets.engine.draft import Draft
    from livesheets.engine.model import Clone, Fill, Formula, Value
    from livesheets.engine.sheet import SheetXml

MAX_SHEET_NAME = 31

_COPIES = {"table": "xl/tables/table%d.xml", "printerSettings": "xl/printerSettings/printerSettings%d.bin"}


def plan_clones(book: Book, draft: Draft, fill: Fill) -> list[SheetPlan]:
    """Return a plan for each clone, its parts listed in the draft, and take the prototypes out."""
    names = [*(clone.prototype for clone in fill.clones), *fill.prototypes]
    prototypes = list(dict.fromkeys(sheet_named(book, name) for name in names))
    _check_sheet_names(book, fill, prototypes)
    _check_names(book, fill, prototypes)
    sheets = {sheet.name: read_sheet(draft.package.read(sheet.part), sheet.part) for sheet in prototypes}
    plans = [_plan_clone(book, draft, clone, sheets) for clone in fill.clones]
    remove(draft, only_reached_from(book, [sheet.part for sheet in prototypes]))
    return plans


def with_own_xml(book: Book, plan: SheetPlan) -> SheetPlan:
    """Return a clone's plan with XML of its own to write into: it goes when the clone stands, before the next one."""
    source = sheet_named(book, plan.source)
    xml = read_sheet(book.package.read(source.part), source.part)
    clone_extras(xml.root)
    return replace(plan, xml=xml)


def _plan_clone(book: Book, draft: Draft, clone: Clone, sheets: Mapping[str, SheetXml]) -> SheetPlan:
    source = sheet_named(book, clone.prototype)
    with locate_errors(f"the sheet {clone.sheet!r}"):
        _check_tables(book, source, clone)
        part, targets = _copy_parts(draft, source)
        tables = [(table_named(book, name), *names_and_fill) for name, names_and_fill in clone.tables.items()]
        plans = [plan_table(table, rows, clone.sheet, targets[table.part], name) for table, name, rows in tables]
        values = dict(_cell(book, source, key, value) for key, value in clone.cells.items())
    renames = {name.casefold(): new_name for name, (new_name, _) in clone.tables.items()}
    names = {name.casefold(): sheet for name, sheet in clone.sheets.items()} | {source.name.casefold(): clone.sheet}
    return SheetPlan(clone.sheet, part, source.name, sheets[source.name], tuple(plans), values, names, renames)


def _copy_parts(draft: Draft, source: Sheet) -> tuple[str, dict[str, str]]:
    """Name the new sheet part and the copies of what belongs to it."""
    part = free_name(draft, "xl/worksheets/sheet%d.xml")
    declare(draft, part, content_type(draft, source.part))
    targets: dict[str, str] = {}
    for arrow in relationships(draft.package, source.part):
        if arrow.target and arrow.kind not in _COPIES:
            raise TemplateError(f"its prototype {source.name!r} has a {arrow.kind}, which cannot be cloned")
        if arrow.target:
            copy = free_name(draft, _COPIES[arrow.kind])
            declare(draft, copy, content_type(draft, arrow.target))
            targets[arrow.target] = copy
            if arrow.kind != "table":
                draft.parts[copy] = draft.package.read(arrow.target)
    copy_arrows(draft, source.part, part, targets)
    return part, targets


def _cell(book: Book, source: Sheet, key: str, value: Value | Formula) -> tuple[tuple[int, int], Value | Formula]:
    """Find a cell of a prototype by a name of its own scope, or by address."""
    result = name_cell(book, key, source.name)
    if result is not None:
        return result[1:], value
    at = row_and_column(key)
    if at is None:
        own = [attribute(name, "name") for name in defined_names(book.root) if name.get("localSheetId")]
        raise TemplateError(f"its prototype {source.name!r} has no name {key!r} of its own{names_like(key, own)}")
    read_area(key)  # refuses a cell beyond the sheet
    return at, value


def _check_tables(book: Book, source: Sheet, clone: Clone) -> None:
    tables = {table.name.casefold() for table in book.tables.values() if table.sheet == source.name}
    names = {name.casefold() for name in clone.tables}
    for name in tables - names:
        raise TemplateError(f"the prototype's table {book.tables[name].name} has no new name and rows")
    for name in names - tables:
        raise TemplateError(f"the prototype {source.name!r} has no table {name!r}")


def _check_sheet_names(book: Book, fill: Fill, prototypes: list[Sheet]) -> None:
    in_use = {sheet.name.casefold() for sheet in book.sheets.values() if sheet not in prototypes}
    for clone in fill.clones:
        name = clone.sheet
        if not 0 < len(name) <= MAX_SHEET_NAME:
            raise TemplateError(f"the sheet name {name!r} has {len(name)} characters; Excel takes 1 to 31")
        if set(name) & set("[]:*?/\\") or name.startswith("'") or name.endswith("'") or not name.isprintable():
            raise TemplateError(f"the sheet name {name!r} has one of []:*?/\\, or an apostrophe at an end")
        if name.casefold() in in_use | {"history"}:
            raise TemplateError(f"the sheet name {name!r} is taken; Excel ignores case")
        in_use.add(name.casefold())
    if not in_use:
        raise TemplateError("no sheet would be left in the workbook")


def _check_names(book: Book, fill: Fill, prototypes: list[Sheet]) -> None:
    """Refuse table names and defined names that Excel would not take, or that two would share."""
    left_out = {sheet.name for sheet in prototypes}
    in_use = {table.name.casefold() for table in book.tables.values() if table.sheet not in left_out}
    own = {attribute(name, "name").casefold() for name in defined_names(book.root) if not name.get("localSheetId")}
    in_use |= own - {name.casefold() for name in fill.new_names}
    tables = [new_name for clone in fill.clones for new_name, _ in clone.tables.values()]
    for name in [*tables, *fill.new_names]:
        if not is_name(name):
            raise TemplateError(f"{name!r} is not a name that Excel accepts for a table or a cell")
        if name.casefold() in in_use:
            raise TemplateError(f"the name {name!r} is taken by another table or defined name")
        in_use.add(name.casefold())
