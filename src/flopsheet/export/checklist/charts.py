"""Items about charts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import quoted
from flopsheet.export.xlsx.markup import CHART, attribute, local, tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.export.checklist.look import Chart, Look
    from flopsheet.export.xlsx.markup import Element

SENSITIVITY = re.compile(r"sensitivit|tornado", re.IGNORECASE)
AXES = ("catAx", "dateAx", "serAx", "valAx")


def sensitivity(look: Look) -> Iterator[str]:
    """Find that no list tells what each input moves, has no base row, or no chart shows it."""
    homes = {table.sheet for table in look.tables if SENSITIVITY.search(f"{table.name} {table.sheet}")}
    if not homes:
        yield "no list, and no sheet with a list, is named Sensitivity"
        return
    if not any(cell.sheet in homes and text.casefold().startswith("base") for cell, text in look.texts):
        yield f"{min(homes)}: no row is the base"
    if not any(_shows(chart, home) for chart in look.charts for home in homes):
        yield f"{min(homes)}: no chart shows the sensitivities"


def _shows(chart: Chart, sheet: str) -> bool:
    return any(
        (found.text or "").startswith((f"{quoted(sheet)}!", f"'{sheet}'!"))
        for found in chart.root.iter(tag("f", CHART))
    )


def bridge(look: Look) -> Iterator[str]:
    """Find that no chart of stacked columns leads from one number to another."""
    if not any(_is_stacked(bars) for chart in look.charts for bars in chart.root.iter(tag("barChart", CHART))):
        yield "no chart of stacked columns"


def _is_stacked(bars: Element) -> bool:
    said = {local(part): attribute(part, "val") for part in bars}
    return said.get("barDir") == "col" and said.get("grouping") == "stacked"


def live(look: Look) -> Iterator[str]:
    """Find series that show typed numbers."""
    for chart in look.charts:
        for place, series in enumerate(chart.root.iter(tag("ser", CHART)), start=1):
            values = [part for part in series if local(part) in ("val", "yVal")]
            texts = [(found.text or "").strip() for part in values for found in part.iter(tag("f", CHART))]
            if not any(texts) or any("#REF!" in text for text in texts):
                yield f"{chart.sheet}: series {place} of {chart.part} refers to no cells"


def titles(look: Look) -> Iterator[str]:
    """Find charts and axes without a title."""
    for chart in look.charts:
        if not any(_titled(found) for found in chart.root.iter(tag("chart", CHART))):
            yield f"{chart.sheet}: {chart.part} has no title"
        for axis in chart.root.iter(*(tag(name, CHART) for name in AXES)):
            deleted = any(attribute(part, "val", "1") in ("1", "true") for part in axis if local(part) == "delete")
            if not deleted and not _titled(axis):
                yield f"{chart.sheet}: {chart.part} has an axis without a title ({local(axis)})"


def _titled(element: Element) -> bool:
    return any("".join(map(str, part.itertext())).strip() for part in element if local(part) == "title")
