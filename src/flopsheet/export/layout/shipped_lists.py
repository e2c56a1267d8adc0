"""The lists of the shipped template: their names, keys, columns, formulas and looks, from lists.toml alone."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.data import read_table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Repeated = Mapping[str, Sequence[str]]

Columns = list[tuple[str, str, float, object]]
"""Header, look, width and sample value of each column of a table."""
_LOOKS = read_table("flopsheet.export.layout", "looks.toml")["looks"]
WRAPPED: Mapping[str, int] = {name: _LOOKS[name]["size"] for name in ("wrapped", "words", "small")}
"""Looks of a list's cells with text that wraps, each with its font size."""
CASE = "{case}"
"""The header that stands for a column per case, each as wide as its title at least."""


class ListColumn(Struct, frozen=True):
    """A column of a list: how it is laid out, and its formula as Excel shows it, "" for values.

    `like` names the column whose looks it takes where the template is laid out without it.
    """

    header: str
    look: str
    width: float
    sample: object
    formula: str = ""
    like: str = ""


class ShippedList(Struct, frozen=True):
    """A list of the shipped template.

    `key` is the column by which import tells its rows apart, "" where it compares none; a `fixed` one has as many rows
    whatever the batch. `looks` say which columns show each look, of which a template has one. `where` has the formulas
    that are others in some workbooks, by what those have. `name` is what a prototype is called in the template, and
    `rows` are the looks of its sample rows, those of the columns where a row has none.
    """

    key: str = ""
    fixed: bool = False
    columns: Sequence[Sequence[Any]] = ()
    looks: Mapping[str, list[str]] = {}
    name: str = ""
    rows: Sequence[Sequence[str]] = ()
    where: Mapping[str, Mapping[str, str]] = {}


@cache
def shipped_lists() -> Mapping[str, ShippedList]:
    """Return the lists by their names in the workbook; each is a table of this name on one of the shipped sheets."""
    result = read_table("flopsheet.export.layout", "lists.toml")
    return {name: ShippedList(**one) for name, one in result.items()}


def keys() -> dict[str, str]:
    """Return the column by which rows are told apart, of each list that import compares."""
    return {name: one.key for name, one in shipped_lists().items() if one.key}


def laid_out(name: str, placeholders: Repeated | None = None) -> Columns:
    """Return how the columns of a list are laid out; `placeholders` give titles of those that stand several times."""
    columns = columns_of(name, placeholders or {})
    own = (one for one in columns if one.like in {"", one.header})
    return [(one.header, one.look, one.width, None if one.sample == "" else one.sample) for one in own]


def columns_of(name: str, placeholders: Repeated) -> Iterator[ListColumn]:
    """Give the columns of a list, one that stands for several once for each of its titles.

    A word of one title stands for that in all columns.
    """
    words = TITLES | {word: titles[0] for word, titles in placeholders.items() if len(titles) == 1}
    for values in shipped_lists()[name].columns:
        column = ListColumn(*values)
        word = next((word for word in placeholders if f"{{{word}}}" in column.header), "")
        for place, title in enumerate(placeholders.get(word, ("",)), start=1):
            yield _title(column, title, {**words, word: title, "place": str(place)})


def _title(column: ListColumn, title: str, words: Mapping[str, str]) -> ListColumn:
    """Return a column under one of its titles, as wide as that at least where it is a case."""
    wide = column.header == CASE
    return replace(
        column,
        header=column.header.format(**words),
        width=max(column.width, len(title) + 2) if wide else column.width,
        sample=column.sample.format(**words) if isinstance(column.sample, str) else column.sample,
        formula=column.formula.format(**words),
        like=column.like.format(**words),
    )
