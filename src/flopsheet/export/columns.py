"""Rows as aligned columns of plain text: long headers wrap, and columns that a terminal has no room for go below."""

from __future__ import annotations

import textwrap
from shutil import get_terminal_size
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.export.text import WIDTH, columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = "  "
LEAST = 12
"""A header wraps to its widest cell, and to no fewer characters than this."""


class Column(Struct, frozen=True):
    """A header in lines, the cells below it, and the characters that both take: words on the left, numbers right."""

    header: list[str]
    cells: Sequence[str]
    width: int
    left: bool

    def pad(self, text: str) -> str:
        """Return a text as wide as the column."""
        space = " " * (self.width - columns(text))
        return text + space if self.left else space + text


def room() -> int:
    """Return how many characters wide the terminal is, or a page of text where that is more."""
    return max(get_terminal_size().columns, WIDTH)


def align_rows(headers: Sequence[str], rows: Sequence[Sequence[str]], lead: int, room: int) -> Iterator[str]:
    """Give the lines of a table: what is wider than `room` in blocks of columns, parted by an empty line.

    The first `lead` columns say what a row is, and begin each block.
    """
    cells = list(zip(*rows, strict=True)) or [()] * len(headers)
    results = [_column(header, cells[at], leads=at < lead) for at, header in enumerate(headers)]
    for number, block in enumerate(_blocks(results[:lead], results[lead:], room)):
        if number:
            yield ""
        yield from _lines(block)


def _column(header: str, cells: Sequence[str], *, leads: bool) -> Column:
    widest = max(LEAST, *(columns(text) for text in (*header.split(), *cells)))
    lines = textwrap.wrap(header, widest, break_long_words=False, break_on_hyphens=False) or [""]
    return Column(lines, cells, max(map(columns, (*lines, *cells))), leads and not all(map(_is_number, cells)))


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").removesuffix("%"))
    except ValueError:
        return False
    return True


def _blocks(first: list[Column], others: list[Column], room: int) -> Iterator[list[Column]]:
    """Give the columns of each block: the leading ones, and as many others as there is room for, but at least one."""
    block = list(first)
    for column in others:
        if len(block) > len(first) and sum(member.width + len(GAP) for member in block) + column.width > room:
            yield block
            block = list(first)
        block.append(column)
    yield block


def _lines(block: Sequence[Column]) -> Iterator[str]:
    height = max(len(column.header) for column in block)
    headers = zip(*([""] * (height - len(column.header)) + column.header for column in block), strict=True)
    for line in (*headers, *zip(*(column.cells for column in block), strict=True)):
        yield GAP.join(column.pad(text) for column, text in zip(block, line, strict=True)).rstrip()
