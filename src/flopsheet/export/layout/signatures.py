"""What makes a page one that somebody signs: the answer below its title, what it rests on, and who stands for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.utils import get_column_letter

from flopsheet.export.layout.look import put
from flopsheet.export.layout.tables import put_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl.worksheet.worksheet import Worksheet

SIGNED_BY = ("Prepared by", "Reviewed by", "Approved by")
ANSWER, TURNS = 3, 4
"""The rows of the answer, and of what it does not survive."""
ANSWER_HEIGHT = 32
BESIDES = 5
"""Rows beside those of the inputs: a blank one, a heading, the risks, what changed since the issue, and who signs."""


SIGN_COLUMNS = 3
"""Columns of a line to be signed."""


def rows_signed(inputs: int) -> int:
    """Return the rows that a page with so many inputs takes for what it rests on; none without any."""
    return inputs + BESIDES if inputs else 0


def lay_out_signatures(sheet: Worksheet, inputs: int, row: int, widths: Sequence[float]) -> None:
    """Write the answer below the title, and from a row on what it rests on and the lines to be signed."""
    last = len(widths)
    for place, name, look, sample in ((ANSWER, "sum_answer", "answer", "Rent"), (TURNS, "sum_turns", "note", "-")):
        put_named(sheet, name, f"A{place}", sample, look)
        sheet.merge_cells(f"A{place}:{get_column_letter(last)}{place}")
    sheet.row_dimensions[ANSWER].height = ANSWER_HEIGHT
    put(sheet, f"A{row + 1}", "What it rests on", "section")
    middle = _column_after(widths, 1 / 3)
    for place in range(1, inputs + 1):
        at = row + 1 + place
        put_named(sheet, f"sum_input_{place}", f"A{at}", "Input", "plain")
        put_named(sheet, f"sum_source_{place}", f"{get_column_letter(middle)}{at}", "Source", "source_line")
        put_named(sheet, f"sum_row_{place}", f"{get_column_letter(last + 1)}{at}", 1, "id")
    below = row + inputs + 2
    put_named(sheet, "sum_risks", f"A{below}", "What moves it", "plain")
    put_named(sheet, "sum_changed", f"A{below + 1}", "Changed", "plain")
    for place, who in enumerate(SIGNED_BY):
        at = _column_after(widths, place / len(SIGNED_BY))
        put(sheet, f"{get_column_letter(at)}{below + 2}", f"{who}:", "plain")
        for beside in range(at + 1, min(at + 1 + SIGN_COLUMNS, last + 1)):
            put(sheet, f"{get_column_letter(beside)}{below + 2}", None, "sign")


def _column_after(widths: Sequence[float], share: float) -> int:
    """Return the column that begins at a share of a page's width, or next behind it."""
    before, whole = 0.0, sum(widths)
    for column, wide in enumerate(widths, 1):
        if before >= share * whole:
            return column
        before += wide
    return len(widths)
