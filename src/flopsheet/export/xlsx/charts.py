"""Charts: their ranges follow the tables, and their cached points are the values written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.export.xlsx.impact import sources
from flopsheet.export.xlsx.markup import attribute, local, parse, serialise
from flopsheet.export.xlsx.plan import located
from flopsheet.export.xlsx.points import FORMULAS, caches, keep
from flopsheet.export.xlsx.refs import references, remainder
from flopsheet.export.xlsx.stretch import Mode, adapted
from flopsheet.export.xlsx.texts import fill_strings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from flopsheet.export.xlsx.book import Book
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.refs import Area
    from flopsheet.export.xlsx.stale import Region, Sources
    from flopsheet.export.xlsx.stretch import Scope
    from flopsheet.export.xlsx.values import Found, Values

CHART_TYPES = (
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
    "application/vnd.ms-office.chartex+xml",
)


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
    names = [attribute(found, "PartName").lstrip("/") for found in overrides if found.get("ContentType") in CHART_TYPES]
    known = sources(book)
    return [_read(book, name, scope, known) for name in names if name in book.package]


def _read(book: Book, part: str, scope: Scope, known: Sources) -> Chart:
    root = parse(book.package.read(part), part)
    with located(part):
        ranges = tuple(_range(formula, scope, known) for formula in root.iter(*FORMULAS))
    return Chart(part, root, ranges)


def _range(formula: Element, scope: Scope, known: Sources) -> Range:
    before = formula.text or ""
    sheet, _, name = before.casefold().rpartition("!")
    named = known.names.get(sheet.strip("'"), known.names[""])
    title = any(local(holder) in {"tx", "txData"} for holder in formula.iterancestors())
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
            if piece in stale or not caches(piece.formula):
                keep(piece.formula, [_grid(values, *cells) for cells in piece.cells])
        if fill_strings(chart.root, texts) or stale:
            parts[chart.part] = serialise(chart.root)
    return parts


def _grid(values: Values, sheet: str, area: Area) -> list[list[Found]]:
    """Return the values of a range, row by row."""
    found = list(values.cells(sheet, area))
    width = area.right - area.left + 1
    return [found[start : start + width] for start in range(0, len(found), width)]
