"""Workbooks as inputs: each sheet's values and formulas, its tables and names; nothing is taken for what it is not.

calamine reads the values. It gives an error value, and a formula that nothing has calculated yet, as an empty cell, and
it knows no formulas; so the sheets' XML is read for those.
"""

from __future__ import annotations

import posixpath
from functools import cached_property
from io import BytesIO
from itertools import count
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from livesheets.addresses import Place, place_of
from livesheets.cells import MAIN, Cell, Cells, FormulaText, Unusable, misfit, read_cells
from livesheets.days import day_offset
from livesheets.errors import TemplateError
from livesheets.package import open_package
from livesheets.parts import AGAIN, read_part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.etree import _Element
    from python_calamine import CalamineWorkbook

    from livesheets.package import Package

OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
WORKBOOK = "xl/workbook.xml"


class Sheet(Struct, frozen=True):
    """One sheet: rows of values (None where nothing is), and the formulas by place."""

    name: str
    rows: list[list[Cell]]
    formulas: Mapping[Place, FormulaText] = field(default_factory=dict)

    def value(self, place: Place) -> Cell:
        """Return the value of a cell, None beyond the last one."""
        row, column = place
        return self.rows[row][column] if row < len(self.rows) and column < len(self.rows[row]) else None


class Table(Struct, frozen=True):
    """An Excel table: its sheet, its headers, and the places of its header row's first and last row's last cell."""

    name: str
    sheet: str
    headers: tuple[str, ...]
    first: Place
    last: Place


class Spreadsheet(Struct, frozen=True, eq=False, dict=True):
    """A workbook whose zip was checked; sheets are read when they are asked for, and kept."""

    package: Package
    book: CalamineWorkbook
    read: dict[str, Sheet] = field(default_factory=dict)

    @property
    def sheet_names(self) -> list[str]:
        """The names of the sheets, in their order."""
        return self.book.sheet_names

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {
            table.name: table
            for sheet, part in self._parts.items()
            for kind, target in _targets(self.package, part).values()
            if kind.endswith("/table")
            for table in [_table(self.package, target, sheet)]
        }

    @cached_property
    def names(self) -> dict[str, str]:
        """What each of the workbook's defined names stands for, as text."""
        names = _parse_part(self.package, WORKBOOK).iter(f"{MAIN}definedName")
        return {str(name.get("name")): name.text or "" for name in names if name.get("localSheetId") is None}

    @cached_property
    def day_offset(self) -> int:
        """By how many days fewer its numbers count: a workbook may begin in 1904. Cells formatted as days are days."""
        return day_offset(_parse_part(self.package, WORKBOOK))

    def sheet(self, name: str) -> Sheet:
        """Return one sheet."""
        if name not in self.read:
            cells = self._cells(name)
            rows = list(_complete_rows(self._values(name), cells.unusable))
            self.read[name] = Sheet(name, rows, cells.formulas)
        return self.read[name]

    def rows(self, name: str) -> Iterator[list[Cell]]:
        """Give the rows of one sheet, none of which is kept."""
        return _complete_rows(self._values(name), self._cells(name).unusable)

    def _cells(self, name: str) -> Cells:
        if name not in self._parts:
            raise TemplateError(f"the sheet {name!r} of {self.package.what} has no part; {AGAIN}")
        return read_cells(self.package, self._parts[name], name)

    def _values(self, name: str) -> Iterator[list[Cell]]:
        from python_calamine import CalamineError  # noqa: PLC0415 - only workbooks need it

        try:
            sheet = self.book.get_sheet_by_name(name)
            margin: list[Cell] = [None] * (sheet.start[1] if sheet.start else 0)
            for row in sheet.iter_rows():
                yield margin + [_plain(value) for value in row]
        except (CalamineError, ValueError) as error:
            why = misfit(self.package, self._parts[name]) or error
            raise TemplateError(f"the sheet {name!r} of {self.package.what} cannot be read: {why}; {AGAIN}") from None

    @cached_property
    def _parts(self) -> dict[str, str]:
        targets = _targets(self.package, WORKBOOK)
        sheets = _parse_part(self.package, WORKBOOK).iter(f"{MAIN}sheet")
        parts = {str(s.get("name")): targets.get(str(s.get(f"{OFFICE}id")), ("", ""))[1] for s in sheets}
        return {name: part for name, part in parts.items() if part in self.package}


def open_spreadsheet(data: bytes, what: str) -> Spreadsheet:
    """Open a workbook, which messages call `what`; TemplateError says what is wrong with it."""
    from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415 - only workbooks need it

    package = open_package(data, what)
    if _parse_part(package, WORKBOOK).tag != f"{MAIN}workbook":
        raise TemplateError(f"{what} is a Strict Open XML Spreadsheet, or no workbook at all; {AGAIN}")
    try:
        return Spreadsheet(package, CalamineWorkbook.from_filelike(BytesIO(data)))
    except (CalamineError, OSError, ValueError) as error:
        raise TemplateError(f"{what} cannot be read as a workbook: {error}; {AGAIN}") from None


def _targets(package: Package, part: str) -> dict[str, tuple[str, str]]:
    """Return the type and the part of each relationship of a part, by its id."""
    folder, name = posixpath.split(part)
    rels = f"{folder}/_rels/{name}.rels"
    arrows = _parse_part(package, rels) if rels in package else ()
    result = {}
    for arrow in arrows:
        target = posixpath.join("/", folder, str(arrow.get("Target")))
        result[str(arrow.get("Id"))] = str(arrow.get("Type")), posixpath.normpath(target)[1:]
    return result


def _table(package: Package, part: str, sheet: str) -> Table:
    root = _parse_part(package, part)
    first, _, last = str(root.get("ref")).partition(":")
    try:
        (top, left), (bottom, right) = place_of(first), place_of(last or first)
        headers, totals = int(root.get("headerRowCount", 1)), int(root.get("totalsRowCount", 0))
    except ValueError as error:
        raise TemplateError(f"{part} in {package.what} describes no table: {error}; {AGAIN}") from None
    columns = tuple(str(column.get("name")) for column in root.iter(f"{MAIN}tableColumn"))
    return Table(str(root.get("displayName")), sheet, columns, (top + headers - 1, left), (bottom - totals, right))


def _complete_rows(rows: Iterator[list[Cell]], unusable: Mapping[Place, Unusable]) -> Iterator[list[Cell]]:
    """Give the rows with what is in cells that have no value, which may be behind the last row."""
    result: dict[int, dict[int, Unusable]] = {}
    for (at, column), what in unusable.items():
        result.setdefault(at, {})[column] = what
    last = max(result, default=-1)
    for at in count():
        row = next(rows, [] if at <= last else None)
        if row is None:
            return
        for column, what in result.get(at, {}).items():
            row += [None] * (column + 1 - len(row))
            row[column] = what
        yield row


def _plain(value: Any) -> Cell:
    """Return a value as Python counts: whole numbers as int, nothing as None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    result: Cell = None if value == "" else value
    return result


def _parse_part(package: Package, part: str) -> _Element:
    return read_part(package.read(part), part, package.what)
