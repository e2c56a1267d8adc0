"""Formulas of the workbook; their values come from lines, or from the evaluator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import no_number, numbers_of
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.architecture_table import ArchitectureTable, without
from flopsheet.export.workbook.excel_form import excel_form
from flopsheet.units.readable import divisor, readable
from livesheets import Formula
from livesheets.excel import Word, call, column, here, literal

if TYPE_CHECKING:
    from flopsheet.accounting.line import Number
    from flopsheet.accounting.totals import Entry
    from flopsheet.export.workbook.excel_form import Refer
    from livesheets.excel import Expression


NEGLIGIBLE = Word("0.000000001")
"""The part of a number by which one that is equal to it may differ, since spreadsheets compute in floats."""
MISSING = "NA()"
"""The formula where a number would be and is none: what reads it is none in every spreadsheet, until one is typed."""


def cell_number(value: Number) -> int | float | None:
    """Return a number as a cell holds it, a blank for what is none: its formula says what a spreadsheet makes of it."""
    return plain(value) if no_number(value) is None else None


def constant(value: Number) -> int | float | Formula:
    """Return a number as a cell without a formula holds it: what is none is #N/A, which never counts as 0."""
    return plain(value) if no_number(value) is None else Formula(MISSING)


def lookup(table: str, name: str, number: Expression) -> Expression:
    """Return the formula that brings a line of the model of this number from a table of workings, 0 if not there."""
    return call("SUMIFS", column(table, name), column(table, "no"), number)


def line_formula(arch: ArchitectureTable, entry: Entry) -> Expression:
    """Return the formula of a line in its table of workings."""
    ledger_formula = arch.ledger.formulas[entry.line.name]
    if entry.role == "subtotal":
        members = [name for name in ledger_formula.names if name not in arch.left_out]
        return call("SUM", here(arch.table, members[0], members[-1]))
    return excel_form(formula.read(without(ledger_formula, arch.left_out)), referring(arch))


def is_chosen(arch: ArchitectureTable, name: str) -> Expression | None:
    """Return the formula of a flag that says which label of a choice is in its cell, None for other lines."""
    choices = [dimension for dimension in arch.dimensions if dimension.kind == "choice"]
    labels = {f"{choice.name}_is_{label}": (choice.name, label) for choice in choices for label in choice.labels}
    if name not in labels:
        return None
    choice, label = labels[name]
    return call("IF", here(arch.table, choice) == label, 1, 0)


def referring(arch: ArchitectureTable) -> Refer:
    """Return how formulas of a table of workings refer to a name; what is left out is 0."""
    choices = {dimension.name for dimension in arch.dimensions if dimension.kind == "choice"}

    def refer(name: str) -> Expression:
        if name not in arch.names:
            return literal(0)
        return here(arch.table, f"{name}_index" if name in choices else name)

    return refer


def three_digits(number: Expression) -> Expression:
    """Return the formula that writes a number to three significant digits, below 1 to two places."""
    return call("FIXED", number, 2 - call("LEN", call("INT", number)) + 1)


def unit_for(unit: str, number: Number) -> str:
    """Return the unit in which people read a number, or 0 where it is none."""
    return readable(unit, numbers_of([number, 0])[0])


def unit_size(unit: str, plain_unit: str | None = None) -> Expression:
    """Return how formulas say a unit's size: by its name, where it has one."""
    return Word(divisor(unit, plain_unit))
