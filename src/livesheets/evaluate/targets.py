"""What a reference in a formula is aimed at: columns of a table, cells of a sheet, or a name."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.evaluate.scalars import UnknownError
from livesheets.references import reference
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from livesheets.references import Area
    from livesheets.tokens import Token

REFERENCES = ("cells", "table", "name")
"""Kinds of tokens that are aimed at something."""


class Target(Struct, frozen=True):
    """Columns of a table, cells of a sheet ("" for the formula's own), or a name; all names in lower case.

    `columns` are the first and the last, none for the whole table; `part` is #this row, #headers or the like.
    """

    text: str
    table: str = ""
    columns: tuple[str, ...] = ()
    part: str = ""
    sheet: str = ""
    area: Area | None = None

    @property
    def name(self) -> str:
        """The name, "" for a table or cells."""
        return "" if self.table or self.area else self.text.casefold()


def references(formula: str) -> Iterator[Token]:
    """Give the tokens of a formula that are aimed at something, and the words TRUE and FALSE."""
    return (token for token in tokens(formula) if token.kind in REFERENCES)


@lru_cache(maxsize=2**14)
def target(token: Token) -> Target:
    """Return what a token of a formula is aimed at; UnknownError for other workbooks, whole rows and the like."""
    if token.kind == "name":
        return Target(token.text)
    if token.kind == "table":
        return _columns(token.text)
    result = reference(token.text)
    if result.area is None or "[" in result.sheet or ":" in result.sheet:
        raise UnknownError
    return Target(token.text, sheet=result.sheet.casefold(), area=result.area)


def _columns(text: str) -> Target:
    result = read_structured(text)
    if not result.table or len(result.items) > 1:
        raise UnknownError
    columns = tuple(column.casefold() for column in result.columns)
    return Target(text, result.table.casefold(), columns, "".join(result.items))
