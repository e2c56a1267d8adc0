"""The unit in which a person has labeled a single cell: next to it, in its label or number format, or above it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from flopsheet.accounting.values import plain
from flopsheet.units import formats
from flopsheet.units.money import DOLLAR, DOLLARS, Money, foreign
from flopsheet.units.table import is_scale, kind_of, times, units
from livesheets import Formula
from livesheets.spelling import endings, readings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from livesheets import Template, Value

EACH = ("a", "an", "of", "per")
"""Words after which a unit is a part of the title: bytes in a GiB."""
REACH = 8
"""Cells to the left of a value in which its label may be."""


def label_unit(template: Template, sheet: str, row: int, column: int, unit: str, money: Money = DOLLARS) -> str:
    """Return the spelling of a unit that is written for a cell, "" where nothing is that says it.

    A cell of its own may hold any spelling; at the end of a label without brackets a scale alone, as in "Plan B", is
    no unit. What is above the cell counts where nothing else says the unit: a card's label, the header of a column.
    """
    form = formats.beside(template.number_format(sheet, row, column))
    beside = _beside(template, sheet, row, column, unit, money)
    if beside and not (beside == form and times_in(unit, form, money) == 1):  # a sign alone, as in $0.0, says no scale
        return beside
    above = (word for label in _above(template, sheet, row, column) for word in (label, *_ends(label)))
    return next((word for word in above if times_in(unit, word, money) is not None), beside)


def _beside(template: Template, sheet: str, row: int, column: int, unit: str, money: Money = DOLLARS) -> str:
    """Return the unit that is written to the left of a cell, to its right or in its number format, "" for none.

    A title such as Total GPU-hours ends in a unit, and does not say that no scale follows it.
    """

    def size(word: str) -> Fraction | None:
        return times_in(unit, word, money) if word else None

    words = ((label, word) for label in _labels(template, sheet, row, column) for word in (label, *_ends(label)))
    label, left = next((pair for pair in words if size(pair[1]) is not None), ("", ""))
    is_next = isinstance(template.value(sheet, row, column + 2), int | float)
    right = "" if left and is_next else _text(template, sheet, row, column + 1)  # the label of another number
    others = (right, formats.beside(template.number_format(sheet, row, column)))
    if size(left) == 1 and left not in (said for _, said in readings(label)):
        return next((word for word in others if size(word) not in (None, 1)), left)
    return left or next((word for word in others if size(word) is not None), "")


def times_in(unit: str, text: str, money: Money) -> Fraction | None:
    """Return how much of a unit another one is, money in the plan's currency too; None for no such unit."""
    result = times(unit, text)
    return money.times(unit, text) if result is None else result


def label_money(template: Template, sheet: str, row: int, column: int, unit: str) -> str:
    """Return the label or format of a cell that names money other than dollars, "" without one."""
    form = formats.money(template.number_format(sheet, row, column))
    texts = [*_labels(template, sheet, row, column), _text(template, sheet, row, column + 1), form]
    if not _beside(template, sheet, row, column, unit):
        texts += _above(template, sheet, row, column)
    return next(filter(foreign, texts), "")


def unread_unit(template: Template, sheet: str, row: int, column: int, unit: str, money: Money = DOLLARS) -> str:
    """Return what the label of a cell has in brackets or after a comma and looks like a unit that is none of its own.

    It looks like one where a word of it is, or names money, or where it is a unit of another kind; "" for none.
    """
    if label_unit(template, sheet, row, column, unit, money) or label_money(template, sheet, row, column, unit):
        return ""
    labels = [*_labels(template, sheet, row, column), *_above(template, sheet, row, column)]
    said = [words for label in labels[:1] for _, words in readings(label) if words]
    return next((words for words in said if kind_of(words) or _looks_like(unit, words)), "")


def _looks_like(unit: str, words: str) -> bool:
    is_money = unit.startswith(DOLLAR) and any(code in words for code in (DOLLAR, *units()["money"]))
    return is_money or any(times(unit, word) is not None for word in words.split())


def size_of(template: Template, sheet: str, row: int, column: int, unit: str, money: Money = DOLLARS) -> Fraction:
    """Return how many of a unit a cell counts as one: 10**6 next to `USD m`, unless its format divides by as much.

    Money is in dollars, or in the currency of the plan where the label names that.
    """
    label = label_unit(template, sheet, row, column, unit, money)
    result = times_in(unit, label, money) or Fraction(1)
    if unit.startswith(DOLLAR) and not label and money.names_currency(label_money(template, sheet, row, column, unit)):
        result = 1 / money.rate  # the label names the currency alone, and nothing else of the unit
    return result if result == 1 else result / formats.divisor(template.number_format(sheet, row, column))


def to_size(value: Value | Formula, size: Fraction) -> Value | Formula:
    """Return a number, or a formula for one, in a unit of another size."""
    if isinstance(value, Formula):
        text = f"{value.text}/{size}" if size.denominator == 1 else f"{value.text}*{1 / size}"
        return value if size == 1 else replace(value, text=text, value=over(value.value, size))
    return over(value, size)


def over(value: Value | Fraction, size: Fraction) -> Value:
    """Return a number as so many of a size; a text or truth value as it is."""
    if size == 1 or isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return value
    return value * size.denominator / size.numerator if isinstance(value, float) else plain(Fraction(value) / size)


def _labels(template: Template, sheet: str, row: int, column: int) -> Iterator[str]:
    """Give the texts to the left of a cell, the nearest first."""
    places = range(column - 1, max(column - 1 - REACH, 0), -1)
    return filter(None, (_text(template, sheet, row, place) for place in places))


def _above(template: Template, sheet: str, row: int, column: int) -> Iterator[str]:
    """Give the nearest text above a cell."""
    texts = (_text(template, sheet, place, column) for place in range(row - 1, 0, -1))
    return islice(filter(None, texts), 1)


def _ends(label: str) -> Iterator[str]:
    """Give what may be the unit in a label: in brackets, after a comma, or its last words."""
    yield from (unit for _, unit in readings(label) if unit)
    for title, unit in reversed(endings(label)):
        if not is_scale(unit) and title.split()[-1].casefold() not in EACH:
            yield unit


def _text(template: Template, sheet: str, row: int, column: int) -> str:
    value = template.value(sheet, row, column)
    return value if isinstance(value, str) else ""
