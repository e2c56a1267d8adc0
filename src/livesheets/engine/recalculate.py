"""Values that another program calculated, written into a workbook for the formulas that have none."""

from __future__ import annotations

import re
from functools import partial
from html import escape, unescape
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

from lxml import etree
from msgspec import Struct, field

from livesheets.addresses import number
from livesheets.engine.active import formula_words
from livesheets.engine.book import read_book
from livesheets.engine.dirty_cells import Regions
from livesheets.engine.impact import dependents
from livesheets.engine.markup import Element, attribute, child, local, parse, serialize, tag
from livesheets.engine.package import deflate, spool, write_package
from livesheets.engine.sheet import read_sheet
from livesheets.libreoffice import recalculate_copy
from livesheets.package import open_package
from livesheets.references import Area, read_area
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from livesheets.engine.book import Book
    from livesheets.engine.dirty_cells import Region
    from livesheets.engine.package import Source
    from livesheets.tokens import Token

NEAR, TINY = 1e-9, 1e-12
"""Two values that differ by less, as a share of the larger one or as such, are the same."""

_ROW_END = re.compile(rb"</(?:\w+:)?row>")
_CELL = re.compile(rb"<(\w+:)?c((?:\s[^>]*?)?)(?:/>|>(.*?)</(?:\w+:)?c>)", re.DOTALL)
_FORMULA = re.compile(rb"<(\w+:)?f(?:\s[^>]*?)?(?:/>|>.*?</(?:\w+:)?f>)", re.DOTALL)
_VALUE = re.compile(rb"<(?:\w+:)?v(?:\s[^>]*)?(?:/>|>(.*?)</(?:\w+:)?v>)", re.DOTALL)
_ADDRESS = re.compile(rb'\sr="([A-Z]+)([0-9]+)"')
_TYPE = re.compile(rb'\st="(\w+)"')
_ARRAY = re.compile(rb'<(?:\w+:)?f(?=\s[^>]*?t="(?:array|dataTable)")\s[^>]*?ref="([A-Z0-9:]+)"')
_TAG = re.compile(rb"<[^>]*>")
_ELSEWHERE = re.compile(rb"\[[0-9]+\]")

_NO_WHAT_IF = "LibreOffice calculates what-if data tables, and so what may depend on them, in its own way"

Found = tuple[str, str]
"""A cell's value as a file holds it: its type, n for a number, and its text."""


class Sheet(Struct):
    """A sheet under way: the calculated rows that are still to come, and what was found so far."""

    name: str
    rows: Iterator[tuple[int, dict[int, Found]]]
    doubtful: Regions
    """Cells that depend on a value which LibreOffice contradicts: they get none."""
    what_if: Regions
    """What-if data tables and what may depend on them: LibreOffice gets wrong those that go through other cells."""
    at: int = 0
    cells: dict[int, Found] = field(default_factory=dict)
    arrays: list[Area] = field(default_factory=list)
    contradictions: list[Area] = field(default_factory=list)
    count: int = 0
    remarks: list[str] = field(default_factory=list)

    def value(self, row: int, column: int) -> Found | None:
        """Return the calculated value of a cell; cells are asked for row by row."""
        while self.at < row:
            self.at, self.cells = next(self.rows, (2**31, {}))
        return self.cells.get(column) if self.at == row else None


def recalculate(workbook: Path) -> list[str]:
    """Give the formulas of a workbook that have no value the one that LibreOffice calculates; nothing else changes.

    Return a line for each cell whose value differs from the calculated one, or that could not be calculated.
    """
    book = read_book(open_package(workbook.read_bytes(), workbook.name))
    with TemporaryDirectory(prefix="livesheets-") as folder:
        copy = _seal(workbook, book, Path(folder))
        theirs = read_book(open_package(recalculate_copy(copy, Path(folder)).read_bytes(), "LibreOffice's copy"))
    with spool(workbook) as file:
        what_if = _what_if(book)
        parts, sheets = _parts(book, theirs, Regions(), what_if, file)
        doubts = [(sheet.name.casefold(), area) for sheet in sheets for area in sheet.contradictions]
        if doubts and parts:
            parts, sheets = _parts(book, theirs, dependents(book, doubts), what_if, file)
        write_package(workbook, book.package, parts, frozenset())
    return [remark for sheet in sheets for remark in sheet.remarks]


def _what_if(book: Book) -> Regions:
    """Return the cells of data tables and those that may depend on them."""
    tables: list[Region] = []
    for sheet in book.sheets.values():
        data = book.package.read(sheet.part) if sheet.kind == "worksheet" else b""
        if b"dataTable" in data:
            xml = read_sheet(data, sheet.part)
            tables += [(sheet.name.casefold(), xml.arrays.get(at, Area(*at, *at))) for at in xml.what_if]
    return dependents(book, tables) if tables else Regions()


def _parts(
    book: Book, theirs: Book, doubtful: Regions, what_if: Regions, file: IO[bytes]
) -> tuple[dict[str, Source], list[Sheet]]:
    """Return the sheets in which missing values were written, and what was found on all of them."""
    parts: dict[str, Source] = {}
    sheets = []
    for sheet in book.sheets.values():
        if sheet.kind == "worksheet":
            state = Sheet(sheet.name, _rows(theirs, sheet.name), doubtful, what_if)
            content = deflate(_fill_sheet(book.package.pieces(sheet.part), state), file)
            if state.count:
                parts[sheet.part] = content
            sheets.append(state)
    return parts, sheets


def _seal(workbook: Path, book: Book, folder: Path) -> Path:
    """Return the workbook for LibreOffice: without the pictures that it would fetch, and tables as it reads them."""
    package, parts = book.package, _spell_sheets(book)
    for name in (name for name in package.entries if name.endswith(".rels")):
        root = parse(package.read(name), name)
        outward = [arrow for arrow in root if _is_fetched(arrow)]
        for arrow in outward:
            root.remove(arrow)
        if outward:
            parts[name] = serialize(root)
    copy = folder / "sealed" / workbook.name
    copy.parent.mkdir()
    write_package(copy, package, parts, frozenset())
    return copy


def _spell_sheets(book: Book) -> dict[str, bytes]:
    """Return the sheets whose formulas name whole tables: LibreOffice takes in headers, unless it reads `name[]`."""
    parts = {}
    for sheet in book.sheets.values() if book.tables else ():
        content = book.package.read(sheet.part)
        result = _FORMULA.sub(lambda formula: _add_brackets(formula[0], book.tables), content)
        if result != content:
            parts[sheet.part] = result
    return parts


def _add_brackets(element: bytes, tables: Collection[str]) -> bytes:
    """Return the element of a formula with brackets behind each whole table; their names are in lower case."""
    text = _text(element)
    pieces = tokens(text)
    afters = [*(piece.text for piece in pieces[1:]), ""]
    befores = ["", *(piece.text for piece in pieces)]
    result = "".join(
        f"{name}[]" if name.casefold() in tables and before[-1:] != "!" and after[:1] != ":" else piece.text
        for before, piece, after in zip(befores, pieces, afters, strict=False)
        for name in [_whole(piece)]
    )
    if result == text:
        return element
    tags = _TAG.findall(element)
    return b"%b%b%b" % (tags[0], escape(result, quote=False).encode(), tags[-1])


def _whole(piece: Token) -> str:
    """Return the name that may be a whole table, "" for any other piece of a formula."""
    if piece.kind == "table":
        reference = read_structured(piece.text)
        return reference.table if reference[1:] == (("#data",), ()) else ""
    return piece.text if piece.kind == "name" else ""


def _text(element: bytes) -> str:
    """Return the text of a formula's element."""
    return unescape(_TAG.sub(b"", element).decode())


def _is_fetched(arrow: Element) -> bool:
    kind = attribute(arrow, "Type").lower()
    outside = attribute(arrow, "TargetMode").casefold() == "external"
    return outside and not kind.endswith("/hyperlink") and "externallink" not in kind


def _rows(book: Book, name: str) -> Iterator[tuple[int, dict[int, Found]]]:
    """Give the rows of a sheet by number, each with its values by column."""
    sheet = book.sheets.get(name.casefold())
    if sheet is None:
        return
    parser = etree.XMLPullParser(("end",), tag=tag("row"), resolve_entities=False, no_network=True)
    for piece in book.package.pieces(sheet.part):
        parser.feed(piece)
        for _, row in parser.read_events():
            if isinstance(row, Element):
                yield int(attribute(row, "r")), dict(_cells(row))
                row.clear()


def _cells(row: Element) -> Iterator[tuple[int, Found]]:
    for cell in row:
        value = child(cell, "v")
        kind = attribute(cell, "t", "n")
        text = "" if value is None else value.text or ""
        if local(cell) == "c" and kind != "s" and (text or kind == "str"):
            yield number(attribute(cell, "r").rstrip("0123456789")), (kind, text)


def _fill_sheet(pieces: Iterator[bytes], sheet: Sheet) -> Iterator[bytes]:
    """Give a sheet's bytes with the missing values, as many whole rows at a time as each piece completes."""
    left = b""
    for piece in pieces:
        left += piece
        end = max((match.end() for match in _ROW_END.finditer(left)), default=0)
        yield _CELL.sub(partial(_cell, sheet), left[:end])
        left = left[end:]
    yield left


def _cell(sheet: Sheet, match: re.Match[bytes]) -> bytes:
    """Return a cell as it is, or with its calculated value."""
    attributes, inside = match[2], match[3] or b""
    address = _ADDRESS.search(attributes)
    if address is None:
        return match[0]
    row, column = int(address[2]), number(address[1].decode())
    formula, value = _FORMULA.search(inside), _VALUE.search(inside)
    array = _ARRAY.search(inside) if formula else None
    if array:
        sheet.arrays.append(read_area(array[1].decode()))
    if formula is None and (value or not any(area.has(row, column) for area in sheet.arrays)):
        return match[0]
    result = sheet.value(row, column)
    where = f"{sheet.name}!{address[1].decode()}{row}"
    kind = (_TYPE.search(attributes) or [b"", b"n"])[1].decode()
    why = _why_blank(sheet, row, column)
    if result is None:
        return match[0]
    if value is not None and (value[1] or kind == "str"):
        stored = kind, unescape((value[1] or b"").decode())
        remarks = _compare_values(where, stored, result) if why != _NO_WHAT_IF else []
        sheet.remarks += remarks
        sheet.contradictions += [Area(row, column, row, column)] if remarks else []
        return match[0]
    if why:
        place = f"{sheet.name}!{array[1].decode()}" if array else where
        sheet.remarks += [f"{place} has no value: {why}"] if formula else []
        return match[0]
    return _write_cell(sheet, match, where, result)


def _why_blank(sheet: Sheet, row: int, column: int) -> str:
    """Return why a cell gets no value, "" where nothing speaks against it."""
    name = sheet.name.casefold()
    if sheet.what_if.has(name, row, column):
        return _NO_WHAT_IF
    return "it depends on one that LibreOffice contradicts" if sheet.doubtful.has(name, row, column) else ""


def _compare_values(where: str, ours: Found, theirs: Found) -> list[str]:
    """Return a line if a stored value differs from the calculated one."""
    if {ours[0], theirs[0]} <= {"n", "b"}:
        same = isclose(float(ours[1]), float(theirs[1]), rel_tol=NEAR, abs_tol=TINY)
    else:
        same = ours == theirs
    return [] if same else [f"{where} holds {ours[1]!r}, and LibreOffice calculates {theirs[1]!r}"]


def _reaches_out(inside: bytes) -> bool:
    """Whether a cell's formula asks for what LibreOffice is told to leave alone: links, the web, other programs."""
    match = _FORMULA.search(inside)
    return _ELSEWHERE.search(inside) is not None or bool(match and formula_words(_text(match[0])))


def _write_cell(sheet: Sheet, match: re.Match[bytes], where: str, result: Found) -> bytes:
    """Return a cell with its calculated value, unless LibreOffice could not calculate it."""
    kind, text = result
    inside = match[3] or b""
    if kind == "e" and (text == "#NAME?" or _reaches_out(inside)):
        sheet.remarks.append(f"{where} has no value: LibreOffice, which cannot calculate it, gives {text}")
        return match[0]
    sheet.count += 1
    prefix = match[1] or b""
    type_xml = b"" if kind == "n" else f' t="{kind}"'.encode()
    value = b"<%bv>%b</%bv>" % (prefix, escape(text, quote=False).encode(), prefix)
    rest = _VALUE.sub(b"", inside, count=1)
    formula = _FORMULA.match(rest)
    end = formula.end() if formula else 0
    attributes = _TYPE.sub(b"", match[2]) + type_xml
    return b"<%bc%b>%b%b%b</%bc>" % (prefix, attributes, rest[:end], value, rest[end:], prefix)
