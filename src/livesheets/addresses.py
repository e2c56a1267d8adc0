"""Addresses of cells as people and formulas write them: A1, and sheets' names in quotes where they need them."""

from __future__ import annotations

import re
from functools import cache

_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_PLAIN_SHEET = re.compile(r"[^\W\d]\w*")
_NAME = re.compile(r"[^\W\d][\w.]{0,254}")
_LIKE_CELL = re.compile(r"[A-Z]{1,3}[0-9]+|R[0-9]*(?:C[0-9]*)?|C[0-9]*", re.IGNORECASE)

Place = tuple[int, int]
"""A cell by row and column, counted from 0."""


@cache
def letters(column: int) -> str:
    """Return a column's letters: 28 is AB."""
    head, last = divmod(column - 1, 26)
    return (letters(head) if head else "") + chr(65 + last)


def number(column: str) -> int:
    """Return a column's number: AB is 28."""
    total = 0
    for letter in column:
        total = total * 26 + ord(letter) - 64
    return total


def address(row: int, column: int) -> str:
    """Return a cell's address: (3, 28) is AB3."""
    return f"{letters(column)}{row}"


def row_and_column(text: str) -> tuple[int, int] | None:
    """Return the row and column of a cell's address, counted from 1: AB3 is (3, 28); None for any other text."""
    match = _CELL.fullmatch(text)
    return (int(match[2]), number(match[1])) if match else None


def place_of(reference: str) -> Place:
    """Return the place of a reference such as `C4` or `$C$4`; any other text is a ValueError."""
    result = row_and_column(reference.replace("$", ""))
    if result is None:
        raise ValueError(f"{reference!r} is not a cell")
    return result[0] - 1, result[1] - 1


def write_place(place: Place, sheet: str = "") -> str:
    """Return a place as people write it: `C4`, `Sheet1!C4`, `'My sheet'!C4`."""
    cell = address(place[0] + 1, place[1] + 1)
    return f"{quote(sheet)}!{cell}" if sheet else cell


def is_name(name: str) -> bool:
    """Whether Excel takes a text as the name of a table or a cell."""
    return bool(_NAME.fullmatch(name)) and not _LIKE_CELL.fullmatch(name)


def quote(sheet: str) -> str:
    """Return a sheet's name as a formula writes it, in quotes unless it is a plain word."""
    if _PLAIN_SHEET.fullmatch(sheet) and not _LIKE_CELL.fullmatch(sheet) and sheet.upper() not in {"TRUE", "FALSE"}:
        return sheet
    return "'" + sheet.replace("'", "''") + "'"


def unquote(sheet: str) -> str:
    """Return a sheet's name from how a formula writes it."""
    return sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
