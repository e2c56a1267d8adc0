"""The items about checks: each is computed, passes, and could fail; all are summed up, and each sheet shows that."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from flopsheet.export.checklist.calculate import calculate
from flopsheet.export.checklist.reach import ranges
from flopsheet.export.checklist.tokens import functions
from flopsheet.export.xlsx.refs import relative_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.export.checklist.excel import Scalar
    from flopsheet.export.checklist.look import Cell, Look
    from flopsheet.export.xlsx import Value
    from flopsheet.export.xlsx.book import Table

FAR = 1e12
"""A difference that no check lets pass."""
SEEN = 60
"""Cells of a range that are tried: one that matters is among the first or none is."""


def checks(look: Look) -> Iterator[str]:
    """Find that nothing checks the workbook, checks without a verdict, checks that fail, and those that cannot."""
    if "chk_master" not in look.template.names:
        yield "no cell is named chk_master"
    if not look.checks:
        yield "no list with the columns Check and Pass"
    for table in look.checks:
        cells = look.column(table, "Pass")
        yield from _verdicts(look, cells)
        for cell in cells:
            yield from _blind(look, table, cell)
    home = look.names.get("chk_master")
    if home and look.checks:
        yield from _master(look, home)


def _verdicts(look: Look, cells: Sequence[Cell]) -> Iterator[str]:
    """Find verdicts that are typed, computed in another way than most, or not passed."""
    forms = Counter(relative_rows(look.formulas[cell], cell.row) for cell in cells if cell in look.formulas)
    usual = forms.most_common(1)[0][0] if forms else ""
    for cell in cells:
        text, value = look.formulas.get(cell), look.value(cell)
        if text is None:
            yield f"{cell}: the verdict is typed, not computed"
        elif relative_rows(text, cell.row) != usual:
            yield f"{cell}: the verdict is not computed as in the other rows"
        elif look.has_value(cell) and value not in (True, 1):
            yield f"{cell}: {'the check does not pass' if value in (False, 0) else f'{value!r} is no verdict'}"


def _blind(look: Look, table: Table, verdict: Cell) -> Iterator[str]:
    """Find a check that passes whatever it reads: a verdict, or what it judges, that nothing changes."""
    text = look.formulas.get(verdict, "")
    judged = [cell for cell in _reads(look, verdict, text) if cell.row == verdict.row and _within(table, cell)]
    if text and _is_fixed(look, verdict, text, _around(look, judged)):
        yield f"{verdict}: the verdict is the same whatever it judges: ={text}"
    for cell in judged:
        said = look.formulas.get(cell)
        if said is None and isinstance(look.value(cell), int | float):
            yield f"{cell}: typed, so that the check cannot fail; compute the difference"
        elif said is not None and any(one.text == "IFERROR" for one in functions(said)):
            yield f"{cell}: IFERROR lets an error pass: ={said}"
        elif said is not None and _is_fixed(look, cell, said, _around(look, _reads(look, cell, said))):
            yield f"{cell}: the same whatever it compares, so that the check cannot fail: ={said}"


def _within(table: Table, cell: Cell) -> bool:
    return table.sheet == cell.sheet and table.area.has(cell.row, cell.column)


def _reads(look: Look, cell: Cell, text: str) -> list[Cell]:
    """Return the cells that a formula refers to, the first ones of each range."""
    found: list[Cell] = []
    for area in ranges(look, cell, text):
        found += list(look.within(*area))[:SEEN]
    return list(dict.fromkeys(found))


def _around(look: Look, cells: Iterable[Cell]) -> Iterator[dict[Cell, Scalar]]:
    """Give what each cell could show otherwise, one at a time: nothing, one more or less, far off if it is not 0."""
    for cell in cells:
        value = look.value(cell)
        yield {cell: ""}
        if value is None or isinstance(value, bool | int | float):
            number = float(value or 0)
            yield from ({cell: number + one} for one in (1.0, -1.0, *((FAR, -FAR) if number else ())))


def _is_fixed(look: Look, cell: Cell, text: str, tries: Iterable[dict[Cell, Scalar]]) -> bool:
    """Whether a formula gives the same whatever it reads shows; where that is not known it is not."""
    usual = calculate(look, cell, text)
    known = [found for instead in tries if (found := calculate(look, cell, text, instead)) is not None]
    return usual is not None and all(found == usual for found in known)


def _master(look: Look, home: Cell) -> Iterator[str]:
    """Find a master that is typed, or that does not see each check fail."""
    text = look.formulas.get(home)
    if text is None:
        yield f"{home}: chk_master is typed, not computed"
        return
    areas = list(ranges(look, home, text))
    usual = calculate(look, home, text)
    for table in look.checks:
        for cell in look.column(table, "Pass"):
            inside = any(sheet == cell.sheet.casefold() and area.has(cell.row, cell.column) for sheet, area in areas)
            if not inside or (usual is not None and calculate(look, home, text, {cell: 0}) == usual):
                yield f"{home}: chk_master does not look at {cell}: ={text}"
                break


def master(look: Look) -> Iterator[str]:
    """Find sheets that do not show the state of the checks."""
    home = look.names.get("chk_master")
    cells = [cell for cell, text in look.formulas.items() if "chk_master" in text.casefold()]
    state = look.value(home) if home else None
    shown = {cell.sheet for cell in cells if state is None or _gives(look, cell) in (None, state)}
    for sheet in look.sheets:
        if sheet not in shown and not (home and home.sheet == sheet):
            yield f"{sheet}: no cell shows chk_master; write =chk_master at its top"


def _gives(look: Look, cell: Cell) -> Value:
    """Return what a formula in a cell shows, or would; None where that is not known."""
    shown = look.value(cell)
    return calculate(look, cell, look.formulas[cell]) if shown is None else shown
