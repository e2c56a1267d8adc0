"""Formulas that could not follow a filled table, of cells, formats, validations, names and charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from livesheets.addresses import address
from livesheets.engine.book import defined_names
from livesheets.engine.charts import chart_names
from livesheets.engine.impact import pivot_caches, pivot_sources, pivots, source_formula
from livesheets.engine.markup import attribute, local
from livesheets.engine.resize import Mode, adapt, is_lone, is_rest, runs
from livesheets.engine.sheet_extras import find_areas, rules_in
from livesheets.engine.workbook import name_mode
from livesheets.errors import TemplateError
from livesheets.references import Area, areas_text, references
from livesheets.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from livesheets.engine.book import Book
    from livesheets.engine.charts import Chart
    from livesheets.engine.plan import SheetPlan
    from livesheets.engine.resize import Resize, Scope
    from livesheets.references import Reference

_RANGES = frozenset({"index", "offset"})
WORDS = {"conditionalFormatting": "format", "dataValidation": "validation"}
"""What people call elements that are for a range of cells."""


class FormulaSite(Struct, frozen=True):
    """A formula and where it is: in words, and as a cell of a sheet if it is a cell's own.

    `is_repeated` is a formula of data rows, which means other rows in each of them. `kind` is before the place of a
    formula that is named alone.
    """

    where: str
    text: str
    scope: Scope
    mode: Mode = Mode.EXACT
    cell: tuple[int, int] | None = None
    is_repeated: bool = False
    kind: str = "the formula "


def find_unadjusted(
    book: Book, plans: Iterable[SheetPlan], charts: Iterable[Chart], scopes: Mapping[str, Scope]
) -> list[str]:
    """Return what could not follow, a line each; `plans` are the sheets with formulas, clones left out."""
    results: list[FormulaSite] = []
    for plan in plans:
        results += [*_cells(plan, scopes[plan.name]), *_rules(plan, scopes[plan.name])]
        results += _sparklines(plan, scopes[plan.name])
    results += [*_names(book, scopes[""]), *_pivots(book, scopes[""])]
    titles = chart_names(book)
    for chart in charts:
        where = titles.get(chart.part, chart.part)
        results += [FormulaSite(where, piece.before, scopes[""], piece.mode) for piece in chart.ranges]
    return list(dict.fromkeys([*(line for site in results for line in _unread(site)), *_in_part(results)]))


def _names(book: Book, scope: Scope) -> Iterator[FormulaSite]:
    for element in defined_names(book.root):
        name = attribute(element, "name")
        yield FormulaSite(f"the name {name}", element.text or "", scope, name_mode(name))


def _pivots(book: Book, scope: Scope) -> Iterator[FormulaSite]:
    caches = pivot_caches(book)
    for pivot in pivots(book):
        for source in pivot_sources(caches[pivot.cache]):
            yield FormulaSite(f"the pivot table {pivot.name}", source_formula(book, source), scope)


def _cells(plan: SheetPlan, scope: Scope) -> Iterator[FormulaSite]:
    for at, formula in plan.xml.formulas.items():
        if formula:
            inside = any(resize.area.has(*at) and at[0] <= resize.last for resize in scope.of(""))
            yield FormulaSite(plan.name, formula, scope, cell=at, is_repeated=inside)


def _rules(plan: SheetPlan, scope: Scope) -> Iterator[FormulaSite]:
    for element in plan.xml.root.iter():
        if local(element) in WORDS:
            areas = find_areas(element)
            inside = any(resize.in_data(areas[0]) for resize in scope.of("")) if areas else True
            where = f"the {WORDS[local(element)]} of {plan.name}!{areas_text(areas)}"
            yield from (FormulaSite(where, text, scope, is_repeated=inside) for _, _, text in rules_in(element))
            yield FormulaSite(where, areas_text(areas).replace(" ", ","), scope, Mode.COVER)


def _sparklines(plan: SheetPlan, scope: Scope) -> Iterator[FormulaSite]:
    for element in plan.xml.root.iter("{*}sparkline"):
        for area in find_areas(element):
            cell, inside = (area.top, area.left), any(resize.in_data(area) for resize in scope.of(""))
            for _, _, text in rules_in(element):
                where = f"the sparkline of {plan.name}"
                yield FormulaSite(where, text, scope, Mode.WINDOW, cell, is_repeated=inside, kind="")


def _unread(site: FormulaSite) -> Iterator[str]:
    """Name each reference to grown rows that is made from a text, goes over several sheets, or moves with its row."""
    found = [(text, "") for text in (*_texts(site.text, site.scope), *_spans(site.text, site.scope))]
    for text, why in (*found, *((text, ", which moves with the row") for text in _moving(site))):
        where = site.where if site.cell is None else f"{site.kind}{site.where}!{address(*site.cell)}"
        yield f"{text} in {where}{why}"


def _texts(formula: str, scope: Scope) -> list[str]:
    """Return the texts that would have changed as references, or refer to some rows."""
    pieces = tokens(formula) if '"' in formula else ()
    results = [token.text for token in pieces if token.kind == "text" and {":", "!"} & set(token.text)]
    return [text for text in results if moves(text[1:-1], scope) or _tables_in_part(FormulaSite("", text[1:-1], scope))]


def moves(text: str, scope: Scope) -> bool:
    """Whether a formula refers to something that is elsewhere now, or no longer anywhere."""
    try:
        return adapt(text, scope) != text
    except TemplateError:
        return True


def _spans(formula: str, scope: Scope) -> list[str]:
    """Return the references over several sheets whose cells would have stretched on some sheet with a filled table."""
    sheets = references(formula) if "!" in formula else ()
    spans = [(reference, reference.block) for reference in sheets if ":" in reference.sheet]
    resizes = list(scope.resizes_of_all()) if spans else []
    return [str(reference) for reference, area in spans if area and any(resize.touches(area) for resize in resizes)]


def _moving(site: FormulaSite) -> list[str]:
    """Return the ranges over all rows of the sample that mean other rows in each row of the table."""
    return [
        str(reference)
        for reference, resize in _repeated(site)
        if reference.last and not reference.last.fixed_row and _covers(reference, resize)
    ]


def _repeated(site: FormulaSite) -> Iterator[tuple[Reference, Resize]]:
    """Give what a formula that is repeated in all rows refers to of tables which have more or fewer now."""
    at = site.cell and site.cell[0]
    if site.is_repeated and any(at in {None, resize.first} for resize in site.scope.of("")):
        for reference in references(site.text):
            for resize in site.scope.of(reference.sheet):
                area = reference.block
                if area and resize.bottom != resize.last and resize.places is None and resize.touches(area):
                    yield reference, resize


def _covers(reference: Reference, resize: Resize) -> bool:
    """Whether a range has all rows of a sample of several."""
    area = reference.block
    return area is not None and area.top <= resize.first < resize.last == area.bottom


_REMEDY = "let them refer to all of its rows, or make sure that those are still the rows that they mean"


def _in_part(sites: Iterable[FormulaSite]) -> Iterator[str]:
    """Name the formulas that refer to some rows of a table which has more or fewer now, a line a table."""
    places: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for site in sites:
        for table in _tables_in_part(site):
            cells = places.setdefault(table, {}).setdefault(site.where, [])
            cells += [site.cell] if site.cell else []
    for table, where in places.items():
        ranges = [text for name, cells in where.items() for text in _list_cells(name, cells)]
        yield f"{', '.join(ranges)}, which refer to some rows of the table {table}: {_REMEDY}"


def _list_cells(where: str, cells: Sequence[tuple[int, int]]) -> list[str]:
    """Return a sheet's cells as ranges, column by column; a place without cells as it is."""
    columns: dict[int, list[int]] = {}
    for row, column in cells:
        columns.setdefault(column, []).append(row)
    ranges = [Area(top, column, bottom, column) for column, rows in columns.items() for top, bottom in runs(rows)]
    return [f"{where}!{area}" for area in ranges] or [where]


def _tables_in_part(site: FormulaSite) -> set[str]:
    """Return the tables that grow or shrink of whose data rows a formula refers to some alone."""
    if site.is_repeated:
        return {
            resize.table for cells, resize in _repeated(site) if site.mode is Mode.EXACT and _is_fixed(cells, resize)
        }
    pairs = [(reference, resize) for reference in references(site.text) for resize in site.scope.of(reference.sheet)]
    is_computed = any(pairs) and _computes(site.text)
    return {resize.table for cells, resize in pairs if _is_part(cells, resize, site.mode, is_computed=is_computed)}


def _is_fixed(reference: Reference, resize: Resize) -> bool:
    """Whether a reference means the same row below the first in all rows, other than by a range to the last one."""
    *starts, end = reference.ends
    follows = end.row == resize.last and (is_rest(reference) or any(start.fixed_row for start in starts))
    ends = starts if follows else reference.ends
    return any(end.fixed_row and resize.first < end.row <= resize.last for end in ends)


def _computes(formula: str) -> bool:
    """Whether a formula makes a range out of a cell."""
    pieces = tokens(formula)
    return ("sign", ":") in pieces or any(piece.kind == "function" and piece.word in _RANGES for piece in pieces)


def _is_part(reference: Reference, resize: Resize, mode: Mode, *, is_computed: bool) -> bool:
    area, data = reference.block, replace(resize.area, top=resize.first, bottom=resize.last)
    if area is None or resize.bottom == resize.last:
        return False
    if not area.meets(data):
        return mode in {Mode.EXACT, Mode.WINDOW} and area.top > resize.area.bottom and area.meets(resize.new_area)
    if mode is not Mode.COVER and is_lone(reference, area, mode):
        return not (is_computed and area.top == data.top)
    return area.top > data.top or (area.bottom < data.bottom and mode is not Mode.COVER)
