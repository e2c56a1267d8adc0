"""A sheet's rows as the bytes that they are in the template: cells are made of them when asked for, and not kept.

As elements a sheet takes twenty times the memory of its bytes, and most rows of a large one stay as they are.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from msgspec import Struct

from livesheets.addresses import address, letters, number, row_and_column
from livesheets.engine.markup import MAIN, Element, attribute, parse, tag
from livesheets.errors import TemplateError
from livesheets.parts import AGAIN
from livesheets.references import MAX_COLUMN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TOGETHER, HELD = 2**15, 32
"""Bytes of rows that are parsed at once, and how many such pieces are held: a walk down columns comes back to each."""

ATTRIBUTES = rb"""(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*"""
_DECLARED = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml[^<]*?\?>)?\s*")
_OTHER_CODE = re.compile(rb"""encoding\s*=\s*["'](?!utf-8["'])""", re.IGNORECASE)
_DECLARES = re.compile(rb"<[\w:.-]+%b\s+xmlns[:\s=]" % ATTRIBUTES)
_MAIN = MAIN.encode()
_ROOT = re.compile(rb"<((?:[\w.-]+:)?)worksheet%b\s*>" % ATTRIBUTES)
_CELL = tag("c")

Cells = dict[int, Element]
"""The cells of a row by column."""


class OddError(Exception):
    """A sheet is spelled in a way that only a parser can read."""


class RawRow(Struct, frozen=True):
    """A row as it stands: its attributes, and where its element begins and ends."""

    attributes: bytes
    start: int
    end: int


class PlainCell(NamedTuple):
    """A cell without a formula or formats of its own: column, style number, type ("n" for a number) and text."""

    column: int
    style: int
    kind: str
    text: str


class Frame(Struct, frozen=True):
    """Where a sheet's rows are in the part, and the tags that are open there and closed behind them."""

    data: bytes
    part: str
    prefix: bytes
    before: bytes
    after: bytes
    first: int
    last: int

    def without_rows(self) -> bytes:
        """Return the part as if it had no rows."""
        return self.data[: self.first] + self.data[self.last :]

    def parse_elements(self, text: bytes) -> list[Element]:
        """Return elements that are among the rows."""
        return list(parse(b"".join((self.before, text, self.after)), self.part)[0])

    def rows(self) -> Iterator[RawRow]:
        """Give the rows as they stand; anything else among them is an OddError."""
        data, at, words = self.data, self.first, words_of(self.prefix)
        while match := words.row.match(data, at, self.last):
            at = match.end()
            if not match[2]:
                end = data.find(words.row_end, at, self.last)
                if end < 0 or data.find(words.row_start, at, end) >= 0:
                    raise OddError
                at = end + len(words.row_end)
            yield RawRow(match[1], match.start(), at)
        if data[at : self.last].strip():
            raise OddError


class Words(Struct, frozen=True):
    """How a sheet writes rows and cells, with the prefix of its elements."""

    row: re.Pattern[bytes]
    row_start: bytes
    row_end: bytes
    formula: bytes
    cells: re.Pattern[bytes]
    """All of a row's cells, if they are plain: with an address, and at most a value."""
    cell: re.Pattern[bytes]
    bare_cell: re.Pattern[bytes]


@lru_cache(maxsize=64)
def words_of(prefix: bytes) -> Words:
    """Return how a sheet writes rows and cells."""
    p = re.escape(prefix)
    value = rb"<%bv>%%b</%bv>" % (p, p)
    start = rb'<%bc r="%%b"(?: s="%%b")?(?: t="%%b")?' % p
    loose = start % (rb"[A-Z]{1,3}[0-9]+", rb"[0-9]{1,9}", rb"[a-zA-Z]+")
    strict = start % (rb"([A-Z]{1,3})([0-9]+)", rb"([0-9]{1,9})", rb"([a-zA-Z]+)")
    rest = rb"(?:/>|>(?:%%b)?</%bc>)" % p
    return Words(
        re.compile(rb"\s*<%brow(%b)\s*(/?)>" % (p, ATTRIBUTES)),
        b"<%brow" % prefix,
        b"</%brow>" % prefix,
        b"<%bf" % prefix,
        re.compile(rb"(?:%b%b)*" % (loose, rest % (value % rb"[^<&\r]*"))),
        re.compile(strict + rest % (value % rb"([^<&\r]*)")),
        re.compile(rb'<%bc(?! r=")[\s/>]' % p),
    )


def find_frame(data: bytes, part: str) -> Frame:
    """Return where the rows of a sheet are; one that only a parser can read is an OddError.

    That has comments or namespaces among its rows, is no UTF-8 or no XML, or has no rows.
    """
    head = _DECLARED.match(data)
    root = _ROOT.match(data, head.end()) if head else None
    if head is None or root is None or b"<!" in data or data.find(b"<?", 5) >= 0 or _OTHER_CODE.search(head[0]):
        raise OddError
    opening = re.compile(rb"<%bsheetData%b\s*>" % (re.escape(root[1]), ATTRIBUTES)).search(data, root.end())
    closing = data.rfind(b"</%bsheetData>" % root[1])
    if opening is None or closing < opening.end() or root[0].count(_MAIN) > 1:
        raise OddError
    declares = data.find(b"xmlns", opening.end(), closing) >= 0 and _DECLARES.search(data, opening.end(), closing)
    if declares or not _is_xml(data):
        raise OddError
    after = b"</%bsheetData></%bworksheet>" % (root[1], root[1])
    return Frame(data, part, root[1], root[0] + opening[0], after, opening.end(), closing)


def _is_xml(data: bytes) -> bool:
    try:
        expat.ParserCreate().Parse(data, True)  # noqa: FBT003 - expat's own: this is all
    except expat.ExpatError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class SheetRows(Mapping[int, Cells]):
    """A sheet's cells by row and column, from the top down.

    They are parsed in pieces, a few of which are held: who changes a cell and wants it to stay so has to `keep` its
    row. `finish` sees the cells of each row when they are made.
    """

    frame: Frame
    edits: dict[int, Cells]
    numbers: array[int] = field(default_factory=lambda: array("L"))
    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))
    """The number of each row, and where its element begins and ends."""
    pieces: array[int] = field(default_factory=lambda: array("L"))
    """The place of the first row of each piece among the rows."""
    cache: OrderedDict[int, dict[int, Cells]] = field(default_factory=OrderedDict)
    finish: list[Callable[[int, Cells], None]] = field(default_factory=list)

    def add(self, row: int, raw: RawRow) -> None:
        """Take in a row below all others; one that is not is an OddError."""
        if self.numbers and row <= self.numbers[-1]:
            raise OddError
        if not self.pieces or raw.end - self.starts[self.pieces[-1]] > TOGETHER:
            self.pieces.append(len(self.numbers))
        self.numbers.append(row)
        self.starts.append(raw.start)
        self.ends.append(raw.end)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, row: int) -> Cells:
        return self.edits[row] if row in self.edits else self._piece(bisect_right(self.pieces, self._at(row)) - 1)[row]

    def __contains__(self, row: object) -> bool:
        at = bisect_left(self.numbers, row) if isinstance(row, int) else len(self.numbers)
        return at < len(self.numbers) and self.numbers[at] == row

    def keep(self, row: int) -> Cells:
        """Return the cells of a row to change: they stay as they are left."""
        return self.edits.setdefault(row, self[row])

    def find_marked(self, *marks: bytes) -> Iterator[int]:
        """Give the rows that may hold all of some bytes, and others near them."""
        for at in range(len(self.pieces)):
            first, last = self._ends(at)
            if all(self.frame.data.find(mark, self.starts[first], self.ends[last]) >= 0 for mark in marks):
                yield from self.numbers[first : last + 1]

    def element(self, row: int) -> bytes:
        """Return a row's element as the template has it, whatever was made of its cells."""
        at = self._at(row)
        return self.frame.data[self.starts[at] : self.ends[at]].strip()

    def raw(self, row: int) -> bytes:
        """Return what is inside a row's element; nothing for a row that is kept."""
        if row in self.edits:
            return b""
        at, words = self._at(row), words_of(self.frame.prefix)
        opening = words.row.match(self.frame.data, self.starts[at])
        if opening is None or opening[2]:
            return b""
        return self.frame.data[opening.end() : self.ends[at] - len(words.row_end)]

    def text(self, row: int) -> str:
        """Return what is inside a row's element, if every cell there says its address; else nothing."""
        raw = self.raw(row)
        is_whole = _COLUMN.search(raw) and not words_of(self.frame.prefix).bare_cell.search(raw)
        return raw.decode() if is_whole else ""

    def reach(self, row: int) -> tuple[int, int] | None:
        """Return the columns of the first and the last cell of a row that is not kept; None without cells."""
        raw = self.raw(row)
        first, last = _COLUMN.search(raw), _COLUMN.match(raw, max(raw.rfind(_ADDRESSED), 0))
        return (_column_number(first[1]), _column_number(last[1])) if first and last else None

    def plain(self, row: int) -> list[PlainCell] | None:
        """Return the cells of a row that has plain ones alone, from left to right; None for other rows."""
        raw, words = self.raw(row), words_of(self.frame.prefix)
        if not raw or not words.cells.fullmatch(raw):
            return None
        result, own, last = [], str(row).encode(), 0
        for column, digits, style, kind, text in words.cell.findall(raw):
            at = _column_number(column)
            if digits != own or at <= last:
                return None
            result.append(PlainCell(at, int(style or 0), kind.decode() or "n", text.decode()))
            last = at
        return result

    def _at(self, row: int) -> int:
        at = bisect_left(self.numbers, row)
        if at == len(self.numbers) or self.numbers[at] != row:
            raise KeyError(row)
        return at

    def _ends(self, piece: int) -> tuple[int, int]:
        """Return the places of the first and the last row of a piece."""
        following = self.pieces[piece + 1] if piece + 1 < len(self.pieces) else len(self.numbers)
        return self.pieces[piece], following - 1

    def _piece(self, at: int) -> dict[int, Cells]:
        """Return the rows of a piece with their cells."""
        if at in self.cache:
            self.cache.move_to_end(at)
            return self.cache[at]
        first, last = self._ends(at)
        elements = self.frame.parse_elements(self.frame.data[self.starts[first] : self.ends[last]])
        rows = zip(self.numbers[first : last + 1], elements, strict=True)
        result = {row: row_cells(element, self.frame.part, row) for row, element in rows}
        for finish in self.finish:
            for row, cells in result.items():
                finish(row, cells)
        self.cache[at] = result
        if len(self.cache) > HELD:
            self.cache.popitem(last=False)
        return result


_ADDRESSED = b'c r="'
_COLUMN = re.compile(_ADDRESSED + b"([A-Z]{1,3})[0-9]")


@lru_cache(maxsize=MAX_COLUMN)
def _column_number(column: bytes) -> int:
    return number(column.decode())


def row_cells(row: Element, part: str, at: int) -> Cells:
    """Return the cells of a row's element by column."""
    cells: Cells = {}
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
    if text.endswith(digits) and (column := _COLUMNS.get(text[: -len(digits)], 0)):
        return column
    result = row_and_column(text)
    column = following if not text else result[1] if result and result[0] == row else 0
    if not 1 <= column <= MAX_COLUMN:
        where = f"{part} in the template has a cell {text!r} in row {row}"
        raise TemplateError(f"{where}; cells from A{row} to XFD{row} are expected; {AGAIN}")
    return column


_COLUMNS = {letters(column): column for column in range(1, 703)}
"""The columns to ZZ, which hardly a sheet goes beyond."""
