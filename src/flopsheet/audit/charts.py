"""Items about charts."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from flopsheet.audit.precedents import ranges
from flopsheet.audit.view import Cell
from livesheets.addresses import quote
from livesheets.engine.markup import CHART, attribute, local, tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flopsheet.audit.precedents import Range
    from flopsheet.audit.view import Chart, WorkbookView
    from livesheets.engine import Value
    from livesheets.engine.markup import Element
    from livesheets.references import Area

BRIDGE = re.compile(r"bridge|waterfall", re.IGNORECASE)
CLOSE = 1e-9
SENSITIVITY = re.compile(r"sensitivit|tornado", re.IGNORECASE)
EMPTY_TITLES = ("", "chart title", "axis title")
"""Titles that say nothing."""
AXES = ("catAx", "dateAx", "serAx", "valAx")


def sensitivity(view: WorkbookView) -> Iterator[str]:
    """Find that no list tells what each input moves, has no base row, or no chart shows it."""
    homes = {table.sheet for table in view.tables if SENSITIVITY.search(f"{table.name} {table.sheet}")}
    if not homes:
        yield "no list, and no sheet with a list, is named Sensitivity"
        return
    texts = (text for home in sorted(homes) for _, text in view.texts(home))
    if not any(text.casefold().startswith("base") for text in texts):
        yield f"{min(homes)}: no row is the base"
    if not any(_shows(chart, home) for chart in view.charts for home in homes):
        yield f"{min(homes)}: no chart shows the sensitivities: bars with an overlap of 100, a side for each case"
    live, base = (view.names.get(name) for name in ("out_sensitivity", "out_sensitivity_base"))
    for cell in (live, base):
        if cell and cell not in view.formulas:
            yield f"{cell}: typed; the live output and the base row are to be computed"
    if live and base and any(area.has(live.row, live.column) for area in _on(view, base, live.sheet)):
        yield f"{base}: refers to {live}, the live output, which it should be compared with"
    if live and base and not _same(view.value(live), view.value(base)):
        yield f"{base}: the base row gives {view.value(base)}, the live output is {view.value(live)}"


def _on(view: WorkbookView, cell: Cell, sheet: str) -> list[Area]:
    """Return the cells of a sheet that the formula in a cell refers to."""
    result = ranges(view, cell, view.formulas.get(cell, ""))
    return [area for home, area in result if home == sheet.casefold()]


def _same(one: Value, other: Value) -> bool:
    """Whether two values are the same number, or one is none."""
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return True
    return math.isclose(one, other, rel_tol=CLOSE)


def _shows(chart: Chart, sheet: str) -> bool:
    """Whether a chart is a tornado of what is on a sheet: bars that lie over each other, two sides or more."""
    homes = (f"{quote(sheet)}!", f"'{sheet}'!")
    sides = [
        series
        for bars in chart.root.iter(tag("barChart", CHART))
        if _describe_parts(bars).get("barDir") == "bar" and _describe_parts(bars).get("overlap") == "100"
        for series in bars.iter(tag("ser", CHART))
        if any(text.startswith(homes) for text in _references(series))
    ]
    return len(sides) > 1


def _references(element: Element) -> list[str]:
    """Return what the parts of a chart's element refer to."""
    return [(part.text or "").strip() for part in element.iter(tag("f", CHART))]


def _ranges(view: WorkbookView, chart: Chart, text: str) -> Iterator[Range]:
    return ranges(view, Cell(chart.sheet, 1, 1), text)


def bridge(view: WorkbookView) -> Iterator[str]:
    """Find that no chart of stacked columns leads from one number to another, and steps that do not add up."""
    own = [chart for chart in view.charts if BRIDGE.search(chart.sheet)]
    bar_charts = [(chart, bars) for chart in own or view.charts for bars in chart.root.iter(tag("barChart", CHART))]
    if not any(_is_stacked(bars) for _, bars in bar_charts):
        yield "no chart of stacked columns"
    for chart, bars in bar_charts if own else []:
        if not (_is_stacked(bars) and any(_is_unseen(part) for part in bars if local(part) == "ser")):
            yield f"{chart.sheet}: {chart.part} is not a waterfall: stacked columns, the lowest without a fill"
    yield from _steps(view)


def _is_unseen(series: Element) -> bool:
    """Whether the columns of a series have no fill; a line around them may have none all the same."""
    return any(local(part) == "noFill" for own in series if local(own) == "spPr" for part in own)


def _steps(view: WorkbookView) -> Iterator[str]:
    """Find steps whose amounts are not what they lead to."""
    for table in view.tables:
        kinds, amounts = view.column(table, "Kind"), view.column(table, "Amount")
        rows = [(view.value(kind), view.value(amount)) for kind, amount in zip(kinds, amounts, strict=False)]
        steps = [float(amount) for kind, amount in rows if kind != "exact" and isinstance(amount, int | float)]
        exact = [float(amount) for kind, amount in rows if kind == "exact" and isinstance(amount, int | float)]
        if exact and len(steps) + len(exact) == len(rows) and not math.isclose(sum(steps), exact[0], rel_tol=CLOSE):
            yield f"{amounts[-1]}: {exact[0]:,} is shown, but the steps add up to {sum(steps):,}"


def _is_stacked(bars: Element) -> bool:
    values = _describe_parts(bars)
    return (values.get("barDir"), values.get("grouping"), values.get("overlap")) == ("col", "stacked", "100")


def _describe_parts(element: Element) -> dict[str, str]:
    """Return what the parts of an element say of it."""
    return {local(part): attribute(part, "val") for part in element}


def live(view: WorkbookView) -> Iterator[str]:
    """Find series that show typed numbers."""
    for chart in view.charts:
        for place, series in enumerate(chart.root.iter(tag("ser", CHART)), start=1):
            where = f"{chart.sheet}: series {place} of {chart.part}"
            texts = [text for part in series if local(part) in ("val", "yVal") for text in _references(part)]
            if not any(texts) or any("#REF!" in text for text in texts):
                yield f"{where} does not refer to cells"
            reasons = [*_find_misnamed(view, chart, series)]
            reasons += [why for text in filter(None, texts) for why in _dead(view, chart, text)]
            yield from (f"{where}: {why}" for why in reasons)


def _dead(view: WorkbookView, chart: Chart, text: str) -> Iterator[str]:
    """Say why a range is not live: it is not there, blank, typed outside of all lists, or a part of a list."""
    for sheet, area in _ranges(view, chart, text):
        tables = [t for t in view.tables if t.sheet.casefold() == sheet and t.area.meets(area)]
        if sheet not in view.template.book.sheets:
            yield f"there is no sheet for {text}"
        elif not any(view.value(cell) is not None or cell in view.formulas for cell in view.within(sheet, area)):
            yield f"{text} is blank"
        elif not tables and not _is_computed(view, sheet, area):
            yield f"{text} holds typed numbers"
        for table in tables:
            body = view.body(table)
            if area.top > body.start or area.bottom < body.stop - 1:
                yield f"{text} leaves out rows of {table.name}"
            elif area.top < body.start or area.bottom >= body.stop:
                yield f"{text} takes in more than the rows of {table.name}"


def _is_computed(view: WorkbookView, sheet: str, area: Area) -> bool:
    """Whether there is a formula in an area; rows without any are not looked at."""
    rows = view.xml(view.template.book.sheets[sheet].name).calculated
    if not any(area.top <= row <= area.bottom for row in rows):
        return False
    return any(cell in view.formulas for cell in view.within(sheet, area))


def _find_misnamed(view: WorkbookView, chart: Chart, series: Element) -> Iterator[str]:
    """Say whether the names of points are typed, or are in other rows than their values."""
    parts = {local(part): part for part in series}
    values, labels = (parts.get(name) for name in ("val", "cat"))
    if values is None or labels is None:
        return
    if not _references(labels):
        yield "the names of its points are typed"
    rows = [_rows(view, chart, part) for part in (values, labels)]
    if all(rows) and rows[0] != rows[1]:
        yield "the names of its points are in other rows than their values"


def _rows(view: WorkbookView, chart: Chart, part: Element) -> list[tuple[int, int]]:
    """Return the first and last rows of what a part of a series refers to."""
    return [(area.top, area.bottom) for text in _references(part) for _, area in _ranges(view, chart, text)]


def titles(view: WorkbookView) -> Iterator[str]:
    """Find charts and axes without a title."""
    for chart in view.charts:
        if not any(_has_title(view, chart, element) for element in chart.root.iter(tag("chart", CHART))):
            yield f"{chart.sheet}: {chart.part} has no title"
        for axis in chart.root.iter(*(tag(name, CHART) for name in AXES)):
            is_deleted = any(attribute(part, "val", "1") in ("1", "true") for part in axis if local(part) == "delete")
            if not is_deleted and not _has_title(view, chart, axis):
                yield f"{chart.sheet}: {chart.part} has an axis without a title ({local(axis)})"


def _has_title(view: WorkbookView, chart: Chart, element: Element) -> bool:
    """Whether there is a title that says something: not what Excel proposes, and no blank cell."""
    for part in (child for child in element if local(child) == "title"):
        texts = _references(part)
        areas = (area for text in texts for area in _ranges(view, chart, text))
        cells = [cell for area in areas for cell in view.within(*area)]
        words = "".join(map(str, part.itertext())).strip().casefold()
        if any(view.value(cell) or not view.has_value(cell) for cell in cells) if texts else words not in EMPTY_TITLES:
            return True
    return False
