"""Row heights for wrapped text: spreadsheets fit them on editing, not when they open a file."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from livesheets import Formula

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from livesheets import Row, Value

POINTS = {8: 11.0, 9: 12.0, 10: 13.0}
"""Height of a line by font size."""

LETTERS = {8: 1.28, 9: 1.13, 10: 1.02}
"""Letters that a unit of column width holds, by font size; a little less than there is room for."""

LEAST = 15.0


def heights(columns: Mapping[int, tuple[float, int]]) -> Callable[[Row], float]:
    """Return what gives a row its height in points; `columns` gives width and font size of each column that wraps."""
    looks = [(place, width * LETTERS[size], POINTS[size]) for place, (width, size) in columns.items()]

    def height(row: Row) -> float:
        return max([LEAST, *[_lines(row[place], room) * points + 4 for place, room, points in looks]])

    return height


def _lines(value: Value | Formula, room: float) -> int:
    value = value.value if isinstance(value, Formula) else value
    if not isinstance(value, str) or (len(value) <= room and "\n" not in value):
        return 1  # as most are
    return sum(max(1, math.ceil(len(paragraph) / room)) for paragraph in value.split("\n"))
