"""A row's cells as one text: fixed pieces, and between them what is written again for every row."""

from __future__ import annotations

import re
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from livesheets.engine.cells import EXACT, LARGEST, real, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from livesheets.engine.model import Row

    Writer = tuple[int, Callable[..., str]]
    """A value's place in the row, and what writes it."""

SLOT = re.compile("\0(-?[0-9]+)\1")
"""A row number, as an offset from the row's own."""
VALUE = "\2"
"""Where a value stands; no formula and no escaped text has the character."""

_PIECE = re.compile(f"(\0-?[0-9]+\1|{VALUE})")


class RowTemplate(Struct, frozen=True):
    """A row compiled for one mix of types.

    `order` takes the pieces of a row from (row numbers, values, texts) as they follow each other. Most numbers are
    written at once: `small` are whole numbers that a float64 holds exactly, `large` those that it does not, `reals` are
    finite floats. `special` are all others with what writes them; among them are the `varying` ones, places in
    `writers` of numbers that are now of one kind, now of another. `kinds` says for each value which of the four it is.
    """

    pattern: str
    writers: tuple[Writer, ...]
    varying: frozenset[int]
    kinds: tuple[str, ...]
    texts: tuple[str, ...]
    offsets: tuple[int, ...]
    order: Callable[[list[str]], tuple[str, ...]]
    small: Callable[[Row], tuple[int, ...]]
    large: Callable[[Row], tuple[int, ...]]
    reals: Callable[[Row], tuple[float, ...]]
    special: tuple[Writer, ...]

    def text(self, at: int, row: Row) -> str | None:
        """Return the cells of a row with that number; None if one of its numbers is not of the kind expected."""
        small, large, reals = self.small(row), self.large(row), self.reals(row)
        if not (_all_small(small) and _all_large(large) and all(map(isfinite, reals))):
            return None
        pieces = [str(at + offset) for offset in self.offsets]
        pieces += map(repr, small)
        pieces += map(repr, map(float, large))
        pieces += map(repr, reals)
        pieces += [write(row[index]) for index, write in self.special]
        pieces += self.texts
        return "".join(self.order(pieces))


def _all_small(numbers: Sequence[int]) -> bool:
    return not numbers or (max(numbers) <= EXACT and min(numbers) >= -EXACT)


def _all_large(numbers: Sequence[int]) -> bool:
    return not numbers or (min(numbers) > EXACT and max(numbers) < LARGEST)


def row_template(
    pattern: str, writers: Sequence[Writer], row: Row, varying: frozenset[int] = frozenset()
) -> RowTemplate:
    """Compile a row; numbers are taken to stay of the kind that they are in this one."""
    kinds = tuple("special" if at in varying else kind for at, kind in enumerate(_kinds(writers, row)))
    groups = ("small", "large", "reals", "special")
    small, large, reals, special = ([at for at, kind in enumerate(kinds) if kind == group] for group in groups)
    pieces = _PIECE.split(pattern)
    offsets = sorted({piece for piece in pieces if SLOT.fullmatch(piece)})
    texts = list(dict.fromkeys(piece for piece in pieces if piece != VALUE and piece not in offsets))
    return RowTemplate(
        pattern,
        tuple(writers),
        varying,
        kinds,
        tuple(texts),
        tuple(int(piece[1:-1]) for piece in offsets),
        _getter(_order(pieces, offsets, [*small, *large, *reals, *special], texts)),
        _getter([writers[at][0] for at in small]),
        _getter([writers[at][0] for at in large]),
        _getter([writers[at][0] for at in reals]),
        tuple(writers[at] for at in special),
    )


def loosen(form: RowTemplate, row: Row) -> RowTemplate:
    """Return the form for rows like this one too: numbers that are of another kind now are written one by one."""
    odd = {at for at, kind in enumerate(_kinds(form.writers, row)) if at not in form.varying and kind != form.kinds[at]}
    return row_template(form.pattern, form.writers, row, form.varying | odd)


def _kinds(writers: Sequence[Writer], row: Row) -> tuple[str, ...]:
    """Return how each value of a row can be written."""
    return tuple(_kind(write, row[index]) for index, write in writers)


def _kind(write: Callable[..., str], value: Any) -> str:
    if write is whole and type(value) is int:
        return "small" if _all_small([value]) else "large" if _all_large([value]) else "special"
    return "reals" if write is real and type(value) is float and isfinite(value) else "special"


def _order(pieces: Sequence[str], offsets: Sequence[str], values: Sequence[int], texts: Sequence[str]) -> list[int]:
    """Return where each piece of a row is among row numbers, values (in that order) and texts."""
    indexes = {piece: place for place, piece in enumerate(offsets)}
    indexes |= {piece: len(offsets) + len(values) + place for place, piece in enumerate(texts)}
    places = iter(sorted(range(len(values)), key=values.__getitem__))
    return [len(offsets) + next(places) if piece == VALUE else indexes[piece] for piece in pieces]


def _getter(indexes: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return what takes the items at some places of a sequence."""
    if len(indexes) < 2:  # noqa: PLR2004 - itemgetter gives a tuple for two places or more
        return lambda items: tuple([items[index] for index in indexes])
    return itemgetter(*indexes)
