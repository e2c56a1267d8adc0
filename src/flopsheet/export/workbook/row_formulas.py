"""A formula of cells of its own row, written once: the text for Excel, and the value in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.excel_form import excel_form

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from flopsheet.accounting.line import Number
    from livesheets import Value
    from livesheets.excel import Expression


class Cells(Struct, frozen=True):
    """What a name of a formula stands for: how Excel refers to it, and its numbers, a row each."""

    reference: Expression
    numbers: Callable[[], Iterable[Number]]


OWN_OR_PLANNED = "own if stated else planned"
"""An input as a row uses it: what a model states for itself, else the plan's."""


def row_formula(text: str, cells: Mapping[str, Cells]) -> tuple[Expression, Callable[[], Iterable[Value]]]:
    """Return a formula for Excel, and what gives its values, computed in floats as spreadsheets do."""
    source_formula = formula.read(text)

    def values() -> Iterable[Value]:
        columns = {name: cells[name].numbers() for name in source_formula.names}
        return map(plain, source_formula.cells(columns))

    return excel_form(source_formula, lambda name: cells[name].reference), values


def is_stated(own: Expression) -> Expression:
    """Return the test whether a cell of inputs has one."""
    return own != ""


def own_or(own: Expression, plan_value: Expression) -> Expression:
    """Return the formula of an input that a model may state for itself: blank means the plan's."""
    meanings = {"own": own, "stated": is_stated(own), "planned": plan_value}
    return excel_form(formula.read(OWN_OR_PLANNED), meanings.__getitem__)
