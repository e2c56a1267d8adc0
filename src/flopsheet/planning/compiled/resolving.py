"""From the names and links of a question's tables to what they refer to."""

from __future__ import annotations

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


def resolve(
    name: str,
    table: Table,
    links: Mapping[str, Linked],
    inputs: Collection[str],
    choices: Mapping[str, tuple[str, int]],
) -> Ref:
    """Return what a name means in the formulas of a table.

    `links` are the table's, `choices` the flags of inputs, each with its input and the place of its label. A name that
    nothing has is a total of the row's model; in a table without models, a number that some of its rows bring.
    """
    if name in links:
        return links[name]
    if any(line.name == name for line in table.lines):
        return Earlier(name)
    if any(name in extra_keys(rows) for rows in table.rows):
        return Brought(name, _unbrought(name, table, inputs, choices))
    return _unbrought(name, table, inputs, choices) or Brought(name, None)


def _unbrought(
    name: str, table: Table, inputs: Collection[str], choices: Mapping[str, tuple[str, int]]
) -> Given | Key | Total | Own | Flag | None:
    if name in table.keys:
        return Key(name)
    if name in choices:
        return Flag(_chosen(choices[name][0], table), choices[name][1])
    if name in inputs:
        return _input(name, table)
    if MODELS in table.rows:
        return Own(name, Total(name)) if name == OVERRIDE else Total(name)
    return None


def _input(name: str, table: Table) -> Given | Own:
    return Own(name, Given(name)) if MODELS in table.rows else Given(name)


def _chosen(name: str, table: Table) -> Given | Own | Brought:
    """Return the choice behind a flag in a table's rows."""
    brought = any(name in extra_keys(rows) for rows in table.rows)
    return Brought(name, _input(name, table)) if brought else _input(name, table)
