"""Items about what the workbook says of itself: what it is, what changed, and what made it."""

from __future__ import annotations

import re
from itertools import count, takewhile
from typing import TYPE_CHECKING

from flopsheet.audit.sheets import NEAR
from flopsheet.audit.survey import ABOUT, HASH, LOG
from flopsheet.audit.view import NOTES, Cell
from livesheets.references import MAX_COLUMN, MAX_ROW, Area

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.audit.view import WorkbookView
    from livesheets.engine.book import Table

USE = r"how to use|instructions|\busage\b"
SAYS = {
    "a version": r"version|\d+\.\d+\.\d+",
    "a date": r"\bdate|as of|\{\{ date|\d{4}-\d\d|\b(19|20)\d\d\b",
    "how to use it": USE,
}
MARKER = re.compile(r"\{\{.*?\}\}")
TITLE, WORDS = 12, 5
"""Words that a title has at most, and a purpose at least."""
SPACE = 2
"""Rows from a heading to what is under it, with a header or a blank row between."""
HEX, DIGITS = re.compile(r"[0-9a-f]{16,}"), 64


def about(view: WorkbookView) -> Iterator[str]:
    """Find what the first sheet does not say."""
    first = view.sheets[0] if view.sheets else ""
    if not ABOUT.search(first):
        yield f"{first!r} is the first sheet; one such as About is expected"
        return
    texts = [(cell, text) for cell, text in view.texts(first) if cell not in view.formulas]
    top = min(texts, key=lambda entry: (entry[0].row, entry[0].column), default=None)
    if top is None or top[0].row > NEAR or len(top[1].split()) > TITLE:
        yield f"{first}: its first text is not a title"
    if not any(1 < cell.row <= NEAR and len(MARKER.sub("", text).split()) >= WORDS for cell, text in texts):
        yield f"{first}: nothing below the title says what the workbook is for"
    sentence = "\n".join(text for _, text in texts)
    for what, pattern in SAYS.items():
        if not re.search(pattern, sentence, re.IGNORECASE):
            yield f"{first}: nothing says {what}"
    yield from _unsaid(texts)


def _unsaid(texts: Sequence[tuple[Cell, str]]) -> Iterator[str]:
    """Find a heading about the use of the workbook without a text next to it or below."""
    heads = [cell for cell, text in texts if re.search(USE, text, re.IGNORECASE)]
    body_cells = [cell for cell, text in texts if text.strip() and (cell not in heads or len(text.split()) >= WORDS)]
    if heads and not any(0 <= cell.row - head.row <= SPACE for cell in body_cells for head in heads):
        yield f"{heads[0]}: nothing below it says how"


def change_log(view: WorkbookView) -> Iterator[str]:
    """Find that nothing tells what changed from version to version."""
    heads = [Cell(*place) for place in view.survey.heads]
    logs = [sheet for sheet in view.sheets if LOG.search(sheet)]
    if not heads and not logs:
        yield "no sheet and no heading such as 'Change log'"
    for head in (head for head in heads if head.sheet not in logs):
        yield from _entries(view, head)


def _entries(view: WorkbookView, head: Cell) -> Iterator[str]:
    """Find a log without an entry, and entries that lack what the log's header asks for; notes may be blank."""
    below = view.within(head.sheet.casefold(), Area(head.row + 1, 1, MAX_ROW, MAX_COLUMN))
    texts = {(cell.row, cell.column): text for cell in below if (text := str(view.value(cell) or "").strip())}
    first, rows = head.row + SPACE, {row for row, _ in texts}
    if not rows & {first, first + 1}:
        yield f"{head}: no version below it"
    header = [(column, text) for (row, column), text in texts.items() if row == head.row + 1]
    for row in takewhile(rows.__contains__, count(first)):
        for column, title in header:
            if (row, column) not in texts and title.casefold() not in NOTES:
                yield f"{Cell(head.sheet, row, column)}: the entry has nothing under {title!r}"


def provenance(view: WorkbookView) -> Iterator[str]:
    """Find that no sheet tells what made the workbook, and of which files."""
    yield from _find_unvouched(view)
    if not view.survey.provenance_sheets & view.survey.hash_sheets:
        yield "no sheet has a heading 'Provenance' and the SHA-256 of the inputs"


def _find_unvouched(view: WorkbookView) -> Iterator[str]:
    """Find rows of what the workbook was made of without a version or hash, and hashes that are cut."""
    for table in view.tables:
        for header in (column for column in table.columns if HASH.search(column)):
            for cell in view.column(table, header):
                digest = str(view.value(cell) or "")
                row = view.within(cell.sheet.casefold(), _row(table, cell))
                if not digest and any(map(view.value, row)):
                    yield f"{cell}: no {header.lower().replace('sha', 'SHA')} of what is next to it"
                elif HEX.fullmatch(digest) and len(digest) != DIGITS:
                    yield f"{cell}: {digest} is not a SHA-256, which has {DIGITS} digits"


def _row(table: Table, cell: Cell) -> Area:
    return Area(cell.row, table.area.left, cell.row, table.area.right)
