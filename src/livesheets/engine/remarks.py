"""What is on the sheets of filled tables and could not follow them: arrays, links, comments, drawings, filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from livesheets.addresses import address
from livesheets.copies import Originals
from livesheets.engine.book import relationships, targets
from livesheets.engine.impact import spilt
from livesheets.engine.markup import attribute, content, local, parse, tag, whole
from livesheets.engine.resize import Mode, adapt, runs
from livesheets.engine.sheet_extras import find_areas
from livesheets.engine.unadjusted_formulas import WORDS, moves
from livesheets.references import Area, areas_text, read_area, relative_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from livesheets.engine.book import Book
    from livesheets.engine.markup import Element
    from livesheets.engine.plan import SheetPlan, TablePlan
    from livesheets.engine.resize import Resize, Scope


def array_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name each array formula of a fixed number of cells over a table which has more or fewer rows now."""
    for (row, column), area in plan.xml.arrays.items():
        spills = (row, column) in plan.xml.spills or area.size == 1
        own = any(resize.area.has(row, column) for resize in scope.of(""))
        if not spills and not own and _reads_all(plan.xml.formulas[row, column], scope):
            yield f"the array formula {plan.name}!{area}, which keeps its cells: enter it again over all rows"


def spill_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name each formula that spills towards a filled table, and has more to show as the table grows."""
    for at in sorted(plan.xml.spills):
        reach = spilt(plan.xml.arrays.get(at, Area(*at, *at)))
        for resize in scope.of("") if _reads_all(plan.xml.formulas[at], scope) else ():
            if reach.meets(resize.new_area) and not resize.area.has(*at):
                where = f"the formula {plan.name}!{address(*at)}, which spills towards the table {resize.table}"
                yield f"{where} in {resize.new_area}: move it where nothing is in its way"


def _reads_all(formula: str, scope: Scope) -> bool:
    """Whether a formula reads all rows of a table which has more or fewer now, by its cells or by its name."""
    tables = [resize.table for resize in scope.resizes_of_all() if resize.bottom != resize.last]
    return moves(formula, scope) or any(f"{table}[".casefold() in formula.casefold() for table in tables)


def sample_remarks(plan: SheetPlan, scope: Scope) -> Iterator[str]:
    """Name the formulas of the sample that differ from those of its first row, which every row takes."""
    for table in plan.plans:
        new = table.resize
        for column in range(new.area.left, new.area.right + 1) if new.places is None else ():
            rows = _differing_rows(plan.xml.formulas, range(new.first, new.last + 1), column, scope)
            areas = areas_text(Area(top, column, bottom, column) for top, bottom in runs(rows))
            first = f"{plan.name}!{address(new.first, column)}"
            takes = "that one" if (new.first, column) in plan.xml.formulas else "none, as that cell has none"
            if rows:
                yield f"the formulas in {plan.name}!{areas}, which differ from {first}: every row takes {takes}"


def _differing_rows(formulas: Mapping[tuple[int, int], str], rows: range, column: int, scope: Scope) -> list[int]:
    """Return the rows whose formula is no copy of that of the first row, also once both followed the table."""
    own = {(row, column): formulas[row, column] for row in rows if formulas.get((row, column))}
    originals = dict(zip(own, Originals().of(own), strict=True))
    first = (rows[0], column)
    if len(set(originals.values())) == 1 and first in own:
        return []
    texts = {at: relative_rows(adapt(text, scope, Mode.ROW), at[0]) for at, text in own.items()}
    return [at[0] for at, text in texts.items() if text != texts.get(first)]


def table_remarks(book: Book, plan: SheetPlan) -> Iterator[str]:
    """Name what is in a filled table's rows or under them, page breaks and a filter included."""
    for table in plan.plans:
        for line in plan.xml.root.iterfind(f"{tag('rowBreaks')}/{tag('brk')}"):
            if _splits(table.resize, whole(line, "id")):
                yield f"the page break under row {whole(line, 'id')} of {plan.name}, among the rows of {table.name}"
        for link in plan.xml.root.iter(tag("hyperlink")):
            if _stays(table.resize, attribute(link, "ref")):
                yield f"the link in {plan.name}!{attribute(link, 'ref')}, a cell of the table {table.name}"
        for arrow in relationships(book.package, plan.part):
            if arrow.kind == "comments":
                yield from _comments(parse(book.package.read(arrow.target), arrow.target), plan, table)
            elif arrow.kind == "drawing":
                yield from _drawings(parse(book.package.read(arrow.target), arrow.target), plan, table)
        yield from _under(plan, table)
        yield from _hidden(book, plan, table)


def _hidden(book: Book, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    """Name the filter of a table, or else the rows that were hidden by hand."""
    rows = [f"{first}:{last}" for first, last in runs(plan.shown_rows) if first in table.resize.rows]
    if _is_filtered(book, table):
        yield f"the filter of the table {table.name}: all its rows are shown"
    elif rows:
        yield f"the hidden rows {', '.join(rows)} of {plan.name}: the table {table.name} shows all of its rows"


def _stays(resize: Resize, ref: str) -> bool:
    """Whether something is in one or some of the template's data rows, not in all of them."""
    area = read_area(ref)
    some = area.top == area.bottom or area.top > resize.first or area.bottom < resize.last
    return area.meets(resize.area) and resize.first <= area.top <= area.bottom <= resize.last and some


def _splits(resize: Resize, row: int) -> bool:
    """Whether a page ends among the data rows of a table which has more or fewer now, or with its sample."""
    return resize.bottom != resize.last and resize.first <= row < resize.new_area.bottom


def _comments(root: Element, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    for comment in root.iter(tag("comment")):
        area = read_area(attribute(comment, "ref"), f"a comment in {comment.base} of the template")
        if area.meets(table.resize.area) and area.top >= table.resize.first:
            yield f"the comment on {plan.name}!{area}, a cell of the table {table.name}"
        elif _is_under(table.resize, area):
            yield f"the comment on {plan.name}!{area}, {_grows(table)}"


def _under(plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    """Name what is for empty cells that the table grows into."""
    for element in plan.xml.root.iter():
        word = {**WORDS, "sparkline": "sparkline"}.get(local(element))
        if word and any(_is_under(table.resize, area) for area in find_areas(element)):
            where = f"{plan.name}!{areas_text(find_areas(element))}"
            yield f"the {word} of {where}, {_grows(table)}"


def _grows(table: TablePlan) -> str:
    return f"over which the table {table.name} grows: move it or take it out"


def _is_under(resize: Resize, area: Area) -> bool:
    return area.meets(resize.new_area) and area.top > resize.area.bottom


def _drawings(root: Element, plan: SheetPlan, table: TablePlan) -> Iterator[str]:
    for anchor in root.iter():
        ends = [_corner(end) for end in anchor if local(end) in {"from", "to"}]
        if ends:
            area = Area(*ends[0], *ends[-1])
            if area.meets(table.resize.new_area) and not area.meets(table.resize.area):
                name = next((attribute(it, "name") for it in anchor.iter() if local(it) == "cNvPr"), "a drawing")
                yield f"{name!r} at {plan.name}!{area}, {_grows(table)}"


def _corner(end: Element) -> tuple[int, int]:
    numbers = {local(part): content(part) + 1 for part in end if local(part) in {"row", "col"}}
    return numbers.get("row", 1), numbers.get("col", 1)


def _is_filtered(book: Book, table: TablePlan) -> bool:
    root = parse(book.package.read(table.table.part), table.table.part)
    return root.find(f"{tag('autoFilter')}/{tag('filterColumn')}/*") is not None


def remarks(book: Book, plans: Iterable[SheetPlan], scopes: Mapping[str, Scope]) -> list[str]:
    """Return what could not follow a table, a line each; `plans` are of the template's own sheets, no clones."""
    is_signed = targets(book.package, "", "origin")
    result = ["the digital signature, which is no longer valid: sign the output again"] if is_signed else []
    for plan in plans:
        result += [*array_remarks(plan, scopes[plan.name]), *spill_remarks(plan, scopes[plan.name])]
        result += [*sample_remarks(plan, scopes[plan.name]), *table_remarks(book, plan)]
    return result
