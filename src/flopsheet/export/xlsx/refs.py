"""References as formulas write them: areas of cells, and finding and rewriting references inside a formula."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import address, letters, number, quoted, unquoted
from flopsheet.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384

_COLUMN = r"\$?(?:[A-Za-z]{1,2}|[A-Wa-w][A-Za-z]{2}|[Xx][A-Ea-e][A-Za-z]|[Xx][Ff][A-Da-d])"
"""A to XFD: what is further right is a name."""
_CELL = rf"{_COLUMN}\$?[1-9][0-9]{{0,6}}"
_REF = rf"(?:{_CELL}(?::{_CELL})?|{_COLUMN}:{_COLUMN}|\$?[1-9][0-9]*:\$?[1-9][0-9]*)(?![\w.(\[!])"
_NAME = r"[^\W\d][\w.]*"
_TOKEN = re.compile(
    rf"""(?P<skip>"(?:[^"]|"")*"|\[[0-9]+\][\w.]*!(?:{_REF})?|\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])"""
    rf"""|(?<![\w.$'])(?:(?P<sheet>'(?:[^']|'')+'|{_NAME}(?::{_NAME})?)!(?P<there>{_REF})?|(?P<here>{_REF}))"""
)
_END = re.compile(r"(\$?)([A-Za-z]{1,3})?(\$?)([0-9]+)?")


@dataclass(frozen=True, slots=True, order=True)
class Area:
    """A rectangle of cells, counted from 1, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = address(self.top, self.left), address(self.bottom, self.right)
        return first if first == last else f"{first}:{last}"

    def meets(self, other: Area) -> bool:
        """Whether the two have a cell in common."""
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    def has(self, row: int, column: int) -> bool:
        """Whether the cell is inside."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


@dataclass(frozen=True, slots=True)
class End:
    """One corner of a reference; a column of 0 is a whole row, a row of 0 a whole column."""

    column: int
    row: int
    fixed_column: bool
    fixed_row: bool

    def __str__(self) -> str:
        column = "$" * self.fixed_column + letters(self.column) if self.column else ""
        return column + ("$" * self.fixed_row + str(self.row) if self.row else "")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference in a formula: its sheet, "" for its own, "Jan:Dec" for several, and its corners as far as written."""

    sheet: str
    first: End | None = None
    last: End | None = None

    def __str__(self) -> str:
        ends = ":".join(str(end) for end in (self.first, self.last) if end)
        return f"{quoted(self.sheet)}!{ends}" if self.sheet else ends

    @property
    def area(self) -> Area | None:
        """The cells meant, None for whole rows, whole columns and names."""
        last = self.last or self.first
        if self.first is None or last is None or not (self.first.row and self.first.column and last.row):
            return None
        rows, columns = sorted((self.first.row, last.row)), sorted((self.first.column, last.column))
        return Area(rows[0], columns[0], rows[1], columns[1])

    @property
    def block(self) -> Area | None:
        """The cells meant, those of whole rows included; None for whole columns and names."""
        return self.reach if self.first is not None and not self.first.column else self.area

    @property
    def reach(self) -> Area | None:
        """The cells meant, whole rows and columns included; None for a name."""
        last = self.last or self.first
        if self.first is None or last is None:
            return None
        rows = sorted((self.first.row or 1, last.row or MAX_ROW))
        columns = sorted((self.first.column or 1, last.column or MAX_COLUMN))
        return Area(rows[0], columns[0], rows[1], columns[1])

    def at(self, area: Area) -> Reference:
        """Return the same reference to other cells, with its dollars."""
        if self.first is None:
            return self
        if not self.first.column:
            area = replace(area, left=0, right=0)
        first = replace(self.first, row=area.top, column=area.left)
        if self.last is None and (area.top, area.left) == (area.bottom, area.right):
            return replace(self, first=first)
        return replace(self, first=first, last=replace(self.last or self.first, row=area.bottom, column=area.right))


def read_area(text: str) -> Area:
    """Read "B5:H6", "B5" or the same with dollars; anything else is a TemplateError."""
    match = re.fullmatch(rf"{_CELL}(?::{_CELL})?", text)
    found = _reference("", text).area if match else None
    if found is None or found.bottom > MAX_ROW or found.right > MAX_COLUMN:
        raise TemplateError(f"{text!r} is not a range of cells")
    return found


def read_areas(text: str) -> list[Area]:
    """Read a `sqref`, ranges with spaces between them; whole rows and columns become their cells."""
    return [_whole(part) if re.search(r"^\D+$|^[$0-9:]+$", part) else read_area(part) for part in text.split()]


def _whole(text: str) -> Area:
    """Read "C:D" or "3:4"."""
    reference = _reference("", text)
    first, last = reference.first, reference.last
    if first is None or last is None:
        raise TemplateError(f"{text!r} is not a range of cells")
    return Area(first.row or 1, first.column or 1, last.row or MAX_ROW, last.column or MAX_COLUMN)


def areas_text(areas: Iterable[Area]) -> str:
    """Write a `sqref`."""
    return " ".join(str(area) for area in areas)


def stacked(areas: Iterable[Area]) -> list[Area]:
    """Return the same cells in fewer areas: one that stands right below another is one with it."""
    found: list[Area] = []
    under: dict[tuple[int, int, int], int] = {}
    for area in areas:
        at = under.pop((area.left, area.right, area.top), len(found))
        if at == len(found):
            found.append(area)
        found[at] = replace(area, top=found[at].top)
        under[area.left, area.right, area.bottom + 1] = at
    return found


def rewrite(formula: str, change: Callable[[Reference], Reference | str]) -> str:
    """Return the formula with each reference replaced by what `change` makes of it.

    Texts, structured references, names and references to other workbooks are left alone; a reference that `change`
    gives back as it was keeps its spelling.
    """

    def one(match: re.Match[str]) -> str:
        if match["skip"]:
            return match[0]
        reference = _reference(unquoted(match["sheet"] or ""), match["there"] or match["here"] or "")
        changed = change(reference)
        return match[0] if changed == reference else str(changed)

    return _TOKEN.sub(one, formula)


def remainder(formula: str) -> str:
    """Return what a formula says besides references and texts; of a structured reference the bracket is left."""

    def rest(match: re.Match[str]) -> str:
        return "[" if match["skip"] and match[0].startswith("[") and match[0].endswith("]") else " "

    return _TOKEN.sub(rest, formula)


def references(formula: str) -> list[Reference]:
    """Return the references that stand in a formula."""
    found: list[Reference] = []

    def keep(reference: Reference) -> Reference:
        found.append(reference)
        return reference

    rewrite(formula, keep)
    return found


def shifted(formula: str, rows: int, columns: int) -> str:
    """Return the formula as Excel copies it that many rows down and columns right."""

    def move(reference: Reference) -> Reference | str:
        ends = [_moved(end, rows, columns) for end in (reference.first, reference.last)]
        if any(end and not (0 <= end.row <= MAX_ROW and 0 <= end.column <= MAX_COLUMN) for end in ends):
            return "#REF!"
        return replace(reference, first=ends[0], last=ends[1])

    return rewrite(formula, move) if rows or columns else formula


def _moved(end: End | None, rows: int, columns: int) -> End | None:
    if end is None:
        return None
    row = end.row if end.fixed_row or not end.row else end.row + rows or -1
    column = end.column if end.fixed_column or not end.column else end.column + columns or -1
    return replace(end, row=row, column=column)


def relative_rows(formula: str, row: int) -> str:
    """Return the formula of one row with each relative row number as a slot: NUL, the offset, byte 1."""

    def mark(reference: Reference) -> Reference | str:
        sheet = f"{quoted(reference.sheet)}!" if reference.sheet else ""
        ends = [end for end in (reference.first, reference.last) if end]
        if all(end.fixed_row or not end.row for end in ends):
            return reference
        return sheet + ":".join(_slotted(end, row) for end in ends)

    return rewrite(formula, mark)


def _slotted(end: End, row: int) -> str:
    if end.fixed_row or not end.row:
        return str(end)
    return f"{replace(end, row=0)}\0{end.row - row}\1"


def _reference(sheet: str, text: str) -> Reference:
    if not text:
        return Reference(sheet)
    first, colon, last = text.partition(":")
    return Reference(sheet, _end(first), _end(last) if colon else None)


def _end(text: str) -> End:
    match = _END.fullmatch(text)
    if match is None:
        raise TemplateError(f"{text!r} is not a cell")
    dollar, column, row_dollar, row = match.groups()
    if not column:
        return End(0, int(row), fixed_column=False, fixed_row=bool(dollar or row_dollar))
    return End(number(column.upper()), int(row or 0), fixed_column=bool(dollar), fixed_row=bool(row_dollar))
