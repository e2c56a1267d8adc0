"""The points that a chart keeps of the cells behind its references: what viewers that do not calculate draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from flopsheet.export.xlsx.cells import CellError, cached, literal
from flopsheet.export.xlsx.markup import CHART, CHART_2012, CHART_2014, attribute, drop, local, tag
from flopsheet.export.xlsx.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.values import Found

    Grid = Sequence[Sequence[Found]]
    """The values of a range, row by row."""

FORMULAS = (tag("f", CHART), tag("f", CHART_2014), tag("f", CHART_2012), tag("sqref", CHART_2012))
"""Elements of a chart that hold a reference to cells."""

_CACHES = ("numCache", "strCache", "multiLvlStrCache", "dlblRangeCache", "lvl", "v")


def caches(formula: Element) -> list[Element]:
    """Return the elements that keep the points behind a reference."""
    return [inner for inner in formula.itersiblings() if local(inner) in _CACHES]


def keep(formula: Element, grids: Sequence[Grid]) -> None:
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
        if not any(_is_block(grid) for grid in grids):
            _keep_list(formula, holder, points, old)
    elif kind == "multiLvlStrRef":
        _keep_levels(formula, _levels(grids, len(old[0].findall(tag("lvl", CHART))) if old else 0))
    elif kind == "datalabelsRange":
        _add_points(_after(formula, tag("dlblRangeCache", CHART_2012)), points, numbers=False)
    elif kind in {"numDim", "strDim"}:
        _keep_dimension(formula, _levels(grids, len(old)) if len(old) > 1 else [points], old, numbers=kind == "numDim")
    elif kind == "txData":
        _after(formula, tag("v", CHART_2014)).text = literal(_point(points[0], numbers=False) or "")


def _is_block(grid: Grid) -> bool:
    """Whether a range has several rows and columns, which no plain list of points can tell apart."""
    return len(grid) > 1 and len(grid[0]) > 1


def _keep_list(formula: Element, holder: Element, points: Sequence[Found], old: Sequence[Element]) -> None:
    """Write a plain list of points; categories that turn out to be texts become texts."""
    texts = any(isinstance(value, str) for value in points)
    if texts and any(local(outer) == "cat" for outer in holder.iterancestors()):
        holder.tag = tag("strRef", CHART)
    numbers = local(holder) == "numRef"
    cache = _after(formula, tag("numCache" if numbers else "strCache", CHART))
    if numbers:
        shown = next((cache.findtext(tag("formatCode", CHART)) for cache in old), None)
        etree.SubElement(cache, tag("formatCode", CHART)).text = shown or "General"
    _add_points(cache, points, numbers=numbers)


def _keep_levels(formula: Element, levels: Sequence[Sequence[Found]]) -> None:
    """Write categories in levels, the innermost first."""
    if not levels:
        return
    cache = _after(formula, tag("multiLvlStrCache", CHART))
    etree.SubElement(cache, tag("ptCount", CHART)).set("val", str(len(levels[0])))
    for level in levels:
        _add_points(etree.SubElement(cache, tag("lvl", CHART)), level, numbers=False, counted=False)


def _levels(grids: Sequence[Grid], count: int) -> list[Sequence[Found]]:
    """Return a range's columns, or its rows, whichever are as many as the levels were; the last is the innermost."""
    grid = grids[0] if len(grids) == 1 else []
    columns: list[Sequence[Found]] = list(zip(*grid, strict=True))
    return next((list(reversed(lines)) for lines in (columns, list(grid)) if count and len(lines) == count), [])


def _keep_dimension(
    formula: Element, levels: Sequence[Sequence[Found]], old: Sequence[Element], *, numbers: bool
) -> None:
    """Write the points of a chart of 2014 (waterfall, funnel, sunburst), which keeps its number format beside them."""
    shown = next((attribute(cache, "formatCode") for cache in old), "")
    for level in reversed(levels):
        cache = _after(formula, tag("lvl", CHART_2014))
        cache.set("ptCount", str(len(level)))
        if shown:
            cache.set("formatCode", shown)
        for index, text in _texts(level, numbers=numbers):
            etree.SubElement(cache, tag("pt", CHART_2014), {"idx": str(index)}).text = text


def _after(formula: Element, name: str) -> Element:
    """Return a new element right after a reference, and after the name that a chart of 2014 has beside it."""
    cache = formula.makeelement(name)
    beside = formula.getnext()
    (beside if beside is not None and local(beside) == "nf" else formula).addnext(cache)
    return cache


def _add_points(cache: Element, points: Sequence[Found], *, numbers: bool, counted: bool = True) -> None:
    if counted:
        etree.SubElement(cache, tag("ptCount", CHART)).set("val", str(len(points)))
    for index, text in _texts(points, numbers=numbers):
        point = etree.SubElement(cache, tag("pt", CHART), {"idx": str(index)})
        etree.SubElement(point, tag("v", CHART)).text = text


def _texts(points: Sequence[Found], *, numbers: bool) -> list[tuple[int, str]]:
    """Return the places and texts of the points that are not blank."""
    texts = ((index, _point(value, numbers=numbers)) for index, value in enumerate(points))
    return [(index, literal(text)) for index, text in texts if text is not None]


def _point(value: Found, *, numbers: bool) -> str | None:
    """Return a point's text; None for a blank, and for text among numbers."""
    if value is None or value is UNKNOWN or (isinstance(value, str) and numbers):
        return None
    if isinstance(value, bool):
        return str(int(value)) if numbers else str(value).upper()
    try:
        return cached(value)[1]
    except CellError:
        return None  # the writer of the cell says which one it is
