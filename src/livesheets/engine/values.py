"""The values that are in the cells that charts show: from the fill where it writes them, else from the template."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.addresses import address
from livesheets.engine.cells import unescape
from livesheets.engine.layout import is_taken
from livesheets.engine.markup import attribute, child, local, parse
from livesheets.engine.model import Value, plain_value
from livesheets.engine.sheet import read_sheet
from livesheets.engine.texts import STRINGS, fill_strings, rich_text
from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from livesheets.engine.book import Book
    from livesheets.engine.dirty_cells import DirtyCells, Region
    from livesheets.engine.markup import Element
    from livesheets.engine.model import Formula, Row
    from livesheets.engine.plan import SheetPlan, TablePlan
    from livesheets.engine.sheet import SheetXml
    from livesheets.references import Area


class Unknown(Enum):
    """What is known of a formula whose inputs changed and that nobody computed."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN
Found = Value | Unknown


class Run(Struct, frozen=True):
    """Values of a column from one row down."""

    first: int
    values: list[Value]

    def has(self, row: int) -> bool:
        """Tell whether a row is one of them."""
        return 0 <= row - self.first < len(self.values)


class Values(Struct, frozen=True):
    """Values by sheet (lower case), row and column, for the ranges in `ranges` only, by sheet alike."""

    book: Book
    plans: Mapping[str, SheetPlan]
    dirty: DirtyCells
    texts: Mapping[str, str]
    ranges: Sequence[tuple[str, Area]]
    runs: dict[tuple[str, int], list[Run]] = field(default_factory=dict)
    """What the fill writes, by sheet and column."""
    sheets: dict[str, SheetXml] = field(default_factory=dict)
    strings: list[str] = field(default_factory=list)

    def is_touched(self, cells: Iterable[Region] | None) -> bool:
        """Whether the fill may have changed what the cells show; None are cells that nobody can tell."""
        return bool(self.dirty.regions) and self.dirty.may_change(cells)

    def cells(self, sheet: str, area: Area) -> Iterator[Found]:
        """Give the values of a range, row by row."""
        for row in range(area.top, area.bottom + 1):
            for column in range(area.left, area.right + 1):
                yield self._at(sheet.casefold(), row, column)

    def run(self, sheet: str, column: int, first: int) -> list[Value]:
        """Return what remembers a column from a row down; the sheet's name is in lower case."""
        result = Run(first, [])
        self.runs.setdefault((sheet, column), []).append(result)
        return result.values

    def keep(self, sheet: str, row: int, column: int, value: Value | Formula) -> None:
        """Remember what the fill writes, if a chart shows it."""
        home = sheet.casefold()
        if any(area.has(row, column) for name, area in self.ranges if name == home):
            self.run(home, column, row).append(plain_value(value))

    def _at(self, sheet: str, row: int, column: int) -> Found:
        run = next((run for run in reversed(self.runs.get((sheet, column), ())) if run.has(row)), None)
        if run:
            return run.values[row - run.first]
        plan = self.plans.get(sheet)
        if plan is not None and is_taken(plan, row, column):
            resizes = [table.resize for table in plan.plans if table.resize.totals]
            return UNKNOWN if any(resize.bottom + 1 == row for resize in resizes) else None
        if plan is None and sheet not in self.book.sheets:
            return UNKNOWN
        xml = plan.xml if plan else self._template(sheet)
        cell = xml.cells.get(row, {}).get(column)
        if cell is None:
            return None
        is_cloned = plan is not None and plan.sheets and (row, column) in xml.formulas
        if is_cloned or (row, column) in xml.forgotten or self.dirty.unknown.has(sheet, row, column):
            return UNKNOWN
        return self.read(cell)

    def _template(self, sheet: str) -> SheetXml:
        if sheet not in self.sheets:
            part = self.book.sheets[sheet].part
            self.sheets[sheet] = read_sheet(self.book.package.read(part), part)
        return self.sheets[sheet]

    def read(self, cell: Element) -> Found:
        """Return the value of a cell as the template holds it."""
        kind = attribute(cell, "t", "n")
        if kind == "inlineStr":
            return rich_text(child(cell, "is"))
        value = child(cell, "v")
        text = "" if value is None else value.text or ""
        if not text:
            return UNKNOWN if child(cell, "f") is not None else None
        return self.plain(kind, text, attribute(cell, "r"), str(cell.base))

    def plain(self, kind: str, text: str, at: str | tuple[int, int], part: str) -> Value:
        """Return a value by the type and the text of its cell, which a message names."""
        if not text or kind == "inlineStr":
            return "" if kind == "inlineStr" else None
        if kind == "b":
            return text == "1"
        if kind in {"str", "e", "d"}:
            return unescape(text)
        try:
            if kind == "s":
                return self._string(int(text))
            return int(text) if text.isdecimal() else float(text)
        except (ValueError, IndexError):
            where = at if isinstance(at, str) else address(*at)
            sentence = f"the cell {where} in {part} of the template holds {text[:40]!r}, which is not a value"
            raise TemplateError(sentence) from None

    def _string(self, index: int) -> str:
        if not self.strings:
            root = parse(self.book.package.read(STRINGS), STRINGS)
            fill_strings(root, self.texts)
            self.strings.extend(rich_text(item) for item in root if local(item) == "si")
        return self.strings[index]


def keep_values(values: Values, plan: SheetPlan) -> None:
    """Remember what charts show of single values, totals and new headers."""
    for (row, at), value in plan.values.items():
        values.keep(plan.name, *_move_cell(plan, row, at), value)
    for table in plan.plans:
        for index, column in enumerate(table.columns):
            place = table.resize.area.left + index
            if column.header in table.fill.totals:
                values.keep(plan.name, table.resize.bottom + 1, place, table.fill.totals[column.header])
            if table.resize.places is not None:
                for up, text in enumerate((column.header, *reversed(column.above))):
                    values.keep(plan.name, table.resize.area.top - up, place, text)


def _move_cell(plan: SheetPlan, row: int, column: int) -> tuple[int, int]:
    """Return where a cell of the template is in the output: totals move down."""
    for table in plan.plans:
        if table.resize.totals and row == table.resize.last + 1 and table.table.area.has(row, column):
            return table.resize.bottom + 1, table.resize.column(column)
    return row, column


def watcher(values: Values, plan: SheetPlan, table: TablePlan) -> Callable[[int, Row], None] | None:
    """Return what remembers of a table's rows what charts show; None if they show none of it."""
    resize = table.resize
    areas = [area for sheet, area in values.ranges if sheet == plan.name.casefold()]
    home, left, last = plan.name.casefold(), resize.area.left, max((area.bottom for area in areas), default=0)
    columns = [at for at in range(len(table.columns)) if any(area.left <= left + at <= area.right for area in areas)]
    runs = [(index, values.run(home, left + index, resize.first)) for index in columns]

    def watch(at: int, row: Row) -> None:
        if resize.first + at <= last:
            for index, run in runs:
                run.append(plain_value(row[index]))

    return watch if columns else None
