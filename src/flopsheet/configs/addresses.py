"""Addresses of cells as people and formulas write them: A1, and sheets' names in quotes where they need them."""

from __future__ import annotations

import re
from functools import cache

_PLAIN_SHEET = re.compile(r"[^\W\d]\w*")
_LIKE_CELL = re.compile(r"[A-Z]{1,3}[0-9]+|R[0-9]*(?:C[0-9]*)?|C[0-9]*|TRUE|FALSE", re.IGNORECASE)


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


def quoted(sheet: str) -> str:
    """Return a sheet's name as a formula writes it, in quotes unless it is a plain word."""
    if _PLAIN_SHEET.fullmatch(sheet) and not _LIKE_CELL.fullmatch(sheet):
        return sheet
    return "'" + sheet.replace("'", "''") + "'"


def unquoted(sheet: str) -> str:
    """Return a sheet's name from how a formula writes it."""
    return sheet[1:-1].replace("''", "'") if sheet.startswith("'") else sheet
