"""The sheets of the plan's template that sheets.toml describes: their texts, cells, lists, marks and print setup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from openpyxl.utils.cell import coordinate_from_string, get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation

from flopsheet.accounting.data import read_table
from flopsheet.export.layout import look
from flopsheet.export.layout.look import print_setup, put
from flopsheet.export.layout.shipped_lists import laid_out, shipped_lists
from flopsheet.export.layout.tables import head, local_name, name, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.shipped_lists import Repeated

TINY: Mapping[str, tuple[str, str]] = {"figure": look.TINY_FIGURE, "share": look.TINY_SHARE}
MARKS: Mapping[str, Callable[..., None]] = {
    "status": look.mark_status,
    "zero": look.mark_zero,
    "verdict": look.mark_verdict,
    "wrong": look.mark_wrong,
    "unread": look.mark_unread,
    "large": look.mark_large,
    "negative": look.mark_negative,
    "typed": look.mark_typed,
    "unit": look.mark_unit,
    "heat": look.mark_heat,
    "tiny": lambda sheet, ref, form: look.mark_tiny(sheet, ref, TINY[form]),
}


BLANK = 2
"""A choice that says more than its words and title may be blank."""


@dataclass(frozen=True)
class Described:
    """A sheet as sheets.toml describes it, under the titles of the cases; a brief one takes at most two pages."""

    tab: str
    titles: Sequence[str]
    repeated: Repeated
    brief: bool = False

    def add_to(self, book: Workbook) -> Worksheet:
        """Add the sheet to a workbook."""
        sheet: Worksheet = book.create_sheet(self.tab)
        said = read_table("flopsheet.export.layout", "sheets.toml")[self.tab]
        self._head(sheet, said)
        for cells, text, worn in said.get("texts", ()):
            self._put(sheet, cells, text, worn)
        for defined, address, value, worn in said.get("cells", ()):
            put(sheet, self._meant(address), value, worn)
            name(sheet, defined, self._meant(address))
        for defined, address in said.get("own_names", ()):
            local_name(sheet, defined, address)
        for given in said.get("tables", ()):
            self._table(sheet, *given)
        for cells, text, worn in said.get("below", ()):
            self._put(sheet, cells, text, worn)
        for kind, cells, *more in said.get("marks", ()):
            MARKS[kind](sheet, self._meant(cells), *map(self._meant, more))
        self._validate(sheet, said)
        self._set_up(sheet, said)
        return sheet

    def _head(self, sheet: Worksheet, said: Mapping[str, Any]) -> None:
        """Write the title, what the sheet is for, and the state of all checks."""
        check, _, last = said["check"].partition(":")
        title, note = said.get("title", self.tab), self._meant(said.get("note", ""))
        head(sheet, title, note, check.rstrip("1"), last.rstrip("1"))
        if "own_names" not in said:
            name(sheet, f"chk_{said.get('check_name', self.tab.lower())}", check)

    def _put(self, sheet: Worksheet, cells: str, text: str | int, worn: str) -> None:
        value = (self._meant(text) or None) if isinstance(text, str) else text
        for address in _each(sheet, self._meant(cells)):
            put(sheet, address, value, worn)

    def _table(self, sheet: Worksheet, key: str, address: str, samples: int = 1, heading: str = "heading") -> None:
        first, row = coordinate_from_string(address)
        listed, columns = shipped_lists()[key], laid_out(key, self.repeated)
        looks = [[*worn] or [one[1] for one in columns] for worn in listed.rows]
        at = sheet[f"{first}1"].column
        table(sheet, listed.name or key, row, columns, samples, heading, at, looks)

    def _validate(self, sheet: Worksheet, said: Mapping[str, Any]) -> None:
        for cells, where, *more in said.get("choices", ()):
            what, title = (*more, "", "")[:2]
            listed = DataValidation("list", formula1=where, allow_blank=len(more) > BLANK)
            self._hold(sheet, cells, listed, f"Choose {what} from the list" if what else "", title)
        for cells, *more in said.get("numbers", ()):
            least = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0")
            self._hold(sheet, cells, least, *more)
        for cells, condition, *more in said.get("custom", ()):
            self._hold(sheet, cells, DataValidation("custom", formula1=condition), *more)

    def _hold(self, sheet: Worksheet, cells: str, held: DataValidation, error: str = "", title: str = "") -> None:
        """Hold cells to what may be typed into them, and say what that is."""
        held.showErrorMessage, held.error, held.errorTitle = True, error or None, title or None
        sheet.add_data_validation(held)
        held.add(self._meant(cells))

    def _set_up(self, sheet: Worksheet, said: Mapping[str, Any]) -> None:
        for row, height in said.get("heights", {}).items():
            sheet.row_dimensions[int(row)].height = height
        for column, width in said.get("widths", {}).items():
            sheet.column_dimensions[column].width = width
        for cells in said.get("merged", ()):
            sheet.merge_cells(cells)
        if "freeze" in said:
            sheet.freeze_panes = said["freeze"]
        if said.get("own_heights"):
            sheet.sheet_format.customHeight = True
        if said.get("hidden"):
            sheet.sheet_state = "hidden"
        pages = said["print"]
        high = pages.get("high", 2 * self.brief)
        print_setup(sheet, pages.get("rows", ""), area=self._meant(pages.get("area", "")), high=high)

    def _meant(self, text: str) -> str:
        """Return a text with the columns that follow the cases in the place of their words."""
        return text.format(**TITLES, **self._columns) if "{" in text else text

    @property
    def _columns(self) -> dict[str, str]:
        """The letters of columns that follow the cases, on Assumptions and on Budget."""
        count = len(self.titles)
        places = {"last": 3 + count, "live": 4 + count, "source": 5 + count, "comment": 6 + count}
        headers = [header for header, *_ in laid_out("drivers", self.repeated)]
        places |= {header.lower(): headers.index(header) + 1 for header in ("Read", "Valid")}
        return {word: get_column_letter(place) for word, place in places.items()}


def _each(sheet: Worksheet, cells: str) -> Iterator[str]:
    """Give the addresses of a cell, or of all cells of a range."""
    rows = sheet[cells] if ":" in cells else ((sheet[cells],),)
    return (cell.coordinate for row in rows for cell in row)
