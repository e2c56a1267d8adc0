"""Formulas only where what they refer to is there: a template may lack tables and names of the shipped one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from livesheets import Formula, Rows
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from livesheets import Clone, TableFill, Value
    from livesheets.tokens import Token

PREFIXES = ("in_", "out_", "chk_", "meta_", "drv_")
"""How flopsheet's own names begin; other names in a formula are the template's."""


class AvailableNames(Struct, frozen=True):
    """The tables and names of the output, in lower case."""

    names: frozenset[str]
    missing: dict[str, set[str]] = field(default_factory=dict)
    """What each formula seen so far refers to that the output does not have."""

    def has(self, formula: str) -> bool:
        """Whether the output has all tables and names of a formula."""
        if formula not in self.missing:
            result = {_name_of(piece) for piece in tokens(formula)} - {""}
            self.missing[formula] = {name for name in result if name.casefold() not in self.names}
        return not self.missing[formula]

    @property
    def remarks(self) -> list[str]:
        """Return a line about the tables and names that formulas missed."""
        names = sorted(set().union(*self.missing.values()))
        them = "it" if len(names) == 1 else "them"
        line = f"the template has no {', '.join(names)}; formulas that use {them} were replaced by their values"
        return [line] if names else []

    def value(self, value: Value | Formula) -> Value | Formula:
        """Return a cell's content: a formula that misses something, the template's too, gives way to its value."""
        return Formula("", value.value) if isinstance(value, Formula) and not self.has(value.text) else value

    def values(self, cells: Mapping[str, Value | Formula]) -> dict[str, Value | Formula]:
        """Return named cells, each with its formula or its value."""
        return {name: self.value(value) for name, value in cells.items()}

    def table(self, fill: TableFill) -> TableFill:
        """Return a table whose columns and cells keep the formulas that miss nothing."""
        columns = fill.columns and tuple(
            column if self.has(column.text) else replace(column, formula=None) for column in fill.columns
        )
        rows = fill.rows
        if not isinstance(rows, Rows) and any(
            isinstance(value, Formula) and not self.has(value.text) for row in rows for value in row
        ):
            rows = [[self.value(value) for value in row] for row in rows]
        return replace(fill, columns=columns, rows=rows)

    def clone(self, clone: Clone) -> Clone:
        """Return a clone whose tables and cells keep the formulas that miss nothing."""
        tables = {name: (new, self.table(fill)) for name, (new, fill) in clone.tables.items()}
        return replace(clone, tables=tables, cells=self.values(clone.cells))


def _name_of(piece: Token) -> str:
    """Return the table or name that a piece of a formula is, "" for neither."""
    if piece.kind == "table":
        return read_structured(piece.text).table
    return piece.text if piece.kind == "name" and piece.text.startswith(PREFIXES) else ""


def available_names(names: Iterable[str]) -> AvailableNames:
    """Return the tables and names of the output, given in any case."""
    return AvailableNames(frozenset(name.casefold() for name in names))
