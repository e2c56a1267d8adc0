"""A worksheet as read: what stands before and after its rows, and the rows' cells by number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from lxml import etree

from flopsheet.errors import TemplateError
from flopsheet.spreadsheet.addresses import address, letters, row_and_column
from flopsheet.spreadsheet.engine.markup import MAIN, attribute, child, local, parse, serialize, tag, unset, whole
from flopsheet.spreadsheet.parts import AGAIN
from flopsheet.spreadsheet.references import MAX_COLUMN, MAX_ROW, Area, read_area, shifted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.spreadsheet.engine.markup import Element

_TAG = re.compile("<[^>]*>")
_DECLARATION = re.compile(r' xmlns(?::([\w.-]+))?="([^"]*)"')


@dataclass(frozen=True, slots=True)
class SheetXml:
    """A sheet's XML, its cells by row and column; `attributes` are the rows' own, as text without the number."""

    part: str
    root: Element
    attributes: dict[int, str]
    cells: dict[int, dict[int, Element]]
    arrays: dict[tuple[int, int], Area]
    """The cells that an array formula fills, by the cell that holds it."""
    calculated: frozenset[int]
    """The rows that have a formula, or values of an array formula."""

    def style(self, row: int, column: int) -> int:
        """Return a cell's style number, 0 without a cell."""
        cell = self.cells.get(row, {}).get(column)
        return 0 if cell is None else whole(cell, "s", 0)

    def formula(self, row: int, column: int) -> str:
        """Return the text of a cell's formula, "" without one; one that fills several cells cannot be repeated."""
        cell = self.cells.get(row, {}).get(column)
        element = None if cell is None else child(cell, "f")
        area = self.arrays.get((row, column))
        if area is not None and area != Area(row, column, row, column):
            raise TemplateError(
                f"the formula in {address(row, column)} fills {area} and cannot be repeated in every row"
            )
        return "" if element is None else element.text or ""


_ROW, _CELL = tag("row"), tag("c")


def read_sheet(data: bytes, part: str) -> SheetXml:
    """Read a worksheet part; formulas that share a text each get their own."""
    root = parse(data, part)
    rows = child(root, "sheetData")
    if rows is None:
        raise TemplateError(f"{part} in the template is not a worksheet")
    attributes: dict[int, str] = {}
    cells: dict[int, dict[int, Element]] = {}
    at = 0
    for row in rows:
        if row.tag == _ROW:
            at = whole(row, "r", at + 1, least=1, most=MAX_ROW)
            if at in cells:
                raise TemplateError(f"{part} in the template has the row {at} twice")
            attributes[at] = _row_attributes(row)
            cells[at] = _row_cells(row, part, at)
    formulas = _formulas(cells)
    _flatten(formulas)
    arrays = _arrays(formulas, part)
    spilled = (row for area in arrays.values() for row in range(area.top, min(area.bottom, at) + 1))
    calculated = frozenset(chain((row for row, _ in formulas), spilled))
    return SheetXml(part, root, attributes, cells, arrays, calculated)


def _formulas(cells: dict[int, dict[int, Element]]) -> dict[tuple[int, int], Element]:
    """Return the formula elements by row and column."""
    return {
        (row, column): element
        for row, line in cells.items()
        for column, cell in line.items()
        if len(cell) and (element := child(cell, "f")) is not None
    }


def _arrays(formulas: dict[tuple[int, int], Element], part: str) -> dict[tuple[int, int], Area]:
    return {
        place: read_area(attribute(element, "ref"), f"a formula in {part}")
        for place, element in formulas.items()
        if element.get("t") in {"array", "dataTable"} and element.get("ref")
    }


def _row_attributes(row: Element) -> str:
    prefixes = {uri: prefix for prefix, uri in row.nsmap.items() if prefix}
    text = ""
    for key, value in row.items():
        name = etree.QName(key)
        if str(key) not in {"r", "spans"}:
            prefix = f"{prefixes[name.namespace]}:" if name.namespace else ""
            text += f' {prefix}{name.localname}="{_quoted(str(value))}"'
    return text


def _quoted(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _row_cells(row: Element, part: str, at: int) -> dict[int, Element]:
    cells: dict[int, Element] = {}
    column = 0
    for cell in row:
        if cell.tag == _CELL:
            column = _column(cell, part, at, column + 1)
            if column in cells:
                raise TemplateError(f"{part} in the template has the cell {address(at, column)} twice; {AGAIN}")
            cells[column] = cell
    return cells


def _column(cell: Element, part: str, row: int, following: int) -> int:
    """Return the column of a cell: as its address says, or without one the column that follows."""
    text = attribute(cell, "r")
    digits = str(row)
    if text.endswith(digits) and (known := _COLUMNS.get(text[: -len(digits)])):
        return known
    found = row_and_column(text)
    column = following if not text else found[1] if found and found[0] == row else 0
    if not 1 <= column <= MAX_COLUMN:
        where = f"{part} in the template has a cell {text!r} in row {row}"
        raise TemplateError(f"{where}; cells from A{row} to XFD{row} are expected; {AGAIN}")
    return column


_COLUMNS = {letters(column): column for column in range(1, 703)}
"""The columns to ZZ, which hardly a sheet goes beyond."""


def _flatten(formulas: dict[tuple[int, int], Element]) -> None:
    """Give each cell of a shared formula its own text."""
    masters: dict[str, tuple[str, int, int]] = {}
    for (row, column), element in formulas.items():
        if element.get("t") == "shared":
            _own_formula(element, masters, row, column)


def _own_formula(element: Element, masters: dict[str, tuple[str, int, int]], row: int, column: int) -> None:
    shared = attribute(element, "si")
    if element.text:
        masters[shared] = (element.text, row, column)
    elif shared in masters:
        text, first_row, first_column = masters[shared]
        element.text = shifted(text, row - first_row, column - first_column)
    unset(element, "t", "si", "ref")


def computed(sheet: SheetXml, row: int, column: int) -> bool:
    """Whether a cell is a formula, or one of those that an array formula fills."""
    return child(sheet.cells[row][column], "f") is not None or any(
        area.has(row, column) for area in sheet.arrays.values()
    )


def is_empty(cell: Element) -> bool:
    """Whether a cell holds nothing but a style."""
    return all(local(part) not in {"v", "f", "is"} for part in cell)


def cell_text(cell: Element, sheet: SheetXml, ref: str) -> str:
    """Return a cell at an address as text for between a sheet's rows."""
    cell.set("r", ref)
    return fragment(cell, sheet)


def fragment(element: Element, sheet: SheetXml) -> str:
    """Return an element as text that stands inside the sheet: without the namespaces that its root declares."""
    known = sheet.root.nsmap

    def undeclared(match: re.Match[str]) -> str:
        return _DECLARATION.sub(lambda found: "" if known.get(found[1]) == found[2] else found[0], match[0])

    return _TAG.sub(undeclared, etree.tostring(element, encoding="unicode", with_tail=False))


def row_text(cells: Mapping[int, Element], sheet: SheetXml) -> str:
    """Return all cells of a row as text for between a sheet's rows, at once; "" where they are not all that it has."""
    row = next(iter(cells.values())).getparent()
    if row is None or len(row) != len(cells) or row.nsmap != sheet.root.nsmap:
        return ""
    if any(cell.get("r") is None for cell in row):
        return ""
    text = etree.tostring(row, encoding="unicode", with_tail=False)
    return text[text.index(">") + 1 : text.rindex("</")]


def head_and_tail(sheet: SheetXml) -> tuple[bytes, bytes]:
    """Return what stands before the rows, and after them; the rows go, as they are all text by then."""
    rows = child(sheet.root, "sheetData")
    prefix = ""
    if rows is not None:
        prefix = f"{rows.prefix}:" if rows.prefix else ""
        rows[:] = []
        rows.text = None
    empty = f"<{prefix}sheetData/>".encode()
    head, found, tail = serialize(sheet.root).partition(empty)
    if not found:
        raise TemplateError(f"{sheet.part} in the template has rows of an unknown form")
    default = f' xmlns="{MAIN}"' if prefix else ""
    return head + f"<{prefix}sheetData{default}>".encode(), f"</{prefix}sheetData>".encode() + tail
