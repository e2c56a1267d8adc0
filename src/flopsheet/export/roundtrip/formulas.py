"""Find the formulas of a workbook that a planner changed or overwrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def compare_formulas(
    found: FilledWorkbook,
    fresh: FilledWorkbook,
    keys: Mapping[str, str],
    inputs: Mapping[str, Container[str]],
    findings: Findings,
) -> None:
    """Keep every formula of `fresh` that `found` has not; `keys` are the key columns of tables by name.

    Columns of `inputs`, by table, are for typing: their formulas may be typed over.
    """
    tabled: set[tuple[str, Place]] = set()
    if found.flat and not fresh.flat:
        findings.notes.append(
            "the program that saved the workbook wrote cells in place of tables into its formulas (.ods does that):"
            " formulas that were edited cannot be listed, those that were overwritten are"
        )
    for name, table in fresh.book.tables.items():
        expected = rows_of(fresh, name, keys.get(name, ""))
        cells = [(key, header) for header in expected.columns for key in expected.rows]
        tabled.update((table.sheet, expected.place(key, header)) for key, header in cells)
        if name not in found.book.tables:
            findings.notes.append(f"the table {name} is gone: its formulas are not compared")
        else:
            findings.formulas += _of_table(rows_of(found, name, keys.get(name, "")), expected, inputs.get(name, ()))
    for sheet in fresh.book.sheet_names:
        if sheet in found.book.sheet_names:
            places = [place for place in fresh.sheet(sheet).formulas if (sheet, place) not in tabled]
            findings.formulas += [
                seen for place in places for seen in _find_changed(found, sheet, place, fresh, sheet, place)
            ]


def _of_table(found: Rows, fresh: Rows, inputs: Container[str]) -> Iterator[IgnoredChange]:
    for header in (header for header in fresh.columns if header in found.columns and header not in inputs):
        for key in (key for key in fresh.rows if key in found.rows):
            here, there = found.place(key, header), fresh.place(key, header)
            yield from _find_changed(found.filled, found.sheet, here, fresh.filled, fresh.sheet, there)


def _find_changed(
    found: FilledWorkbook, sheet: str, place: Place, fresh: FilledWorkbook, its_sheet: str, its_place: Place
) -> Iterator[IgnoredChange]:
    expected = fresh.find_formula(its_sheet, its_place)
    stands = found.find_formula(sheet, place)
    if found.flat and stands is not None and expected is not None and "[" in expected:
        return
    if expected in INPUTS:
        return  # an input without a value, which may be given one
    if expected is not None and not same_formula(expected, stands):
        shown = f"={stands}" if stands is not None else shown_cell(found.value(sheet, place))
        yield IgnoredChange(write_place(place, sheet), f"={expected}", shown)
