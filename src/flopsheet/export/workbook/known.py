"""By which columns the shipped lists are known in a template, and which of its columns shows each look."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from flopsheet.accounting.line import GROUPS
from flopsheet.spreadsheet.engine import Column
from flopsheet.units.readable import siblings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.export.binding.template import Template
    from flopsheet.spreadsheet.engine import TableFill
    from flopsheet.spreadsheet.engine.book import Table

WORKINGS, CARD = "workings", "card"


@cache
def _lists() -> Mapping[str, Any]:
    """Return the tables of lists.toml."""
    return tomllib.loads((files("flopsheet.export.workbook") / "lists.toml").read_text("utf-8"))


def lacking(table: Table, name: str) -> list[str]:
    """Return the columns that a table lacks to be filled as a shipped list, named in lower case."""
    own = {header.casefold() for header in table.columns}
    missing = [header for header in _lists()["columns"].get(name, ()) if not own & _every_unit(header)]
    return missing + looks_lacking(table, name)


def _every_unit(header: str) -> set[str]:
    """Return a header in every unit of its kind, in lower case."""
    return {one.casefold() for one in (header, *siblings(header))}


def looks_lacking(table: Table, name: str) -> list[str]:
    """Return the columns that would show a look which no column of the table shows."""
    own = {header.casefold() for header in table.columns}
    looks: Mapping[str, str] = _lists()["looks"].get(name, {})
    return [shown for look, shown in looks.items() if not own & {look, shown.casefold()}]


def is_prototype(table: Table, kind: str) -> bool:
    """Whether a table is that of a card or of workings, by its sheet's name and its columns."""
    own = {header.casefold() for header in table.columns}
    return table.sheet.casefold().split()[0] == kind and own >= {one.casefold() for one in _lists()["columns"][kind]}


def grows(name: str) -> bool:
    """Whether a shipped list, named in lower case, has as many rows as the batch asks for."""
    return name not in _lists()["fixed"]


def taking_after(fill: TableFill, table: Table, name: str) -> TableFill:
    """Return the fill of a shipped list whose columns take after columns of the template's table.

    A column takes after the one of its own header, else after that of another unit, else after the one that shows its
    look. Tables of workings have the same headers in other places and roles, so that there only the look counts.
    """
    looks: Mapping[str, str] = _lists()["looks"].get(name, {})
    if not fill.columns:
        return fill
    own = {header.casefold() for header in table.columns}

    def after(column: Column) -> str:
        headers = [column.header, *siblings(column.header)]
        wanted = [column.like or column.header] if name == WORKINGS else [*headers, column.like or ""]
        return next(found for one in wanted for found in (one, looks.get(one, "")) if found.casefold() in own)

    return replace(fill, columns=tuple(replace(column, like=after(column)) for column in fill.columns))


def with_extras(fill: TableFill, table: Table, template: Template) -> TableFill:
    """Return the fill with the columns that the template's author added, at the end, blank or with their formula."""
    columns = fill.columns or tuple(map(Column, _lists()["columns"][table.name.casefold()]))
    taken = _headers(columns) | {header.casefold() for column in columns for header in [column.like or ""]}
    looks = _lists()["looks"].get(table.name.casefold(), {})
    taken |= {look.casefold() for pair in looks.items() for look in pair}
    own = {header.casefold() for header in table.columns}
    taken |= {unit for column in columns if column.header.casefold() not in own for unit in _every_unit(column.header)}
    extras = [
        Column(header, template.formula(table.sheet, table.area.top + 1, table.area.left + place) or None)
        for place, header in enumerate(table.columns)
        if header.casefold().partition("_part")[0] not in taken and header.partition("_part")[0] not in GROUPS
    ]
    if not extras:
        return fill
    blank = [None] * len(extras)
    return replace(fill, columns=(*columns, *extras), rows=[[*row, *blank] for row in fill.rows])


def _headers(columns: Collection[Column]) -> set[str]:
    return {column.header.casefold() for column in columns}
