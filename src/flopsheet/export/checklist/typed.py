"""Numbers that somebody typed outside of lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flopsheet.export.checklist.look import Cell, Look

ABOUT = re.compile(r"about|cover|read ?me|introduction|summary|overview|contents", re.IGNORECASE)
"""How the sheet is called that stands first, and shows cells as samples of what they look like."""


def typed(look: Look) -> list[Cell]:
    """Return the numbers outside of lists that are no formulas; on About those with a name."""
    areas = [(table.sheet, table.area) for table in look.tables]
    named, cover = set(look.names.values()), next(filter(ABOUT.search, look.sheets), "")
    cells = [cell for sheet in look.sheets for cell in look.cells(sheet) if sheet != cover or cell in named]
    plain = [cell for cell in cells if cell not in look.formulas and type(look.value(cell)) in (int, float)]
    return [c for c in plain if not any(c.sheet == sheet and area.has(c.row, c.column) for sheet, area in areas)]
