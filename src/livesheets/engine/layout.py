"""The cells of a sheet that are where the plan says: the template's own, headers, totals rows, single values."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets import excel
from livesheets.addresses import address
from livesheets.engine.cells import cached_value, cell, literal
from livesheets.engine.markup import child, drop, new, unset, whole
from livesheets.engine.model import Formula
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import adapt
from livesheets.engine.sheet import cell_text, is_computed, row_text, style_of
from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from livesheets.engine.dirty_cells import DirtyCells
    from livesheets.engine.markup import Element
    from livesheets.engine.model import Value
    from livesheets.engine.plan import SheetPlan, TablePlan
    from livesheets.engine.resize import Scope
    from livesheets.engine.styles import Styles

    RowTexts = dict[int, dict[int, str]]
    Values = dict[tuple[int, int], Value | Formula]

SUBTOTALS = {
    "average": 101,
    "countNums": 102,
    "count": 103,
    "max": 104,
    "min": 105,
    "stdDev": 107,
    "sum": 109,
    "var": 110,
}


class LaidOut(Struct, frozen=True):
    """Where cells are in the output: those that are written, as text by row and column, and rows that stay."""

    cells: RowTexts
    standing: frozenset[int]


class Keep(Enum):
    """What a cell gets that no value was given for."""

    KEEP = "its own"


class SheetJob(Struct, frozen=True):
    """One sheet in the making: its plan, what its references are read against, and the workbook's styles."""

    plan: SheetPlan
    scope: Scope
    styles: Styles
    dirty: DirtyCells

    def stands_unknown(self, row: int, column: int) -> bool:
        """Whether a formula of the template shows a value there that may no longer hold."""
        return bool(self.plan.sheets) or self.dirty.unknown.has(self.plan.name.casefold(), row, column)

    def where(self, row: int, column: int) -> str:
        """Say for a message which cell is meant."""
        return f"{self.plan.name}!{address(row, column)}"


def lay_out(job: SheetJob) -> LaidOut:
    """Return every cell that is not in the data rows of a filled table."""
    rows: RowTexts = {}
    standing: set[int] = set()
    values: Values = dict(job.plan.values)
    stays = _stays(job.plan)
    for row in job.plan.xml.cells:
        if stays(row) and row_text(job.plan.xml, row):
            standing.add(row)
            continue
        in_table = columns_of_tables(job.plan, row)
        for column, element in job.plan.xml.cells[row].items():
            if not in_table(column):
                if job.stands_unknown(row, column) and is_computed(job.plan.xml, row, column):
                    _forget(element)
                    job.plan.xml.forgotten.add((row, column))
                value = values.pop((row, column), Keep.KEEP)
                rows.setdefault(row, {})[column] = _place_cell(job, element, (row, column), value)
    for table in job.plan.plans:
        if table.resize.places is not None:
            _lay_out_headers(job, table, rows)
        if table.resize.totals:
            _lay_out_totals(job, table, values, rows)
    for (row, column), value in values.items():
        rows.setdefault(row, {})[column] = _single(job, row, column, value)
    return LaidOut(rows, frozenset(standing))


def _stays(plan: SheetPlan) -> Callable[[int], bool]:
    """Return what tells of a row whether it has no formula, no value to write, and no cell of a filled table."""
    busy = plan.xml.calculated | {row for row, _ in plan.values}
    resizes = [table.resize for table in plan.plans]
    tables = [range(new.written_area.top, max(new.area.bottom, new.written_area.bottom) + 2) for new in resizes]
    return lambda row: row not in busy and not any(row in rows for rows in tables)


def is_taken(plan: SheetPlan, row: int, column: int) -> bool:
    """Whether a table writes the cell."""
    return columns_of_tables(plan, row)(column)


def columns_of_tables(plan: SheetPlan, row: int) -> Callable[[int], bool]:
    """Return what tells of a column whether a table writes it in a row; headers stay unless columns are replaced."""
    resizes = [one.resize for one in plan.plans if one.resize.places is not None or row > one.resize.area.top]
    areas = [area for one in resizes for area in (one.old_area, one.written_area) if area.top <= row <= area.bottom]
    spans = [range(area.left, area.right + 1) for area in areas]
    return lambda column: any(column in span for span in spans)


def _single(job: SheetJob, row: int, column: int, value: Value | Formula) -> str:
    """Return a value for a cell that the template does not have."""
    with locate_errors(job.where(row, column)):
        if is_taken(job.plan, row, column):
            raise TemplateError("the cell is inside a filled table and takes no single value")
        return cell(address(row, column), 0, value, job.styles.with_quote_prefix)


def _place_cell(job: SheetJob, element: Element, at: tuple[int, int], value: Value | Formula | Keep) -> str:
    """Return a cell of the template at an address, with a new value if there is one.

    A formula is kept unless a `Formula` replaces it; one that changes loses its value.
    """
    formula = child(element, "f")
    with locate_errors(job.where(*at)):
        if formula is not None and formula.text and not isinstance(value, Formula):
            _adapt(job, element, formula, at)
        if value is not Keep.KEEP:
            if formula is None or isinstance(value, Formula):
                return cell(address(*at), whole(element, "s", 0), value, job.styles.with_quote_prefix)
            _remember(element, value)
    return cell_text(element, job.plan.xml, address(*at))


def _adapt(job: SheetJob, element: Element, formula: Element, at: tuple[int, int]) -> None:
    before = formula.text or ""
    formula.text = adapt(before, job.scope)
    if formula.text != before:
        _forget(element)
        job.plan.xml.forgotten.add(at)


def _forget(element: Element) -> None:
    """Take the cached value out of a formula cell."""
    unset(element, "t")
    value = child(element, "v")
    if value is not None:
        drop(value)


def _remember(element: Element, value: Value) -> None:
    """Give a formula cell a new cached value."""
    _forget(element)
    kind, text = cached_value(value)
    if kind:
        element.set("t", kind)
    if value is not None:
        new(element, "v").text = literal(text)


def _lay_out_headers(job: SheetJob, table: TablePlan, rows: RowTexts) -> None:
    """Write the header row, and the texts above it, in the styles of the columns that each one takes after."""
    resize = table.resize
    cells = {up: job.plan.xml.cells.get(resize.area.top - up, {}) for up in range(resize.above + 1)}
    for index, column in enumerate(table.columns):
        like, place = resize.area.left + table.likes[index], resize.area.left + index
        with locate_errors(table.where(index)):
            for up in range(resize.above + 1):
                row = resize.area.top - up
                text = column.header if up == 0 else (column.above[-up] or None) if up <= len(column.above) else None
                style = style_of(cells[up].get(like))
                rows.setdefault(row, {})[place] = cell(address(row, place), style, text, job.styles.with_quote_prefix)


def _lay_out_totals(job: SheetJob, table: TablePlan, values: Values, rows: RowTexts) -> None:
    """Move the totals row below the data; a formula keeps its text and takes a value from a name or from `totals`."""
    resize = table.resize
    row = resize.last + 1
    totals = {header.casefold(): value for header, value in table.fill.totals.items()}
    for index, column in enumerate(table.columns):
        like, place = resize.area.left + table.likes[index], resize.area.left + index
        element = job.plan.xml.cells.get(row, {}).get(like)
        if element is None:
            continue
        at = (resize.bottom + 1, place)
        if resize.column(like) == place:
            if child(element, "f") is not None:
                _forget(element)
            value = values.pop((row, like), totals.get(column.header.casefold(), Keep.KEEP))
            text = _place_cell(job, element, at, value)
        else:
            total = _subtotal(table, index, totals.get(column.header.casefold()))
            text = cell(address(*at), whole(element, "s", 0), total, job.styles.with_quote_prefix)
        rows.setdefault(at[0], {})[place] = text


def _subtotal(table: TablePlan, index: int, value: Value) -> Value | Formula:
    """Return the total of a column that takes after another one; blank if that one has no plain total."""
    code = SUBTOTALS.get(table.table.functions[table.likes[index]])
    if code is None:
        return None
    header = "".join(f"'{mark}" if mark in "[]#'@" else mark for mark in table.columns[index].header)
    return Formula(excel.call("SUBTOTAL", code, excel.column(table.name, header)), value)
