"""Items about what a planner types: its source and limits, and the scenarios."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.export.checklist.calculate import calculate
from flopsheet.export.checklist.guards import guards
from flopsheet.export.checklist.look import CASES, NOTES, Cell
from flopsheet.export.checklist.reach import ranges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table

SELECTORS = ("in_scenario_label", "in_scenario")
EMPTY = re.compile(r"\W*(tbd|tba|todo|tbc|n/?a|xxx)?\W*", re.IGNORECASE)
"""What says as much as nothing."""
SIGNS = ("%", "$")


def sources(look: Look) -> Iterator[str]:
    """Find inputs that nobody vouches for; a comment does where there is no column for sources."""
    for table in look.inputs:
        said = [header for header in NOTES if look.column(table, header)]
        own = [header for header in said if not header.startswith("comment")]
        yield from blanks(look, table, own or said, "a source or a note")
    inside = {cell for table in look.inputs for header in table.columns for cell in look.column(table, header)}
    for name, cell in look.names.items():
        value = look.value(cell)
        typed = name.startswith("in_") and cell not in look.formulas and cell not in inside
        if typed and isinstance(value, int | float) and not look.offered(cell) and not _said_beside(look, cell):
            yield f"{cell}: the input {name} has no source or note to its right"


def _said_beside(look: Look, cell: Cell) -> bool:
    """Whether a text stands to the right of a cell; a formula without a value may give one."""
    said = [one for one, _ in look.texts] + [one for one in look.formulas if not look.has_value(one)]
    return any(one.sheet == cell.sheet and one.row == cell.row and one.column > cell.column for one in said)


def blanks(look: Look, table: Table, headers: Sequence[str], what: str) -> Iterator[str]:
    """Find the rows with numbers in which all columns of these names are blank, or hold no word."""
    columns = [cells for header in headers if (cells := look.column(table, header))]
    if not columns:
        yield f"{table.sheet}!{table.area}: the inputs {table.name} have no column for {what}"
    for row in zip(*columns, strict=True):
        if not any(_says(look, cell) for cell in row) and _counts(look, table, row[0]):
            yield f"{row[0]}: a row without {what}"


def _says(look: Look, cell: Cell) -> bool:
    """Whether a cell says more than that something is to be filled in."""
    said = str(look.value(cell) or "").strip()
    return said in SIGNS or not EMPTY.fullmatch(said)


def _counts(look: Look, table: Table, cell: Cell) -> bool:
    """Whether a row of a table holds a number."""
    columns = range(table.area.left, table.area.right + 1)
    return any(isinstance(look.value(Cell(cell.sheet, cell.row, column)), int | float) for column in columns)


def validation(look: Look) -> Iterator[str]:
    """Find choices, percentages and cases that take any value."""
    asked = {cell for name, cell in look.names.items() if name.startswith("in_") and _limited(look, cell)}
    asked |= {cell for table in look.inputs for case in CASES for cell in look.column(table, case)}
    asked |= {cell for cell in look.marked if look.style(cell).is_input}
    for cell in sorted(asked - look.formulas.keys(), key=str):
        if not look.validations(cell):
            yield f"{cell}: an input without a validation that stops wrong values"
    yield from guards(look)
    selectors = {look.names.get(name) for name in SELECTORS}
    for cell in (cell for cell in look.guarded if cell not in selectors):
        offered = look.offered(cell)
        if offered and look.value(cell) is not None and str(look.value(cell)) not in offered:
            yield f"{cell}: {look.value(cell)!r} is not in its list: {', '.join(offered)}"


def _limited(look: Look, cell: Cell) -> bool:
    """Whether an input is a choice or a percentage."""
    return isinstance(look.value(cell), str) or "%" in look.template.number_format(cell.sheet, cell.row, cell.column)


def scenario(look: Look) -> Iterator[str]:
    """Find that no scenario can be chosen, or that the chosen one is not looked up."""
    if "in_scenario" not in look.names:
        yield "no cell is named in_scenario"
    yield from _selector(look)
    yield from _followed(look)
    live = [table for table in look.inputs if "live" in {header.casefold() for header in table.columns}]
    if not live:
        yield "no list has the columns Low, Base, High and Live"
    for table in look.inputs:
        places = [look.places(table)[case] for case in CASES]
        if places != list(range(places[0], places[0] + len(CASES))):
            yield f"{table.sheet}!{table.area}: Low, Base and High do not stand side by side in this order"
    for table in live:
        yield from _live(look, table)


def _selector(look: Look) -> Iterator[str]:
    """Find a list of scenarios that offers something else than the cases."""
    for name in SELECTORS:
        offered = look.offered(look.names[name]) if name in look.names else ()
        known = (set(CASES), {"1", "2", "3"})
        if offered and {one.casefold() for one in offered} not in known:
            yield f"{look.names[name]}: offers {', '.join(offered)} instead of Low, Base, High"


def _followed(look: Look) -> Iterator[str]:
    """Find a number of the scenario that does not follow the word, and names of inputs that miss their Live cell."""
    label, chosen = (look.names.get(name) for name in SELECTORS)
    text = look.formulas.get(chosen, "") if chosen else ""
    if label and chosen and label != chosen:
        given = [calculate(look, chosen, text, {label: case.capitalize()}) for case in CASES] if text else [0]
        if len(set(given)) == 1 and given[0] is not None:
            yield f"{chosen}: in_scenario does not follow the choice in {label}"
    for table in look.inputs:
        cells = look.column(table, "Live")
        live: dict[Cell, Cell | None] = dict.fromkeys(cells)
        live.update(zip(cells, look.column(table, "Name"), strict=False))
        for name, cell in look.names.items():
            inside = cell.sheet == table.sheet and table.area.has(cell.row, cell.column)
            if not (live and inside and name.startswith("in_")) or name.endswith(tuple(f"_{case}" for case in CASES)):
                continue
            named = live.get(cell)
            if cell not in live:
                yield f"{cell}: {name} does not point to the Live cell of its input"
            elif named and name != f"in_{look.value(named)}".casefold() and name[3:] in _named(look, table):
                yield f"{cell}: {name} points to the row of {look.value(named)}"


def _named(look: Look, table: Table) -> set[str]:
    return {str(look.value(cell)).casefold() for cell in look.column(table, "Name")}


def _live(look: Look, table: Table) -> Iterator[str]:
    """Find Live cells that do not look the case up among all three, and cases that are blank."""
    for cell in look.column(table, "Live"):
        text = look.formulas.get(cell, "")
        if not ("INDEX(" in text.upper() and "in_scenario" in text and _over_cases(look, table, cell, text)):
            yield f"{cell}: Live is not INDEX(Low:High,in_scenario)"
    for case in CASES:
        for cell in look.column(table, case):
            if look.has_value(cell) and look.value(cell) is None and _counts(look, table, cell):
                yield f"{cell}: the case is blank"


def _over_cases(look: Look, table: Table, cell: Cell, text: str) -> bool:
    left, right = (table.area.left + look.places(table)[case] for case in ("low", "high"))
    return any((area.left, area.right) == (left, right) for _, area in ranges(look, cell, text))
