"""One row of a model list: what its cells hold, and what is wrong with them, by cell."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from flopsheet.accounting.values import plain
from flopsheet.configs.grid import is_number_like
from flopsheet.configs.json_depth import check_levels
from flopsheet.configs.words import truth
from livesheets import Unusable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.configs.grid import Grid
    from flopsheet.configs.headers import Column, Header
    from livesheets import Cell


class Row(Struct, frozen=True):
    """The cells of one row, and the problems with those that were asked for."""

    header: Header
    at: int
    problems: list[str] = field(default_factory=list)

    @property
    def grid(self) -> Grid:
        """The sheet that the row is on."""
        return self.header.grid

    def cell(self, column: Column) -> Cell:
        """Return what is in a cell, None for nothing."""
        return self.grid.cell(self.at, column.place)

    def where(self, column: Column) -> str:
        """Return where a cell is, with its header."""
        return f"{self.grid.address(self.at, column.place)} ({column.text})"

    @property
    def columns(self) -> list[Column]:
        """The columns that have something in this row."""
        return [column for column in self.header.columns if self.cell(column) is not None]

    def column_of(self, what: str) -> Column | None:
        """Return the column that says something of the model in this row, such as its `name`; None without one."""
        columns = (column for column in self.header.columns if column.says == what)
        return next((column for column in columns if self.cell(column) is not None), None)

    def wrong(self, column: Column, what: object) -> None:
        """Keep what is wrong with a cell."""
        self.problems.append(f"{self.where(column)}: {what}")

    def text(self, column: Column) -> str:
        """Return a cell as text, the day of a date as 2026-07-01; "" where it holds none."""
        value = self.cell(column)
        if column.says == "date" and isinstance(value, date):
            return f"{value:%Y-%m-%d}"
        if isinstance(value, str | int | float):
            return str(value)
        self.wrong(column, f"found {value}; expected text")
        return ""

    def flag(self, column: Column) -> Any:
        """Return what a cell says of a flag: a truth value, a word for one, or a number."""
        value = self.cell(column)
        truth_value = truth(value) if isinstance(value, str) else None
        return self.number(column) if truth_value is None else truth_value

    def number(self, column: Column) -> Any:
        """Return the number of a cell in plain units; None, with the problem kept, where there is none."""
        try:
            value = self.grid.number(self.at, column.place)
        except ValueError as error:
            self.wrong(column, error)
            return None
        if isinstance(value, bool) or column.scale == 1:
            return value
        return plain(_whole(Fraction(str(value)) * column.scale))

    def count(self, column: Column) -> int:
        """Return a whole number; 0, with the problem kept, where there is none."""
        value = self.number(column)
        if value is not None and (isinstance(value, bool) or value < 1 or value % 1):
            self.wrong(column, f"{value!r}; a whole number of at least 1 is expected")
            return 0
        return int(value or 0)

    def anything(self, column: Column) -> Any:
        """Return a config field's value: a number, a truth value, a list or table written as JSON, else the text."""
        value = self.cell(column)
        if not isinstance(value, str):
            return self.number(column)
        if value[0] in "[{":
            return self._document(column, value)
        try:
            return self.grid.number(self.at, column.place)
        except ValueError:
            return value

    def _document(self, column: Column, text: str) -> Any:
        try:
            check_levels(text)
            return json.loads(text)
        except ValueError as error:
            self.wrong(column, f"invalid JSON: {error}")
            return None

    def may_count(self, column: Column) -> bool:
        """Whether a cell that nothing reads may mean a number: it holds one, has no value, or reads like one."""
        value = self.cell(column)
        return is_number_like(value) if isinstance(value, str) else isinstance(value, int | float | Unusable)

    def strays(self) -> Iterator[str]:
        """Say of each cell that is under no header that it is not read.

        In a CSV file, one behind the last header is a problem: a separator inside of a value parts it.
        """
        places = {column.place for column in self.header.columns}
        for place in range(len(self.grid.rows[self.at])):
            value = self.grid.cell(self.at, place)
            if value is None or place in places:
                continue
            text = f"{self.grid.address(self.at, place)} is under no header"
            if self.grid.from_text and place > max(places):
                self.problems.append(f"{text}: {value!r}; a value that contains a separator must be in quotes")
            else:
                yield f"{text}: it was ignored"


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value
