"""Items about what a planner types: its unit, source, look and limits, and the scenarios."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.units import times
from flopsheet.export.binding.headers import Bound
from flopsheet.export.checklist.look import CASES, NOTES, Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table

FREE = ("", "ratio", "share", "flag")
"""Units that a header need not say."""


def colours(look: Look) -> Iterator[str]:
    """Find inputs that do not look like inputs, and formulas that do."""
    for cell in look.input_cells:
        style = look.style(cell)
        if not style.is_blue or not style.fill:
            yield f"{cell}: an input that is not blue on a fill"
    for cell in look.formulas:
        if look.style(cell).is_blue:
            yield f"{cell}: a formula in the blue of inputs"


def units(look: Look) -> Iterator[str]:
    """Find inputs without a unit, and columns of numbers whose header says none."""
    for table in look.inputs:
        yield from _blank(look, table, ("unit", "units"), "a unit")
    for found in look.lists:
        for header in found.headers:
            meaning = header.meaning
            if (
                isinstance(meaning, Bound)
                and not header.formula
                and not _says_unit(look, found.table, header.column, meaning)
            ):
                yield f"{header.where}: the header {meaning.header!r} does not say that it is in {meaning.field.unit}"


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
    return [quoted or sign for quoted, sign in re.findall(r'"\s*([^"]+?)\s*"|(\$)', form)]


def sources(look: Look) -> Iterator[str]:
    """Find inputs that nobody vouches for; a comment does where there is no column for sources."""
    for table in look.inputs:
        said = [header for header in NOTES if look.column(table, header)]
        own = [header for header in said if not header.startswith("comment")]
        yield from _blank(look, table, own or said, "a source or a note")


def _blank(look: Look, table: Table, headers: Sequence[str], what: str) -> Iterator[str]:
    """Find the rows of inputs in which all columns of these names are blank."""
    columns = [cells for header in headers if (cells := look.column(table, header))]
    if not columns:
        yield f"{table.sheet}!{table.area}: the inputs {table.name} have no column for {what}"
    for row in zip(*columns, strict=True):
        if not any(str(look.value(cell) or "").strip() for cell in row):
            yield f"{row[0]}: an input without {what}"


def validation(look: Look) -> Iterator[str]:
    """Find choices, percentages and cases that take any value."""
    asked = {cell for name, cell in look.names.items() if name.startswith("in_") and _limited(look, cell)}
    asked |= {cell for table in look.inputs for case in CASES for cell in look.column(table, case)}
    asked |= {cell for cell in look.marked if look.style(cell).is_input}
    for cell in sorted(asked - look.formulas.keys(), key=str):
        if not look.validations(cell):
            yield f"{cell}: an input without validation"


def _limited(look: Look, cell: Cell) -> bool:
    """Whether an input is a choice or a percentage."""
    return isinstance(look.value(cell), str) or "%" in look.template.number_format(cell.sheet, cell.row, cell.column)


def scenario(look: Look) -> Iterator[str]:
    """Find that no scenario can be chosen, or that the chosen one is not looked up."""
    if "in_scenario" not in look.names:
        yield "no cell is named in_scenario"
    live = [table for table in look.inputs if "live" in {header.casefold() for header in table.columns}]
    if not live:
        yield "no list has the columns Low, Base, High and Live"
    for table in live:
        for cell in look.column(table, "Live"):
            text = look.formulas.get(cell)
            if text is not None and not ("INDEX(" in text.upper() and "in_scenario" in text):
                yield f"{cell}: Live is not INDEX(…,in_scenario)"
