"""What a planner's workbook was found to say: edited inputs, rows that were added, formulas, and what is only told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.export.roundtrip.rows import FilledWorkbook, Rows, rows_of, same_formula, shown_cell
from flopsheet.export.workbook.assumptions import SAME
from flopsheet.export.workbook.cells import MISSING
from livesheets.addresses import write_place

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from livesheets.addresses import Place

INPUTS = (MISSING, SAME)
"""The formulas that stand where an input has no value."""
Where = tuple[str | int, ...]
"""Where a value is in a portfolio: `("drivers", "mfu", "base")`, `("models", 3, "d_model")`."""


class Edit(Struct, frozen=True):
    """An input that was changed: its cell, what was and is there, where it belongs, and what it becomes there."""

    address: str
    what: str
    old: Any
    new: Any
    path: Where
    value: Any


class AddedModel(Struct, frozen=True):
    """A model that was typed under the table of an architecture: its number, name, dimensions, and own inputs."""

    address: str
    number: int
    name: str
    architecture: str
    values: Mapping[str, Any]
    columns: frozenset[str]
    tokens: int | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    follows: frozenset[str] = frozenset()


class IgnoredChange(Struct, frozen=True):
    """A cell that was changed and is not imported."""

    address: str
    expected: str
    found: str


class Findings(Struct):
    """All that differs: what can be imported, what is refused, and what is only told."""

    edits: list[Edit] = field(default_factory=list)
    added: list[AddedModel] = field(default_factory=list)
    formulas: list[IgnoredChange] = field(default_factory=list)
    follows: dict[int, set[str]] = field(default_factory=dict)
    like_base: set[tuple[str, str]] = field(default_factory=set)
    others: list[IgnoredChange] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def compare_formulas(
    workbook: FilledWorkbook,
    fresh: FilledWorkbook,
    keys: Mapping[str, str],
    inputs: Mapping[str, Container[str]],
    findings: Findings,
) -> None:
    """Keep every formula of `fresh` that `workbook` has not; `keys` are the key columns of tables by name.

    Columns of `inputs`, by table, are for typing: their formulas may be typed over.
    """
    table_cells: set[tuple[str, Place]] = set()
    if workbook.flat and not fresh.flat:
        findings.notes.append(
            "the program that saved the workbook wrote cells in place of tables into its formulas (.ods does that):"
            " formulas that were edited cannot be listed, those that were overwritten are"
        )
    for name, table in fresh.book.tables.items():
        rows = rows_of(fresh, name, keys.get(name, ""))
        cells = [(key, header) for header in rows.columns for key in rows.rows]
        table_cells.update((table.sheet, rows.place(key, header)) for key, header in cells)
        if name not in workbook.book.tables:
            findings.notes.append(f"the table {name} is gone: its formulas are not compared")
        else:
            findings.formulas += _of_table(rows_of(workbook, name, keys.get(name, "")), rows, inputs.get(name, ()))
    for sheet in fresh.book.sheet_names:
        if sheet in workbook.book.sheet_names:
            places = [place for place in fresh.book.sheet(sheet).formulas if (sheet, place) not in table_cells]
            findings.formulas += [
                change for place in places for change in _find_changed(workbook, sheet, place, fresh, sheet, place)
            ]


def _of_table(rows: Rows, fresh: Rows, inputs: Container[str]) -> Iterator[IgnoredChange]:
    for header in (header for header in fresh.columns if header in rows.columns and header not in inputs):
        for key in (key for key in fresh.rows if key in rows.rows):
            here, there = rows.place(key, header), fresh.place(key, header)
            yield from _find_changed(rows.workbook, rows.sheet, here, fresh.workbook, fresh.sheet, there)


def _find_changed(
    workbook: FilledWorkbook, sheet: str, place: Place, fresh: FilledWorkbook, its_sheet: str, its_place: Place
) -> Iterator[IgnoredChange]:
    old = fresh.find_formula(its_sheet, its_place)
    new = workbook.find_formula(sheet, place)
    if workbook.flat and new is not None and old is not None and "[" in old:
        return
    if old in INPUTS:
        return  # an input without a value, which may be given one
    if old is not None and not same_formula(old, new):
        text = f"={new}" if new is not None else shown_cell(workbook.value(sheet, place))
        yield IgnoredChange(write_place(place, sheet), f"={old}", text)
