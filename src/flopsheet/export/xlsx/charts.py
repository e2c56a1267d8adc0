"""Charts: their ranges follow the tables, and their cached points are the values written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lxml import etree

from flopsheet.export.xlsx.cells import CellError, cached, literal
from flopsheet.export.xlsx.impact import sources
from flopsheet.export.xlsx.markup import CHART, attribute, drop, local, parse, serialise, tag
from flopsheet.export.xlsx.plan import located
from flopsheet.export.xlsx.refs import references, remainder
from flopsheet.export.xlsx.stretch import Mode, adapted
from flopsheet.export.xlsx.texts import fill_strings
from flopsheet.export.xlsx.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.export.xlsx.book import Book
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.refs import Area
    from flopsheet.export.xlsx.stale import Region, Sources
    from flopsheet.export.xlsx.stretch import Scope
    from flopsheet.export.xlsx.values import Found, Values

CHART_TYPE = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"

_CACHES = ("numCache", "strCache", "multiLvlStrCache")


@dataclass(frozen=True, slots=True)
class Range:
    """One data reference of a chart: the element that holds its formula, and the cells it means in the output.

    `reads` are all cells that decide what it means, None if nobody can tell; `cells` are then empty, as they are for a
    name that computes its range.
    """

    formula: Element
    cells: tuple[tuple[str, Area], ...]
    reads: frozenset[Region] | None
    changed: bool


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart part with its data references."""

    part: str
    root: Element
    ranges: tuple[Range, ...]


def read_charts(book: Book, types: Element, scope: Scope) -> list[Chart]:
    """Read each chart of the template and stretch its references."""
    overrides = types.findall("{*}Override")
    names = [attribute(found, "PartName").lstrip("/") for found in overrides if found.get("ContentType") == CHART_TYPE]
    known = sources(book)
    return [_read(book, name, scope, known) for name in names if name in book.package]


def _read(book: Book, part: str, scope: Scope, known: Sources) -> Chart:
    root = parse(book.package.read(part), part)
    with located(part):
        ranges = tuple(_range(formula, scope, known) for formula in root.iter(tag("f", CHART)))
    return Chart(part, root, ranges)


def _range(formula: Element, scope: Scope, known: Sources) -> Range:
    before = formula.text or ""
    sheet, _, name = before.casefold().rpartition("!")
    named = known.names.get(sheet.strip("'"), known.names[""])
    title = any(local(holder) == "tx" for holder in formula.iterancestors())
    mode = Mode.EXACT if title else Mode.WINDOW
    after = adapted(before, scope, mode)
    formula.text = after
    meant = adapted(named[name], scope, Mode.EXACT) if name in named else after
    cells = [(found.sheet, found.area) for found in references(meant) if found.area]
    plain = not remainder(meant).strip(" (),")
    return Range(formula, tuple(cells) if plain else (), known.needs(meant, ""), after != before)


def wanted(charts: Iterable[Chart]) -> list[tuple[str, Area]]:
    """Return every range of cells that some chart shows."""
    return [cells for chart in charts for piece in chart.ranges for cells in piece.cells]


def chart_parts(charts: Sequence[Chart], values: Values, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Return the charts that changed: the values of their cells in their caches, and the markers in their titles."""
    parts: dict[str, bytes] = {}
    for chart in charts:
        stale = [piece for piece in chart.ranges if piece.changed or values.touched(piece.reads)]
        for piece in chart.ranges if stale else ():
            if piece in stale or not _caches(piece):
                _refresh(piece, values)
        if fill_strings(chart.root, texts) or stale:
            parts[chart.part] = serialise(chart.root)
    return parts


def _caches(piece: Range) -> list[Element]:
    return [inner for inner in _holder(piece) if local(inner) in _CACHES]


def _holder(piece: Range) -> Element:
    holder = piece.formula.getparent()
    return piece.formula if holder is None else holder


def _refresh(piece: Range, values: Values) -> None:
    """Write a reference's cache anew, with the number format that it had."""
    holder = _holder(piece)
    points = [value for sheet, area in piece.cells for value in values.cells(sheet, area)]
    shown = holder.findtext(f"{tag('numCache', CHART)}/{tag('formatCode', CHART)}")
    for cache in _caches(piece):
        drop(cache)
    if points and UNKNOWN not in points and local(holder) in {"numRef", "strRef"}:
        _write_cache(piece.formula, holder, points, shown or "General")


def _write_cache(formula: Element, holder: Element, points: Sequence[Found], shown: str) -> None:
    """Write the points behind a formula; without all of them there is none, and Excel draws the chart anew."""
    texts = any(isinstance(value, str) for value in points)
    if texts and any(local(outer) == "cat" for outer in holder.iterancestors()):
        holder.tag = tag("strRef", CHART)
    numbers = local(holder) == "numRef"
    cache = formula.makeelement(tag("numCache" if numbers else "strCache", CHART))
    formula.addnext(cache)
    if numbers:
        etree.SubElement(cache, tag("formatCode", CHART)).text = shown
    etree.SubElement(cache, tag("ptCount", CHART)).set("val", str(len(points)))
    for index, value in enumerate(points):
        text = _point(value, numbers=numbers)
        if text is not None:
            point = etree.SubElement(cache, tag("pt", CHART), {"idx": str(index)})
            etree.SubElement(point, tag("v", CHART)).text = literal(text)


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
