"""Which names dimensions and lines may have: plain in Python, in Excel and in LibreOffice."""

import keyword
import re

from flopsheet.accounting.formula.language import FUNCTIONS

MAX_NAME = 60
LAST_COLUMN, LAST_ROW = 16_384, 1_048_576

PLAIN = re.compile(r"[a-z][a-z0-9_]*")
CELL = re.compile(r"([a-z]{1,3})([0-9]{1,7})")
ROW_AND_COLUMN = re.compile(r"r[0-9]*(c[0-9]*)?|c[0-9]*")


def check_name(name: str) -> str | None:
    """Say why a dimension or line cannot have this name, or None if it can."""
    if len(name) > MAX_NAME:
        return f"a name has at most {MAX_NAME} characters, this one has {len(name):,}"
    if not PLAIN.fullmatch(name):
        return f"{name!r} is not a plain name: write lowercase ASCII letters, digits and _, starting with a letter"
    if name in ("true", "false") or keyword.iskeyword(name):
        return f"{name!r} is a word that Python or Excel keeps for itself"
    if name in FUNCTIONS:
        return f"{name!r} is a function of the formula language"
    if _is_cell(name):
        return f"Excel reads {name!r} as a cell: put a _ before the number or write a longer word"
    return None


def _is_cell(name: str) -> bool:
    if ROW_AND_COLUMN.fullmatch(name):
        return True
    cell = CELL.fullmatch(name)
    return cell is not None and _column(cell[1]) <= LAST_COLUMN and 1 <= int(cell[2]) <= LAST_ROW


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("a") + 1
    return number
