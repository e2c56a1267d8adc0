"""Charts: their ranges follow the tables, and their cached points are the values written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.engine.book import relationships, targets
from livesheets.engine.impact import sources
from livesheets.engine.markup import CHART, OFFICE, attribute, local, parse, serialize, tag
from livesheets.engine.placeholders import Placeholders
from livesheets.engine.plan import locate_errors
from livesheets.engine.points import FORMULAS, caches, keep
from livesheets.engine.resize import Mode, adapt
from livesheets.engine.texts import fill_strings
from livesheets.references import references
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from livesheets.engine.book import Book
    from livesheets.engine.dirty_cells import Region, Sources
    from livesheets.engine.markup import Element
    from livesheets.engine.resize import Scope
    from livesheets.engine.values import Found, Values
    from livesheets.references import Area

CHART_TYPES = (
    "application/vnd.openxmlformats-officedocument.drawingml.chart+xml",
    "application/vnd.ms-office.chartex+xml",
)

MOST = 2**18
"""Cells of a range whose values a chart keeps; of more, Excel draws none that anybody could tell apart."""


class Range(Struct, frozen=True):
    """One data reference of a chart: the element that holds its formula, and the cells it means in the output.

    `before` is the formula of the template, and `mode` how it follows. `reads` are all cells that decide what it means,
    None if nobody can tell; `cells` are then empty, as they are for a name that computes its range and for too many.
    """

    formula: Element
    before: str
    mode: Mode
    cells: tuple[tuple[str, Area], ...]
    reads: frozenset[Region] | None


class Chart(Struct, frozen=True):
    """A chart part with its data references."""

    part: str
    root: Element
    ranges: tuple[Range, ...]


def read_charts(book: Book, types: Element, scope: Scope) -> list[Chart]:
    """Read each chart of the template and stretch its references."""
    charts = [item for item in types.findall("{*}Override") if item.get("ContentType") in CHART_TYPES]
    names = [attribute(chart, "PartName").lstrip("/") for chart in charts]
    meanings = sources(book)
    return [_read(book, name, scope, meanings) for name in names if name in book.package]


def _read(book: Book, part: str, scope: Scope, meanings: Sources) -> Chart:
    root = parse(book.package.read(part), part)
    with locate_errors(part):
        ranges = tuple(_range(formula, scope, meanings) for formula in root.iter(*FORMULAS))
    return Chart(part, root, ranges)


def _range(formula: Element, scope: Scope, meanings: Sources) -> Range:
    before = formula.text or ""
    sheet, _, name = before.casefold().rpartition("!")
    names = meanings.names.get(sheet.strip("'"), meanings.names[""])
    mode = _mode(formula, before)
    after = adapt(before, scope, mode)
    formula.text = after
    target = adapt(names[name], scope, Mode.EXACT) if name in names else after
    cells = [(reference.sheet, reference.area) for reference in references(target) if reference.area]
    plain = all(token.kind in {"cells", "text", "blank"} or token.text in "()," for token in tokens(target))
    few = sum(area.size for _, area in cells) <= MOST
    return Range(formula, before, mode, tuple(cells) if plain and few else (), meanings.needs(target, ""))


def _mode(formula: Element, before: str) -> Mode:
    """Return how a range follows: a title is a cell; a row of several cells is a series of its own, or levels."""
    holders = {local(holder): holder for holder in formula.iterancestors()}
    title = not holders.keys().isdisjoint({"tx", "txData"})
    levels = "strDim" in holders and formula.get("dir") != "row"
    if "cat" in holders and "ser" in holders:
        values = holders["ser"].find(f"{tag('val', CHART)}/*/{tag('f', CHART)}")
        levels = values is not None and not _is_across(values.text or "")
    return Mode.EXACT if title or (levels and _is_across(before)) else Mode.WINDOW


def _is_across(formula: str) -> bool:
    """Whether a formula refers to several cells of one row."""
    areas = [reference.area for reference in references(formula) if reference.area]
    return any(area.top == area.bottom and area.left < area.right for area in areas)


def chart_names(book: Book) -> dict[str, str]:
    """Return what a person knows each chart part by: its name and its sheet."""
    names: dict[str, str] = {}
    for sheet in book.sheets.values():
        for drawing in targets(book.package, sheet.part, "drawing"):
            if drawing in book.package:
                charts = {arrow.rid: arrow.target for arrow in relationships(book.package, drawing)}
                for frame in parse(book.package.read(drawing), drawing).iter("{*}graphicFrame"):
                    title = next((attribute(inner, "name") for inner in frame.iter("{*}cNvPr")), "")
                    rids = (attribute(inner, tag("id", OFFICE)) for inner in frame.iter("{*}chart"))
                    names |= {charts[rid]: f"the chart {title!r} on {sheet.name}" for rid in rids if rid in charts}
    return names


def find_ranges(charts: Iterable[Chart]) -> list[tuple[str, Area]]:
    """Return every range of cells that some chart shows, the sheet's name in lower case."""
    return [(sheet.casefold(), area) for chart in charts for piece in chart.ranges for sheet, area in piece.cells]


def chart_parts(
    charts: Iterable[Chart], values: Values, texts: Mapping[str, str]
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Give the charts that changed: the values of their cells in their caches, and the markers in their titles."""
    for chart in charts:
        placeholders = Placeholders()
        dirty = [ref for ref in chart.ranges if ref.formula.text != ref.before or values.is_touched(ref.reads)]
        for ref in chart.ranges if dirty else ():
            if ref in dirty or not caches(ref.formula):
                keep(ref.formula, [_grid(values, *cells) for cells in ref.cells], placeholders)
        if fill_strings(chart.root, texts) or dirty:
            yield chart.part, placeholders.fill(serialize(chart.root))


def _grid(values: Values, sheet: str, area: Area) -> list[list[Found]]:
    """Return the values of a range, row by row."""
    result = list(values.cells(sheet, area))
    width = area.right - area.left + 1
    return [result[start : start + width] for start in range(0, len(result), width)]
