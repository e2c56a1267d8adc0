"""Sparklines: those over a table's rows stretch as charts do, those in a data row are repeated in every row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.export.xlsx.cells import escape
from flopsheet.export.xlsx.markup import drop, tag
from flopsheet.export.xlsx.plan import located
from flopsheet.export.xlsx.refs import read_area, relative_rows
from flopsheet.export.xlsx.sheet import fragment
from flopsheet.export.xlsx.stretch import Mode, adapted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from flopsheet.export.xlsx.layout import Job
    from flopsheet.export.xlsx.marks import Marks
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.refs import Area
    from flopsheet.export.xlsx.stretch import Growth

XM = "http://schemas.microsoft.com/office/excel/2006/main"

_SLOT = re.compile("\0(-?[0-9]+)\1")


def stretch_sparklines(job: Job, marks: Marks) -> None:
    """Bring a sheet's sparklines up to date; where one stood in a data row, a mark for its repetitions is left."""
    with located(f"a sparkline on the sheet {job.plan.name!r}"):
        for group in list(job.plan.xml.root.iter("{*}sparklineGroup")):
            for line in list(group.iter("{*}sparkline")):
                _stretch(job, line, marks)
            for dates in group.findall(tag("f", XM)):
                dates.text = adapted(dates.text or "", job.scope, Mode.WINDOW)


def _stretch(job: Job, line: Element, marks: Marks) -> None:
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
        _repeat(job, line, growth, marks)
    else:
        drop(line)


def _moved(job: Job, area: Area) -> Area:
    """Return where a cell stands now: totals move down."""
    return read_area(adapted(str(area), job.scope))


def _repeat(job: Job, line: Element, growth: Growth, marks: Marks) -> None:
    """Replace a sparkline by a mark for the ones of each row."""
    formula, place = line.find(tag("f", XM)), line.find(tag("sqref", XM))
    pattern = fragment(line, job.plan.xml)
    for element in (formula, place):
        if element is not None and element.text:
            moving = escape(relative_rows(element.text, growth.first).replace("\0", "\ue000").replace("\1", "\ue001"))
            pattern = pattern.replace(f">{escape(element.text)}<", f">{moving}<")
    pattern = pattern.replace("\ue000", "\0").replace("\ue001", "\1")
    line.addprevious(marks.mark(_repeated(pattern, range(growth.first, growth.bottom + 1))))
    drop(line)


def _repeated(pattern: str, rows: Iterable[int]) -> Iterator[str]:
    """Give an element once for each row; it has slots for row numbers."""
    for row in rows:
        yield _SLOT.sub(lambda slot: str(row + int(slot[1])), pattern)  # noqa: B023  called before the next row
