"""Workbooks as inputs: each sheet's values and formulas, its tables and names; nothing is taken for what it is not.

calamine reads the values. It gives an error value, and a formula that nothing has calculated yet, as an empty cell, and
it knows no formulas; so the sheets' XML is read for those.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

from flopsheet.configs import addresses
from flopsheet.configs.files import read_bytes
from flopsheet.configs.package import open_package
from flopsheet.configs.parts import read_elements, read_part
from flopsheet.errors import TemplateError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping
    from pathlib import Path

    from lxml.etree import _Element
    from python_calamine import CalamineWorkbook

    from flopsheet.configs.package import Package

LARGEST = 2**30
"""Bytes of a workbook."""
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
WORKBOOK = "xl/workbook.xml"


@dataclass(frozen=True, slots=True)
class Unusable:
    """What stands in a cell that has no value: an error such as #N/A, or a formula that nobody has calculated."""

    what: str

    def __str__(self) -> str:
        return self.what


NOT_CALCULATED = Unusable("a formula without a value; open the file in Excel or LibreOffice and save it")

Cell: TypeAlias = "int | float | str | bool | dt.date | dt.time | dt.timedelta | Unusable | None"
Place = tuple[int, int]
"""A cell by row and column, counted from 0."""


@dataclass(frozen=True, slots=True)
class FormulaText:
    """A formula as stored; `master` is the cell that holds the text of a shared formula, where that is another one."""

    text: str
    master: Place | None = None


@dataclass(frozen=True)
class Sheet:
    """One sheet: rows of values (None where nothing stands), and the formulas by place."""

    name: str
    rows: list[list[Cell]]
    formulas: Mapping[Place, FormulaText] = field(default_factory=dict)

    def value(self, place: Place) -> Cell:
        """Return the value of a cell, None beyond the last one."""
        row, column = place
        return self.rows[row][column] if row < len(self.rows) and column < len(self.rows[row]) else None


@dataclass(frozen=True, slots=True)
class Table:
    """An Excel table: its sheet, its headers, and the places of its header row's first and last row's last cell."""

    name: str
    sheet: str
    headers: tuple[str, ...]
    first: Place
    last: Place


@dataclass(frozen=True, eq=False)
class Spreadsheet:
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
        found = (self.book.get_table_by_name(name) for name in self.book.table_names or [])
        return {t.name: Table(t.name, t.sheet, tuple(t.columns), *_corners(t)) for t in found}

    @cached_property
    def names(self) -> dict[str, str]:
        """What each of the workbook's defined names stands for, as text."""
        root = _parsed(self.package, WORKBOOK)
        return {
            str(name.get("name")): name.text or ""
            for name in root.iter(f"{MAIN}definedName")
            if name.get("localSheetId") is None
        }

    def sheet(self, name: str) -> Sheet:
        """Return one sheet."""
        if name not in self.read:
            self.read[name] = self._sheet(name)
        return self.read[name]

    def _sheet(self, name: str) -> Sheet:
        rows: list[list[Cell]] = [
            [_plain(value) for value in row]
            for row in self.book.get_sheet_by_name(name).to_python(skip_empty_area=False)
        ]
        formulas, unusable = _formulas(self.package, self._parts[name]) if name in self._parts else ({}, {})
        for (row, column), what in unusable.items():
            rows += [[] for _ in range(row + 1 - len(rows))]
            rows[row] += [None] * (column + 1 - len(rows[row]))
            rows[row][column] = what
        return Sheet(name, rows, formulas)

    @cached_property
    def _parts(self) -> dict[str, str]:
        relations = _parsed(self.package, "xl/_rels/workbook.xml.rels")
        targets = {str(r.get("Id")): posixpath.normpath(posixpath.join("/xl", str(r.get("Target")))) for r in relations}
        sheets = _parsed(self.package, WORKBOOK).iter(f"{MAIN}sheet")
        parts = {str(s.get("name")): targets.get(str(s.get(f"{OFFICE}id")), "").lstrip("/") for s in sheets}
        return {name: part for name, part in parts.items() if part in self.package}


def open_spreadsheet(path: Path) -> Spreadsheet:
    """Open a workbook; TemplateError says what is wrong with it, ConfigError why it cannot be read."""
    from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415 - only workbooks need it

    data = read_bytes(path, LARGEST)
    package = open_package(data, str(path))
    try:
        return Spreadsheet(package, CalamineWorkbook.from_filelike(BytesIO(data), load_tables=True))
    except (CalamineError, OSError, ValueError) as error:
        raise TemplateError(f"{path} cannot be read as a workbook: {error}") from None


def address(place: Place, sheet: str = "") -> str:
    """Return a place as people write it: `C4`, `Sheet1!C4`, `'My sheet'!C4`."""
    cell = addresses.address(place[0] + 1, place[1] + 1)
    return f"{addresses.quoted(sheet)}!{cell}" if sheet else cell


def place_of(reference: str) -> Place:
    """Return the place of a reference such as `C4` or `$C$4`."""
    match = re.fullmatch(r"\$?([A-Z]{1,3})\$?([0-9]{1,7})", reference)
    if match is None:
        raise TemplateError(f"{reference!r} is not a cell")
    return int(match[2]) - 1, addresses.number(match[1]) - 1


def _corners(table: Any) -> tuple[Place, Place]:
    (top, left), (bottom, right) = table.start or (1, 0), table.end or (0, len(table.columns) - 1)
    return (top - 1, left), (bottom, right)


def _plain(value: Any) -> Cell:
    """Return a value as flopsheet counts: whole numbers as int, nothing as None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    result: Cell = None if value == "" else value
    return result


def _parsed(package: Package, part: str) -> _Element:
    return read_part(package.read(part), part, package.what)


def _formulas(package: Package, part: str) -> tuple[dict[Place, FormulaText], dict[Place, Unusable]]:
    """Return the formulas of a sheet, and the cells that have no value although something stands in them."""
    formulas: dict[Place, FormulaText] = {}
    unusable: dict[Place, Unusable] = {}
    shared: dict[str, tuple[Place, str]] = {}
    for cell in read_elements(package.read(part), f"{MAIN}c", part, package.what):
        _keep(cell, formulas, unusable, shared)
    return formulas, unusable


def _keep(
    cell: _Element,
    formulas: dict[Place, FormulaText],
    unusable: dict[Place, Unusable],
    shared: dict[str, tuple[Place, str]],
) -> None:
    formula, value = cell.find(f"{MAIN}f"), cell.findtext(f"{MAIN}v")
    if formula is None and cell.get("t") != "e":
        return
    place = place_of(str(cell.get("r")))
    if formula is not None:
        text, index = formula.text or "", formula.get("si")
        if index is not None and text:
            shared[str(index)] = place, text
        master = shared.get(str(index)) if index is not None and not text else None
        formulas[place] = FormulaText(master[1], master[0]) if master else FormulaText(text)
    if cell.get("t") == "e":
        unusable[place] = Unusable(f"the error {value}")
    elif not value and cell.get("t") != "str":
        unusable[place] = NOT_CALCULATED
