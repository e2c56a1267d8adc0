"""What a fill changes in a template, and what the template computes from it: formulas, arrays and pivot tables."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from livesheets.addresses import quote
from livesheets.engine.book import WORKBOOK, names_seen, targets
from livesheets.engine.dirty_cells import Node, Sources, spread
from livesheets.engine.markup import attribute, local, parse
from livesheets.engine.plan import plan_sheet
from livesheets.engine.texts import marked_cells
from livesheets.errors import TemplateError
from livesheets.references import MAX_COLUMN, MAX_ROW, Area, read_area

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from livesheets.engine.book import Book
    from livesheets.engine.dirty_cells import DirtyCells, Region, Regions
    from livesheets.engine.markup import Element
    from livesheets.engine.plan import SheetPlan


class Pivot(Struct, frozen=True):
    """A pivot table: its name, where it is, and the cache that it is made from."""

    name: str
    sheet: str
    area: Area
    cache: str


def dirty_cells(
    book: Book, plans: Sequence[SheetPlan], removed_parts: AbstractSet[str], texts: Mapping[str, str]
) -> DirtyCells:
    """Return which cells may show something else than in the template.

    `plans` are the sheets that are filled and those with formulas; `removed_parts` are those that are not in the
    output. Clones need no search: nothing on them is the template's.
    """
    own = [plan for plan in plans if not plan.sheets]
    seeds = [region for plan in own for region in _seeds(plan)]
    for name, sheet in book.sheets.items():
        if sheet.part not in removed_parts:
            seeds += [(name, area) for area in marked_cells(book.package, sheet.part, texts)]
    meanings = sources(book)
    nodes = [node for plan in own for node in _formulas(plan, meanings)]
    return spread(seeds, [*nodes, *_pivot_nodes(book, meanings)])


def dependents(book: Book, seeds: Sequence[Region]) -> Regions:
    """Return the formulas that depend on some cells of a workbook, or may: what they read cannot be told."""
    meanings = sources(book)
    sheets = [sheet.name for sheet in book.sheets.values() if sheet.kind == "worksheet"]
    nodes = [node for name in sheets for node in _formulas(plan_sheet(book, name, [], {}), meanings)]
    return spread(seeds, nodes).unknown


def _seeds(plan: SheetPlan) -> Iterator[Region]:
    """Give what the fill writes on a sheet, where it is in the template and where in the output."""
    for row, column in plan.values:
        yield plan.name.casefold(), Area(row, column, row, column)
    for row in plan.shown_rows:  # some functions, and charts, leave out what is hidden
        yield plan.name.casefold(), Area(row, 1, row, MAX_COLUMN)
    for table in plan.plans:
        resize = table.resize
        top = resize.first if resize.places is None else resize.written_area.top
        for area in (resize.area, resize.written_area):
            yield plan.name.casefold(), replace(area, top=top)


def sources(book: Book) -> Sources:
    """Return what words in the template's formulas mean."""
    tables = {name: (table.sheet.casefold(), table.area) for name, table in book.tables.items()}
    return Sources(tables, {name: names_seen(book, name) for name in ("", *book.sheets)})


def _formulas(plan: SheetPlan, meanings: Sources) -> Iterator[Node]:
    """Give the formulas of a sheet that the fill does not write."""
    home = plan.name.casefold()
    areas = [replace(table.table.area, top=table.resize.first) for table in plan.plans]
    for at, formula in plan.xml.formulas.items():
        if at not in plan.values and not any(area.has(*at) for area in areas):
            area = plan.xml.arrays.get(at, Area(*at, *at))
            needs = None if at in plan.xml.what_if else meanings.needs(formula, home)
            yield Node(home, spilt(area) if at in plan.xml.spills else area, needs)


def spilt(area: Area) -> Area:
    """Return the cells that a formula which spills may come to fill: down, or along if that is where it went."""
    along = area.top == area.bottom and area.left < area.right
    return replace(area, right=MAX_COLUMN) if along else replace(area, bottom=MAX_ROW)


def _pivot_nodes(book: Book, meanings: Sources) -> Iterator[Node]:
    caches = pivot_caches(book)
    for pivot in pivots(book):
        if pivot.cache not in caches:
            raise TemplateError(f"the pivot table on the sheet {pivot.sheet!r} of the template has no cache")
        formulas = [source_formula(book, source) for source in pivot_sources(caches[pivot.cache])]
        needs = [meanings.needs(formula, pivot.sheet) for formula in formulas]
        result = frozenset().union(*(cells or () for cells in needs))
        yield Node(pivot.sheet.casefold(), pivot.area, None if None in needs else result)


def pivot_caches(book: Book) -> dict[str, Element]:
    """Return the root of each pivot cache's definition, by part."""
    parts = targets(book.package, WORKBOOK, "pivotCacheDefinition")
    return {part: parse(book.package.read(part), part) for part in parts}


def pivots(book: Book) -> list[Pivot]:
    """Return the pivot tables of the template's sheets."""
    results: list[Pivot] = []
    for sheet in book.sheets.values():
        for part in targets(book.package, sheet.part, "pivotTable"):
            root = parse(book.package.read(part), part)
            areas = [read_area(attribute(place, "ref"), part) for place in root if local(place) == "location"]
            caches = targets(book.package, part, "pivotCacheDefinition")
            results += [Pivot(attribute(root, "name"), sheet.name, *pair) for pair in product(areas, caches)]
    return results


def pivot_sources(cache: Element) -> list[Element]:
    """Return where a pivot cache takes its rows from in the workbook itself."""
    ranges = [element for element in cache.iter() if local(element) in {"worksheetSource", "rangeSet"}]
    return [source for source in ranges if not any(str(key).endswith("}id") for key in source.attrib)]


def source_formula(book: Book, source: Element) -> str:
    """Return one source of a pivot cache as a formula: a range, a table or a defined name."""
    sheet, ref, name = (attribute(source, key) for key in ("sheet", "ref", "name"))
    if ref:
        return f"{quote(sheet)}!{ref}"
    table = book.tables.get(name.casefold())
    return f"{quote(table.sheet)}!{table.area}" if table else name
