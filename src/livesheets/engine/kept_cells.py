"""Proof that a fill loses no cell: what is written of a sheet is compared with what was read, while it is written.

The rows that were read are the template's own bytes, so nothing that the fill makes of them can hide a loss.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.addresses import address, number
from livesheets.engine.layout import columns_of_tables
from livesheets.engine.markup import attribute, local
from livesheets.engine.sheet_rows import words_of
from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from livesheets.engine.markup import Element
    from livesheets.engine.plan import SheetPlan
    from livesheets.engine.sheet_rows import Frame

_ADDRESS = re.compile(rb"""\A[^>]*?\sr\s*=\s*["']\s*([A-Z]{1,3})[0-9]""")


@lru_cache(maxsize=64)
def _start_of_cell(prefix: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"<%bc(?=[\s/>])" % re.escape(prefix))


class KeptCells(Struct):
    """The template's cells of one sheet, each crossed off when it is written; `losses` are those that were not."""

    plan: SheetPlan
    rows: int = 0
    losses: list[str] = field(default_factory=list)

    def see_row(self, row: int, text: str) -> None:
        """Take note of a row that is written as it was: its bytes are those of the template."""
        self.rows += 1
        raw, words = self.plan.xml.cells.element(row), words_of(self.plan.xml.cells.frame.prefix)
        start = raw.removesuffix(text.encode() + words.row_end)
        if len(start) == len(raw) or b"<" in start[1:]:
            self.losses.append(f"row {row}")

    def see_cells(self, row: int, cells: Mapping[int, str]) -> None:
        """Take note of a row that is written cell by cell: each one of the template is there, or a table's."""
        if row not in self.plan.xml.cells:
            return
        self.rows += 1
        of_table, frame = columns_of_tables(self.plan, row), self.plan.xml.cells.frame
        for column, raw in _cells(self.plan.xml.cells.element(row), frame.prefix):
            if not of_table(column) and not self._holds(row, column, raw, cells.get(column, "")):
                self.losses.append(address(row, column))

    def check(self) -> None:
        """Refuse a sheet that lost a cell: a TemplateError that says which."""
        missing = len(self.plan.xml.cells) - self.rows
        if self.losses or missing:
            what = ", ".join(self.losses[:3]) or f"{missing:,} rows"
            raise TemplateError(
                f"the sheet {self.plan.name!r} would lose cells that are not filled ({what}), so nothing was written; "
                "this is a fault of livesheets: please report it with the template"
            )

    def _holds(self, row: int, column: int, raw: bytes, text: str) -> bool:
        """Whether a cell is written as it was, or changed on purpose."""
        if text.encode() == raw:
            return True
        xml = self.plan.xml
        if not text or (row, column) in self.plan.values or (row, column) in xml.forgotten or row in xml.cells.edits:
            return bool(text)
        return _meaning(xml.cells.frame, raw, column) == _meaning(xml.cells.frame, text.encode(), column)


def _cells(row: bytes, prefix: bytes) -> Iterator[tuple[int, bytes]]:
    """Give the column and the bytes of each cell of a row's element."""
    starts = [match.start() for match in _start_of_cell(prefix).finditer(row)]
    column = 0
    for start, end in pairwise([*starts, row.rfind(b"</")]):
        raw = row[start:end].rstrip()
        own = _ADDRESS.match(raw)
        column = number(own[1].decode()) if own else column + 1
        yield column, raw


def _meaning(frame: Frame, text: bytes, column: int) -> tuple[object, ...]:
    """Return what a cell says, however it is spelled; of a formula only that it is one, as it may follow a table."""
    cell: Element = frame.parse_elements(b"<row>%b</row>" % text)[0][0]
    parts = {local(part): part for part in cell}
    if "f" in parts:
        return column, attribute(cell, "s", "0")
    inside = tuple("".join(map(str, part.itertext())) for part in cell)
    return column, attribute(cell, "s", "0"), attribute(cell, "t", "n"), tuple(parts), inside
