"""Numbers that somebody typed outside of lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flopsheet.audit.view import Cell, WorkbookView

ABOUT = re.compile(r"about|cover|read ?me|introduction|summary|overview|contents", re.IGNORECASE)
"""How the sheet is called that is first, and shows cells as samples of what they look like."""


def hardcoded(view: WorkbookView) -> list[Cell]:
    """Return the numbers outside of lists that are no formulas; on About those with a name."""
    areas = [(table.sheet, table.area) for table in view.tables]
    named, cover = set(view.names.values()), next(filter(ABOUT.search, view.sheets), "")
    cells = [cell for sheet in view.sheets for cell in view.cells(sheet) if sheet != cover or cell in named]
    plain = [cell for cell in cells if cell not in view.formulas and type(view.value(cell)) in (int, float)]
    return [c for c in plain if not any(c.sheet == sheet and area.has(c.row, c.column) for sheet, area in areas)]
