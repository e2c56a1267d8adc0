"""Formulas only where what they refer to stands: a template may lack tables and names of the shipped one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from flopsheet.export.xlsx import Formula, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from flopsheet.export.xlsx import Clone, TableFill, Value

_SAID = re.compile(r'"(?:[^"]|"")*"|\[(?:[^\[\]\']|\'.|\[(?:[^\[\]\']|\'.)*\])*\]')
"""Texts, and what stands in brackets: columns."""
_REFERENCE = re.compile(r"(?<![\w.])([^\W\d]\w*)\[\]|(?<![\w.])((?:in|out|chk|meta|drv)_\w+)(?![\w\[(])")


@dataclass(frozen=True)
class Standing:
    """The tables and names of the output, in lower case."""

    known: frozenset[str]
    missed: dict[str, set[str]] = field(default_factory=dict)
    """What each formula seen so far refers to in vain."""

    def has(self, formula: str) -> bool:
        """Whether all tables and names of a formula stand."""
        if formula not in self.missed:
            found = {
                table or name
                for table, name in _REFERENCE.findall(
                    _SAID.sub(lambda said: "" if said[0][0] == '"' else "[]", formula)
                )
            }
            self.missed[formula] = {name for name in found if name.casefold() not in self.known}
        return not self.missed[formula]

    @property
    def remarks(self) -> list[str]:
        """Say which tables and names were missed."""
        names = sorted(set().union(*self.missed.values()))
        many = f"for want of {', '.join(names)}, formulas that refer to them stand as values"
        return [many] if names else []

    def value(self, value: Value | Formula) -> Value | Formula:
        """Return a cell's content: a formula that cannot stand, one of the template too, gives way to its value."""
        return Formula("", value.value) if isinstance(value, Formula) and not self.has(value.text) else value

    def values(self, cells: Mapping[str, Value | Formula]) -> dict[str, Value | Formula]:
        """Return named cells, each as it can stand."""
        return {name: self.value(value) for name, value in cells.items()}

    def table(self, fill: TableFill) -> TableFill:
        """Return a table whose columns and cells keep the formulas that can stand."""
        columns = fill.columns and tuple(
            column if column.formula is None or self.has(column.formula) else replace(column, formula=None)
            for column in fill.columns
        )
        rows = fill.rows
        if not isinstance(rows, Rows) and any(
            isinstance(value, Formula) and not self.has(value.text) for row in rows for value in row
        ):
            rows = [[self.value(value) for value in row] for row in rows]
        return replace(fill, columns=columns, rows=rows)

    def clone(self, clone: Clone) -> Clone:
        """Return a clone whose tables and cells keep the formulas that can stand."""
        tables = {name: (new, self.table(fill)) for name, (new, fill) in clone.tables.items()}
        return replace(clone, tables=tables, cells=self.values(clone.cells))


def standing(names: Iterable[str]) -> Standing:
    """Return what stands in the output, of any case."""
    return Standing(frozenset(name.casefold() for name in names))
