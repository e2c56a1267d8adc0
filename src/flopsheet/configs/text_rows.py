"""The rows of a CSV file by their place: the text is held once, and a row is made when it is asked for."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from flopsheet.configs.packed_rows import CompactRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from livesheets import Cell

LINE = re.compile("[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


class TextRows(CompactRows):
    """Rows of cells; None is where a cell is empty. csv.Error says where the text is no CSV."""

    def __init__(self, text: str, delimiter: str) -> None:
        """Find where each row starts: one may go over several lines."""
        super().__init__()
        self._text, self._delimiter = text, delimiter
        lines = _Lines(text)
        for _ in csv.reader(lines, delimiter=delimiter, strict=True):
            self._ends.append(lines.read)

    def _make(self, part: slice) -> Sequence[Cell]:
        (cells,) = csv.reader(LINE.findall(self._text[part]), delimiter=self._delimiter, strict=True)
        return [value or None for value in cells]


class _Lines:
    """Lines of a text, and how many characters of it were `read`."""

    def __init__(self, text: str) -> None:
        self._matches = LINE.finditer(text)
        self.read = 0

    def __iter__(self) -> Iterator[str]:
        for match in self._matches:
            self.read = match.end()
            yield match[0]
