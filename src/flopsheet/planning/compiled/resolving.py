"""From the names and links of a question's tables to what they refer to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

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


@dataclass(frozen=True, eq=False)
class Scope:
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
        otherwise = self._unbrought(name)
        return Brought(name, otherwise) if name in self._brought or otherwise is None else otherwise

    @cached_property
    def _brought(self) -> frozenset[str]:
        """What listed rows bring next to their keys."""
        return frozenset(name for rows in self.table.rows for name in extra_keys(rows))

    def _unbrought(self, name: str) -> Given | Key | Total | Own | Flag | None:
        if name in self.table.keys:
            return Key(name)
        if name in self.choices:
            chosen, place = self.choices[name]
            return Flag(Brought(chosen, self._input(chosen)) if chosen in self._brought else self._input(chosen), place)
        if name in self.inputs:
            return self._input(name)
        if MODELS in self.table.rows:
            return Own(name, Total(name)) if name == OVERRIDE else Total(name)
        return None

    def _input(self, name: str) -> Given | Own:
        return Own(name, Given(name)) if MODELS in self.table.rows else Given(name)
