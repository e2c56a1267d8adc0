"""Sparklines: those over a table's rows stretch as charts do, those in a data row are repeated in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livesheets.engine.cells import escape
from livesheets.engine.markup import drop, tag
from livesheets.engine.plan import locate_errors
from livesheets.engine.resize import Mode, adapt
from livesheets.engine.row_template import SLOT
from livesheets.engine.sheet import fragment
from livesheets.references import read_area, relative_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from livesheets.engine.layout import SheetJob
    from livesheets.engine.markup import Element
    from livesheets.engine.placeholders import Placeholders
    from livesheets.engine.resize import Resize

XM = "http://schemas.microsoft.com/office/excel/2006/main"


def resize_sparklines(job: SheetJob, placeholders: Placeholders) -> None:
    """Bring a sheet's sparklines up to date; one in a data row leaves a placeholder for its repetitions."""
    with locate_errors(f"a sparkline on the sheet {job.plan.name!r}"):
        for group in list(job.plan.xml.root.iter("{*}sparklineGroup")):
            for line in list(group.iter("{*}sparkline")):
                _resize(job, line, placeholders)
            for dates in group.findall(tag("f", XM)):
                dates.text = adapt(dates.text or "", job.scope, Mode.WINDOW)


def _resize(job: SheetJob, line: Element, placeholders: Placeholders) -> None:
    formula, place = line.find(tag("f", XM)), line.find(tag("sqref", XM))
    if place is None or not place.text:
        return
    area = read_area(place.text, f"a sparkline in {place.base} of the template")
    resize = next((resize for resize in job.scope.of("") if resize.in_data(area)), None)
    if resize is None:
        place.text = str(read_area(adapt(str(area), job.scope)))
        if formula is not None:
            formula.text = adapt(formula.text or "", job.scope, Mode.WINDOW)
    elif area.top == resize.first:
        _repeat(job, line, resize, placeholders)
    else:
        drop(line)


def _repeat(job: SheetJob, line: Element, resize: Resize, placeholders: Placeholders) -> None:
    """Replace a sparkline by a placeholder for the ones of each row."""
    formula, place = line.find(tag("f", XM)), line.find(tag("sqref", XM))
    pattern = fragment(line, job.plan.xml)
    for element in (formula, place):
        if element is not None and element.text:
            moving = escape(relative_rows(element.text, resize.first).replace("\0", "\ue000").replace("\1", "\ue001"))
            pattern = pattern.replace(f">{escape(element.text)}<", f">{moving}<")
    pattern = pattern.replace("\ue000", "\0").replace("\ue001", "\1")
    line.addprevious(placeholders.hold(_repeat_element(pattern, range(resize.first, resize.bottom + 1))))
    drop(line)


def _repeat_element(pattern: str, rows: Iterable[int]) -> Iterator[str]:
    """Give an element once for each row; it has slots for row numbers."""
    for row in rows:
        yield SLOT.sub(lambda slot: str(row + int(slot[1])), pattern)  # noqa: B023  called before the next row
