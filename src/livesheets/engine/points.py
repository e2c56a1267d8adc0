"""The points that a chart keeps of the cells behind its references: what viewers that do not calculate draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from livesheets.engine.cells import CellError, cached_value, escape, literal
from livesheets.engine.markup import CHART, CHART_2012, CHART_2014, attribute, drop, local, tag
from livesheets.engine.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from livesheets.engine.markup import Element
    from livesheets.engine.placeholders import Placeholders
    from livesheets.engine.values import Found

    Grid = Sequence[Sequence[Found]]
    """The values of a range, row by row."""

FORMULAS = (tag("f", CHART), tag("f", CHART_2014), tag("f", CHART_2012), tag("sqref", CHART_2012))
"""Elements of a chart that hold a reference to cells."""

_CACHES = ("numCache", "strCache", "multiLvlStrCache", "dlblRangeCache", "lvl", "v")


def caches(formula: Element) -> list[Element]:
    """Return the elements that keep the points behind a reference."""
    return [inner for inner in formula.itersiblings() if local(inner) in _CACHES]


def keep(formula: Element, grids: Sequence[Grid], placeholders: Placeholders) -> None:
    """Write the points behind a reference anew; without all of them there are none, and Excel draws the chart anew."""
    old = caches(formula)
    for cache in old:
        drop(cache)
    points = [value for grid in grids for row in grid for value in row]
    if not points or UNKNOWN in points:
        return
    holder = formula.getparent()
    kind = "" if holder is None else local(holder)
    if holder is not None and kind in {"numRef", "strRef"}:
        if not any(len(grid) > 1 and len(grid[0]) > 1 for grid in grids):  # no list can tell rows from columns
            _keep_list(formula, holder, points, old, placeholders)
    elif kind == "multiLvlStrRef":
        _keep_levels(formula, _levels(grids, len(old[0].findall(tag("lvl", CHART))) if old else 0), placeholders)
    elif kind == "datalabelsRange":
        cache = _after(formula, tag("dlblRangeCache", CHART_2012))
        _count(cache, points)
        cache.append(placeholders.hold(_points(cache, points, numbers=False)))
    elif kind in {"numDim", "strDim"}:
        _keep_dimension(formula, _levels(grids, len(old)) if len(old) > 1 else [points], old, placeholders)
    elif kind == "txData":
        _after(formula, tag("v", CHART_2014)).text = literal(_point(points[0], numbers=False) or "")


def _keep_list(
    formula: Element, holder: Element, points: Sequence[Found], old: Sequence[Element], placeholders: Placeholders
) -> None:
    """Write a plain list of points; categories that turn out to be texts become texts."""
    texts = any(isinstance(value, str) for value in points)
    if texts and any(local(outer) == "cat" for outer in holder.iterancestors()):
        holder.tag = tag("strRef", CHART)
    numbers = local(holder) == "numRef"
    cache = _after(formula, tag("numCache" if numbers else "strCache", CHART))
    if numbers:
        code = next((cache.findtext(tag("formatCode", CHART)) for cache in old), None)
        etree.SubElement(cache, tag("formatCode", CHART)).text = code or "General"
    _count(cache, points)
    cache.append(placeholders.hold(_points(cache, points, numbers=numbers)))


def _keep_levels(formula: Element, levels: Sequence[Sequence[Found]], placeholders: Placeholders) -> None:
    """Write categories in levels, the innermost first."""
    if not levels:
        return
    cache = _after(formula, tag("multiLvlStrCache", CHART))
    _count(cache, levels[0])
    for points in levels:
        level = etree.SubElement(cache, tag("lvl", CHART))
        level.append(placeholders.hold(_points(level, points, numbers=False)))


def _levels(grids: Sequence[Grid], count: int) -> list[Sequence[Found]]:
    """Return a range's columns, or its rows, whichever are as many as the levels were; the last is the innermost."""
    grid = grids[0] if len(grids) == 1 else []
    columns: list[Sequence[Found]] = list(zip(*grid, strict=True))
    return next((list(reversed(lines)) for lines in (columns, list(grid)) if count and len(lines) == count), [])


def _keep_dimension(
    formula: Element, levels: Sequence[Sequence[Found]], old: Sequence[Element], placeholders: Placeholders
) -> None:
    """Write the points of a chart of 2014 (waterfall, funnel, sunburst), which keeps its number format next to them."""
    code = next((attribute(cache, "formatCode") for cache in old), "")
    holder = formula.getparent()
    numbers = holder is not None and local(holder) == "numDim"
    for level in reversed(levels):
        cache = _after(formula, tag("lvl", CHART_2014))
        cache.set("ptCount", str(len(level)))
        if code:
            cache.set("formatCode", code)
        cache.append(placeholders.hold(_points(cache, level, numbers=numbers)))


def _after(formula: Element, name: str) -> Element:
    """Return a new element right after a reference, and after the name that a chart of 2014 has next to it."""
    cache = formula.makeelement(name)
    beside = formula.getnext()
    (beside if beside is not None and local(beside) == "nf" else formula).addnext(cache)
    return cache


def _count(cache: Element, points: Sequence[Found]) -> None:
    etree.SubElement(cache, tag("ptCount", CHART)).set("val", str(len(points)))


def _points(cache: Element, points: Sequence[Found], *, numbers: bool) -> Iterator[str]:
    """Give the points that are not blank; those of a chart of 2014 hold their text without an element around it."""
    plain = cache.tag == tag("lvl", CHART_2014)
    space = CHART_2014 if plain else CHART
    prefixes = {uri: f"{prefix}:" if prefix else "" for prefix, uri in cache.nsmap.items()}
    name, namespace = prefixes.get(space, ""), "" if space in prefixes else f' xmlns="{space}"'
    start, end = (">", "</") if plain else (f"><{name}v>", f"</{name}v></")
    for index, value in enumerate(points):
        text = _point(value, numbers=numbers)
        if text is not None:
            yield f'<{name}pt idx="{index}"{namespace}{start}{escape(text)}{end}{name}pt>'


def _point(value: Found, *, numbers: bool) -> str | None:
    """Return a point's text; None for a blank, and for text among numbers."""
    if value is None or value is UNKNOWN or (isinstance(value, str) and numbers):
        return None
    if isinstance(value, bool):
        return str(int(value)) if numbers else str(value).upper()
    try:
        return cached_value(value)[1]
    except CellError:
        return None  # the writer of the cell says which one it is
