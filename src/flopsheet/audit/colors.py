"""The item about colors: what is typed looks typed, what is computed looks computed."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from flopsheet.audit.formula_text import MANY, OPERATORS, computes, outermost
from flopsheet.audit.precedents import ranges, unknown
from flopsheet.audit.view import Cell
from flopsheet.export.workbook.named_cells import shipped_formulas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table

LOOKUPS = frozenset({"index", "sumif", "sumifs", "lookup", "vlookup", "hlookup", "xlookup"})
LINK = "HYPERLINK("
YEARS = range(1900, 2101)
ELSEWHERE = ("out_sensitivity",)
"""What has an item of its own, which says that it is typed."""


def colors(view: WorkbookView) -> Iterator[str]:
    """Find inputs that do not look like inputs, and formulas that do."""
    for cell in dict.fromkeys((*view.input_cells, *view.validated_cells)):
        style = view.style(cell)
        if not (style.is_blue and style.fill and style.is_pale):
            yield f"{cell}: an input that is not blue on a pale fill"
    links = {cell for cell, _, _ in view.judge_formulas(lambda text: _brings(view, text))}
    for cell, text in view.formulas.items():
        style = view.style(cell)
        if style.is_blue and not text.upper().startswith(LINK):
            yield f"{cell}: a formula in the blue of inputs"
        elif cell in links and not style.is_green and is_link(view, cell):
            yield f"{cell}: brings a number from another sheet, but is not green"
    yield from _find_typed(view)
    for table in view.tables:
        yield from _odd(view, table)


def _find_typed(view: WorkbookView) -> Iterator[str]:
    """Find typed numbers that look computed.

    Dates and years, cells without a style, and samples in cells that flopsheet fills may be black; the shipped
    template's own cells are formulas.
    """
    own = {name for name, text in shipped_formulas().items() if text} if view.filled_tables else set()
    samples = {*view.name_units} - own | {*ELSEWHERE}
    inputs = {cell for name, cell in view.names.items() if name in samples}.union(view.input_cells)
    black = {number for number in view.computed_styles if not re.search("[dy]", view.template.format_of(number))}
    for place, value, style in view.survey.typed_numbers:
        cell = Cell(*place)
        if style in black and cell not in inputs and value not in YEARS:
            yield f"{cell}: a typed number that looks computed; make it blue if it is an input"


def _odd(view: WorkbookView, table: Table) -> Iterator[str]:
    """Find formulas of a list in another color than that of their column; subtotals and totals may have one each."""
    for header in table.columns:
        cells = [cell for cell in view.column(table, header) if cell in view.formulas]
        colors = Counter(view.style(cell).color for cell in cells)
        usual = colors.most_common(1)[0][0] if colors else ""
        for cell in cells:
            if view.style(cell).color != usual and not view.style(cell).fill:
                yield f"{cell}: a formula in another color than the column {header!r}"


@lru_cache(MANY)
def looks_up(text: str) -> bool:
    """Whether a formula is a lookup, a sum of some, or one in another unit; with more than that it is a calculation."""
    result = outermost(text)
    functions = [token for token in result if token.kind == "function"]
    signs = {token.text for token in result if token.text in OPERATORS or token.text == "("}
    return result[:1] == functions[:1] != [] and functions[0].word in LOOKUPS and signs <= {"+", "/"}


def _brings(view: WorkbookView, text: str) -> bool:
    """Whether a formula brings what cells hold as it is, or looks it up."""
    return (looks_up(text) or not computes(text)) and not unknown(view, text)


def is_link(view: WorkbookView, cell: Cell) -> bool:
    """Whether a formula that brings something brings a number from other sheets."""
    original = view.originals[cell]
    homes = {sheet for sheet, _ in ranges(view, cell, original.text, original)}
    return bool(homes) and cell.sheet.casefold() not in homes and isinstance(view.value(cell), int | float)
