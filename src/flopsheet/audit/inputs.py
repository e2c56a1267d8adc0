"""Items about what a planner types: its source and limits, and the scenarios."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.audit.calculate import calculate
from flopsheet.audit.precedents import ranges
from flopsheet.audit.view import CASES, NOTES, Cell, case_header
from flopsheet.planning.inputs import TITLES
from livesheets.references import MAX_COLUMN, Area

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.audit.validation import Validation
    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table
    from livesheets.evaluate.scalars import Scalar

SELECTORS = ("in_scenario_label", "in_scenario")
EMPTY = re.compile(r"\W*(tbd|tba|todo|tbc|n/?a|xxx)?\W*", re.IGNORECASE)
"""What says as much as nothing."""
SIGNS = ("%", "$")


def sources(view: WorkbookView) -> Iterator[str]:
    """Find inputs that nobody vouches for; a comment does where there is no column for sources."""
    for table in view.inputs:
        headers = [header for header in NOTES if view.column(table, header)]
        own = [header for header in headers if not header.startswith("comment")]
        yield from blanks(view, table, own or headers, "a source or a note")
    inside = {cell for table in view.inputs for header in table.columns for cell in view.column(table, header)}
    for name, cell in view.names.items():
        value = view.value(cell)
        is_typed = name.startswith("in_") and cell not in view.formulas and cell not in inside
        if is_typed and isinstance(value, int | float) and not view.list_offered(cell) and not _said_beside(view, cell):
            yield f"{cell}: the input {name} has no source or note to its right"


def _said_beside(view: WorkbookView, cell: Cell) -> bool:
    """Whether a text is to the right of a cell; a formula without a value may give one."""
    right = view.within(cell.sheet.casefold(), Area(cell.row, cell.column + 1, cell.row, MAX_COLUMN))
    return any(isinstance(view.value(neighbor), str) or not view.has_value(neighbor) for neighbor in right)


def blanks(view: WorkbookView, table: Table, headers: Sequence[str], what: str) -> Iterator[str]:
    """Find the rows with numbers in which all columns of these names are blank, or hold no word."""
    columns = [cells for header in headers if (cells := view.column(table, header))]
    if not columns:
        yield f"{table.sheet}!{table.area}: the inputs {table.name} have no column for {what}"
    for row in zip(*columns, strict=True):
        if not any(_says(view, cell) for cell in row) and _counts(view, table, row[0]):
            yield f"{row[0]}: a row without {what}"


def _says(view: WorkbookView, cell: Cell) -> bool:
    """Whether a cell says more than that something is to be filled in."""
    text = str(view.value(cell) or "").strip()
    return text in SIGNS or not EMPTY.fullmatch(text)


def _counts(view: WorkbookView, table: Table, cell: Cell) -> bool:
    """Whether a row of a table holds a number."""
    columns = range(table.area.left, table.area.right + 1)
    return any(isinstance(view.value(Cell(cell.sheet, cell.row, column)), int | float) for column in columns)


def validation(view: WorkbookView) -> Iterator[str]:
    """Find choices, percentages and cases that take any value."""
    cells = {cell for name, cell in view.names.items() if name.startswith("in_") and _is_limited(view, cell)}
    cells |= {*view.case_cells}
    cells |= {cell for cell in view.data_cells if view.style(cell).is_input}
    for cell in sorted(cells - view.formulas.keys(), key=str):
        if not view.validations(cell):
            yield f"{cell}: an input without a validation that stops wrong values"
    yield from guards(view)
    selectors = {view.names.get(name) for name in SELECTORS}
    for cell in (cell for cell in view.validated_cells if cell not in selectors):
        choices = view.list_offered(cell)
        if choices and view.value(cell) is not None and str(view.value(cell)) not in choices:
            yield f"{cell}: {view.value(cell)!r} is not in its list: {', '.join(choices)}"


def _is_limited(view: WorkbookView, cell: Cell) -> bool:
    """Whether an input is a choice or a percentage."""
    return isinstance(view.value(cell), str) or "%" in view.template.number_format(cell.sheet, cell.row, cell.column)


def scenario(view: WorkbookView) -> Iterator[str]:
    """Find that no scenario can be chosen, or that the chosen one is not looked up."""
    if "in_scenario" not in view.names:
        yield "no cell is named in_scenario"
    yield from _selector(view)
    yield from _find_unfollowed(view)
    live = [table for table in view.inputs if "live" in view.places(table)]
    if not live:
        yield f"no list has the columns {', '.join(TITLES.values())} and Live"
    for table in view.inputs:
        places = [view.places(table)[case] for case in CASES]
        if places != list(range(places[0], places[0] + len(CASES))):
            yield f"{table.sheet}!{table.area}: {', '.join(TITLES.values())} must be side by side in this order"
    for table in live:
        yield from _live(view, table)


def _selector(view: WorkbookView) -> Iterator[str]:
    """Find a list of scenarios that offers something else than the cases."""
    for name in SELECTORS:
        choices = view.list_offered(view.names[name]) if name in view.names else ()
        if choices and {case_header(choice) for choice in choices} not in (set(CASES), {"1", "2", "3"}):
            yield f"{view.names[name]}: offers {', '.join(choices)} instead of {', '.join(TITLES.values())}"


def _find_unfollowed(view: WorkbookView) -> Iterator[str]:
    """Find a number of the scenario that does not follow the word, and names of inputs that miss their live value."""
    label, selector = (view.names.get(name) for name in SELECTORS)
    text = view.formulas.get(selector, "") if selector else ""
    if label and selector and label != selector:
        words = view.list_offered(label) or tuple(TITLES.values())
        results = [calculate(view, selector, text, {label: word}) for word in words] if text else [0]
        if len(set(results)) == 1 and results[0] is not None:
            yield f"{selector}: in_scenario does not follow the choice in {label}"
    for table in view.inputs:
        inputs = {str(view.value(cell)).casefold() for cell in view.column(table, "Name")}
        cells = view.column(table, "Value") or view.column(table, "Live")
        live: dict[Cell, Cell | None] = dict.fromkeys(cells)
        live.update(zip(cells, view.column(table, "Name"), strict=False))
        for name, cell in view.names.items():
            is_case = name.endswith(tuple(f"_{case}" for case in TITLES))
            if is_case or not (live and cell.is_in(table) and name.startswith("in_")):
                continue
            name_cell = live.get(cell)
            if cell not in live:
                yield f"{cell}: {name} does not point to the live value of its input"
            elif name_cell and name[3:] in inputs and name != f"in_{view.value(name_cell)}".casefold():
                yield f"{cell}: {name} points to the row of {view.value(name_cell)}"


def _live(view: WorkbookView, table: Table) -> Iterator[str]:
    """Find Live cells that do not look the case up among all three, and cases that are blank."""
    for cell in view.column(table, "Live"):
        text = view.formulas.get(cell, "")
        if not ("INDEX(" in text.upper() and "in_scenario" in text and _over_cases(view, table, cell, text)):
            yield f"{cell}: Live does not take the case in_scenario of {TITLES['low']} to {TITLES['high']}"
    for case in CASES:
        for cell in view.column(table, case):
            if view.has_value(cell) and view.value(cell) is None and _counts(view, table, cell):
                yield f"{cell}: the case is blank"


def _over_cases(view: WorkbookView, table: Table, cell: Cell, text: str) -> bool:
    """Whether a formula reads all cases, and named scenarios that are between them and Live."""
    places = view.places(table)
    left, right, live = (table.area.left + places[header] for header in (CASES[0], CASES[-1], "live"))
    ends = {right, live - 1} if live > right else {right}
    return any(area.left == left and area.right in ends for _, area in ranges(view, cell, text))


SHARES = ("share", "%")
WRONG: Mapping[str, Scalar] = {"a text": "x", "150%": 1.5, "a negative number": -0.5}


def guards(view: WorkbookView) -> Iterator[str]:
    """Find rules by formula that let a text pass, or a share outside of 0 to 1, and values that break their rule."""
    shares = {cell for cell in view.case_cells if _is_share(view, cell)}
    for cell in view.validated_cells:
        for rule in view.validations(cell):
            value = view.value(cell)
            if rule.kind in ("decimal", "whole") and isinstance(value, str) and value.strip():
                yield f"{cell}: {value!r} is a text, which its validation refuses"
            if rule.formula and value is not None:
                yield from _passes(view, cell, rule, is_share=cell in shares)


def _passes(view: WorkbookView, cell: Cell, rule: Validation, *, is_share: bool) -> Iterator[str]:
    formula = rule.of(cell.row, cell.column)
    for what, wrong in WRONG.items():
        if (is_share or isinstance(wrong, str)) and calculate(view, cell, formula, {cell: wrong}):
            yield f"{cell}: its validation lets {what} pass: ={formula}"
            return
    if calculate(view, cell, formula) in (False, 0):
        yield f"{cell}: {view.value(cell)} is not what its validation lets pass: ={formula}"


def _is_share(view: WorkbookView, cell: Cell) -> bool:
    """Whether the unit in an input's row is a share."""
    table = next(table for table in view.inputs if cell.is_in(table))
    places = (view.places(table).get(header) for header in ("unit", "units"))
    beside = [Cell(cell.sheet, cell.row, table.area.left + place) for place in places if place is not None]
    return any(str(view.value(neighbor)).casefold() in SHARES for neighbor in beside)
