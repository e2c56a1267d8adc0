"""The rows of a sheet by their place: each is held as few bytes, and its cells are made when they are asked for."""

from __future__ import annotations

import pickle
from abc import abstractmethod
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from livesheets import Cell


class CompactRows:
    """Rows by their place, each made of a part of some content that is held once; the last one is kept."""

    def __init__(self) -> None:
        """Begin without rows; each ends where the next one starts."""
        self._ends = array("Q", [0])
        self._last: tuple[int, Sequence[Cell]] = -1, ()

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> Sequence[Cell]:
        """Return a row; IndexError behind the last one."""
        if place != self._last[0]:
            if not 0 <= place < len(self):
                raise IndexError(place)
            self._last = place, self._make(slice(self._ends[place], self._ends[place + 1]))
        return self._last[1]

    @abstractmethod
    def _make(self, part: slice) -> Sequence[Cell]:
        """Return the row of a part of the content."""


class PackedRows(CompactRows):
    """Rows of cells: as lists they would take several times the memory."""

    def __init__(self, rows: Iterable[Sequence[Cell]]) -> None:
        """Take in the rows, one after another."""
        super().__init__()
        self._packed = bytearray()
        for row in rows:
            self._packed += pickle.dumps(row, pickle.HIGHEST_PROTOCOL)
            self._ends.append(len(self._packed))

    def _make(self, part: slice) -> Sequence[Cell]:
        row: Sequence[Cell] = pickle.loads(self._packed[part])  # noqa: S301 - made above
        return row
