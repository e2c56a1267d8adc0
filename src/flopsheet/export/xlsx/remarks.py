"""What refers to a filled table and could not follow it, said for the person who made the template."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from flopsheet.configs.addresses import address
from flopsheet.errors import TemplateError
from flopsheet.export.xlsx.book import relationships
from flopsheet.export.xlsx.markup import attribute, child, local, parse, tag
from flopsheet.export.xlsx.refs import Area, read_area, references
from flopsheet.export.xlsx.stretch import adapted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.export.xlsx.book import Book
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.plan import SheetPlan, TablePlan
    from flopsheet.export.xlsx.refs import Reference
    from flopsheet.export.xlsx.stretch import Growth, Scope

_TEXT = re.compile(r'"((?:[^"]|"")*)"')
_SPAN = re.compile(
    r"(?<![\w.'])(?:'[^':]+:(?:[^']|'')+'|[^\W\d][\w.]*:[^\W\d][\w.]*)!(\$?[A-Z]{1,3}\$?[0-9][$A-Z0-9:]*)"
)


def formula_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name each formula that makes a reference to grown rows from a text, or reads them over several sheets."""
    for row, line in plan.xml.cells.items():
        for column, cell in line.items():
            formula = child(cell, "f")
            text = "" if formula is None else formula.text or ""
            for found in (*_texts(text, scope), *_spans(text, scope)):
                yield f"{found} in the formula {plan.name}!{address(row, column)}"


def row_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name the first formula that refers to some rows of a table which has more or fewer now, and say how many do."""
    found: dict[str, list[str]] = {}
    for row, line in plan.xml.cells.items():
        for column, cell in line.items():
            formula = child(cell, "f")
            if formula is not None and not any(growth.area.has(row, column) for growth in scope.of("")):
                for table in _in_part(formula.text or "", scope):
                    found.setdefault(table, []).append(f"{plan.name}!{address(row, column)}")
    for table, cells in found.items():
        more = f" and {len(cells) - 1} more formulas" if len(cells) > 1 else ""
        yield f"{cells[0]}{more}, which read some rows of the table {table}"


def array_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name each array formula of a fixed number of cells over a table which has more or fewer rows now."""
    for (row, column), area in plan.xml.arrays.items():
        cell = plan.xml.cells[row][column]
        formula = child(cell, "f")
        spills = cell.get("cm") is not None or (area.top == area.bottom and area.left == area.right)
        own = any(growth.area.has(row, column) for growth in scope.of(""))
        if formula is not None and not spills and not own and _reads_all(formula.text or "", scope):
            yield f"the array formula {plan.name}!{area}, which keeps its cells"


def _reads_all(formula: str, scope: Scope) -> bool:
    """Whether a formula reads all rows of a table which has more or fewer now, by its cells or by its name."""
    growths = [growth for found in scope.growths.values() for growth in found if growth.bottom != growth.last]
    return _moves(formula, scope) or any(f"{growth.table}[".casefold() in formula.casefold() for growth in growths)


def _in_part(formula: str, scope: Scope) -> set[str]:
    """Return the tables that grow or shrink of whose data rows a formula refers to some alone."""
    found = [(reference, growth) for reference in references(formula) for growth in scope.of(reference.sheet)]
    return {growth.table for reference, growth in found if _is_part(reference, growth)}


def _is_part(reference: Reference, growth: Growth) -> bool:
    area, data = reference.area, replace(growth.area, top=growth.first, bottom=growth.last)
    if area is None or growth.bottom == growth.last or not area.meets(data):
        return False
    return reference.last is None or area.top > data.top or area.bottom < data.bottom


def _texts(formula: str, scope: Scope) -> list[str]:
    """Return the texts that would have changed as references."""
    return [match[0] for match in _TEXT.finditer(formula) if ":" in match[1] and _moves(match[1], scope)]


def _moves(text: str, scope: Scope) -> bool:
    try:
        return adapted(text, scope) != text
    except TemplateError:
        return True


def _spans(formula: str, scope: Scope) -> list[str]:
    """Return the references over several sheets whose cells would have stretched on some sheet with a filled table."""
    if ":" not in formula:
        return []
    growths = [growth for found in scope.growths.values() for growth in found]
    spans = [(match[0], match[1].replace("$", "")) for match in _SPAN.finditer(_TEXT.sub('""', formula))]
    return [span for span, cells in spans if any(growth.touches(read_area(cells)) for growth in growths)]


def table_remarks(book: Book, plan: SheetPlan) -> Iterator[str]:
    """Name what stands in a filled table's rows or under them: links, comments, drawings, a filter."""
    for table in plan.plans:
        for link in plan.xml.root.iter(tag("hyperlink")):
            if _stays(table.growth, attribute(link, "ref")):
                yield f"the link in {plan.name}!{attribute(link, 'ref')}, a cell of the table {table.name}"
        for arrow in relationships(book.package, plan.part):
            if arrow.kind == "comments":
                yield from _comments(parse(book.package.read(arrow.target), arrow.target), plan, table)
            elif arrow.kind == "drawing":
                yield from _drawings(parse(book.package.read(arrow.target), arrow.target), plan, table)
        if _filtered(book, table):
            yield f"the filter of the table {table.name}: all its rows are shown"


def _stays(growth: Growth, ref: str) -> bool:
    """Whether something stands in one or some of the template's data rows, not in all of them."""
    area = read_area(ref)
    some = area.top == area.bottom or area.top > growth.first or area.bottom < growth.last
    return area.meets(growth.area) and growth.first <= area.top <= area.bottom <= growth.last and some


def _comments(root: Element, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    growth = table.growth
    for comment in root.iter(tag("comment")):
        area = read_area(attribute(comment, "ref"))
        if area.meets(growth.area) and area.top >= growth.first:
            yield f"the comment on {plan.name}!{area}, a cell of the table {table.name}"


def _drawings(root: Element, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    grown = table.growth.filled
    for anchor in root.iter():
        ends = [_corner(end) for end in anchor if local(end) in {"from", "to"}]
        if ends:
            area = Area(*ends[0], *ends[-1])
            if area.meets(grown) and not area.meets(table.growth.area):
                name = next((attribute(it, "name") for it in anchor.iter() if local(it) == "cNvPr"), "a drawing")
                yield f"{name!r} at {plan.name}!{area}, over which the table {table.name} grows"


def _corner(end: Element) -> tuple[int, int]:
    numbers = {local(part): int(part.text or 0) + 1 for part in end if local(part) in {"row", "col"}}
    return numbers.get("row", 1), numbers.get("col", 1)


def _filtered(book: Book, table: TablePlan) -> bool:
    root = parse(book.package.read(table.table.part), table.table.part)
    return root.find(f"{tag('autoFilter')}/{tag('filterColumn')}") is not None


def remarks(book: Book, plans: Iterable[SheetPlan], scopes: Mapping[str, Scope]) -> list[str]:
    """Return what could not follow a table, a line each."""
    found: list[str] = []
    for plan in plans:
        if not plan.sheets:
            found += formula_remarks(plan, scopes[plan.name])
            found += row_remarks(plan, scopes[plan.name])
            found += array_remarks(plan, scopes[plan.name])
            found += table_remarks(book, plan)
    return found
