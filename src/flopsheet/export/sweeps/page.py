"""The rows of a sweep on a terminal: how many designs there were, and the first of those that are kept."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from flopsheet.export.columns import align_rows, room
from flopsheet.export.plan_tables import NONE
from flopsheet.export.sweeps.column_facts import state_values, unit_of
from flopsheet.export.text import clean
from flopsheet.planning.designs.sweep import MODEL
from flopsheet.units.numbers import digits, human, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.planning.designs.selection import Table
    from flopsheet.planning.designs.sweep import Counts, DesignSweep

MOST_ROWS = 20
LONG, WHOLE = 10_000, 1_000_000
"""Numbers below are written in full, and whole ones below the second."""


def summarize_counts(counts: Counts) -> str:
    """Return how many designs were looked at, can exist and met the conditions, as one sentence."""
    parts = [number_of(counts.designs, "design")]
    if counts.exist < counts.designs:
        parts.append(f"{counts.exist:,} of them possible")
    sentence = f"{', '.join(parts)}, {counts.met:,} {'meets' if counts.met == 1 else 'meet'} every condition"
    lost = f"; {counts.lost:,} of these {'lacks' if counts.lost == 1 else 'lack'} a number"
    return f"{sentence}{lost if counts.lost else ''}"


def shown_rows(sweep: DesignSweep, table: Table, most: int) -> tuple[list[str], list[list[str]]]:
    """Return headers and at most so many rows as people read them: of a Pareto front some all along it.

    The model's name stands only where there are several.
    """
    names = [MODEL] * (len(sweep.plan.costed) > 1) + sweep.names
    places = shown_places(sweep, table, most)
    return names, [[_cell(sweep, name, table[name][place]) for name in names] for place in places]


def shown_places(sweep: DesignSweep, table: Table, most: int) -> list[int]:
    """Return which rows are shown."""
    count = len(table[MODEL]) if table else 0
    fewer = min(count, most)
    step = (count - 1) / (fewer - 1) if sweep.design.pareto and fewer > 1 else 1
    return [round(place * step) for place in range(fewer)]


def page(sweep: DesignSweep, counts: Counts, table: Table) -> Iterator[str]:
    """Give the lines of a page with the first rows, columns aligned."""
    yield summarize_counts(counts)
    headers, rows = shown_rows(sweep, table, MOST_ROWS)
    units = ["" if name == MODEL else unit_of(sweep, name) for name in headers]
    if rows:
        yield ""
        titles = [name if name == unit else f"{name} {unit}" for name, unit in zip(headers, units, strict=True)]
        yield from align_rows(titles, rows, len(headers) - len(sweep.names) + len(sweep.design.axes), room())
    more = kept_count(sweep, counts, table) - len(rows)
    if more > 0:
        which = "spread along the front" if sweep.design.pareto else "the first ones"
        yield f"These are {which}; -o FILE.parquet, .csv or .xlsx has {more:,} more"


def kept_count(sweep: DesignSweep, counts: Counts, table: Table) -> int:
    """Return how many designs a file would hold: a table may be the first chunk of them."""
    if sweep.design.pareto:
        return len(table[MODEL]) if table else 0
    return min(counts.met, sweep.design.keep or counts.met)


def _cell(sweep: DesignSweep, name: str, value: Any) -> str:
    if name == MODEL:
        return clean(sweep.plan.costed[int(value)].name)
    (number,) = state_values(sweep, name, [value])
    if isinstance(number, str):
        return clean(number)
    if isnan(number):
        return NONE
    most = WHOLE if number == int(number) else LONG
    return digits(number) if abs(number) < most else human(number, unit_of(sweep, name))
