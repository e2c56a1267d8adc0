"""The plan of a fill: which sheets are written, with which tables and values, and how each table grows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.addresses import address
from livesheets.engine.book import name_cell, sheet_named, table_named
from livesheets.engine.cells import CellError
from livesheets.engine.markup import attribute
from livesheets.engine.model import Column
from livesheets.engine.resize import Resize
from livesheets.engine.sheet import as_shown, is_empty, read_sheet
from livesheets.errors import TemplateError
from livesheets.references import MAX_COLUMN, MAX_ROW, Area, read_area
from livesheets.suggestions import names_like

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from livesheets.engine.book import Book, Table
    from livesheets.engine.model import Fill, Formula, TableFill, Value
    from livesheets.engine.sheet import SheetXml

    CellValues = Mapping[tuple[int, int], Value | Formula]
    """Values by row and column."""

MAX_HEADER = 255


class TablePlan(Struct, frozen=True):
    """A table to write: as it is in the template, its columns in the output, and how it grows.

    `sheet`, `part` and `name` are those of the output. `likes` gives for each column the template's column (from 0)
    that it takes after.
    """

    table: Table
    sheet: str
    part: str
    name: str
    fill: TableFill
    columns: tuple[Column, ...]
    likes: tuple[int, ...]
    resize: Resize

    def where(self, column: int, row: int | None = None) -> str:
        """Say for a message where a cell of the table is."""
        at = "" if row is None else f", row {row + 1}"
        return f"the sheet {self.sheet!r}, the table {self.name}, column {self.columns[column].header!r}{at}"


class SheetPlan(Struct, frozen=True):
    """A sheet to write. `values` are by row and column in the template; `sheets` and `tables` are a clone's renames."""

    name: str
    part: str
    source: str
    xml: SheetXml
    plans: tuple[TablePlan, ...]
    values: CellValues
    sheets: Mapping[str, str]
    tables: Mapping[str, str]

    @property
    def shown_rows(self) -> list[int]:
        """The rows that are hidden in the template, by a filter or by hand, and shown once their table is filled."""
        spans = [table.resize.rows for table in self.plans]
        rows = [row for row, text in self.xml.attributes.items() if " hidden=" in text and text != as_shown(text)]
        return [row for row in rows if any(row in span for span in spans)]

    @property
    def has_changes(self) -> bool:
        """Whether cells of the sheet change, so that formulas on it may give something else."""
        return bool(self.plans or self.values or self.sheets)


@contextmanager
def locate_errors(where: str) -> Iterator[None]:
    """Say in front of an error where it is."""
    try:
        yield
    except TemplateError as error:
        raise type(error)(f"{where}: {error}") from None
    except CellError as error:
        raise TemplateError(f"{where}: {error}") from None


def plan_sheets(book: Book, fill: Fill) -> list[SheetPlan]:
    """Return a plan for each ordinary sheet that has something to fill."""
    tables: dict[str, list[TablePlan]] = {}
    for name, table_fill in fill.tables.items():
        table = table_named(book, name)
        tables.setdefault(table.sheet, []).append(plan_table(table, table_fill, table.sheet, table.part, table.name))
    values: dict[str, dict[tuple[int, int], Value | Formula]] = {}
    for name, value in fill.names.items():
        sheet, row, column = _named_cell(book, name)
        values.setdefault(sheet, {})[row, column] = value
    return [plan_sheet(book, name, tables.get(name, []), values.get(name, {})) for name in tables | values]


def plan_sheet(book: Book, name: str, plans: Sequence[TablePlan], values: CellValues) -> SheetPlan:
    """Return the plan of an ordinary sheet."""
    sheet = sheet_named(book, name)
    xml = read_sheet(book.package.read(sheet.part), sheet.part)
    return SheetPlan(sheet.name, sheet.part, sheet.name, xml, tuple(plans), dict(values), {}, {})


def _named_cell(book: Book, name: str) -> tuple[str, int, int]:
    result = name_cell(book, name)
    if result is None:
        names = [str(element.get("name")) for element in book.root.iter("{*}definedName")]
        raise TemplateError(f"the template has no defined name {name!r}{names_like(name, names)}")
    sheet, row, column = result
    return sheet_named(book, sheet).name, row, column


def plan_table(table: Table, fill: TableFill, sheet: str, part: str, name: str) -> TablePlan:
    """Return the plan of one table on a sheet; what cannot be filled is a TemplateError that names it."""
    with locate_errors(f"the table {name}"):
        columns = fill.columns or tuple(Column(header) for header in table.columns)
        likes = _likes(table, columns)
        _check_headers(columns)
        resize = _growth(table, fill, columns, likes)
        _check_row_like(fill, resize.last - resize.first + 1)
        _check_size(resize.new_area)
    return TablePlan(table, sheet, part, name, fill, columns, likes, resize)


def _likes(table: Table, columns: Sequence[Column]) -> tuple[int, ...]:
    indexes = {header.casefold(): index for index, header in enumerate(table.columns)}
    likes = []
    for column in columns:
        like = column.header if column.like is None else column.like
        if like.casefold() not in indexes:
            hint = names_like(like, table.columns)
            raise TemplateError(f"the column {column.header!r} is like {like!r}, which the template lacks{hint}")
        likes.append(indexes[like.casefold()])
    return tuple(likes)


def _check_headers(columns: Sequence[Column]) -> None:
    headers: set[str] = set()
    for column in columns:
        if not column.header or len(column.header) > MAX_HEADER:
            raise TemplateError(f"the header {column.header[:40]!r} is empty or longer than {MAX_HEADER} characters")
        if column.header.casefold() in headers:
            raise TemplateError(f"two columns have the header {column.header!r}; Excel ignores case")
        headers.add(column.header.casefold())


def _check_row_like(fill: TableFill, samples: int) -> None:
    if fill.row_like is None:
        return
    if len(fill.row_like) != len(fill.rows):
        raise TemplateError(f"row_like has {len(fill.row_like)} entries for {len(fill.rows)} rows")
    unknown = [index for index in set(fill.row_like) if not 0 <= index < samples]
    if unknown:
        raise TemplateError(f"row_like names the row {unknown[0]}, but the template has {samples} data rows")


def _growth(table: Table, fill: TableFill, columns: Sequence[Column], likes: Sequence[int]) -> Resize:
    bottom = table.area.top + max(len(fill.rows), 1)
    right = table.area.left + len(columns) - 1
    if fill.columns is None:
        return Resize(table.name, table.area, table.totals, bottom, right, None)
    above = max(len(column.above) for column in columns)
    if above >= table.area.top:
        raise TemplateError(f"{above} texts belong above a header that is in row {table.area.top}")
    return Resize(table.name, table.area, table.totals, bottom, right, _places(table, columns, likes), above)


def _places(table: Table, columns: Sequence[Column], likes: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return where each column of the template stands now, the column of its own name first."""
    left = table.area.left
    places: dict[int, list[int]] = {left + index: [] for index in range(len(table.columns))}
    for index, (column, like) in enumerate(zip(columns, likes, strict=True)):
        own = column.header.casefold() == table.columns[like].casefold()
        places[left + like].insert(0 if own else len(places[left + like]), left + index)
    return {column: tuple(numbers) for column, numbers in places.items()}


def _check_size(area: Area) -> None:
    if area.bottom > MAX_ROW:
        raise TemplateError(f"it would end in row {area.bottom:,}; a sheet has {MAX_ROW:,} rows")
    if area.right > MAX_COLUMN:
        raise TemplateError(f"it would end in column {area.right:,}; a sheet has {MAX_COLUMN:,} columns")


def check_room(book: Book, plan: SheetPlan) -> None:
    """Refuse a table that would grow over something: another table, a merged range, a cell that is not empty."""
    own = {table.table.name: table.resize.new_area for table in plan.plans}
    others = [table for table in book.tables.values() if table.sheet == plan.source]
    areas = [(table.name, own.get(table.name, table.area)) for table in others]
    for name, area in own.items():
        for other, its_area in areas:
            if other != name and area.meets(its_area):
                raise TemplateError(
                    f"on the sheet {plan.name!r}, the table {name} would grow to {area}, over the table {other} in "
                    f"{its_area}; move {other} to another place"
                )
    for table in plan.plans:
        _check_cells(plan, table)


def _check_cells(plan: SheetPlan, table: TablePlan) -> None:
    own, new = table.resize.old_area, table.resize.written_area
    for merge in plan.xml.root.iter("{*}mergeCell"):
        ref = attribute(merge, "ref")
        if read_area(ref, f"a merged range on the sheet {plan.name!r}").meets(table.resize.new_area):
            raise TemplateError(f"{plan.name}!{ref} is merged and in the way of the table {table.name}")
    inside = range(own.top, own.bottom + 1) if own.left <= new.left <= new.right <= own.right else ()
    near = [row for row in plan.xml.cells if new.top <= row <= new.bottom and row not in inside]
    busy = {(row, at) for row in near for at, cell in plan.xml.cells[row].items() if not is_empty(cell)}
    for row, column in sorted(busy | set(plan.values)):
        if new.has(row, column) and not own.has(row, column):
            where, size = f"{plan.name}!{address(row, column)}", table.resize.new_area
            raise TemplateError(
                f"{where} is in the way: the table {table.name} grows to {size}; move or clear what is there"
            )
