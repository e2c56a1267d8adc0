"""What a sheet's XML says of its cells beside their values: formulas, cells without a value, and how far they reach."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

from livesheets import addresses
from livesheets.errors import TemplateError
from livesheets.parts import AGAIN, read_elements

if TYPE_CHECKING:
    import datetime as dt

    from lxml.etree import _Element

    from livesheets.addresses import Place
    from livesheets.package import Package

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
WIDE, SPARSE = 2**22, 4
"""Cells that a sheet may span whatever is in them, and how many times as many as hold something beyond that."""


class Unusable(Struct, frozen=True):
    """What is in a cell that has no value: an error such as #N/A, or a formula that nobody has calculated."""

    what: str

    def __str__(self) -> str:
        return self.what


NOT_CALCULATED = Unusable("a formula without a value; open the file in Excel or LibreOffice and save it")

Cell: TypeAlias = "int | float | str | bool | dt.date | dt.time | dt.timedelta | Unusable | None"


class FormulaText(Struct, frozen=True):
    """A formula as stored; `master` is the cell that holds the text of a shared formula, where that is another one."""

    text: str
    master: Place | None = None


class Cells(Struct):
    """What was found: formulas, cells without a value, how many cells hold something, and the last row and column."""

    formulas: dict[Place, FormulaText] = field(default_factory=dict)
    unusable: dict[Place, Unusable] = field(default_factory=dict)
    masters: dict[str, tuple[Place, str]] = field(default_factory=dict)
    count: int = 0
    last: Place = (0, 0)

    def keep(self, cell: _Element, place: Place) -> None:
        """Take in one cell."""
        if not len(cell):
            return
        self.count += 1
        self.last = max(self.last[0], place[0]), max(self.last[1], place[1])
        formula, value = cell.find(f"{MAIN}f"), cell.findtext(f"{MAIN}v")
        if formula is not None:
            self._formula(formula, place)
        if cell.get("t") == "e":
            self.unusable[place] = Unusable(f"the error {value}")
        elif formula is not None and not value and cell.get("t") != "str":
            self.unusable[place] = NOT_CALCULATED

    def _formula(self, formula: _Element, place: Place) -> None:
        text, index = formula.text or "", formula.get("si")
        if index is not None and text:
            self.masters[str(index)] = place, text
        master = self.masters.get(str(index)) if index is not None and not text else None
        self.formulas[place] = FormulaText(master[1], master[0]) if master else FormulaText(text)


def read_cells(package: Package, part: str, sheet: str) -> Cells:
    """Return what a sheet's XML says of its cells; one that is spread too thin to be read is a TemplateError."""
    result, where = Cells(), f"the sheet {sheet!r} of {package.what}"
    row = -1
    for element in read_elements(package.pieces(part), f"{MAIN}row", part, package.what):
        row, column = _row(element, row + 1, where), -1
        for cell in element.iterchildren(f"{MAIN}c"):
            column = _column(cell, row, column + 1, where)
            result.keep(cell, (row, column))
    size = (result.last[0] + 1) * (result.last[1] + 1)
    if size > max(WIDE, SPARSE * result.count):
        end = addresses.address(result.last[0] + 1, result.last[1] + 1)
        raise TemplateError(
            f"{where} reaches to {end}, and nearly all of it is empty; delete the unused rows and columns"
        )
    return result


def _row(element: _Element, following: int, where: str) -> int:
    text = element.get("r")
    if text is None:
        return following
    if not re.fullmatch("[0-9]{1,7}", str(text)):
        raise TemplateError(f"{where} has a row {str(text)!r}; {AGAIN}")
    return int(text) - 1


def _column(cell: _Element, row: int, following: int, where: str) -> int:
    text = cell.get("r")
    if text is None:
        return following
    result = addresses.row_and_column(str(text))
    if result is None or result[0] - 1 != row:
        raise TemplateError(f"{where} has a cell {str(text)!r} in row {row + 1}; {AGAIN}")
    return result[1] - 1


def misfit(package: Package, part: str) -> str:
    """Return the first cell whose value is not of its kind, with that value; "" where all are."""
    for cell in read_elements(package.pieces(part), f"{MAIN}c", part, package.what):
        kind, value = str(cell.get("t", "n")), (cell.findtext(f"{MAIN}v") or "").strip()
        if kind not in _VALUES or (value and not re.fullmatch(_VALUES[kind], value, re.DOTALL)):
            return f"{cell.get('r')} holds {value[:40]!r} of the kind {kind!r}"
    return ""


_VALUES = {
    "n": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
    "s": r"\d+",
    "b": r"[01]|true|false",
    **dict.fromkeys(("str", "inlineStr", "e", "d"), ".*"),
}
