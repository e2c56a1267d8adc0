"""What a fill does to a planner's template, cell by cell, told before anything is written to where it is wanted."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.errors import TemplateError
from flopsheet.export.workbook.write import load_template, write_workbook
from livesheets import read_template
from livesheets.addresses import address

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.planning.plan import Plan
    from livesheets import Table, Template, Value

Place = tuple[str, int, int]


class Change(Struct, frozen=True):
    """A cell or table that a fill changes: where it is, its name, what is there before and what behind."""

    where: str
    name: str
    before: str
    after: str


class Preview(Struct, frozen=True):
    """The changes of a fill, and what of the template it refuses to fill."""

    changes: Sequence[Change]
    refused: Sequence[str]


def preview(plan: Plan, template: str) -> Preview:
    """Return what a fill of a template with a plan changes; a TemplateError if it cannot be filled."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "filled.xlsx"
        report = write_workbook(plan, output, template)
        before, after = read_template(load_template(template)[0]), read_template(output.read_bytes())
        return Preview([*_tables(before, after), *_cells(before, after)], report.refused)


def _tables(before: Template, after: Template) -> Iterator[Change]:
    for key, table in before.book.tables.items():
        new_table = after.book.tables.get(key)
        if new_table and _values(before, table) != _values(after, new_table):
            yield Change(f"{table.sheet}!{table.area}", table.name, _rows(table), _rows(new_table))


def _rows(table: Table) -> str:
    count = table.area.bottom - table.area.top + 1 - table.headers - table.totals
    return f"{count} row{'s' * (count != 1)}"


def _values(template: Template, table: Table) -> dict[tuple[int, int], Value]:
    return {place: value for place, value in _read_shown(template, table.sheet).items() if table.area.has(*place)}


def _cells(before: Template, after: Template) -> Iterator[Change]:
    """Give the cells outside of tables, by sheet and row."""
    names = {place: name for name in before.valid_names if (place := _place(before, name))}
    for sheet in before.book.sheets.values():
        if sheet.kind == "worksheet" and sheet.name.casefold() in after.book.sheets:
            for (row, column), was, now in _find_changed(before, after, sheet.name):
                where = f"{sheet.name}!{address(row, column)}"
                yield Change(where, names.get((sheet.name, row, column), ""), _show_value(was), _show_value(now))


def _find_changed(before: Template, after: Template, sheet: str) -> Iterator[tuple[tuple[int, int], Value, Value]]:
    """Give the cells of a sheet that differ, and are in no table before or after."""
    old, new = _read_shown(before, sheet), _read_shown(after, sheet)
    areas = [table.area for book in (before, after) for table in book.book.tables.values() if table.sheet == sheet]
    for place in sorted({*old, *new}):
        if old.get(place) != new.get(place) and not any(area.has(*place) for area in areas):
            yield place, old.get(place), new.get(place)


def _place(template: Template, name: str) -> Place | None:
    try:
        return template.place(name)
    except TemplateError:
        return None


def _read_shown(template: Template, sheet: str) -> dict[tuple[int, int], Value]:
    return {(row, column): value for row, column, _, _, value in template.list_cells(sheet) if value is not None}


def _show_value(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}"
    return "blank" if value in (None, "") else str(value)
