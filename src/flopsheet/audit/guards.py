"""Whether validations refuse what does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.audit.calculate import calculate
from flopsheet.audit.view import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.audit.validation import Validation
    from flopsheet.audit.view import WorkbookView
    from livesheets.evaluate.scalars import Scalar

SHARES = ("share", "%")
WRONG: Mapping[str, Scalar] = {"a text": "x", "150%": 1.5, "a negative number": -0.5}


def guards(view: WorkbookView) -> Iterator[str]:
    """Find rules by formula that let a text pass, or a share outside of 0 to 1, and values that break their rule."""
    shares = {cell for cell in view.case_cells if _is_share(view, cell)}
    for cell in view.validated_cells:
        for rule in view.validations(cell):
            value = view.value(cell)
            if rule.kind in ("decimal", "whole") and isinstance(value, str) and value.strip():
                yield f"{cell}: {value!r} is a text, which its validation refuses"
            if rule.formula and value is not None:
                yield from _passes(view, cell, rule, is_share=cell in shares)


def _passes(view: WorkbookView, cell: Cell, rule: Validation, *, is_share: bool) -> Iterator[str]:
    formula = rule.of(cell.row, cell.column)
    for what, wrong in WRONG.items():
        if (is_share or isinstance(wrong, str)) and calculate(view, cell, formula, {cell: wrong}):
            yield f"{cell}: its validation lets {what} pass: ={formula}"
            return
    if calculate(view, cell, formula) in (False, 0):
        yield f"{cell}: {view.value(cell)} is not what its validation lets pass: ={formula}"


def _is_share(view: WorkbookView, cell: Cell) -> bool:
    """Whether the unit in an input's row is a share."""
    table = next(table for table in view.inputs if cell.is_in(table))
    places = (view.places(table).get(header) for header in ("unit", "units"))
    beside = [Cell(cell.sheet, cell.row, table.area.left + place) for place in places if place is not None]
    return any(str(view.value(neighbor)).casefold() in SHARES for neighbor in beside)
