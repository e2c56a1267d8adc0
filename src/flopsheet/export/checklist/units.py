"""The item about units: one for every input and column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.units import times
from flopsheet.export.binding.headers import Bound
from flopsheet.export.checklist.inputs import blanks
from flopsheet.export.checklist.look import Cell
from flopsheet.export.xlsx.refs import MAX_COLUMN, Area

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table

FREE = ("", "ratio", "share", "flag")
"""Units that a header need not say."""
SCALED = re.compile(r"\w+\[\[#This Row\],\[[^\[\]]*\]\]/(10{3,}|1E\+[0-9]+|in_[gm]ib)", re.IGNORECASE)
"""A column of the same row in a larger unit."""


def units(look: Look) -> Iterator[str]:
    """Find inputs without a unit, and columns of numbers whose header says none."""
    for table in look.tables:
        if table in look.inputs or look.column(table, "unit"):
            yield from blanks(look, table, ("unit", "units"), "a unit")
    for name, cell in look.names.items():
        if name.startswith("unit_") and look.value(cell) is None:
            yield f"{cell}: {name} says no unit"
    yield from _ids(look)
    yield from _scaled(look)
    yield from _single(look)
    for found in look.lists:
        for header in found.headers:
            meaning = header.meaning
            if (
                isinstance(meaning, Bound)
                and not header.formula
                and not _says_unit(look, found.table, header.column, meaning)
            ):
                yield f"{header.where}: the header {meaning.header!r} does not say that it is in {meaning.field.unit}"


def _ids(look: Look) -> Iterator[str]:
    """Find columns headed by names of lines without their unit above, in workings and lists with a row of units."""
    for table in look.tables:
        wanted = {Cell(table.sheet, table.area.top - 1, table.area.left + at): h for at, h in enumerate(table.columns)}
        wanted = {cell: header for cell, header in wanted.items() if _unit(look, header) not in FREE}
        blank = [cell for cell in wanted if not str(look.value(cell) or "").strip(" -")]
        if table.sheet in look.cloned or (table.name.casefold() in look.taken and len(blank) * 2 < len(wanted)):
            yield from (f"{c}: no unit above {wanted[c]!r}; {_unit(look, wanted[c])} is expected" for c in blank)


def _unit(look: Look, header: str) -> str:
    """Return the unit of a line, driver or figure by its name."""
    known = (look.known.get(f"{kind}_{header}", "") for kind in ("in", "out"))
    return look.units.get(header) or next(filter(None, known), "")


def _scaled(look: Look) -> Iterator[str]:
    """Find columns of the shipped lists that show another column in a larger unit, which their header does not say."""
    for table in (one for one in look.tables if one.name.casefold() in look.taken):
        for header in table.columns:
            cell = look.column(table, header)[:1]
            if cell and SCALED.fullmatch(look.formulas.get(cell[0], "")) and not header.endswith((")", "]")):
                yield f"{cell[0]}: the header {header!r} does not say its unit, such as '{header} (M)'"


def _single(look: Look) -> Iterator[str]:
    """Find named inputs outside of lists whose unit is known, but does not stand in their row."""
    inside = {cell for table in look.inputs for header in table.columns for cell in look.column(table, header)}
    for name, cell in look.names.items():
        unit = look.known.get(name, "") if name.startswith("in_") else ""
        if unit not in FREE and cell not in inside and not any(times(unit, word) for word in _row_words(look, cell)):
            yield f"{cell}: nothing beside {name} says that it is in {unit}"


def _row_words(look: Look, cell: Cell) -> list[str]:
    """Return the words beside a cell, its title whole and what follows a comma or bracket there, and its format's."""
    row = look.within(cell.sheet.casefold(), Area(cell.row, 1, cell.row, MAX_COLUMN))
    title, *said = [text for one in row if isinstance(text := look.value(one), str)] or [""]
    words = [title, *re.split(r"[,(\[]", title)[1:], *said, *(word for text in said for word in text.split())]
    form = look.template.number_format(cell.sheet, cell.row, cell.column)
    return [*(word.strip("()[],;: ") for word in words), *_signs(form)]


def _says_unit(look: Look, table: Table, column: int, meaning: Bound) -> bool:
    """Whether a header, the cell above it, or the number format says the unit, where one is needed."""
    unit = meaning.field.unit
    if meaning.field.kind != "number" or unit in FREE or meaning.unit:
        return True
    above = look.value(Cell(table.sheet, table.area.top - 1, column)) if table.area.top > 1 else None
    said = [*re.split(r"[\s_]+", meaning.header), str(above or ""), *_format_words(look, table, column)]
    return any(times(unit, word) is not None for word in said if word)


def _format_words(look: Look, table: Table, column: int) -> list[str]:
    """Return what a number format writes beside the number, such as USD or $."""
    form = look.template.number_format(table.sheet, table.area.top + 1, column)
    return _signs(form)


def _signs(form: str) -> list[str]:
    return [quoted or sign for quoted, sign in re.findall(r'"\s*([^"]+?)\s*"|(\$)', form)]
