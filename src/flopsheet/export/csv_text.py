"""Texts in CSV files: quoted for every separator that readers guess, and never a formula."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.accounting.nonumber import no_number

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"
"""What a formula begins with; the four in full width count in a spreadsheet set to Japanese or Chinese."""
_HIDES = r"\s\x00-\x1f\"\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
"""Blanks, quotes and signs without a width, behind which a spreadsheet still finds a formula."""
_FORMULA = re.compile(rf"(^|[;\t\r\n])(?=[{_HIDES}]*[{_SIGNS}])|^(?=[\t\r\n])")
"""Where a cell begins that is a formula, or could hide one, whether cells end at commas, semicolons, tabs or lines."""
_NUMBERS = frozenset((int, float))
_QUOTED = re.compile(r'[",;\t\r\n]|^\s|\s$')


def harmless(text: str) -> str:
    """Return a text in which no spreadsheet finds a formula, with line ends that every CSV reader keeps."""
    return _FORMULA.sub(r"\1'", text.replace("\r\n", "\n").replace("\r", "\n"))


def csv_row(values: Iterable[object]) -> str:
    """Return a line of a CSV file."""
    return ",".join([repr(value) if type(value) in _NUMBERS else _field(value) for value in values]) + "\n"


def _field(value: object) -> str:
    if no_number(value) is not None or value is None or value == "":
        return ""
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text
