"""A column of a question's table: what it holds, and how its numbers look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.export.shown_units import shown_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from livesheets import Formula, Value
    from livesheets.excel import Expression

MARGIN = 3
"""Letters next to a number: its sign, and the space around it."""
RAW = 17 + MARGIN
"""What any number below 1,000 needs in the format General, of which programs show up to 15 digits."""


def width_of(values: Iterable[Value | Formula]) -> int:
    """Return the width, in characters, of the longest of some texts and whole numbers."""
    contents = (value for value in values if isinstance(value, int | float | str))
    texts = (value if isinstance(value, str) else f"{value:,.0f}" for value in contents)
    return max((len(text) + MARGIN for text in texts), default=0)


WIDTH = 15
"""Characters of a column that nothing says more of."""
LOOKS: Mapping[str, str] = shown_units("column")
"""How numbers of a unit look; the others are rounded to whole ones."""
NAME_WIDTH, MOST_WIDTH = 30, 60
"""Characters of a column of models' names: as many as the longest has, up to a most."""


class TableColumn(Struct, frozen=True):
    """A column of a question's table; `name` is the line, key or link that it holds, "" for none.

    `values` come from the exact run; without any, the formula is calculated. `largest` is about the largest number
    that such a column will show.
    """

    header: str
    title: str
    unit: str
    look: str
    width: float
    formula: Expression | None
    values: Sequence[Value | Formula] | None
    name: str = ""
    is_scaled: bool = False
    largest: float = 0
    place: int = 0


def wider(column: TableColumn) -> float | None:
    """Return the width that a column's numbers need where it is more than the template gives it."""
    wide = width_of([column.largest, *numbers(column)])
    return wide if wide > column.width else None


def count_rows(columns: Iterable[TableColumn]) -> int:
    """Return how many rows a table has: some of its columns have a value in each."""
    return max((len(column.values or ()) for column in columns), default=0)


def slug(unit: str) -> str:
    """Return a unit as a part of a header."""
    return "_".join(unit.lower().replace("/", " ").split())


def look_of(unit: str) -> str:
    """Return how numbers of a unit look."""
    return LOOKS.get(unit, "number")


def numbers(column: TableColumn) -> list[int | float]:
    """Return the numbers that a column is known to hold."""
    return [value for value in column.values or () if isinstance(value, int | float)]
