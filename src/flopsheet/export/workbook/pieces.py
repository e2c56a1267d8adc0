"""The columns of a table of workings, and sums too long to read in one cell, in parts."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.accounting import formula
from flopsheet.export.workbook.cells import here, referring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.export.workbook.shape import Shape
    from flopsheet.export.xlsx import Value
    from flopsheet.planning.costing import Costed

LONGEST = 255
"""Characters of a formula, as Excel shows it, that people still read in one look."""
ROOM = 200
"""Characters of a part; the rest is for what stands around it."""


@dataclass(frozen=True)
class Piece:
    """A column of the table: its header, the template column that it looks like, its band, and its values.

    `value` is the name of a dimension or line, a formula of such names, or what gives the column's values for models
    by number.
    """

    header: str
    like: str
    band: str
    title: str
    unit: str
    value: str | formula.Formula | Callable[[Mapping[int, Costed]], Iterable[Value]]
    formula: str | None = None
    choices: tuple[str, ...] = ()


def shown_length(excel: str) -> int:
    """Return how long a formula is where Excel shows it: a column of the same row is `[@column]` there."""
    return len(re.sub(r"\w+\[\[#This Row\],\[(\w+)\]\]", r"[@\1]", excel)) + 1


def packed(terms: Sequence[str], sign: str, length: Callable[[str], int], room: int) -> list[str]:
    """Return the terms joined to as few sums as there is room for, in their order."""
    sums: list[str] = []
    for term in terms:
        joined = f"{sums[-1]}{sign}{term}" if sums else term
        if sums and length(joined) <= room:
            sums[-1] = joined
        else:
            sums.append(term)
    return sums


def summands(text: str) -> list[str]:
    """Return the terms of a sum, as formulas."""
    return list(_summands(formula.read(text).tree))


def _summands(tree: ast.expr) -> Iterator[str]:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Add | ast.Sub):
        yield from _summands(tree.left)
        if isinstance(tree.op, ast.Add):
            yield from _summands(tree.right)
        else:
            yield f"-({ast.unparse(tree.right)})"
    else:
        yield ast.unparse(tree)


def live(shape: Shape, text: str) -> str:
    """Return a formula of dimensions and lines as Excel formula of the table's row."""
    return formula.read(text).excel(referring(shape))


def in_parts(shape: Shape, piece: Piece, text: str) -> tuple[list[Piece], str]:
    """Return the columns that hold the parts of a long sum, and the Excel formula of the whole.

    A formula that people can read in one look has no parts.
    """
    whole = live(shape, text)
    if shown_length(whole) <= ROOM:
        return [], whole
    sums = packed(summands(text), " + ", lambda joined: shown_length(live(shape, joined)), ROOM)
    if len(sums) == 1:
        return [], whole
    parts = [_part(shape, piece, place, part) for place, part in enumerate(sums, start=1)]
    return parts, "+".join(here(shape.table, part.header) for part in parts)


def _part(shape: Shape, piece: Piece, place: int, text: str) -> Piece:
    title = f"{piece.title}, part {place}"
    header = f"{piece.header}_part{place}"
    return Piece(header, "helper", piece.band, title, piece.unit, formula.read(text), live(shape, text))
