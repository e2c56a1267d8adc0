"""The items about checks: each is computed, passes, and could fail; all are summed up, and each sheet shows that."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.audit.calculate import calculate
from flopsheet.audit.formula_text import functions
from flopsheet.audit.precedents import ranges
from livesheets.evaluate.scalars import NA
from livesheets.references import relative_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flopsheet.audit.view import Cell, WorkbookView
    from livesheets.engine import Value
    from livesheets.engine.book import Table
    from livesheets.evaluate.scalars import Scalar

FAR = 1e12
"""A difference that no check lets pass."""
SEEN = 60
"""Cells of a range that are tried: one that matters is among the first or none is."""


def checks(view: WorkbookView) -> Iterator[str]:
    """Find that nothing checks the workbook, checks without a verdict, checks that fail, and those that cannot."""
    if "chk_master" not in view.template.names:
        yield "no cell is named chk_master"
    if not view.checks:
        yield "no list with the columns Check and Pass"
    for table in view.checks:
        cells = view.column(table, "Pass")
        yield from _verdicts(view, cells)
        for cell in cells:
            yield from _blind(view, table, cell)
    home = view.names.get("chk_master")
    if home and view.checks:
        yield from _master(view, home)


WARNS = -1
"""The verdict of a check that only warns."""


def _verdicts(view: WorkbookView, cells: Sequence[Cell]) -> Iterator[str]:
    """Find verdicts that are typed, computed in another way than most, or not passed."""
    forms = Counter(relative_rows(view.formulas[cell], cell.row) for cell in cells if cell in view.formulas)
    usual = forms.most_common(1)[0][0] if forms else ""
    for cell in cells:
        text, value = view.formulas.get(cell), view.value(cell)
        if text is None:
            yield f"{cell}: the verdict is typed, not computed"
        elif relative_rows(text, cell.row) != usual:
            yield f"{cell}: the verdict is not computed as in the other rows"
        elif view.has_value(cell) and value not in (True, 1, WARNS):
            yield f"{cell}: {'the check does not pass' if value in (False, 0) else f'{value!r} is not a verdict'}"


def _blind(view: WorkbookView, table: Table, verdict: Cell) -> Iterator[str]:
    """Find a check that passes whatever it reads: a verdict, or what it judges, that nothing changes."""
    text = view.formulas.get(verdict, "")
    operands = [cell for cell in _reads(view, verdict, text) if cell.row == verdict.row and cell.is_in(table)]
    if text and _is_fixed(view, verdict, text, _numbers(_around(view, operands))):
        yield f"{verdict}: the verdict is the same whatever it judges: ={text}"
    for cell in operands:
        formula = view.formulas.get(cell)
        if formula is None and isinstance(view.value(cell), int | float):
            yield f"{cell}: typed, so that the check cannot fail; compute the difference"
        elif formula is not None and any(function.text == "IFERROR" for function in functions(formula)):
            yield f"{cell}: IFERROR lets an error pass: ={formula}"
        elif formula is not None and _is_fixed(view, cell, formula, _around(view, _reads(view, cell, formula))):
            yield f"{cell}: the same whatever it compares, so that the check cannot fail: ={formula}"


def _reads(view: WorkbookView, cell: Cell, text: str) -> list[Cell]:
    """Return the cells that a formula refers to, the first ones of each range."""
    results: list[Cell] = []
    for area in ranges(view, cell, text):
        results += islice(view.within(*area), SEEN)
    return list(dict.fromkeys(results))


def _around(view: WorkbookView, cells: Iterable[Cell]) -> Iterator[dict[Cell, Scalar]]:
    """Give what each cell could show otherwise, one at a time.

    Nothing, an error value, 0, one more or less, far off if it is not 0.
    """
    for cell in cells:
        value = view.value(cell)
        yield {cell: ""}
        yield {cell: NA}
        if value is None or isinstance(value, bool | int | float):
            number = float(value or 0)
            yield from ({cell: number + delta} for delta in (1.0, -1.0, *((-number, FAR, -FAR) if number else ())))


def _numbers(tries: Iterable[dict[Cell, Scalar]]) -> list[dict[Cell, Scalar]]:
    """Return the tries with numbers, all where there are none: a verdict that fails for errors alone judges nothing."""
    every = list(tries)
    return [trial for trial in every if all(isinstance(value, float) for value in trial.values())] or every


def _is_fixed(view: WorkbookView, cell: Cell, text: str, tries: Iterable[dict[Cell, Scalar]]) -> bool:
    """Whether a formula gives the same whatever it reads shows; where that is not known it is not."""
    usual = calculate(view, cell, text)
    return usual is not None and all(calculate(view, cell, text, instead) in (None, usual) for instead in tries)


def _master(view: WorkbookView, home: Cell) -> Iterator[str]:
    """Find a master that is typed, or that does not see each check fail."""
    text = view.formulas.get(home)
    if text is None:
        yield f"{home}: chk_master is typed, not computed"
        return
    areas = list(ranges(view, home, text))
    usual = calculate(view, home, text)
    for table in view.checks:
        for cell in view.column(table, "Pass"):
            inside = any(sheet == cell.sheet.casefold() and area.has(cell.row, cell.column) for sheet, area in areas)
            if not inside or (usual is not None and calculate(view, home, text, {cell: 0}) == usual):
                yield f"{home}: chk_master does not look at {cell}: ={text}"
                break


def master(view: WorkbookView) -> Iterator[str]:
    """Find sheets that do not show the state of the checks."""
    home = view.names.get("chk_master")
    cells = [cell for cell, text in view.formulas.items() if "chk_master" in text.casefold()]
    state = view.value(home) if home else None
    sheets = {cell.sheet for cell in cells if state is None or _gives(view, cell) in (None, state)}
    for sheet in view.sheets:
        if sheet not in sheets and not (home and home.sheet == sheet):
            yield f"{sheet}: no cell shows chk_master; write =chk_master at its top"


def _gives(view: WorkbookView, cell: Cell) -> Value:
    """Return what a formula in a cell shows, or would; None where that is not known."""
    return calculate(view, cell, view.formulas[cell]) if view.value(cell) is None else view.value(cell)
