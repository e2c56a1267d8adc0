"""The item about units: one for every input and column."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from flopsheet.audit.inputs import blanks
from flopsheet.audit.view import Cell
from flopsheet.export.binding.headers import Bound
from flopsheet.export.binding.labels import label_money, label_unit, size_of
from flopsheet.units.money import DOLLAR
from flopsheet.units.named_values import DATE
from flopsheet.units.table import times
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table

FREE = ("", "ratio", "share", "flag", "models", DATE)
"""Units that a header need not say."""
THOUSAND = 1_000


def units(view: WorkbookView) -> Iterator[str]:
    """Find inputs without a unit, and columns of numbers whose header says none."""
    for table in view.tables:
        if table in view.inputs or view.column(table, "unit"):
            yield from blanks(view, table, ("unit", "units"), "a unit")
    for name, cell in view.names.items():
        if name.startswith("unit_") and view.value(cell) is None:
            yield f"{cell}: {name} says no unit"
    yield from _ids(view)
    yield from _find_misscaled(view)
    yield from _single(view)
    for model_list in view.lists:
        for header in model_list.headers:
            meaning = header.meaning
            if not isinstance(meaning, Bound) or header.formula:
                continue
            if not _says_unit(view, model_list.table, header.column, meaning):
                yield f"{header.where}: the header {meaning.header!r} does not say that it is in {meaning.field.unit}"


def _ids(view: WorkbookView) -> Iterator[str]:
    """Find columns headed by names of lines without their unit above, in workings and lists with a row of units."""
    for table in view.tables:
        headers = {Cell(table.sheet, table.area.top - 1, table.area.left + at): h for at, h in enumerate(table.columns)}
        headers = {cell: header for cell, header in headers.items() if _unit(view, header) not in FREE}
        blank = [cell for cell in headers if not str(view.value(cell) or "").strip(" -")]
        has_units = table.name.casefold() in view.filled_tables and len(blank) * 2 < len(headers)
        if has_units or table.sheet in view.prototypes:
            yield from (f"{c}: no unit above {headers[c]!r}; {_unit(view, headers[c])} is expected" for c in blank)


def _unit(view: WorkbookView, header: str) -> str:
    """Return the unit of a line, driver or figure by its name."""
    candidates = (view.name_units.get(f"{kind}_{header}", "") for kind in ("in", "out"))
    return view.units.get(header) or next(filter(None, candidates), "")


def _find_misscaled(view: WorkbookView) -> Iterator[str]:
    """Find columns of the shipped lists that show another column in a larger unit, which their header does not say."""
    for table in (table for table in view.tables if table.name.casefold() in view.filled_tables):
        for header in table.columns:
            cell = view.column(table, header)[:1]
            if cell and _is_scaled(view.formulas.get(cell[0], "")) and not header.endswith((")", "]")):
                yield f"{cell[0]}: the header {header!r} does not say its unit, such as '{header} (M)'"


def _is_scaled(formula: str) -> bool:
    """Whether a formula is a column of the same row in a larger unit."""
    match [(piece.kind, piece.text.lower()) for piece in tokens(formula)]:
        case [("table", column), ("sign", "/"), ("name", "in_gib" | "in_mib")]:
            return "[[#this row],[" in column
        case [("table", column), ("sign", "/"), ("number", size)] if float(size) >= THOUSAND:
            return "[[#this row],[" in column and math.log10(float(size)).is_integer()
    return False


def _single(view: WorkbookView) -> Iterator[str]:
    """Find named inputs and results outside of lists whose unit is known, but not written, or written as another."""
    for name, cell in view.names.items():
        needs_unit = name.startswith("in_") or (name.startswith("out_") and name in view.name_formulas)
        unit = view.name_units.get(name, "") if needs_unit else ""
        if unit in FREE or view.in_table(cell):
            continue
        money = label_money(view.template, *cell, unit) if unit.startswith(DOLLAR) else ""
        label = label_unit(view.template, *cell, unit, view.money) or money
        is_own_formula = view.formulas.get(cell, " ") == view.name_formulas.get(name)
        if money and not view.money.names_currency(money):
            yield f"{cell}: the label is {money!r}, but {name} is in {unit}"
        elif not label:
            yield f"{cell}: nothing next to {name} says that it is in {unit}"
        elif is_own_formula and size_of(view.template, *cell, unit, view.money) != 1:
            yield f"{cell}: the label is in {label}, but ={view.formulas[cell]} is in {unit}"


def _says_unit(view: WorkbookView, table: Table, column: int, meaning: Bound) -> bool:
    """Whether a header, the cell above it, or the number format says the unit, where one is needed."""
    unit = meaning.field.unit
    if meaning.field.kind != "number" or unit in FREE or meaning.unit:
        return True
    above = view.value(Cell(table.sheet, table.area.top - 1, column)) if table.area.top > 1 else None
    form = view.template.number_format(table.sheet, table.area.top + 1, column)
    signs = [text or sign for text, sign in re.findall(r'"\s*([^"]+?)\s*"|(\$)', form)]
    words = [*re.split(r"[\s_]+", meaning.header), str(above or ""), *signs]
    return any(times(unit, word) is not None for word in words if word)
