"""References as formulas write them: areas of cells, and finding and rewriting references inside a formula."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from livesheets.addresses import address, letters, number, quote, unquote
from livesheets.errors import TemplateError
from livesheets.parts import AGAIN
from livesheets.tokens import Token, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384
_TWICE = re.compile(r"^(.+)!([^!:]+):\1!")
"""A sheet before each corner of a range, as some people write it."""


class Area(Struct, frozen=True, order=True):
    """A rectangle of cells, counted from 1, both ends included."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = address(self.top, self.left), address(self.bottom, self.right)
        return first if first == last else f"{first}:{last}"

    @property
    def size(self) -> int:
        """How many cells it has."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def meets(self, other: Area) -> bool:
        """Whether the two have a cell in common."""
        in_rows = self.top <= other.bottom and other.top <= self.bottom
        return in_rows and self.left <= other.right and other.left <= self.right

    def has(self, row: int, column: int) -> bool:
        """Whether the cell is inside."""
        return self.top <= row <= self.bottom and self.left <= column <= self.right


class End(Struct, frozen=True):
    """One corner of a reference; a column of 0 is a whole row, a row of 0 a whole column."""

    column: int
    row: int
    fixed_column: bool
    fixed_row: bool

    @property
    def moves_down(self) -> bool:
        """Whether a copy of its formula further down means another row."""
        return bool(self.row) and not self.fixed_row

    @property
    def moves_right(self) -> bool:
        """Whether a copy of its formula further right means another column."""
        return bool(self.column) and not self.fixed_column

    def __str__(self) -> str:
        column = "$" * self.fixed_column + letters(self.column) if self.column else ""
        return column + ("$" * self.fixed_row + str(self.row) if self.row else "")


class Reference(Struct, frozen=True):
    """A reference in a formula: its sheet and its corners as far as written.

    The sheet is "" for the formula's own, "Jan:Dec" for several, and "[1]Sheet1" for one of another workbook.
    """

    sheet: str
    first: End | None = None
    last: End | None = None

    def __str__(self) -> str:
        ends = ":".join(map(str, self.ends))
        return f"{quote(self.sheet)}!{ends}" if self.sheet else ends

    @property
    def ends(self) -> list[End]:
        """Its corners: two, one, or none of a name."""
        return [end for end in (self.first, self.last) if end]

    @property
    def foreign(self) -> bool:
        """Whether it is to another workbook."""
        return "]" in self.sheet

    @property
    def area(self) -> Area | None:
        """The cells meant, None for whole rows, whole columns and names."""
        return self.reach if self.first and self.first.row and self.first.column else None

    @property
    def block(self) -> Area | None:
        """The cells meant, those of whole rows included; None for whole columns and names."""
        return self.reach if self.first is not None and not self.first.column else self.area

    @property
    def reach(self) -> Area | None:
        """The cells meant, whole rows and columns included; None for a name."""
        return None if self.first is None else self.move(0, 0)

    @property
    def moves(self) -> bool:
        """Whether it means other cells where its formula is copied to."""
        return any(end.moves_down or end.moves_right for end in self.ends)

    def move(self, rows: int, columns: int) -> Area:
        """Return the cells that it means in a copy so many rows down and columns right, inside the sheet."""
        first, last = self.first, self.last or self.first
        if first is None or last is None:
            raise ValueError("a name does not move")
        top, bottom = (first.row or 1) + rows * first.moves_down, (last.row or MAX_ROW) + rows * last.moves_down
        left, right = first.column or 1, last.column or MAX_COLUMN
        left, right = left + columns * first.moves_right, right + columns * last.moves_right
        return Area(min(top, bottom), min(left, right), max(top, bottom), max(left, right))

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


def read_area(text: str, where: str = "") -> Area:
    """Read "B5:H6", "B5" or the same with dollars; anything else is a TemplateError, with where it is."""
    result = _only(text).area
    if result is None or result.bottom > MAX_ROW or result.right > MAX_COLUMN:
        place = f"{where}: " if where else ""
        raise TemplateError(f"{place}{text!r} is not a range of cells, such as A1:C9; {AGAIN}")
    return result


def read_areas(text: str, where: str = "") -> list[Area]:
    """Read a `sqref`, ranges with spaces between them; whole rows and columns become their cells, #REF! is none."""
    return [_reach(part) or read_area(part, where) for part in text.split() if part != "#REF!"]


def _reach(text: str) -> Area | None:
    """Return the cells of "C:D" or "3:4", None for other ranges."""
    result = _only(text)
    return result.reach if result.last is not None and result.area is None else None


def _only(text: str) -> Reference:
    """Return a reference that is a whole text, without a sheet; one to nothing for any other text."""
    result = tokens(text)
    return reference(text) if len(result) == 1 and result[0].kind == "cells" and "!" not in text else Reference("")


def areas_text(areas: Iterable[Area]) -> str:
    """Write a `sqref`."""
    return " ".join(str(area) for area in areas)


def stack_areas(areas: Iterable[Area]) -> list[Area]:
    """Return the same cells in fewer areas: one that stands right below another is one with it."""
    results: list[Area] = []
    under: dict[tuple[int, int, int], int] = {}
    for area in areas:
        at = under.pop((area.left, area.right, area.top), len(results))
        if at == len(results):
            results.append(area)
        results[at] = replace(area, top=results[at].top)
        under[area.left, area.right, area.bottom + 1] = at
    return results


def rewrite(formula: str, change: Callable[[Reference], Reference | str]) -> str:
    """Return the formula with each reference replaced by what `change` makes of it.

    Texts, structured references and names are left alone; a reference that `change` gives back as it was keeps its
    spelling.
    """
    return "".join(_change_token(token, change) if token.kind == "cells" else token.text for token in tokens(formula))


def _change_token(token: Token, change: Callable[[Reference], Reference | str]) -> str:
    before = reference(token.text)
    after = change(before)
    return token.text if after == before else str(after)


def references(formula: str) -> list[Reference]:
    """Return the references in a formula."""
    return [reference(token.text) for token in tokens(formula) if token.kind == "cells"]


def shift(formula: str, rows: int, columns: int) -> str:
    """Return the formula as Excel copies it that many rows down and columns right."""

    def move(reference: Reference) -> Reference | str:
        ends = [_move_end(end, rows, columns) for end in (reference.first, reference.last)]
        if any(end and not (0 <= end.row <= MAX_ROW and 0 <= end.column <= MAX_COLUMN) for end in ends):
            return "#REF!"
        return replace(reference, first=ends[0], last=ends[1])

    return rewrite(formula, move) if rows or columns else formula


def _move_end(end: End | None, rows: int, columns: int) -> End | None:
    if end is None:
        return None
    row = end.row + rows or -1 if end.moves_down else end.row
    column = end.column + columns or -1 if end.moves_right else end.column
    return replace(end, row=row, column=column)


def relative_rows(formula: str, row: int) -> str:
    """Return the formula of one row with each relative row number as a slot: NUL, the offset, byte 1."""

    def mark(reference: Reference) -> Reference | str:
        sheet = f"{quote(reference.sheet)}!" if reference.sheet else ""
        if not any(end.moves_down for end in reference.ends):
            return reference
        ends = (f"{replace(end, row=0)}\0{end.row - row}\1" if end.moves_down else str(end) for end in reference.ends)
        return sheet + ":".join(ends)

    return rewrite(formula, mark)


def split(text: str) -> tuple[str, str]:
    """Return the text of a token of cells up to its !, "" without one, and its corners."""
    place, mark, cells = _TWICE.sub(r"\1!\2:", text).rpartition("!")
    return place + mark, cells


@lru_cache(maxsize=2**13)
def reference(text: str) -> Reference:
    """Read the text of a token of cells."""
    place, cells = split(text)
    first, colon, last = cells.partition(":")
    return Reference(unquote(place[:-1]), _end(first) if cells else None, _end(last) if colon else None)


def _end(text: str) -> End:
    """Read `$A$1`, `A`, or `$1`."""
    head = text.rstrip("0123456789")
    column, row = head.strip("$"), int(text[len(head) :] or 0)
    if not column:
        return End(0, row, fixed_column=False, fixed_row=bool(head))
    return End(number(column.upper()), row, fixed_column=head.startswith("$"), fixed_row=head.endswith("$"))
