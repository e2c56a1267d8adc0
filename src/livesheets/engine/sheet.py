"""A worksheet as read: what is before and after its rows, and the rows' cells by number."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from lxml import etree
from msgspec import Struct, field, structs

from livesheets.addresses import address
from livesheets.engine.markup import MAIN, attribute, child, local, parse, serialize, tag, unset, whole
from livesheets.engine.rewriting import rewrite_sheet
from livesheets.engine.sheet_rows import OddError, SheetRows, find_frame, words_of
from livesheets.errors import TemplateError
from livesheets.references import MAX_ROW, Area, read_area, shift

if TYPE_CHECKING:
    from collections.abc import Mapping

    from livesheets.engine.markup import Element
    from livesheets.engine.sheet_rows import Cells, Frame

    Masters = dict[str, tuple[str, int, int]]
    """The formulas that several cells share, by number: the text, and the row and column that it is said of."""

_DECLARING = re.compile("<[^>]* xmlns[^>]*>")
_DECLARATION = re.compile(r' xmlns(?::([\w.-]+))?="([^"]*)"')
_NUMBER = re.compile(rb'\s+r="([1-9][0-9]{0,6})"')
_ATTRIBUTE = re.compile(rb"""\s+([\w:.-]+)\s*=\s*(["'])(.*?)\2""", re.DOTALL)
SMALL = 2**20
"""Bytes of a sheet that is remembered as it was read."""
_HIDDEN = re.compile(' hidden="(?:1|true)"')


class SheetXml(Struct, frozen=True):
    """A sheet: its XML without rows, and its cells by row and column; `attributes` are the rows' own, without number.

    What is told of formulas is told by row and column: their texts ("" for one without), the cells that those of
    several cells fill, which of them spill, and which are tables of what-if results.
    """

    part: str
    root: Element
    attributes: dict[int, str]
    cells: SheetRows
    formulas: dict[tuple[int, int], str] = field(default_factory=dict)
    arrays: dict[tuple[int, int], Area] = field(default_factory=dict)
    spills: set[tuple[int, int]] = field(default_factory=set)
    what_if: set[tuple[int, int]] = field(default_factory=set)
    calculated: set[int] = field(default_factory=set)
    """The rows that have a formula, or values of an array formula."""
    forgotten: set[tuple[int, int]] = field(default_factory=set)
    """The formulas whose stored values no longer hold."""

    def style(self, row: int, column: int) -> int:
        """Return a cell's style number, 0 without a cell."""
        return style_of(self.cells.get(row, {}).get(column))

    def formula(self, row: int, column: int) -> str:
        """Return the text of a cell's formula, "" without one; one that fills several cells cannot be repeated."""
        area = self.arrays.get((row, column))
        if area is not None and area != Area(row, column, row, column):
            raise TemplateError(
                f"the formula in {address(row, column)} fills {area} and cannot be repeated in every row"
            )
        return self.formulas.get((row, column), "")


def read_sheet(data: bytes, part: str) -> SheetXml:
    """Read a worksheet part; formulas that share a text each get their own."""
    return _again(_open_sheet(data, part)) if len(data) <= SMALL else _read(data, part)


@lru_cache(maxsize=64)
def _open_sheet(data: bytes, part: str) -> SheetXml:
    """Return a sheet that nobody writes into: a fill reads most sheets several times."""
    sheet = _read(data, part)
    sheet.cells.cache.clear()  # elements take twenty times the room of their bytes
    return sheet


def _again(sheet: SheetXml) -> SheetXml:
    """Return a sheet as it was read, with elements of its own."""
    root = parse(sheet.cells.frame.without_rows(), sheet.part)
    return structs.replace(sheet, root=root, cells=replace(sheet.cells, edits={}, cache=OrderedDict()), forgotten=set())


def _read(data: bytes, part: str) -> SheetXml:
    try:
        sheet = _cut(find_frame(data, part))
    except OddError:
        sheet = _cut(find_frame(rewrite_sheet(data, part), part))
    _read_formulas(sheet)
    return sheet


def _cut(frame: Frame) -> SheetXml:
    """Read a sheet whose rows stay bytes; one that is spelled in another way is an OddError."""
    sheet = SheetXml(frame.part, parse(frame.without_rows(), frame.part), {}, SheetRows(frame, {}))
    texts: dict[bytes, str] = {}
    at = 0
    for row in frame.rows():
        number, others = _row_number(row.attributes)
        at = at + 1 if number is None else number
        if at > MAX_ROW:
            raise OddError
        if others not in texts:
            elements = frame.parse_elements(b"<%brow%b/>" % (frame.prefix, others)) if others else []
            texts[others] = "".join(map(_row_attributes, elements))
        sheet.attributes[at] = texts[others]
        sheet.cells.add(at, row)
    return sheet


def _row_number(attributes: bytes) -> tuple[int | None, bytes]:
    """Return the number of a row, None for one without, and its other attributes."""
    if first := _NUMBER.match(attributes):
        return int(first[1]), attributes[first.end() :]
    own = next((match for match in _ATTRIBUTE.finditer(attributes) if match[1] == b"r"), None)
    if own is None:
        return None, attributes
    if not re.fullmatch(rb"[1-9][0-9]{0,6}", own[3]):
        raise OddError
    return int(own[3]), attributes[: own.start()] + attributes[own.end() :]


def _read_formulas(sheet: SheetXml) -> None:
    """Find the formulas of a sheet; each gets a text of its own, and keeps it however often its cell is made."""
    masters: Masters = {}
    for row in sheet.cells.find_marked(words_of(sheet.cells.frame.prefix).formula):
        for column, cell in sheet.cells[row].items():
            _read_formula(sheet, cell, (row, column), masters)
    last = max(sheet.cells, default=0)
    array_rows = (row for area in sheet.arrays.values() for row in range(area.top, min(area.bottom, last) + 1))
    sheet.calculated.update(chain((row for row, _ in sheet.formulas), array_rows))
    if masters:
        sheet.cells.finish.append(partial(_state_formulas, sheet.formulas))


def _read_formula(sheet: SheetXml, cell: Element, at: tuple[int, int], masters: Masters) -> None:
    element = child(cell, "f")
    if element is None:
        return
    if element.get("t") == "shared":
        _own_formula(element, masters, *at)
    sheet.formulas[at] = element.text or ""
    if element.get("t") in {"array", "dataTable"} and element.get("ref"):
        sheet.arrays[at] = read_area(attribute(element, "ref"), f"a formula in {sheet.part}")
    if element.get("t") == "dataTable":
        sheet.what_if.add(at)
    if cell.get("cm") is not None:
        sheet.spills.add(at)


def _state_formulas(formulas: Mapping[tuple[int, int], str], row: int, cells: Cells) -> None:
    """Give the cells of a row the formulas that they share with others, as texts of their own."""
    for column, cell in cells.items():
        element = child(cell, "f")
        if element is not None and element.get("t") == "shared":
            element.text = formulas[row, column]
            unset(element, "t", "si", "ref")


def _own_formula(element: Element, masters: Masters, row: int, column: int) -> None:
    index = attribute(element, "si")
    if element.text:
        masters[index] = (element.text, row, column)
    elif index in masters:
        text, first_row, first_column = masters[index]
        element.text = shift(text, row - first_row, column - first_column)
    unset(element, "t", "si", "ref")


def _row_attributes(row: Element) -> str:
    prefixes = {uri: prefix for prefix, uri in row.nsmap.items() if prefix}
    text = ""
    for key, value in row.items():
        name = etree.QName(key)
        if str(key) not in {"r", "spans"}:
            prefix = f"{prefixes[name.namespace]}:" if name.namespace else ""
            safe_value = str(value).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
            text += f' {prefix}{name.localname}="{safe_value}"'
    return text


def as_shown(attributes: str) -> str:
    """Return a row's attributes without the one that hides it."""
    return _HIDDEN.sub("", attributes)


def style_of(cell: Element | None) -> int:
    """Return a cell's style number, 0 without a cell."""
    return 0 if cell is None else whole(cell, "s", 0)


def is_computed(sheet: SheetXml, row: int, column: int) -> bool:
    """Whether a cell is a formula, or one of those that an array formula fills."""
    return (row, column) in sheet.formulas or any(area.has(row, column) for area in sheet.arrays.values())


def is_empty(cell: Element) -> bool:
    """Whether a cell holds nothing but a style."""
    return all(local(part) not in {"v", "f", "is"} for part in cell)


def cell_text(cell: Element, sheet: SheetXml, ref: str) -> str:
    """Return a cell at an address as text for between a sheet's rows."""
    cell.set("r", ref)
    return fragment(cell, sheet)


def fragment(element: Element, sheet: SheetXml) -> str:
    """Return an element as text that is inside the sheet: without the namespaces that its root declares."""
    namespaces = sheet.root.nsmap

    def declare(match: re.Match[str]) -> str:
        return _DECLARATION.sub(lambda inner: "" if namespaces.get(inner[1]) == inner[2] else inner[0], match[0])

    return _DECLARING.sub(declare, etree.tostring(element, encoding="unicode", with_tail=False))


def row_text(sheet: SheetXml, row: int) -> str:
    """Return all cells of a row as text for between a sheet's rows, at once; "" where they are not all that it has."""
    return sheet.cells.text(row)


def row_reach(sheet: SheetXml, row: int) -> tuple[int, int]:
    """Return the first and the last column of a row that has cells."""
    return sheet.cells.reach(row) or (min(sheet.cells[row]), max(sheet.cells[row]))


def head_and_tail(sheet: SheetXml) -> tuple[bytes, bytes]:
    """Return what is before a sheet's rows, and what is after them."""
    rows = next(sheet.root.iter(tag("sheetData")), None)
    prefix = f"{rows.prefix}:" if rows is not None and rows.prefix else ""
    head, result, tail = serialize(sheet.root).partition(f"<{prefix}sheetData/>".encode())
    if rows is None or not result:
        raise TemplateError(f"{sheet.part} in the template has rows of an unknown form")
    default = f' xmlns="{MAIN}"' if prefix else ""
    return head + f"<{prefix}sheetData{default}>".encode(), f"</{prefix}sheetData>".encode() + tail
