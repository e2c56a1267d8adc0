"""The columns of a table of workings, and sums too long to read in one cell, in parts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct, field

from flopsheet.accounting import formula
from flopsheet.accounting.formula.compose import factors, plus, terms, times
from flopsheet.export.workbook.cells import referring
from flopsheet.export.workbook.excel_form import excel_form
from livesheets.excel import add_all, column_of_row, here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.planning.costed_model import Costed
    from livesheets import Value
    from livesheets.excel import Expression

T = TypeVar("T")
MAX_FORMULA = 255
"""Characters of a formula, as Excel shows it, that people still read in one look."""
MAX_PART = 200
"""Characters of a part; the rest is for what stands around it."""


class ColumnSpec(Struct, frozen=True):
    """A column of the table: its header, the template column that it looks like, its band, and its values.

    `value` is the name of a dimension or line, a formula of such names, or what gives the column's values for models
    by number. Without a `width` it is as wide as the template's column. `follows` has formulas of single rows, by
    models' numbers: an input that follows others until somebody types over it.
    """

    header: str
    like: str
    band: str
    title: str
    unit: str
    value: str | formula.Formula | Callable[[Mapping[int, Costed]], Iterable[Value]]
    formula: Expression | None = None
    choices: tuple[str, ...] = ()
    width: int | None = None
    follows: Mapping[int, Expression] = field(default_factory=dict)


def group_terms(terms: Sequence[T], length: Callable[[Sequence[T]], int], room: int) -> list[list[T]]:
    """Return the terms of a sum in as few groups as there is room for, in their order."""
    groups: list[list[T]] = []
    for term in terms:
        if groups and length([*groups[-1], term]) <= room:
            groups[-1].append(term)
        else:
            groups.append([term])
    return groups


def show_once(bands: Iterable[str]) -> list[str]:
    """Return the bands of columns, each only above the first of the columns that it spans."""
    return ["" if band == before else band for before, band in pairwise(["", *bands])]


def excel_formula(arch: ArchitectureTable, text: str) -> Expression:
    """Return a formula of dimensions and lines as Excel formula of the table's row."""
    return excel_form(formula.read(text), referring(arch))


def split_sum(arch: ArchitectureTable, spec: ColumnSpec, text: str) -> tuple[list[ColumnSpec], Expression]:
    """Return the columns that hold the parts of a long sum or product, and the Excel formula of the whole.

    A formula that people can read in one look has no parts.
    """
    groups = [terms(text)]
    if _shown_length(groups[0]) > MAX_PART:
        groups = group_terms(groups[0], _shown_length, MAX_PART)
    if len(groups) == 1 and _shown_length([text]) <= MAX_FORMULA:
        return [], excel_formula(arch, text)
    if len(groups) == 1:
        return _split_factor(arch, spec, text)
    parts = [_part(arch, spec, place, plus(*group)) for place, group in enumerate(groups, start=1)]
    return parts, add_all(here(arch.table, part.header) for part in parts)


def _split_factor(arch: ArchitectureTable, spec: ColumnSpec, text: str) -> tuple[list[ColumnSpec], Expression]:
    """Return the column with the longest factor of a product, and the Excel formula of the whole."""
    result = factors(text)
    longest = max(range(len(result)), key=lambda at: len(result[at]))
    others = [factor for at, factor in enumerate(result) if at != longest]
    if not others:
        return [], excel_formula(arch, text)
    part = _part(arch, spec, 1, result[longest])
    return [part], excel_formula(arch, times(*others)) * here(arch.table, part.header)


def _shown_length(terms: Sequence[str]) -> int:
    """Return how long a sum is where Excel shows it: a column of the same row is `[@column]` there."""
    return len(str(excel_form(formula.read(plus(*terms)), column_of_row))) + 1


def _part(arch: ArchitectureTable, spec: ColumnSpec, place: int, text: str) -> ColumnSpec:
    title = f"{spec.title}, part {place}"
    header = f"{spec.header}_part{place}"
    return ColumnSpec(header, "helper", spec.band, title, spec.unit, formula.read(text), excel_formula(arch, text))
