"""Tables, cells and names as they will be in a workbook; each formula is calculated when its value is asked for."""

from __future__ import annotations

from array import array
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from livesheets import excel
from livesheets.engine.model import Formula, Rows
from livesheets.evaluate.context import alone
from livesheets.evaluate.grids import Grid, Result, make_grid
from livesheets.evaluate.reading import read, result
from livesheets.evaluate.scalars import (
    NAME,
    REFERENCE,
    FaultError,
    Scalar,
    UnknownError,
    as_scalar,
    tidy,
)
from livesheets.evaluate.targets import references, target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from livesheets.engine.model import Row, TableFill, Value
    from livesheets.evaluate.targets import Target
    from livesheets.references import Area
    from livesheets.tokens import Token

    Content = Value | Formula


NUMBERS = {int, float, Fraction}
LONG = 1_000
"""Rows of a table of which few are looked at twice."""
NAMED = "?"
"""The sheet of cells that are known by their names alone; no sheet of a workbook has this name."""


class Corner(Struct, frozen=True):
    """Where the first data cell of a table stands."""

    sheet: str
    row: int
    column: int


class CellContext(Struct):
    """Where a formula stands: its sheet, and its row of a table."""

    book: Book
    sheet: str
    block: Block | None = None
    row: int = 0
    largest: float = 0.0

    def follow(self, target: Target) -> Result:
        """Return the cells that a reference means."""
        if target.table:
            return self._columns(target)
        if target.area:
            return self._cells(target.sheet or self.sheet, target.area)
        if target.name not in self.book.names:
            raise FaultError(NAME)
        return alone(self.book.evaluate_name(target.name))

    def down_to_here(self, column: Result, first: int) -> Result:
        """Return the cells of a column of the formula's own table from a row, counted from 0, down to its own."""
        if not isinstance(column, Grid) or self.block is None or column.rows != self.block.count:
            raise UnknownError
        return Grid(self.row - first + 1, 1, lambda down, _: column.at(first + down, 0))

    def _columns(self, target: Target) -> Result:
        block = self.book.tables.get(target.table)
        if block is None:
            raise FaultError(NAME)
        first, last = block.span(target.columns)
        if target.part == "#headers":
            return block.titles(first, last)
        if not target.part:
            return block.grid(first, last)
        if target.part != "#this row" or block is not self.block:
            raise UnknownError
        if first == last:
            return alone(block.value(self.row, first))
        return Grid(1, last - first + 1, lambda _, place: block.value(self.row, first + place))

    def _cells(self, sheet: str, area: Area) -> Result:
        book, top, left, right = self.book, area.top, area.left, area.right
        if sheet not in book.sheets:
            raise FaultError(REFERENCE)
        if area.size == 1:
            return alone(book.value(sheet, top, left))
        bottom = max(top, min(area.bottom, book.sheets[sheet].bottom))
        return Grid(bottom - top + 1, right - left + 1, lambda row, place: book.value(sheet, top + row, left + place))


class Block:
    """A table: what its cells hold, and what those with a formula give.

    A formula is a cell's own, or its column's where the cell is blank; one that has a value already is not calculated.
    """

    def __init__(self, book: Book, name: str, fill: TableFill, corner: Corner) -> None:
        """Keep what the table is filled with."""
        self.book, self.name, self.fill, self.corner = book, name, fill, corner
        self.home, self.columns = corner.sheet.casefold(), fill.columns or ()
        self.texts = [column.text for column in self.columns]
        self.places = {column.header.casefold(): place for place, column in enumerate(self.columns)}
        self.results: dict[tuple[int, int], Scalar] = {}
        self.grids: dict[tuple[int, int], Grid] = {}
        self.heads: dict[tuple[int, int], Grid] = {}
        self.stream = fill.rows if isinstance(fill.rows, Rows) and fill.rows.count else None
        self.rows = None if self.stream else list(fill.rows)
        self.streams: dict[int, Sequence[Scalar]] = {}
        self.single: dict[int, Row] = {}
        self.spans: dict[tuple[str, ...], tuple[int, int]] = {}

    @property
    def count(self) -> int:
        """How many rows there are; an empty table has a blank one."""
        return max(len(self.fill.rows), 1)

    def span(self, columns: tuple[str, ...]) -> tuple[int, int]:
        """Return the places of the first and the last of some columns, of the whole table for none."""
        if columns not in self.spans:
            if any(header not in self.places for header in columns):
                raise FaultError(REFERENCE)
            ends = sorted(self.places[header] for header in columns) or [0, len(self.columns) - 1]
            self.spans[columns] = ends[0], ends[-1]
        return self.spans[columns]

    def value(self, row: int, place: int) -> Scalar:
        """Return what a cell shows."""
        key = row, place
        if key not in self.results:
            self.results[key] = self._value(row, place)
        return self.results[key]

    def _value(self, row: int, place: int) -> Scalar:
        if row >= len(self.fill.rows):
            return None
        here = CellContext(self.book, self.home, self, row)
        return self.book.show(self.content(row, place), here, self.texts[place])

    def content(self, row: int, place: int) -> Content:
        """Return what a cell holds."""
        if self.stream is None:
            return (self.rows or ())[row][place]
        if self.stream.row is None or place in self.streams:
            return self._stream_column(self.stream, place)[row]
        if row not in self.single:
            self.single[row] = self.stream.row(row)
        return self.single[row][place]

    def _stream_column(self, stream: Rows, place: int, *, keep: bool = True) -> Sequence[Scalar]:
        """Return a column of rows that are made while they are written."""
        if place in self.streams:
            return self.streams[place]
        result = _as_scalars(stream.column(place))
        if keep:
            self.streams[place] = result
        return result

    def grid(self, first: int, last: int) -> Grid:
        """Return columns with all their rows."""
        if (first, last) not in self.grids:
            every = partial(self._every, self.stream, first, last) if self.stream else None
            width = last - first + 1
            self.grids[first, last] = Grid(self.count, width, lambda row, at: self.value(row, first + at), every)
        return self.grids[first, last]

    def titles(self, first: int, last: int) -> Grid:
        """Return the headers of some columns."""
        if (first, last) not in self.heads:
            headers = [column.header for column in self.columns[first : last + 1]]
            self.heads[first, last] = make_grid(1, len(headers), headers)
        return self.heads[first, last]

    def _every(self, stream: Rows, first: int, last: int) -> Iterator[Sequence[Scalar]]:
        """Give columns of rows that are made while they are written; one alone is kept, as it is asked for often."""
        return (self._stream_column(stream, place, keep=first == last) for place in range(first, last + 1))

    def forget(self) -> None:
        """Let go of all values that can be calculated again."""
        for memory in (self.results, self.grids, self.streams, self.single):
            memory.clear()

    def with_values(self) -> TableFill:
        """Return the fill with the value of every formula; rows that are made while they are written have theirs."""
        if self.stream is not None or self.rows is None:
            return self.fill
        return structs.replace(self.fill, rows=[self._fill_row(at, row) for at, row in enumerate(self.rows)])

    def _fill_row(self, at: int, row: Row) -> list[Content]:
        """Return a row with its values; of a long table those that were not asked for before are not remembered."""
        known = len(self.results)
        result = [self._fill_cell(at, place, content) for place, content in enumerate(row)]
        while len(self.fill.rows) > LONG and len(self.results) > known:
            self.results.popitem()
        return result

    def _fill_cell(self, at: int, place: int, content: Content) -> Content:
        if isinstance(content, Formula) and content.text:
            return replace(content, value=self.value(at, place))
        is_computed = content is None and self.columns and self.texts[place]
        return self.value(at, place) if is_computed else content


def _as_scalars(column: Iterable[Value]) -> Sequence[Scalar]:
    """Return values as formulas see them, numbers alone as float64; only fractions are anything else in Python."""
    if isinstance(column, array):
        return column if column.typecode == "d" else array("d", column)
    values = list(column)
    kinds = set(map(type, values))
    if kinds <= NUMBERS:
        with suppress(OverflowError):
            return array("d", map(float, values))  # type: ignore[arg-type]  # numbers by their type
    return list(map(as_scalar, values)) if Fraction in kinds else values  # type: ignore[return-value]  # no fractions


class Sheet(Struct):
    """The single cells and the tables of a sheet."""

    cells: dict[tuple[int, int], Content] = field(default_factory=dict)
    results: dict[tuple[int, int], Scalar] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)

    @property
    def bottom(self) -> int:
        """The last row that holds something."""
        rows = [row for row, _ in self.cells] + [block.corner.row + block.count - 1 for block in self.blocks]
        return max(rows, default=1)


class Book(Struct):
    """What is in a workbook, by names of tables, names of cells and names of sheets in lower case."""

    tables: dict[str, Block] = field(default_factory=dict)
    names: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    sheets: dict[str, Sheet] = field(default_factory=dict)
    under_way: set[object] = field(default_factory=set)

    def sheet(self, name: str) -> Sheet:
        """Return a sheet, a blank one if nothing is there yet."""
        return self.sheets.setdefault(name.casefold(), Sheet())

    def add_table(self, name: str, fill: TableFill, corner: Corner) -> None:
        """Put a table into a sheet."""
        block = Block(self, name, fill, corner)
        self.tables[name.casefold()] = block
        self.sheet(corner.sheet).blocks.append(block)

    def add_cells(self, sheet: str, cells: Mapping[tuple[int, int], Content]) -> None:
        """Put single cells into a sheet, by row and column."""
        self.sheet(sheet).cells.update(cells)

    def name_cells(self, places: Mapping[str, tuple[str, int, str]]) -> None:
        """Name cells of tables, each by its table, its row from 0 and its column's header."""
        for name, (table, row, header) in places.items():
            block = self.tables[table]
            place = block.corner.column + block.places[header.casefold()]
            self.names[name.casefold()] = block.corner.sheet.casefold(), block.corner.row + row, place

    def add_named(self, cells: Mapping[str, Content]) -> None:
        """Put single cells that are known by their names alone into a sheet of their own."""
        self.add_cells(NAMED, {(row, 1): content for row, content in enumerate(cells.values(), start=1)})
        self.names |= {name.casefold(): (NAMED, row, 1) for row, name in enumerate(cells, start=1)}

    def evaluate_cells(self, cells: Mapping[str, Content], sheet: str) -> dict[str, Content]:
        """Return cells of a sheet with the value of every formula."""
        home = sheet.casefold()
        formulas = {name: cell for name, cell in cells.items() if isinstance(cell, Formula) and cell.text}
        values = {name: self.show(cell, CellContext(self, home)) for name, cell in formulas.items()}
        return {**cells, **{name: replace(formulas[name], value=value) for name, value in values.items()}}

    def value(self, sheet: str, row: int, column: int) -> Scalar:
        """Return what a cell shows; `sheet` in lower case."""
        home = self.sheets.get(sheet)
        if home is None:
            raise FaultError(REFERENCE)
        key = row, column
        if key in home.cells:
            if key not in home.results:
                home.results[key] = self.show(home.cells[key], CellContext(self, sheet))
            return home.results[key]
        for block in home.blocks:
            at, place = row - block.corner.row, column - block.corner.column
            if 0 <= at < block.count and 0 <= place < len(block.columns):
                return block.value(at, place)
        return None

    def show(self, content: Content, here: CellContext, text: str = "") -> Scalar:
        """Return what a cell with a content shows; `text` is the formula of one without a formula of its own."""
        if isinstance(content, Formula):
            text, content = content.text, content.value
        return self.calculate(text, here) if content is None and text else as_scalar(content)

    def evaluate_name(self, name: str) -> Scalar:
        """Return what the cell of a name shows."""
        return self.value(*self.names[name.casefold()])

    def calculate(self, text: str, here: CellContext) -> Scalar:
        """Return what a formula gives where it is; None where that is not known, or where it needs itself."""
        key = text, here.sheet, id(here.block), here.row
        if key in self.under_way:
            raise UnknownError
        self.under_way.add(key)
        try:
            return tidy(result(text, here))
        except UnknownError:
            return None
        finally:
            self.under_way.discard(key)

    def forget(self) -> None:
        """Let go of all values that can be calculated again."""
        for block in self.tables.values():
            block.forget()
        for sheet in self.sheets.values():
            sheet.results.clear()

    def missing(self) -> Iterator[str]:
        """Say which tables, columns and names formulas refer to that are not there."""
        has = cache(self._has)
        for where, text in self._formulas():
            if not all(map(has, references(text))):
                with suppress(UnknownError):
                    yield from (f"{where}: {what}" for aim in read(text).targets for what in self._lacks(aim))

    def _has(self, reference: Token) -> bool:
        """Tell whether a reference is to what is there; one that cannot be read by itself is not."""
        try:
            return not any(self._lacks(target(reference)))
        except UnknownError:
            return False

    def _lacks(self, aim: Target) -> Iterator[str]:
        if aim.table and aim.table not in self.tables:
            yield f"the table {aim.table}"
        elif aim.table:
            block = self.tables[aim.table]
            yield from (f"the column {column} of {block.name}" for column in aim.columns if column not in block.places)
        elif aim.name and aim.name not in self.names:
            yield f"the name {aim.text}"

    def _formulas(self) -> Iterator[tuple[str, str]]:
        """Give every formula once, with where it is."""
        for block in self.tables.values():
            yield from ((str(excel.column(block.name, c.header)), c.text) for c in block.columns if c.text)
            own = {cell.text for row in block.rows or () for cell in row if isinstance(cell, Formula) and cell.text}
            yield from ((block.name, text) for text in sorted(own))
        for name, place in self.names.items():
            content = self.sheets[place[0]].cells.get(place[1:])
            if isinstance(content, Formula) and content.text:
                yield name, content.text
