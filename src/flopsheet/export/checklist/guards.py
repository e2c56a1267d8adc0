"""Whether validations refuse what does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.checklist.calculate import calculate
from flopsheet.export.checklist.look import CASES, Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.export.checklist.excel import Scalar
    from flopsheet.export.checklist.look import Look
    from flopsheet.export.checklist.validation import Validation

SHARES = ("share", "%")
WRONG: Mapping[str, Scalar] = {"a text": "x", "150 %": 1.5, "less than nothing": -0.5}


def guards(look: Look) -> Iterator[str]:
    """Find rules by formula that let a text pass, or a share outside of 0 to 1, and values that break their rule."""
    shares = {
        cell for table in look.inputs for case in CASES for cell in look.column(table, case) if _is_share(look, cell)
    }
    for cell in look.guarded:
        for rule in look.validations(cell):
            value = look.value(cell)
            if rule.kind in ("decimal", "whole") and isinstance(value, str) and value.strip():
                yield f"{cell}: {value!r} is a text, which its validation refuses"
            if rule.formula and value is not None:
                yield from _passes(look, cell, rule, is_share=cell in shares)


def _passes(look: Look, cell: Cell, rule: Validation, *, is_share: bool) -> Iterator[str]:
    said = rule.of(cell.row, cell.column)
    for what, wrong in WRONG.items():
        if (is_share or isinstance(wrong, str)) and calculate(look, cell, said, {cell: wrong}):
            yield f"{cell}: its validation lets {what} pass: ={said}"
            return
    if calculate(look, cell, said) in (False, 0):
        yield f"{cell}: {look.value(cell)} is not what its validation lets pass: ={said}"


def _is_share(look: Look, cell: Cell) -> bool:
    """Whether the unit in an input's row is a share."""
    table = next(one for one in look.inputs if one.sheet == cell.sheet and one.area.has(cell.row, cell.column))
    beside = [one for header in ("unit", "units") for one in look.column(table, header) if one.row == cell.row]
    return any(str(look.value(one)).casefold() in SHARES for one in beside)
