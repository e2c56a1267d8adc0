"""From the names and links of a question's tables to what they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flopsheet.planning.compiled.references import Brought, Earlier, Flag, Given, Key, Linked, Own, Total
from flopsheet.planning.question import MODELS, OTHERS, OVERRIDE, extra_keys, ranked_within

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from flopsheet.planning.compiled.references import Reduce, Ref
    from flopsheet.planning.question import Link, Table


def resolve_link(link: Link, table: Table, other: Table) -> Linked:
    """Return what a link of a table reads of another one, which may be the table itself."""
    reduce: Reduce = "one" if link.how == "same" or link.how == "other" else link.how  # noqa: PLR1714 - types follow
    return Linked(link.table, link.line, reduce, _pairs(link, table, other), link.case, link.where)


def _pairs(link: Link, table: Table, other: Table) -> tuple[tuple[str, str], ...]:
    """Return the keys in which the rows of a link agree with its own row."""
    if link.how == "other":
        return ((OTHERS.key, MODELS.key),)
    if link.how == "below":
        return tuple((rows.key, rows.key) for rows in ranked_within(table))
    if link.how in ("previous", "running"):
        return tuple((key, key) for key in table.keys[:-1])
    return tuple((key, key) for key in other.keys if key in table.keys)


class Scope(Struct, frozen=True, eq=False):
    """All that names of a table's formulas may mean: its links and lines, and the plan's inputs.

    `choices` are the flags of inputs, each with its input and the place of its label.
    """

    table: Table
    links: Mapping[str, Linked]
    lines: Collection[str]
    inputs: Collection[str]
    choices: Mapping[str, tuple[str, int]]

    def resolve(self, name: str) -> Ref:
        """Return what a name refers to.

        One that nothing has is a total of the row's model; in a table without models, what some of its rows bring.
        """
        if name in self.links:
            return self.links[name]
        if name in self.lines:
            return Earlier(name)
        result: Ref | None = self._by_row(name, self._resolve_shared(name))
        return result or Brought(name, None)

    def _resolve_shared(self, name: str) -> Given | Key | Total | Flag | None:
        """Return what a name refers to that no row and no model gives."""
        if name in self.table.keys:
            return Key(name)
        if name in self.choices:
            return Flag(self._input(self.choices[name][0]), self.choices[name][1])
        if name in self.inputs:
            return Given(name)
        in_rows = any(name in extra_keys(rows) for rows in self.table.rows)
        return Total(name) if MODELS in self.table.rows and not in_rows else None

    def _input(self, name: str) -> Given | Own | Brought:
        result: Given | Own | Brought = self._by_row(name, Given(name))
        return result

    def _by_row(self, name: str, result: Any) -> Any:
        """Return what rows give of a name, of several kinds of rows the last one that does; else what was found."""
        for rows in self.table.rows:
            if name in extra_keys(rows):
                result = Brought(name, result)
            elif rows == MODELS and (name in self.inputs or name == OVERRIDE):
                result = Own(name, result)
        return result
