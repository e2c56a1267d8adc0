"""Formulas that could not follow a filled table, of cells, formats, validations, names and charts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import address
from flopsheet.errors import TemplateError
from flopsheet.export.xlsx.book import defined_names
from flopsheet.export.xlsx.charts import chart_names
from flopsheet.export.xlsx.frame import ranged, rules_in
from flopsheet.export.xlsx.impact import pivot_caches, pivot_sources, pivots, source_formula
from flopsheet.export.xlsx.markup import attribute, child, local
from flopsheet.export.xlsx.refs import Area, areas_text, references, remainder
from flopsheet.export.xlsx.stretch import Mode, adapted, is_lone, runs
from flopsheet.export.xlsx.workbook import name_mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from flopsheet.export.xlsx.book import Book
    from flopsheet.export.xlsx.charts import Chart
    from flopsheet.export.xlsx.plan import SheetPlan
    from flopsheet.export.xlsx.refs import Reference
    from flopsheet.export.xlsx.stretch import Growth, Scope

_TEXT = re.compile(r'"((?:[^"]|"")*)"')
_COMPUTED = re.compile(r":|\b(?:OFFSET|INDEX)\b", re.IGNORECASE)
"""What makes a range out of a cell."""
WORDS = {"conditionalFormatting": "format", "dataValidation": "validation"}
"""What people call elements that are for a range of cells."""


@dataclass(frozen=True, slots=True)
class Held:
    """A formula and where it stands: in words, and as a cell of a sheet if it is a cell's own.

    `repeated` are formulas of data rows, which mean other rows in each of them. `kind` stands before the place of a
    formula that is named alone.
    """

    where: str
    text: str
    scope: Scope
    mode: Mode = Mode.EXACT
    cell: tuple[int, int] | None = None
    repeated: bool = False
    kind: str = "the formula "


def missed(book: Book, plans: Iterable[SheetPlan], charts: Iterable[Chart], scopes: Mapping[str, Scope]) -> list[str]:
    """Return what could not follow, a line each; `plans` are the sheets with formulas, clones left out."""
    found: list[Held] = []
    for plan in plans:
        found += [*_cells(plan, scopes[plan.name]), *_rules(plan, scopes[plan.name])]
        found += _sparklines(plan, scopes[plan.name])
    found += [*_names(book, scopes[""]), *_pivots(book, scopes[""])]
    called = chart_names(book)
    for chart in charts:
        where = called.get(chart.part, chart.part)
        found += [Held(where, piece.before, scopes[""], piece.mode) for piece in chart.ranges]
    return list(dict.fromkeys([*(line for held in found for line in _unread(held)), *_in_part(found)]))


def _names(book: Book, scope: Scope) -> Iterator[Held]:
    for element in defined_names(book.root):
        name = attribute(element, "name")
        yield Held(f"the name {name}", element.text or "", scope, name_mode(name))


def _pivots(book: Book, scope: Scope) -> Iterator[Held]:
    caches = pivot_caches(book)
    for pivot in pivots(book):
        for source in pivot_sources(caches[pivot.cache]):
            yield Held(f"the pivot table {pivot.name}", source_formula(book, source), scope)


def _cells(plan: SheetPlan, scope: Scope) -> Iterator[Held]:
    for row, line in plan.xml.cells.items():
        for column, cell in line.items():
            formula = child(cell, "f")
            if formula is not None and formula.text:
                inside = any(growth.area.has(row, column) for growth in scope.of(""))
                yield Held(plan.name, formula.text, scope, cell=(row, column), repeated=inside)


def _rules(plan: SheetPlan, scope: Scope) -> Iterator[Held]:
    for element in plan.xml.root.iter():
        if local(element) in WORDS:
            areas = ranged(element)
            inside = any(growth.in_data(areas[0]) for growth in scope.of("")) if areas else True
            where = f"the {WORDS[local(element)]} of {plan.name}!{areas_text(areas)}"
            yield from (Held(where, text, scope, repeated=inside) for _, _, text in rules_in(element))
            yield Held(where, areas_text(areas).replace(" ", ","), scope, Mode.COVER)


def _sparklines(plan: SheetPlan, scope: Scope) -> Iterator[Held]:
    for element in plan.xml.root.iter("{*}sparkline"):
        for area in ranged(element):
            cell, inside = (area.top, area.left), any(growth.in_data(area) for growth in scope.of(""))
            for _, _, text in rules_in(element):
                where = f"the sparkline of {plan.name}"
                yield Held(where, text, scope, Mode.WINDOW, cell, repeated=inside, kind="")


def _unread(held: Held) -> Iterator[str]:
    """Name each reference to grown rows that is made from a text, goes over several sheets, or moves with its row."""
    where = held.where if held.cell is None else f"{held.kind}{held.where}!{address(*held.cell)}"
    yield from (f"{text} in {where}" for text in (*_texts(held.text, held.scope), *_spans(held.text, held.scope)))
    yield from (f"{text} in {where}, which moves with the row" for text in _moving(held))


def _texts(formula: str, scope: Scope) -> list[str]:
    """Return the texts that would have changed as references, or refer to some rows."""
    found = [match for match in _TEXT.finditer(formula) if {":", "!"} & set(match[1])]
    return [text[0] for text in found if moves(text[1], scope) or _tables_in_part(Held("", text[1], scope))]


def moves(text: str, scope: Scope) -> bool:
    """Whether a formula refers to something that is elsewhere now, or no longer anywhere."""
    try:
        return adapted(text, scope) != text
    except TemplateError:
        return True


def _spans(formula: str, scope: Scope) -> list[str]:
    """Return the references over several sheets whose cells would have stretched on some sheet with a filled table."""
    growths = [growth for found in scope.growths.values() for growth in found]
    spans = [(one, one.block) for one in references(formula) if ":" in one.sheet]
    return [str(one) for one, area in spans if area and any(growth.touches(area) for growth in growths)]


def _moving(held: Held) -> list[str]:
    """Return the ranges over all rows of the sample that mean other rows in each row of the table."""
    at = held.cell and held.cell[0]
    if not held.repeated or not any(at in {None, growth.first} for growth in held.scope.of("")):
        return []
    ranges = [(one, growth) for one in references(held.text) if one.last for growth in held.scope.of(one.sheet)]
    return [str(one) for one, growth in ranges if _covers(one, growth) and not (one.last and one.last.fixed_row)]


def _covers(reference: Reference, growth: Growth) -> bool:
    """Whether a range has all rows of a sample of several, in a table that has more or fewer now."""
    area = reference.block
    grows = growth.bottom != growth.last and growth.places is None
    return area is not None and grows and growth.touches(area) and area.top <= growth.first < growth.last == area.bottom


def _in_part(found: Iterable[Held]) -> Iterator[str]:
    """Name the formulas that refer to some rows of a table which has more or fewer now, a line a table."""
    places: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for held in found:
        for table in set() if held.repeated else _tables_in_part(held):
            cells = places.setdefault(table, {}).setdefault(held.where, [])
            cells += [held.cell] if held.cell else []
    for table, where in places.items():
        said = [text for name, cells in where.items() for text in _told(name, cells)]
        yield f"{', '.join(said)}, which refer to some rows of the table {table}"


def _told(where: str, cells: Sequence[tuple[int, int]]) -> list[str]:
    """Return a sheet's cells as ranges, column by column; a place without cells as it is."""
    columns: dict[int, list[int]] = {}
    for row, column in cells:
        columns.setdefault(column, []).append(row)
    ranges = [Area(top, column, bottom, column) for column, rows in columns.items() for top, bottom in runs(rows)]
    return [f"{where}!{area}" for area in ranges] or [where]


def _tables_in_part(held: Held) -> set[str]:
    """Return the tables that grow or shrink of whose data rows a formula refers to some alone."""
    pairs = [(one, growth) for one in references(held.text) for growth in held.scope.of(one.sheet)]
    computed = any(pairs) and _COMPUTED.search(remainder(held.text))
    return {growth.table for one, growth in pairs if _is_part(one, growth, held.mode, computed=bool(computed))}


def _is_part(reference: Reference, growth: Growth, mode: Mode, *, computed: bool) -> bool:
    area, data = reference.block, replace(growth.area, top=growth.first, bottom=growth.last)
    if area is None or growth.bottom == growth.last or not area.meets(data):
        return False
    if mode is not Mode.COVER and is_lone(reference, area, mode):
        return not (computed and area.top == data.top)
    return area.top > data.top or (area.bottom < data.bottom and mode is not Mode.COVER)
