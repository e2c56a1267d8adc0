"""What of a timeline fits to its table when it is loaded; and what any part of a sheet.toml may be wrong in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.planning.question import MODELS, MODELS_TABLE
from flopsheet.planning.sheet_records import SheetColumn
from flopsheet.units.readable import families, plain_of, size, units_of
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Table
    from flopsheet.planning.sheet_records import Timeline, TimelineLine

    Wrong = tuple[str, str]

UNSHOWN = "-"
"""The unit on Models that is not shown."""
KEYS = 2
"""Of the table of a timeline: the model and the period."""


def wrong_timeline(program: Program, timeline: Timeline | None) -> Iterator[Wrong]:
    """Find what a timeline says of nothing."""
    if timeline is None:
        return
    tables = ("table", "of") if timeline.steps else ("table",)
    unknown = [part for part in tables if getattr(timeline, part) not in program.tables]
    for part in unknown:
        yield from one_of(f"sheet.timeline.{part}", getattr(timeline, part), program.tables)
    if unknown:
        return
    table = program.tables[timeline.table]
    if len(table.rows) != KEYS or table.rows[0] != MODELS:
        why = f"{timeline.table} has no row for each model and each period; such a table is expected"
        yield "sheet.timeline.table", why
    lines = [line.name for line in table.lines]
    for place, row in _place_lines(timeline):
        yield from one_of(f"{place}.line", row.line, lines)
        if row.line in lines:
            yield from wrong_unit(program, table, place, SheetColumn(row.line, unit=row.unit))
    peaks = [line.name for line in program.tables[timeline.of].lines] if timeline.steps else []
    names_by_part = {"start": lines, "end": lines, "until": peaks, "peak": peaks, "limit": peaks}
    for part, names in names_by_part.items():
        if name := getattr(timeline, part):
            yield from one_of(f"sheet.timeline.{part}", name, names)


def _place_lines(timeline: Timeline) -> Iterator[tuple[str, TimelineLine]]:
    """Give every line of a timeline with its place in the file."""
    for at, block in enumerate(timeline.blocks):
        yield from ((f"sheet.timeline.blocks[{at}].lines[{n}]", row) for n, row in enumerate(block.lines))
    for part in ("each", "steps"):
        yield from ((f"sheet.timeline.{part}[{n}]", row) for n, row in enumerate(getattr(timeline, part)))


def wrong_unit(program: Program, table: Table, where: str, column: SheetColumn) -> Iterator[Wrong]:
    """Find a unit that a line cannot be shown in."""
    plain = unit_of(program, table, column.line)
    if column.units and column.units not in families():
        yield from one_of(f"{where}.units", column.units, families())
    elif column.units and plain not in (None, plain_of(column.units)):
        yield f"{where}.units", f"{column.units} are not of {plain or 'a number without a unit'}"
    if not column.unit or column.unit == plain or (column.unit == UNSHOWN and table.name == MODELS_TABLE):
        return
    if plain is None:
        try:
            size(column.unit)
        except ValueError as error:
            yield f"{where}.unit", str(error)
    elif column.unit not in (units := units_of(plain)):
        choices = ", ".join(dict.fromkeys([plain, *units]))
        hint = names_like(column.unit, units)
        yield f"{where}.unit", f"{column.unit!r} is not a unit of {column.line}{hint}; one of {choices} is expected"


def unit_of(program: Program, table: Table, name: str) -> str | None:
    """Return the unit of a line, key or number of a row; None for what a model or a row brings along."""
    units = {line.name: line.unit for line in table.lines} | {rows.key: rows.unit for rows in table.rows}
    all_units = {**units, **{item.name: item.unit for item in program.inputs.values() if item.name not in units}}
    return all_units.get(name)


def one_of(where: str, name: str, choices: Iterable[str]) -> Iterator[Wrong]:
    """Say of a name that is none of those known."""
    names = list(choices)
    if name not in names:
        hint = names_like(name, names) or f"; expected one of {', '.join(names)}"
        yield where, f"{name!r} is unknown{hint}"
