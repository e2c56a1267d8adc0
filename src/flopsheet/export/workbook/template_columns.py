"""By which columns the shipped lists are known in a template, and which of its columns shows each look."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec.structs import replace

from flopsheet.accounting.line import GROUPS
from flopsheet.export.layout.shipped_lists import ShippedList, shipped_lists
from flopsheet.export.workbook.card import HEADERS as CARD_HEADERS
from flopsheet.export.workbook.model_columns import shown_columns
from flopsheet.export.workbook.workings import IDENTITY
from flopsheet.planning.question import MODELS_TABLE, OVERRIDE
from flopsheet.planning.registry import base_program
from flopsheet.units.readable import siblings
from livesheets import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from livesheets import Table, TableFill, Template

WORKINGS, CARD = "workings", "card"
_PART = re.compile("_part[0-9]+$")
PROTOTYPES: Mapping[str, tuple[str, ...]] = {CARD: CARD_HEADERS, WORKINGS: IDENTITY}
"""Sheets that are cloned for each architecture, by what their names begin with: the columns they are known by."""


def missing_columns(table: Table, name: str, columns: Callable[[], Sequence[Column]]) -> list[str]:
    """Return the columns that a table lacks to be filled as a list of the workbook, named in lower case.

    Where columns follow the batch, those that show their looks are enough, and nobody has to make the others.
    """
    if _looks(name):
        return missing_looks(table, name)
    own = _fold(table.columns)
    return [spec.header for spec in columns() if not own & {*_every_unit([spec.header]), (spec.like or "").casefold()}]


def missing_headers(table: Table, headers: Iterable[str]) -> list[str]:
    """Return the headers of which a table has none, whatever their case."""
    own = _fold(table.columns)
    return [header for header in headers if header.casefold() not in own]


def _fold(headers: Iterable[str]) -> set[str]:
    return {header.casefold() for header in headers}


def _every_unit(headers: Iterable[str]) -> set[str]:
    """Return headers in every unit of their kinds, in lower case."""
    return _fold(_near(headers))


def missing_looks(table: Table, name: str) -> list[str]:
    """Return the columns that would show a look which no column of the table shows."""
    own = _fold(table.columns)
    return [headers[0] for look, headers in _looks(name).items() if not own & {look, *_every_unit(headers)}]


@cache
def _looks(name: str) -> Mapping[str, list[str]]:
    """Return the columns of the shipped template that show each look of a list, named in lower case."""
    if name != MODELS_TABLE:
        return shipped_lists().get(name, ShippedList()).looks
    looks: dict[str, list[str]] = {}
    for column in shown_columns(base_program()):
        looks.setdefault(column.look, []).append(column.header())
    return looks | {"whole": looks["computed"], "link": ["parameters"], "raw": [OVERRIDE]}


def of_prototype(table: Table, kind: str) -> bool:
    """Whether a table is that of a card or of workings, or was: most of the columns are left by which it is known."""
    identity = PROTOTYPES[kind]
    return table.sheet.casefold().split()[:1] == [kind] and len(missing_identity(table, kind)) <= len(identity) / 2


def missing_identity(table: Table, kind: str) -> list[str]:
    """Return the columns by which a table of a card or of workings is known, and which it lacks."""
    return missing_headers(table, PROTOTYPES[kind])


def grows(name: str) -> bool:
    """Whether a shipped list, named in lower case, has as many rows as the batch asks for."""
    return not shipped_lists()[name].fixed if name in shipped_lists() else True


def with_looks(fill: TableFill, table: Table, name: str) -> TableFill:
    """Return the fill of a shipped list whose columns take after columns of the template's table.

    A column takes after the one of its own header, else after that of another unit, else after the one that shows its
    look. Tables of workings have the same headers in other places and roles, so that there only the look counts.
    """
    looks, own = _looks(name), _fold(table.columns)

    def after(column: Column) -> str:
        header, like = column.header, column.like
        candidates = [like or header] if name == WORKINGS else [header, *siblings(header), like or ""]
        result = (near for header in candidates for near in (header, *_near(looks.get(header, []))))
        return next(near for near in result if near.casefold() in own)

    return replace(fill, columns=tuple(replace(column, like=after(column)) for column in fill.columns or ()))


def _near(headers: Iterable[str]) -> Iterator[str]:
    """Give columns, each in its own unit and then in the others."""
    for header in headers:
        yield from (header, *siblings(header))


def with_extras(fill: TableFill, table: Table, template: Template) -> TableFill:
    """Return the fill with the columns that the template's author added, at the end, blank or with their formula."""
    columns, own = fill.columns or (), _fold(table.columns)
    looks = _looks(table.name.casefold())
    shipped_headers = _fold(looks) | _fold(text for column in columns for text in (column.header, column.like or ""))
    shipped_headers |= _every_unit(header for headers in looks.values() for header in headers)
    shipped_headers |= _every_unit(column.header for column in columns if column.header.casefold() not in own)
    extras = [
        Column(header, template.formula(table.sheet, table.area.top + 1, table.area.left + place) or None)
        for place, header in enumerate(table.columns)
        if not {header.casefold(), _whole(header).casefold()} & shipped_headers and _whole(header) not in GROUPS
    ]
    if not extras:
        return fill
    blank = [None] * len(extras)
    return replace(fill, columns=(*columns, *extras), rows=[[*row, *blank] for row in fill.rows])


def _whole(header: str) -> str:
    """Return the header of the column of which one is a part: a sum of many lines is in several."""
    return _PART.sub("", header)
