"""Sparklines: those over a table's rows stretch as charts do, those in a data row are repeated in every row."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from flopsheet.export.xlsx.cells import escape
from flopsheet.export.xlsx.markup import drop, tag
from flopsheet.export.xlsx.plan import located
from flopsheet.export.xlsx.refs import read_area, relative_rows
from flopsheet.export.xlsx.sheet import fragment
from flopsheet.export.xlsx.stretch import Mode, adapted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flopsheet.export.xlsx.layout import Job
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.refs import Area
    from flopsheet.export.xlsx.stretch import Growth

XM = "http://schemas.microsoft.com/office/excel/2006/main"

_MARK = "rows "
_HERE = re.compile(f"<!--{_MARK}([0-9]+)-->".encode())
_SLOT = re.compile("\0(-?[0-9]+)\1")
BATCH = 1000  # rows that are written at a time


@dataclass(frozen=True, slots=True)
class Repeat:
    """An element that stands once for each row of a table: its text with slots for row numbers, and the rows."""

    pattern: str
    first: int
    last: int

    def pieces(self) -> Iterator[bytes]:
        """Give the element for each row, many rows at a time."""
        for start in range(self.first, self.last + 1, BATCH):
            rows = range(start, min(start + BATCH, self.last + 1))
            yield "".join(map(self._at, rows)).encode()

    def _at(self, row: int) -> str:
        return _SLOT.sub(lambda slot: str(row + int(slot[1])), self.pattern)


def stretch_sparklines(job: Job) -> list[Repeat]:
    """Bring a sheet's sparklines up to date; where one stood in a data row, a mark for its repetitions is left."""
    repeats: list[Repeat] = []
    with located(f"a sparkline on the sheet {job.plan.name!r}"):
        for group in list(job.plan.xml.root.iter("{*}sparklineGroup")):
            for line in list(group.iter("{*}sparkline")):
                _stretch(job, line, repeats)
            for dates in group.findall(tag("f", XM)):
                dates.text = adapted(dates.text or "", job.scope, Mode.WINDOW)
    return repeats


def _stretch(job: Job, line: Element, repeats: list[Repeat]) -> None:
    formula, place = line.find(tag("f", XM)), line.find(tag("sqref", XM))
    if place is None or not place.text:
        return
    area = read_area(place.text)
    growth = next((growth for growth in job.scope.of("") if growth.in_data(area)), None)
    if growth is None:
        place.text = str(_moved(job, area))
        if formula is not None:
            formula.text = adapted(formula.text or "", job.scope, Mode.WINDOW)
    elif area.top == growth.first:
        _repeat(job, line, growth, repeats)
    else:
        drop(line)


def _moved(job: Job, area: Area) -> Area:
    """Return where a cell stands now: totals move down."""
    return read_area(adapted(str(area), job.scope))


def _repeat(job: Job, line: Element, growth: Growth, repeats: list[Repeat]) -> None:
    """Replace a sparkline by a mark, and note what each row has in its place."""
    formula, place = line.find(tag("f", XM)), line.find(tag("sqref", XM))
    pattern = fragment(line, job.plan.xml)
    for element in (formula, place):
        if element is not None and element.text:
            moving = escape(relative_rows(element.text, growth.first).replace("\0", "\ue000").replace("\1", "\ue001"))
            pattern = pattern.replace(f">{escape(element.text)}<", f">{moving}<")
    pattern = pattern.replace("\ue000", "\0").replace("\ue001", "\1")
    line.addprevious(etree.Comment(f"{_MARK}{len(repeats)}"))
    drop(line)
    repeats.append(Repeat(pattern, growth.first, growth.bottom))


def with_repeats(tail: bytes, repeats: Sequence[Repeat]) -> Iterator[bytes]:
    """Give what stands after a sheet's rows, with each mark replaced."""
    pieces = _HERE.split(tail) if repeats else [tail]
    for at, piece in enumerate(pieces):
        if at % 2:
            yield from repeats[int(piece)].pieces()
        else:
            yield piece
