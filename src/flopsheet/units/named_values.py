"""Numbers that stand for something else: days, and the words of a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.units.table import units
from livesheets.days import day_at

if TYPE_CHECKING:
    from collections.abc import Sequence

DATE = "date"
"""The unit of an input or line that is a day: the number that a spreadsheet has for it, 0 for none."""


def words_of(unit: str) -> Sequence[str]:
    """Return the words for the numbers of a unit, from 0 on; none where its numbers are numbers."""
    words: Sequence[str] = units()["words"].get(unit, ())
    return words


def is_called(unit: str) -> bool:
    """Tell whether numbers of a unit stand for something else."""
    return unit == DATE or bool(words_of(unit))


def name_number(number: float, unit: str) -> float | str:
    """Return what people call a number of a unit: a day as ISO text, a verdict by its words; else the number itself."""
    if not isinstance(number, int | float):
        return number
    if unit == DATE:
        return day_of(number)
    words = words_of(unit)
    return words[int(number)] if words else number


def day_of(number: float) -> str:
    """Return a day as ISO text, "" for 0."""
    return str(day_at(number)) if number else ""
