"""Tables of cells as people keep them: the sheets of a workbook, or a CSV file, with the address of every cell."""

from __future__ import annotations

import csv
import re
from math import isfinite
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from flopsheet.accounting.values import show_value
from flopsheet.configs.files import read_bytes
from flopsheet.configs.packed_rows import PackedRows
from flopsheet.configs.text_rows import TextRows
from flopsheet.errors import ConfigError
from livesheets import Spreadsheet, check_workbook_file, open_spreadsheet
from livesheets.addresses import write_place

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from livesheets import Cell

TEXTS = (".csv", ".tsv")
LARGEST = 2**30
"""Bytes of a workbook."""
FOREIGN = (".xls", ".xlsb", ".ods", ".numbers")
SEPARATORS = ",;\t"
ZIP, OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
GROUPED = re.compile(r"[+-]?\d{1,3}([ ,.'\u2019\u00a0\u202f]\d{3})+")
"""A number that may be grouped by threes."""
LIKE_NUMBER = re.compile(rf"({GROUPED.pattern}|[+-]?\d+)([.,]\d*)?(e[+-]?\d+)?\s*%?", re.IGNORECASE)
"""What a person may have meant for a number, however it is written."""


class Rows(Protocol):
    """Rows of cells by their place."""

    def __getitem__(self, place: int, /) -> Sequence[Cell]:
        """Return a row."""

    def __len__(self) -> int:
        """Return how many there are."""


class Grid(Struct, frozen=True):
    """Rows of cells of one sheet; where they come `from_text`, numbers are texts still."""

    file: str
    sheet: str
    rows: Rows
    from_text: bool = False
    decimal_comma: bool = False

    def cell(self, row: int, column: int) -> Cell:
        """Return a cell, None where nothing is; blanks around a text are no part of it."""
        value = self.rows[row][column] if column < len(self.rows[row]) else None
        return (value.strip() or None) if isinstance(value, str) else value

    def address(self, row: int, column: int) -> str:
        """Return where a cell is, with its sheet where the file has any."""
        return write_place((row, column), self.sheet)

    def number(self, row: int, column: int) -> int | float | bool:
        """Return the number in a cell; ValueError says what is there instead."""
        value = self.cell(row, column)
        if isinstance(value, str) and self.from_text:
            value = _read_number(value, decimal_comma=self.decimal_comma)
        if isinstance(value, int) or (isinstance(value, float) and isfinite(value)):
            return value
        raise ValueError(f"{_show_cell(value)}; a number is expected")


def open_workbook(path: Path) -> Spreadsheet:
    """Open a workbook; ConfigError says why the file cannot be read, TemplateError what is wrong in it."""
    check_workbook_file(path, str(path))
    return open_spreadsheet(read_bytes(path, LARGEST), str(path))


def read_grids(path: Path, sheet: str = "", *, decimal_comma: bool = False) -> list[Grid]:
    """Return the sheets of a workbook, or the one table of a CSV file; an error says what the file is instead."""
    suffix = path.suffix.lower()
    if suffix in FOREIGN:
        raise ConfigError(f"{path}: {suffix} files are not read; save it as .xlsx or as .csv")
    if suffix in TEXTS:
        return [Grid(str(path), "", _csv_rows(path), from_text=True, decimal_comma=decimal_comma)]
    book = open_workbook(path)
    if sheet and sheet not in book.sheet_names:
        raise ConfigError(f"{path} has no sheet {sheet!r}; it has {', '.join(map(repr, book.sheet_names))}")
    return [Grid(str(path), name, PackedRows(book.rows(name))) for name in ([sheet] if sheet else book.sheet_names)]


def _csv_rows(path: Path) -> TextRows:
    data = read_bytes(path)
    if data.startswith((ZIP, OLD)):
        kind = ".xlsx" if data.startswith(ZIP) else ".xls"
        raise ConfigError(f"{path}: an Excel workbook ({kind}), not a CSV file; rename it to end in {kind}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as 'CSV UTF-8'") from None
    try:
        return TextRows(text, _separator(text))
    except csv.Error as error:
        raise ConfigError(f"{path}: invalid CSV: {error}") from None


def _separator(text: str) -> str:
    """Return the sign that parts the first line that is not empty into most cells."""
    first = next((line for line in text.splitlines() if line.strip(f" \"'{SEPARATORS}")), "")
    return max(SEPARATORS, key=lambda sign: len(next(csv.reader([first], delimiter=sign))))


def is_number_like(text: str) -> bool:
    """Whether a text reads like a number, signs that part thousands and percent included."""
    return LIKE_NUMBER.fullmatch(text) is not None


def _read_number(text: str, *, decimal_comma: bool) -> int | float | bool:
    """Return the number that a CSV file writes; a sign that may part thousands is refused, never guessed at."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    point, other = (",", ".") if decimal_comma else (".", ",")
    if other in text and not decimal_comma:
        raise ValueError(
            f"{show_value(text)} has a comma; write it without thousands separators, or use --decimal-comma"
        )
    if other in text or (GROUPED.fullmatch(text) and text.endswith("000")):
        raise ValueError(f"{show_value(text)} may have thousands separators; write the number without")
    for kind in (int, float):
        try:
            return kind(text.replace(point, "."))
        except ValueError:
            continue
    raise ValueError(f"{_show_cell(text)}; a number is expected")


def _show_cell(value: Cell) -> str:
    return f"found the text {show_value(value)}" if isinstance(value, str) else f"found {value}"
