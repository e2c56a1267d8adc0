"""What stands on the sheets of filled tables and could not follow them: arrays, links, comments, drawings, filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flopsheet.export.xlsx.book import relationships
from flopsheet.export.xlsx.frame import ranged
from flopsheet.export.xlsx.markup import attribute, child, content, local, parse, tag, whole
from flopsheet.export.xlsx.missed import WORDS, moves
from flopsheet.export.xlsx.refs import Area, areas_text, read_area

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.export.xlsx.book import Book
    from flopsheet.export.xlsx.markup import Element
    from flopsheet.export.xlsx.plan import SheetPlan, TablePlan
    from flopsheet.export.xlsx.stretch import Growth, Scope


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
    return moves(formula, scope) or any(f"{growth.table}[".casefold() in formula.casefold() for growth in growths)


def table_remarks(book: Book, plan: SheetPlan) -> Iterator[str]:
    """Name what stands in a filled table's rows or under them, page breaks and a filter included."""
    for table in plan.plans:
        for line in plan.xml.root.iterfind(f"{tag('rowBreaks')}/{tag('brk')}"):
            if _splits(table.growth, whole(line, "id")):
                yield f"the page break under row {whole(line, 'id')} of {plan.name}, among the rows of {table.name}"
        for link in plan.xml.root.iter(tag("hyperlink")):
            if _stays(table.growth, attribute(link, "ref")):
                yield f"the link in {plan.name}!{attribute(link, 'ref')}, a cell of the table {table.name}"
        for arrow in relationships(book.package, plan.part):
            if arrow.kind == "comments":
                yield from _comments(parse(book.package.read(arrow.target), arrow.target), plan, table)
            elif arrow.kind == "drawing":
                yield from _drawings(parse(book.package.read(arrow.target), arrow.target), plan, table)
        yield from _under(plan, table)
        if _filtered(book, table):
            yield f"the filter of the table {table.name}: all its rows are shown"


def _stays(growth: Growth, ref: str) -> bool:
    """Whether something stands in one or some of the template's data rows, not in all of them."""
    area = read_area(ref)
    some = area.top == area.bottom or area.top > growth.first or area.bottom < growth.last
    return area.meets(growth.area) and growth.first <= area.top <= area.bottom <= growth.last and some


def _splits(growth: Growth, row: int) -> bool:
    """Whether a page ends among the data rows of a table which has more or fewer now, or with its sample."""
    return growth.bottom != growth.last and growth.first <= row < growth.filled.bottom


def _comments(root: Element, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    for comment in root.iter(tag("comment")):
        area = read_area(attribute(comment, "ref"))
        if area.meets(table.growth.area) and area.top >= table.growth.first:
            yield f"the comment on {plan.name}!{area}, a cell of the table {table.name}"
        elif _is_under(table.growth, area):
            yield f"the comment on {plan.name}!{area}, over which the table {table.name} grows"


def _under(plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    """Name what is for empty cells that the table grows into."""
    for element in plan.xml.root.iter():
        word = {**WORDS, "sparkline": "sparkline"}.get(local(element))
        if word and any(_is_under(table.growth, area) for area in ranged(element)):
            where = f"{plan.name}!{areas_text(ranged(element))}"
            yield f"the {word} of {where}, over which the table {table.name} grows"


def _is_under(growth: Growth, area: Area) -> bool:
    return area.meets(growth.filled) and area.top > growth.area.bottom


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
    numbers = {local(part): content(part) + 1 for part in end if local(part) in {"row", "col"}}
    return numbers.get("row", 1), numbers.get("col", 1)


def _filtered(book: Book, table: TablePlan) -> bool:
    root = parse(book.package.read(table.table.part), table.table.part)
    return root.find(f"{tag('autoFilter')}/{tag('filterColumn')}/*") is not None


def remarks(book: Book, plans: Iterable[SheetPlan], scopes: Mapping[str, Scope]) -> list[str]:
    """Return what could not follow a table, a line each; `plans` are of the template's own sheets, no clones."""
    signed = any(arrow.kind == "origin" for arrow in relationships(book.package, ""))
    found = ["the digital signature, which no longer holds: sign the output again"] if signed else []
    for plan in plans:
        found += array_remarks(plan, scopes[plan.name])
        found += table_remarks(book, plan)
    return found
