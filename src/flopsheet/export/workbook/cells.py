"""Formulas of the workbook, each built together with its value."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.shape import Shape, is_sum, without

if TYPE_CHECKING:
    from collections.abc import Callable

    from flopsheet.accounting.totals import Entry


def here(table: str, column: str) -> str:
    """Return the reference to a column in the formula's own row."""
    return f"{table}[[#This Row],[{column}]]"


def lookup(shape: Shape, name: str, number: str) -> str:
    """Return the formula that brings a line of the model of this number from a table of workings, 0 if not there."""
    return f"SUMIFS({shape.table}[{name}],{shape.table}[no],{number})"


def line_formula(shape: Shape, entry: Entry) -> str:
    """Return the formula of a line in its table of workings."""
    parsed = shape.ledger.formulas[entry.line.name]
    if entry.role == "subtotal":
        members = [name for name in parsed.names if name not in shape.left_out]
        return f"SUM({shape.table}[[#This Row],[{members[0]}]:[{members[-1]}]])"
    return formula.read(line_text(shape, entry)).excel(referring(shape))


def is_chosen(shape: Shape, name: str) -> str:
    """Return the formula of a flag that says which label of a choice stands in its cell, "" for other lines."""
    choices = [dimension for dimension in shape.dimensions if dimension.kind == "choice"]
    labels = {f"{choice.name}_is_{label}": (choice.name, label) for choice in choices for label in choice.labels}
    if name not in labels:
        return ""
    choice, label = labels[name]
    return f'IF({here(shape.table, choice)}="{label}",1,0)'


def line_text(shape: Shape, entry: Entry) -> str:
    """Return a line as written; a sum without the terms that are left out."""
    parsed = shape.ledger.formulas[entry.line.name]
    parts = "(" not in parsed.text and " if " not in parsed.text
    return without(parsed, shape.left_out) if is_sum(entry) or parts else parsed.text


def referring(shape: Shape) -> Callable[[str], str]:
    """Return how formulas of a table of workings refer to a name; what is left out is 0."""
    choices = {dimension.name for dimension in shape.dimensions if dimension.kind == "choice"}

    def refer(name: str) -> str:
        if name not in shape.names:
            return "0"
        return here(shape.table, f"{name}_index" if name in choices else name)

    return refer


def fixed(value: float, digits: int) -> str:
    """Return a number as TEXT(value, "#,##0.00…") shows it: rounded on its 15 significant digits, half up."""
    step = Decimal(1).scaleb(-digits)
    return f"{Decimal(f'{value:.15g}').quantize(step, ROUND_HALF_UP):,f}"


def short(value: float) -> str:
    """Return a number as ROUND(value,2) becomes text: without zeros at its end."""
    return f"{Decimal(fixed(value, 2).replace(',', '')).normalize():f}"


def three_digits(value: float) -> str:
    """Return a number to three significant digits, below 1 to two places: what `three_digits_of` shows."""
    return fixed(value, 2 - Decimal(f"{max(value, 1):.15g}").adjusted())


def three_digits_of(name: str) -> str:
    """Return the formula that writes a named number to three significant digits, below 1 to two places."""
    return f"FIXED({name},2-LEN(INT({name}))+1)"


def scientific(value: float) -> str:
    """Return a number as TEXT(value, "0.00E+00") shows it."""
    if value == 0:
        return "0.00E+00"
    exact = Decimal(f"{value:.15g}")
    exponent = exact.adjusted()
    digits = exact.scaleb(-exponent).quantize(Decimal("0.01"), ROUND_HALF_UP)
    if digits >= 10:  # noqa: PLR2004 - a mantissa has one digit before its point
        digits, exponent = digits / 10, exponent + 1
    return f"{digits:.2f}E{'+' if exponent >= 0 else '-'}{abs(exponent):02d}"
