"""The lists of the shipped template: their names, keys, columns and looks, from lists.toml alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.accounting.data import read_table
from flopsheet.errors import TemplateError
from flopsheet.planning.inputs import TITLES
from livesheets import Column

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flopsheet.export.layout.tables import Columns
    from livesheets.excel import Expression

CASE = "{case}"
"""The header that stands for a column per case, each as wide as its title at least."""


class ShippedList(NamedTuple):
    """A list of the shipped template.

    `key` is the column by which import tells its rows apart, "" where it compares none; a `fixed` one has as many rows
    whatever the batch. `columns` are header, look, width and sample value of each; `looks` say which columns show
    each look, of which a template has one.
    """

    key: str = ""
    fixed: bool = False
    columns: Sequence[tuple[str, str, float, object]] = ()
    looks: Mapping[str, list[str]] = {}


@cache
def shipped_lists() -> Mapping[str, ShippedList]:
    """Return the lists by their names in the workbook; each is a table of this name on one of the shipped sheets."""
    result = read_table("flopsheet.export.layout", "lists.toml")
    return {name: ShippedList(**one) for name, one in result.items()}


def keys() -> dict[str, str]:
    """Return the column by which rows are told apart, of each list that import compares."""
    return {name: one.key for name, one in shipped_lists().items() if one.key}


def laid_out(name: str, titles: Sequence[str] = ()) -> Columns:
    """Return how the columns of a list are laid out, those a case under the titles of the cases."""
    return list(_columns(name, titles))


def fill_list(name: str, formulas: Mapping[str, Expression], titles: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns of a list, each with its formula; a TemplateError where the list has no such column."""
    headers = [header for header, *_ in _columns(name, titles)]
    if strangers := formulas.keys() - {*headers}:
        raise TemplateError(f"the list {name} has no column {min(strangers)!r}")
    return tuple(Column(header, formulas.get(header)) for header in headers)


def _columns(name: str, titles: Sequence[str]) -> Iterator[tuple[str, str, float, object]]:
    for header, look, width, sample in shipped_lists()[name].columns:
        if header == CASE:
            yield from ((title, look, max(width, len(title) + 2), sample) for title in titles)
        else:
            yield header.format(**TITLES), look, width, sample
