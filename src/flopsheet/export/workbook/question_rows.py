"""The rows of a question's table in the workbook: those of the chosen case, and those that only another case has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting import formula
from flopsheet.accounting.values import plain
from flopsheet.export.workbook.cells import cell_number
from flopsheet.export.workbook.excel_form import excel_form
from flopsheet.export.workbook.formula_names import input_cell
from flopsheet.planning.question import MODELS
from livesheets import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flopsheet.accounting.line import Number
    from flopsheet.planning.plan import Plan
    from flopsheet.planning.question import Rows, Table
    from flopsheet.planning.run import Run, TableValues
    from livesheets.excel import Expression

Values = Sequence[Value]


class QuestionRows(Struct, frozen=True, dict=True):
    """The rows of a question's table, by their keys; those that the chosen case lacks are 0."""

    plan: Plan
    table: Table

    @property
    def run(self) -> Run:
        """The exact numbers of the chosen case."""
        return self.plan.run(self.plan.scenario)

    @property
    def table_values(self) -> TableValues:
        """The table in the chosen case."""
        return self.run.table(self.table.name)

    @property
    def counted_rows(self) -> list[Rows]:
        """The rows that inputs count."""
        return [rows for rows in self.table.rows if rows.until]

    @cached_property
    def keys(self) -> list[tuple[Number, ...]]:
        """The keys of all rows: those of the chosen case, then those that only another case has."""
        rows = dict.fromkeys(self.table_values.keys)
        for case in self.plan.cases:
            rows |= dict.fromkeys(self.plan.run(case).table(self.table.name).keys)
        return sorted(rows, key=self._order) if self.counted_rows else list(rows)

    @property
    def row_values(self) -> list[Mapping[str, Number]]:
        """What each row brings next to its keys."""
        tables = [self.plan.run(case).table(self.table.name) for case in self.plan.cases]
        by_keys = {keys: own for table in tables for keys, own in zip(table.keys, table.brought, strict=True)}
        return [by_keys[keys] for keys in self.keys]

    def _order(self, keys: tuple[Number, ...]) -> tuple[float, ...]:
        pairs = zip(self.table.rows, keys, strict=True)
        return tuple(float(key) if rows.until or rows == MODELS else _place(rows, key) for rows, key in pairs)

    def spread(self, column: Sequence[Number]) -> Values:
        """Return a column of the chosen case for all rows; 0 is in rows that only another case has."""
        by_keys = dict(zip(self.table_values.keys, column, strict=True))
        return [cell_number(by_keys[keys]) if keys in by_keys else 0 for keys in self.keys]

    def read(self, name: str) -> Values | None:
        """Return what a name means to formulas in each row; None where only another case has some of the rows."""
        if len(self.keys) != len(self.table_values.keys):
            return None
        return self.spread(self.run.read(self.table.name, name))


def _place(rows: Rows, key: Number) -> float:
    pairs = enumerate(rows.values, start=1)
    values = [value if isinstance(value, int | float) else value.get(rows.key, at) for at, value in pairs]
    return float(values.index(plain(key)))


def row_count(rows: Rows) -> Expression:
    """Return the Excel formula of how many rows an input counts."""
    return excel_form(formula.read(rows.until), input_cell)
