"""What refers to a filled table stretches with it: how one range follows, and how a formula does."""

from __future__ import annotations

from enum import Enum
from itertools import chain, groupby
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from livesheets.addresses import letters
from livesheets.errors import TemplateError
from livesheets.references import Area, Reference, rewrite
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from livesheets.references import End
    from livesheets.tokens import Token


class MissingColumnError(TemplateError):
    """A reference to a column that the filled table does not have."""


class Mode(Enum):
    """How willing a range is to follow a table."""

    EXACT = "formulas and names: a range that covers all data rows; one that ends below them ends there, or lower"
    WINDOW = "charts: the same for columns of cells, and one that begins with the data and ends below ends with them"
    COVER = "print areas, validations, formats: every range over the first data row covers all of them"
    RULE = "formulas of validations and formats: exact, but relative columns are moved by their anchor"
    ROW = (
        "formulas of a data row, repeated in every one: exact, but a range whose end moves with the row keeps its "
        "rows, and one whose start alone does is over the rest"
    )
    ROW_RULE = "formulas of validations and formats of data rows: both"


class Resize(Struct, frozen=True):
    """How a table changes: its place in the template, and its last data row and column in the output.

    `places` maps each column of the template to the columns that stand for it, the principal one first; None if the
    columns are the template's own. `above` rows over the header belong to the columns.
    """

    table: str
    area: Area
    totals: int
    bottom: int
    right: int
    places: Mapping[int, tuple[int, ...]] | None
    above: int = 0

    @property
    def first(self) -> int:
        """The first data row, before and after."""
        return self.area.top + 1

    @property
    def last(self) -> int:
        """The last data row in the template."""
        return self.area.bottom - self.totals

    @property
    def rows(self) -> range:
        """The data rows, before and after; a totals row that moves, too."""
        return range(self.first, max(self.last, self.bottom) + 1 + (self.totals if self.bottom != self.last else 0))

    @property
    def new_area(self) -> Area:
        """The whole table in the output, header and totals row included."""
        return Area(self.area.top, self.area.left, self.bottom + self.totals, self.right)

    @property
    def written_area(self) -> Area:
        """The filled table with the rows above it that go with it."""
        return replace(self.new_area, top=self.area.top - self.above)

    @property
    def old_area(self) -> Area:
        """The template's cells that the table rewrites or clears, with the rows above that go with it."""
        return replace(self.area, top=self.area.top - self.above)

    def touches(self, area: Area) -> bool:
        """Whether a range of the template has a cell of the table, or of the rows above it that go with it."""
        return area.meets(self.old_area)

    def is_total(self, row: int) -> bool:
        """Whether a row of the template is the totals row."""
        return bool(self.totals) and row == self.last + 1

    def in_data(self, area: Area) -> bool:
        """Whether a range of the template begins in the table's data rows."""
        return area.meets(self.area) and self.first <= area.top <= self.last

    def column(self, column: int) -> int:
        """Return where a column of the template is in the output."""
        if self.places is None or not self.area.left <= column <= self.area.right:
            return column
        if not self.places[column]:
            raise MissingColumnError(
                f"refers to the column {letters(column)} of the table {self.table}, which its fill does not have"
            )
        return self.places[column][0]


class Scope(Struct, frozen=True):
    """What a formula's references are read against.

    `home` is the sheet of references without one. `resizes` are by the output's sheet names in lower case. `sheets`
    and `tables` rename what a clone's formulas refer to. `gone_sheets` and `gone_tables` are not in the output, in
    lower case.
    """

    home: str
    resizes: Mapping[str, Sequence[Resize]]
    sheets: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    gone_sheets: frozenset[str] = frozenset()
    gone_tables: frozenset[str] = frozenset()

    def of(self, sheet: str) -> Sequence[Resize]:
        """Return the resizes on a sheet, "" for home."""
        return self.resizes.get((sheet or self.home).casefold(), ())

    def resizes_of_all(self) -> Iterator[Resize]:
        """Give the resizes of all sheets."""
        return chain.from_iterable(self.resizes.values())


def adapt(formula: str, scope: Scope, mode: Mode = Mode.EXACT) -> str:
    """Return a formula with tables and sheets renamed and ranges stretched; a dangling one is a TemplateError."""

    def change(reference: Reference) -> Reference:
        sheet = scope.sheets.get(reference.sheet.casefold(), reference.sheet)
        if sheet.casefold() in scope.gone_sheets:
            raise TemplateError(f"refers to the prototype sheet {sheet!r}, which is not in the output")
        return _follow(replace(reference, sheet=sheet), scope, mode)

    return rewrite(_renamed_tables(formula, scope), change)


def _renamed_tables(formula: str, scope: Scope) -> str:
    """Rename tables before a bracket, inside texts too (INDIRECT)."""
    if "[" not in formula:
        return formula

    pieces = tokens(formula)
    follow = [*(piece.text for piece in pieces[1:]), ""]
    return "".join(_rename(piece, after, scope) for piece, after in zip(pieces, follow, strict=True))


def _rename(piece: Token, after: str, scope: Scope) -> str:
    if piece.kind == "text":
        return f'"{_renamed_tables(piece.text[1:-1], scope)}"'
    name, bracket, rest = piece.text.partition("[")
    if not name or not (piece.kind == "table" or (piece.kind == "name" and after == "[")):
        return piece.text
    name = scope.tables.get(name.casefold(), name)
    if name.casefold() in scope.gone_tables:
        raise TemplateError(f"refers to the prototype table {name!r}, which is not in the output")
    return name + bracket + rest


def _follow(reference: Reference, scope: Scope, mode: Mode) -> Reference:
    area, first = reference.block, reference.first
    if area is None or first is None:
        return reference
    relative = mode in {Mode.RULE, Mode.ROW_RULE}
    for resize in scope.of(reference.sheet):
        if resize.touches(area):
            if is_lone(reference, area, mode):
                row = _follow_cell(area.top, resize)
                if mode is Mode.ROW and resize.is_total(area.top):  # there is one, in whatever row it is read
                    first = replace(first, fixed_row=True)
                    reference = replace(reference, first=first)
                area = replace(area, top=row, bottom=row)
            elif not _moves_with_row(reference, mode):
                start = min(area.top, resize.first) if is_rest(reference, mode) else area.top
                top, bottom = follow_rows(replace(area, top=start), resize, mode)
                area = replace(area, top=top + area.top - start, bottom=bottom)
            if resize.places is not None:
                area = _follow_columns(area, resize, (first, reference.last or first), relative)
    return reference if area == reference.block else reference.at(area)


def is_lone(reference: Reference, area: Area, mode: Mode) -> bool:
    """Whether a reference means its row alone; in a chart, that is one of several cells: the series of a row."""
    return (area.top == area.bottom and area.left < area.right) if mode is Mode.WINDOW else reference.last is None


def is_rest(reference: Reference, mode: Mode = Mode.ROW) -> bool:
    """Whether a range goes from each row, or one near it, to the same row further down."""
    first, last = reference.first, reference.last
    if mode not in {Mode.ROW, Mode.ROW_RULE} or first is None or last is None:
        return False
    return first.moves_down and last.fixed_row and first.row <= last.row


def _moves_with_row(reference: Reference, mode: Mode) -> bool:
    """Whether a range is another one in every row: its last row is relative to the row that its formula is in."""
    return mode in {Mode.ROW, Mode.ROW_RULE} and reference.last is not None and not reference.last.fixed_row


def _follow_cell(row: int, resize: Resize) -> int:
    """Return the row of a lone cell: its own, unless it is in the totals row."""
    return row + resize.bottom - resize.last if resize.is_total(row) else row


def follow_rows(area: Area, resize: Resize, mode: Mode) -> tuple[int, int]:
    """Return the rows of a range once the table is filled."""
    top, bottom, end = area.top, area.bottom, resize.bottom
    if top == bottom and resize.is_total(top):
        return end + 1, end + 1
    if top > resize.first or bottom < resize.first:
        return top, bottom
    if bottom == resize.last or (resize.totals and bottom == resize.last + 1):
        return top, bottom + end - resize.last
    if bottom > resize.last:
        ends_with_data = mode is Mode.WINDOW and top == resize.first
        return top, end if ends_with_data else max(bottom, end + resize.totals)
    return top, end if mode is Mode.COVER else min(bottom, end)


def _follow_columns(area: Area, resize: Resize, ends: tuple[End, End], relative: bool) -> Area:  # noqa: FBT001 one caller
    """Move a range's columns to where the filled table has them."""
    if area.left <= resize.area.left and area.right >= resize.area.right and area.left != area.right:
        return replace(area, right=resize.right if area.right == resize.area.right else area.right)
    left, right = (
        column if relative and not end.fixed_column else resize.column(column)
        for column, end in zip((area.left, area.right), ends, strict=True)
    )
    return replace(area, left=min(left, right), right=max(left, right))


def carry_areas(areas: Iterable[Area], resizes: Sequence[Resize]) -> list[Area]:
    """Return the ranges of a validation or format: over all rows, and over all columns that take after theirs."""
    result = list(areas)
    for resize in resizes:
        result = [piece for area in result for piece in _carry_area(area, resize)]
    return result


def _carry_area(area: Area, resize: Resize) -> list[Area]:
    if not resize.touches(area):
        return [area]
    top, bottom = follow_rows(area, resize, Mode.COVER)
    result = replace(area, top=top, bottom=bottom)
    if resize.places is None or area.bottom <= resize.area.top:
        return [result]
    if area.left < resize.area.left or area.right > resize.area.right:
        return [replace(result, right=max(area.right, resize.right) if area.right >= resize.area.right else area.right)]
    places = {place for column in range(area.left, area.right + 1) for place in resize.places[column]}
    return [replace(result, left=left, right=right) for left, right in runs(places)]


def runs(columns: Iterable[int]) -> list[tuple[int, int]]:
    """Return neighboring numbers as (first, last): 1 2 3 7 8 gives (1, 3) (7, 8)."""
    groups = groupby(enumerate(sorted(columns)), lambda pair: pair[1] - pair[0])
    numbers = [[number for _, number in group] for _, group in groups]
    return [(group[0], group[-1]) for group in numbers]
