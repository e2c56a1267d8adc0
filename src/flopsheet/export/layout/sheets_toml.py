"""The sheets of the plan's template that sheets.toml describes: their texts, cells, lists, marks and print setup."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from openpyxl.utils.cell import coordinate_from_string, get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.accounting.data import read_table
from flopsheet.export.layout import look
from flopsheet.export.layout.look import print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out, shipped_lists
from flopsheet.export.layout.spec import check_cell
from flopsheet.export.layout.tables import add_choice, head, hold, local_name, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.shipped_lists import Repeated

CHOICES = {"choices": False, "optional_choices": True}
"""Cells with a list to choose from, and whether they may be blank."""


class Described(Struct, frozen=True, dict=True):
    """A sheet as sheets.toml describes it, under the titles of the cases; a brief one takes at most two pages."""

    tab: str
    titles: Sequence[str]
    placeholders: Repeated
    brief: bool = False

    def add_to(self, book: Workbook) -> Worksheet:
        """Add the sheet to a workbook."""
        sheet: Worksheet = book.create_sheet(self.tab)
        layout = self._layout
        self._head(sheet, layout)
        for cells, text, style in layout.get("texts", ()):
            self._put(sheet, cells, text, style)
        for cell_name, address, value, style in layout.get("cells", ()):
            put(sheet, self._place(address), value, style)
            name(sheet, cell_name, self._place(address))
        for cell_name, address in layout.get("own_names", ()):
            local_name(sheet, cell_name, address)
        for arguments in layout.get("tables", ()):
            self._table(sheet, *arguments)
        for cells, text, style in layout.get("below", ()):
            self._put(sheet, cells, text, style)
        for kind, cells, *more in layout.get("marks", ()):
            getattr(look, f"mark_{kind}")(sheet, self._place(cells), *map(self._place, more))
        self._validate(sheet, layout)
        self._set_up(sheet, layout)
        return sheet

    def _head(self, sheet: Worksheet, layout: Mapping[str, Any]) -> None:
        """Write the title, what the sheet is for, and the state of all checks."""
        check, _, last = layout["check"].partition(":")
        title, note = layout.get("title", self.tab), self._place(layout.get("note", ""))
        head(sheet, title, note, check.rstrip("1"), last.rstrip("1"))
        if "own_names" not in layout:
            name(sheet, check_cell(self.tab, layout), check)

    def _put(self, sheet: Worksheet, cells: str, text: str | int, style: str) -> None:
        value = (self._place(text) or None) if isinstance(text, str) else text
        for address in _each(sheet, self._place(cells)):
            put(sheet, address, value, style)

    def _table(self, sheet: Worksheet, key: str, address: str, samples: int = 1, heading: str = "heading") -> None:
        first, row = coordinate_from_string(address)
        entry, columns = shipped_lists()[key], laid_out(key, self.placeholders)
        looks = [[*row_looks] or [one[1] for one in columns] for row_looks in entry.rows]
        at = sheet[f"{first}1"].column
        table(sheet, entry.name or key, row, columns, samples, heading, at, looks)

    def _validate(self, sheet: Worksheet, layout: Mapping[str, Any]) -> None:
        for key, blank in CHOICES.items():
            for cells, where, *words in layout.get(key, ()):
                what, title = words or ("", "")
                error = what and f"Choose {what} from the list"
                add_choice(sheet, self._place(cells), where, title, error, may_be_blank=blank)
        for cells, *more in layout.get("numbers", ()):
            rule = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0")
            hold(sheet, self._place(cells), rule, *more)
        for cells, condition, *more in layout.get("custom", ()):
            hold(sheet, self._place(cells), DataValidation("custom", formula1=condition), *more)

    def _set_up(self, sheet: Worksheet, layout: Mapping[str, Any]) -> None:
        for row, height in layout.get("heights", {}).items():
            sheet.row_dimensions[int(row)].height = height
        for column, width in layout.get("widths", {}).items():
            sheet.column_dimensions[column].width = width
        for cells in layout.get("merged", ()):
            sheet.merge_cells(cells)
        if "freeze" in layout:
            sheet.freeze_panes = layout["freeze"]
        if layout.get("own_heights"):
            sheet.sheet_format.customHeight = True
        if layout.get("hidden"):
            sheet.sheet_state = "hidden"
        pages = layout["print"]
        high = pages.get("high", 2 * self.brief)
        print_setup(sheet, pages.get("rows", ""), area=self._place(pages.get("area", "")), high=high)

    def _place(self, text: str) -> str:
        """Return a text with the letters of columns, and the titles of cases, in the place of their words."""
        return text.format_map({**self._columns, **TITLES}) if "{" in text else text

    @cached_property
    def _columns(self) -> dict[str, str]:
        """The letters of the columns of the sheet's first list, by header as a word; `last` is the last case's."""
        headers = [header for header, *_ in laid_out(self._layout["tables"][0][0], self.placeholders)]
        letters = {header: get_column_letter(place) for place, header in enumerate(headers, start=1)}
        words = {header.lower().replace(" ", "_"): letter for header, letter in letters.items()}
        return {**words, "last": letters.get(self.titles[-1], "")}

    @property
    def _layout(self) -> Mapping[str, Any]:
        layouts: Mapping[str, Mapping[str, Any]] = read_table("flopsheet.export.layout", "sheets.toml")
        return layouts[self.tab]


def _each(sheet: Worksheet, cells: str) -> Iterator[str]:
    """Give the addresses of a cell, or of all cells of a range."""
    rows = sheet[cells] if ":" in cells else ((sheet[cells],),)
    return (cell.coordinate for row in rows for cell in row)
