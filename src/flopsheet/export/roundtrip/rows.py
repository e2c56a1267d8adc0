"""A table of a filled workbook by key and header, with the rows that a planner typed under it."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.errors import UsageError
from livesheets import NOT_CALCULATED, Unusable
from livesheets.addresses import place_of, unquote, write_place
from livesheets.references import shift
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from livesheets import Cell, Spreadsheet
    from livesheets.addresses import Place
    from livesheets.tokens import Token

Key = int | str
NUMBER = "no"
"""The header of a column of models' numbers, whatever its case."""
CLOSE = 1e-14
"""Relative difference up to which two numbers are the same: LibreOffice stores 15 digits."""
TRUTH = {"TRUE()": True, "FALSE()": False, "TRUE": True, "FALSE": False}
"""Formulas that LibreOffice writes for truth values."""


class FilledWorkbook(Struct, frozen=True, dict=True):
    """A filled workbook, and the path that messages name."""

    path: str
    book: Spreadsheet

    @cached_property
    def flat(self) -> bool:
        """Whether no formula refers to a table."""
        sheets = map(self.book.sheet, self.book.sheet_names)
        return not any("[" in formula.text for sheet in sheets for formula in sheet.formulas.values())

    def find_named(self, name: str) -> tuple[str, Place]:
        """Return the sheet and place of a defined name's cell; UsageError where it has none."""
        sheet, _, reference = self.book.names.get(name, "").rpartition("!")
        try:
            return unquote(sheet), place_of(reference)
        except ValueError:
            raise UsageError(f"{self.path} has no cell named {name}; was it written by flopsheet?") from None

    def value(self, sheet: str, place: Place) -> Cell:
        """Return the value of a cell, truth values as such."""
        text = self.formula(sheet, place)
        return TRUTH[text] if text in TRUTH else self.book.sheet(sheet).value(place)

    def formula(self, sheet: str, place: Place) -> str | None:
        """Return the formula of a cell as it is there, None where a constant is."""
        result = self.book.sheet(sheet).formulas.get(place)
        if result is None:
            return None
        if result.master is None:
            return result.text
        return shift(result.text, place[0] - result.master[0], place[1] - result.master[1])

    def find_formula(self, sheet: str, place: Place) -> str | None:
        """Return the formula of a cell that is more than a truth value."""
        text = self.formula(sheet, place)
        return None if text in TRUTH else text


class Rows(Struct, frozen=True):
    """A table's rows by key: a number, a name, or the row's place where the table has no key column."""

    workbook: FilledWorkbook
    name: str
    sheet: str
    columns: Mapping[str, int]
    rows: Mapping[Key, int]
    problems: tuple[str, ...] = ()

    def place(self, key: Key, header: str) -> Place:
        """Return where a cell of the table stands; UsageError where the table has no such column."""
        if header not in self.columns:
            raise lost_part(self.workbook.path, f"the table {self.name!r} has no column {header!r}")
        return self.rows[key], self.columns[header]

    def value(self, key: Key, header: str) -> Cell:
        """Return the value of a cell."""
        return self.workbook.value(self.sheet, self.place(key, header))

    def formula(self, key: Key, header: str) -> str | None:
        """Return the formula of a cell, None where a constant is."""
        return self.workbook.find_formula(self.sheet, self.place(key, header))

    def address(self, key: Key, header: str) -> str:
        """Return a cell's address for people."""
        return write_place(self.place(key, header), self.sheet)


def lost_part(path: str, what: str) -> UsageError:
    """Return the error of a part of a workbook that was deleted or renamed, or that another version does not write."""
    return UsageError(f"{path}: {what}; restore it, or run 'flopsheet report' again and edit that workbook")


def rows_of(workbook: FilledWorkbook, name: str, key: str = "") -> Rows:
    """Return a table's rows; those typed right under it belong to it, whether the table grew or not.

    `key` is the header of the column of keys. UsageError where the workbook has no such table or column.
    """
    table = workbook.book.tables.get(name)
    if table is None:
        raise UsageError(f"{workbook.path} has no table {name!r}; was it written by flopsheet?")
    columns = {header: table.first[1] + place for place, header in enumerate(table.headers)}
    if key and key not in columns:
        raise lost_part(workbook.path, f"the table {name!r} has no column {key!r}")
    if not key:
        places: dict[Key, int] = {row: table.first[0] + 1 + row for row in range(table.last[0] - table.first[0])}
        return Rows(workbook, name, table.sheet, columns, places)
    rows: dict[Key, int] = {}
    problems: list[str] = []
    what = "number" if key.lower() == NUMBER else key.lower()
    for row in _filled_rows(workbook, name):
        value = workbook.value(table.sheet, (row, columns[key]))
        where = write_place((row, columns[key]), table.sheet)
        if value is None or isinstance(value, Unusable):
            problems.append(f"{where}: this row has no {what}; give it one, or clear the row")
        elif not isinstance(value, int | str) or (key.lower() == NUMBER and not isinstance(value, int)):
            problems.append(f"{where}: {value!r} is not a {what}; a whole one of its own is expected")
        elif value in rows:
            problems.append(f"{where}: {value!r} appears twice; give each row its own {what}")
        else:
            rows[value] = row
    return Rows(workbook, name, table.sheet, columns, rows, tuple(problems))


def _filled_rows(workbook: FilledWorkbook, name: str) -> Iterator[int]:
    """Give the rows of a table in which something was typed, and those right under it up to the first empty one."""
    table = workbook.book.tables[name]
    sheet = workbook.book.sheet(table.sheet)
    below = {other.first[0] for other in workbook.book.tables.values() if other.sheet == table.sheet}
    row = table.first[0] + 1
    while row < len(sheet.rows) and row not in below:
        places = [(row, table.first[1] + place) for place in range(len(table.headers))]
        if any(workbook.find_formula(table.sheet, p) is None and sheet.value(p) is not None for p in places):
            yield row
        elif row > table.last[0]:
            return
        row += 1


def same_value(one: Cell, other: Cell) -> bool:
    """Tell whether two cells hold the same; numbers up to what spreadsheets store."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= CLOSE * max(abs(one), abs(other))
    return one == other


@cache
def spell_formula(formula: str) -> str:
    """Return a formula in one spelling: what programs change when they save it is taken out."""
    return "".join(_spell_piece(piece) for piece in tokens(formula.removeprefix("="))).replace("_XLFN.", "")


def _spell_piece(piece: Token) -> str:
    if piece.kind == "text":
        return piece.text
    return f"{float(piece.text):.15g}" if piece.kind == "number" else "".join(piece.text.upper().split())


def same_formula(one: str, other: str | None) -> bool:
    """Tell whether two formulas say the same."""
    return one == other or (other is not None and spell_formula(one) == spell_formula(other))


def shown_cell(value: Any) -> str:
    """Return what is in a cell, for people."""
    if value is None:
        return "nothing"
    if isinstance(value, Unusable):
        return "no value" if value is NOT_CALCULATED else value.what
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return repr(value) if isinstance(value, str | float) else str(value)
