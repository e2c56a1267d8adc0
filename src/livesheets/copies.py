"""Formulas that are copies of one another: what is true of one wherever it stands needs a look at one of them alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from livesheets.addresses import letters
from livesheets.references import MAX_COLUMN, MAX_ROW, Reference, reference, split
from livesheets.tokens import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from livesheets.tokens import Token


class Original(Struct, frozen=True):
    """The first of formulas that are copies of one another: where it is, and which way copies mean other cells."""

    text: str
    row: int
    column: int
    down: bool
    right: bool

    def distance(self, row: int, column: int) -> tuple[int, int]:
        """Return how far what a copy in a cell means is from what the original means: rows and columns."""
        return (row - self.row) * self.down, (column - self.column) * self.right


class _Pattern(Struct, frozen=True):
    """A formula as it is in every cell: the texts around the numbers that move along with it.

    `moves` are those numbers: whether it is a row, and how far it is from the formula's own.
    """

    texts: tuple[str, ...]
    moves: tuple[tuple[bool, int], ...]

    def at(self, row: int, column: int) -> str:
        """Return the formula in a cell, "" where it would lead beyond the sheet."""
        pieces = [self.texts[0]]
        for (is_row, by), text in zip(self.moves, self.texts[1:], strict=True):
            number, most = (row + by, MAX_ROW) if is_row else (column + by, MAX_COLUMN)
            if not 1 <= number <= most:
                return ""
            pieces += (str(number) if is_row else letters(number), text)
        return "".join(pieces)


class Originals(Struct, frozen=True):
    """Finds which formulas are copies, sheet by sheet, each sheet from the top down."""

    by_pattern: dict[_Pattern, Original] = field(default_factory=dict)

    def of(self, formulas: Mapping[tuple[int, int], str]) -> Iterator[Original]:
        """Give the original of each formula of a sheet that has a text, by row and column; most copy the one above.

        A formula that reads as the pattern of a neighbor does in this cell is a copy of it; others are read.
        """
        above: dict[int, _Pattern] = {}
        left: _Pattern | None = None
        for (row, column), text in formulas.items():
            if not text:
                continue
            near = (above.get(column), left)
            result = next((pattern for pattern in near if pattern and pattern.at(row, column) == text), None)
            result = result or _pattern(text, row, column)
            above[column] = left = result
            if result not in self.by_pattern:
                ways = {is_row for is_row, _ in result.moves}
                self.by_pattern[result] = Original(text, row, column, down=True in ways, right=False in ways)
            yield self.by_pattern[result]


def _pattern(formula: str, row: int, column: int) -> _Pattern:
    """Return the pattern of a formula in a cell."""
    texts, moves = [""], list[tuple[bool, int]]()
    for piece in (piece for token in cut(formula) for piece in _pieces(token, row, column)):
        if isinstance(piece, str):
            texts[-1] += piece
        else:
            moves.append(piece)
            texts.append("")
    return _Pattern(tuple(texts), tuple(moves))


def _pieces(token: Token, row: int, column: int) -> Iterator[str | tuple[bool, int]]:
    """Give the texts and moves of a token."""
    result = reference(token.text) if token.kind == "cells" else Reference("")
    if result.first is None:
        yield token.text
        return
    yield split(token.text)[0]
    for place, end in enumerate(result.ends):
        yield ":" * place
        if end.column:
            yield (False, end.column - column) if end.moves_right else f"${letters(end.column)}"
        if end.row:
            yield (True, end.row - row) if end.moves_down else f"${end.row}"
