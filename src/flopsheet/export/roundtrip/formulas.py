"""Find the formulas of a workbook that a planner changed or overwrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.errors import UsageError
from flopsheet.export.roundtrip.findings import Findings, IgnoredChange
from flopsheet.export.roundtrip.rows import FilledWorkbook, Rows, rows_of, same_formula, shown_cell
from flopsheet.export.workbook.assumptions import SAME
from flopsheet.export.workbook.cells import MISSING
from livesheets.addresses import write_place

INPUTS = (MISSING, SAME)
"""The formulas that stand where an input has no value."""

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from livesheets.addresses import Place

    Spot = tuple[str, Place]


def compare_formulas(
    workbook: FilledWorkbook,
    fresh: FilledWorkbook,
    keys: Mapping[str, str],
    inputs: Mapping[str, Container[str]],
    findings: Findings,
) -> None:
    """Keep every formula of `fresh` that `workbook` has not, and every name that means another cell.

    `keys` are the key columns of tables by name.

    Columns of `inputs`, by table, are for typing: their formulas may be typed over.
    """
    table_cells: set[Spot] = set()
    moved: dict[Spot, Spot] = {}
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
            its_rows = rows_of(workbook, name, keys.get(name, ""))
            moved |= _moved_cells(its_rows, rows)
            findings.formulas += _of_table(its_rows, rows, inputs.get(name, ()))
    for sheet in fresh.book.sheet_names:
        if sheet in workbook.book.sheet_names:
            places = [place for place in fresh.book.sheet(sheet).formulas if (sheet, place) not in table_cells]
            findings.formulas += [
                change for place in places for change in _find_changed(workbook, sheet, place, fresh, sheet, place)
            ]

    findings.formulas += _of_names(workbook, fresh, moved)


def _moved_cells(rows: Rows, fresh: Rows) -> dict[Spot, Spot]:
    """Return where the cells of rows are that were sorted or pushed down, by where they were delivered."""
    keys = [key for key in fresh.rows if rows.rows.get(key, fresh.rows[key]) != fresh.rows[key]]
    headers = [header for header in fresh.columns if header in rows.columns]
    return {(fresh.sheet, fresh.place(k, h)): (rows.sheet, rows.place(k, h)) for k in keys for h in headers}


def _of_names(workbook: FilledWorkbook, fresh: FilledWorkbook, moved: Mapping[Spot, Spot]) -> Iterator[IgnoredChange]:
    """Give the names that formulas read and that mean another cell than as delivered, on sheets that keep theirs."""
    for name in fresh.book.names:
        was, found = _cell_named(fresh, name), _cell_named(workbook, name)
        if was and was[0] in workbook.book.sheet_names and found != (expected := moved.get(was, was)):
            yield IgnoredChange(
                f"the name {name}", *(write_place(s[1], s[0]) if s else "no cell" for s in (expected, found))
            )


def _cell_named(workbook: FilledWorkbook, name: str) -> Spot | None:
    try:
        return workbook.find_named(name)
    except UsageError:
        return None


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
