"""The item about colours: what is typed looks typed, what is computed looks computed."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from flopsheet.export.checklist.reach import ranges, unknown
from flopsheet.export.checklist.tokens import computes
from flopsheet.export.checklist.typed import typed
from flopsheet.export.workbook.named import shipped_formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Cell, Look
    from flopsheet.export.xlsx.book import Table

LOOKUP = re.compile(r"(INDEX|SUMIFS?|[VHX]?LOOKUP)\(", re.IGNORECASE)
LINK = "HYPERLINK("
YEARS = range(1900, 2101)
ELSEWHERE = ("out_sensitivity",)
"""What has an item of its own, which says that it is typed."""


def colours(look: Look) -> Iterator[str]:
    """Find inputs that do not look like inputs, and formulas that do."""
    for cell in dict.fromkeys((*look.input_cells, *look.guarded)):
        style = look.style(cell)
        if not (style.is_blue and style.fill and style.is_pale):
            yield f"{cell}: an input that is not blue on a pale fill"
    for cell, text in look.formulas.items():
        style = look.style(cell)
        if style.is_blue and not text.upper().startswith(LINK):
            yield f"{cell}: a formula in the blue of inputs"
        elif is_link(look, cell, text) and not style.is_green:
            yield f"{cell}: brings a number from another sheet, but is not green"
    yield from _typed(look)
    for table in look.tables:
        yield from _odd(look, table)


def _typed(look: Look) -> Iterator[str]:
    """Find typed numbers that look computed.

    Dates and years, cells without a style, and samples in cells that flopsheet fills may be black; the shipped
    template's own cells are formulas.
    """
    own = {name for name, text in shipped_formulas().items() if text} if look.taken else set()
    samples = {cell for name, cell in look.names.items() if name in ELSEWHERE}
    samples |= {cell for name, cell in look.names.items() if name in look.known and name not in own}
    styled = (cell for cell in typed(look) if look.xml(cell.sheet).style(cell.row, cell.column))
    black = (cell for cell in styled if look.style(cell).is_computed and cell not in look.input_cells)
    for cell in black:
        form = look.template.number_format(cell.sheet, cell.row, cell.column)
        if cell not in samples and look.value(cell) not in YEARS and not re.search("[dy]", form):
            yield f"{cell}: a typed number that looks computed; make it blue if it is an input"


def _odd(look: Look, table: Table) -> Iterator[str]:
    """Find formulas of a list in another colour than that of their column; subtotals and totals may have one each."""
    for header in table.columns:
        cells = [cell for cell in look.column(table, header) if cell in look.formulas]
        colors = Counter(look.style(cell).color for cell in cells)
        usual = colors.most_common(1)[0][0] if colors else ""
        for cell in cells:
            if look.style(cell).color != usual and not look.style(cell).fill:
                yield f"{cell}: a formula in another colour than the column {header!r}"


def is_link(look: Look, cell: Cell, text: str) -> bool:
    """Whether a formula brings a number from other sheets as it is, or looks it up there."""
    lookup = LOOKUP.match(text) or not computes(text)
    if not lookup or not isinstance(look.value(cell), int | float) or any(unknown(look, text)):
        return False
    homes = {sheet for sheet, _ in ranges(look, cell, text)}
    return bool(homes) and cell.sheet.casefold() not in homes
