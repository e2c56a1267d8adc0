"""The rows of a CSV file by their place: the text is held once, and a row is made when it is asked for."""

from __future__ import annotations

import csv
import re
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from livesheets import Cell

LINE = re.compile("[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class TextRows:
    """Rows of cells; None is where a cell is empty. csv.Error says where the text is no CSV."""

    def __init__(self, text: str, delimiter: str) -> None:
        """Find where each row starts: one may go over several lines."""
        self._text, self._delimiter = text, delimiter
        self._ends = array("Q", [0])
        self._last: tuple[int, Sequence[Cell]] = -1, ()
        lines = _Lines(text)
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            self._ends.append(lines.read)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> Sequence[Cell]:
        """Return a row; IndexError behind the last one."""
        if place != self._last[0]:
            if not 0 <= place < len(self):
                raise IndexError(place)
            own = self._text[self._ends[place] : self._ends[place + 1]]
            (cells,) = csv.reader(LINE.findall(own), delimiter=self._delimiter, strict=True)
            self._last = place, [value or None for value in cells]
        return self._last[1]


class _Lines:
    """Lines of a text, and how many characters of it were `read`."""

    def __init__(self, text: str) -> None:
        self._matches = LINE.finditer(text)
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        for match in self._matches:
            self.read = match.end()
            yield match[0]
