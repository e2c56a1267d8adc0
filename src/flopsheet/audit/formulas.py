"""Items about formulas."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.audit.formula_text import computes, depth, fault, functions, pieces, spelled, spill, typed_numbers
from flopsheet.audit.precedents import cycle, ranges, reading, unknown
from flopsheet.audit.view import Cell, words
from flopsheet.spreadsheet.engine.active import formula_words
from flopsheet.spreadsheet.engine.markup import attribute, tag
from flopsheet.spreadsheet.references import references, relative_rows
from flopsheet.spreadsheet.tokens import shown, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.audit.view import WorkbookView
    from flopsheet.spreadsheet.engine.book import Table

SHOWN, STORED, DEEP = 255, 8_192, 3
RULES = "rules"
ASKED = ("name 'chk_master'", "name 'in_scenario'")
"""What has an item of its own, which says that it is missing."""


def one_formula(view: WorkbookView) -> Iterator[str]:
    """Find columns of tables whose cells hold different formulas, or formulas and constants.

    A list of checks has a formula of its own in every row, its verdicts are for `checks`; so has the list of rules.
    """
    for table in view.tables:
        each = "check" in view.places(table) or (table.name in view.taken and table.name == RULES)
        for header in () if each else table.columns:
            cells = view.column(table, header)
            found = {cell: view.formulas.get(cell, "") for cell in cells}
            forms = {cell: _form(text, cell.row) for cell, text in found.items()}
            odd = next((cell for cell, form in forms.items() if form != forms[cells[0]]), None)
            if odd:
                yield f"{odd}: the column {header!r} of {table.name} holds something else than in its first row"


def _form(text: str, row: int) -> str:
    """Return a formula as it is in every row."""
    return relative_rows(text, row) if reading(text).cells else text


def constants(view: WorkbookView) -> Iterator[str]:
    """Find numbers in formulas that should be named inputs.

    Published rules are quoted as they are, and a line may have the numbers that its architecture defines it with.
    """
    cells = [(cell, text) for cell, text in view.formulas.items() if (cell.sheet, cell.column) not in view.quoted]
    found = [(cell, text, view.defined.get((cell.sheet, cell.column), ())) for cell, text in cells]
    for where, text, own in (*found, *((f"the name {name}", text, ()) for name, text in view.targets.items())):
        typed = next((said for said in typed_numbers(text) if not _allowed(float(said))), "")
        if typed:
            yield f"{where}: the constant {typed} as a text in ={text}; name it as an input of its own"
        for piece in pieces(text):
            place = piece.alone and piece.inside in words()["positions"]
            if piece.kind == "number" and not (place or _allowed(float(piece.text)) or float(piece.text) in own):
                yield f"{where}: the constant {piece.text} in ={text}; name it as an input of its own"
                break


def _allowed(number: float) -> bool:
    if number in words()["allowed"]:
        return True
    powers = (math.log(number, base) for base in (10, 1024))
    return math.isfinite(number) and any(math.isclose(power, round(power), abs_tol=1e-12) for power in powers)


def length(view: WorkbookView) -> Iterator[str]:
    """Find formulas that are too long to read or to store."""
    for cell, text in view.formulas.items():
        if len(text) > STORED:
            yield f"{cell}: {len(text):,} characters as stored; Excel reads at most {STORED:,}"
        elif len(shown(text)) > SHOWN:
            yield f"{cell}: {len(shown(text))} characters; give parts of it cells of their own"


def nesting(view: WorkbookView) -> Iterator[str]:
    """Find formulas with too many functions inside each other."""
    for cell, text in view.formulas.items():
        if depth(text) > DEEP:
            yield f"{cell}: {depth(text)} functions inside each other; compute inner ones in their own cells: ={text}"


def nested_if(view: WorkbookView) -> Iterator[str]:
    """Find an IF inside an IF."""
    for cell, text in view.formulas.items():
        if any(piece.text == "IF" and "IF" in piece.around for piece in functions(text)):
            yield f"{cell}: an IF inside an IF; use a lookup, MIN and MAX, or a cell of its own: ={text}"


def volatile(view: WorkbookView) -> Iterator[str]:
    """Find functions that change without an input."""
    yield from _using(view, lambda name: name in words()["volatile"])


def safe(view: WorkbookView) -> Iterator[str]:
    """Find functions that not every spreadsheet has; volatile ones, and those that reach out, are other items'."""
    elsewhere = {*words()["safe"], *words()["volatile"]}
    yield from _using(view, lambda name: name not in elsewhere and not formula_words(f"{name}("))
    for cell, text in view.formulas.items():
        sign = spill(text)
        if sign:
            yield f"{cell}: {sign} is a dynamic-array function, which not every spreadsheet has: ={text}"


def _using(view: WorkbookView, bad: Callable[[str], bool]) -> Iterator[str]:
    for where, text in (*view.formulas.items(), *view.rules):
        found = [piece.text for piece in functions(text) if bad(piece.text)]
        if found:
            yield f"{where}: {found[0]} in ={text}"


def twice(view: WorkbookView) -> Iterator[str]:
    """Find columns of a table, or cells outside of tables, that compute the same.

    Plain products of a row may be the same for two things, such as keys and values; so may lines, and published rules.
    """
    for table in view.tables:
        named = view.units.keys() if table.sheet in view.cloned else ()
        row = zip(
            _first_row(view, table), table.columns, strict=False
        )  # a broken table names fewer columns than it has
        cells = [cell for cell, header in row if header not in named]
        found = ((cell, view.formulas.get(cell, "")) for cell in cells if (cell.sheet, cell.column) not in view.quoted)
        yield from _same((cell, text) for cell, text in found if functions(text))
    inside = {cell for table in view.tables for cell in view.formulas if _in_table(table, cell)}
    yield from _same((cell, text) for cell, text in view.formulas.items() if cell not in inside and computes(text))


def _first_row(view: WorkbookView, table: Table) -> list[Cell]:
    top = view.body(table).start
    return [Cell(table.sheet, top, column) for column in range(table.area.left, table.area.right + 1)]


def _in_table(table: Table, cell: Cell) -> bool:
    return table.sheet == cell.sheet and table.area.has(cell.row, cell.column)


def _same(found: Iterable[tuple[Cell, str]]) -> Iterator[str]:
    """Give the cells whose formula is in an earlier cell already.

    A formula with references that name no sheet means other cells on every sheet.
    """
    seen: dict[tuple[str, str], Cell] = {}
    for cell, text in found:
        home = cell.sheet if any(not one.sheet and one.first for one in references(text)) else ""
        first = seen.setdefault((home, _sorted(spelled(text))), cell)
        if first != cell:
            yield f"{cell}: computes the same as {first}, so refer to that: ={text}"


def _sorted(text: str) -> str:
    """Return a formula of nothing but sums of products with its terms in order."""
    terms: list[list[str]] = [[]]
    for one in tokens(text):
        if one.text == "+":
            terms.append([])
        elif one.kind in {"cells", "name", "number"}:
            terms[-1].append(one.text)
        elif one.text != "*":
            return text
    return "+".join(sorted("*".join(sorted(factors)) for factors in terms))


def chains(view: WorkbookView) -> Iterator[str]:
    """Find references to a cell that does nothing but refer to another."""
    bare = {cell: target for cell, text in view.formulas.items() if (target := _target(view, cell, text))}
    for cell, target in bare.items():
        if target in bare:
            yield f"{cell}: refers to {target}, which refers to {bare[target]}; refer to that"


def _target(view: WorkbookView, cell: Cell, text: str) -> Cell | None:
    """Return the one cell that a formula brings as it is."""
    bare = text.strip().lstrip("+")
    bare = bare[1:-1] if bare.startswith("(") and bare.endswith(")") else bare
    if computes(bare) or any(sign in bare for sign in "(,;"):
        return None
    found = list(ranges(view, cell, bare))
    if len(found) != 1 or (found[0][1].top, found[0][1].left) != (found[0][1].bottom, found[0][1].right):
        return None
    sheet = view.template.book.sheets.get(found[0][0])
    return Cell(sheet.name, found[0][1].top, found[0][1].left) if sheet else None


def circles(view: WorkbookView) -> Iterator[str]:
    """Find a circular reference."""
    root = view.template.book.root
    if any(attribute(one, "iterate") in ("1", "true") for one in root.iter(tag("calcPr"))):
        yield "iterative calculation is on, which hides circles; switch it off in the options"
    found = cycle(view)
    if found:
        yield " → ".join(map(str, [*found, found[0]]))


def errors(view: WorkbookView) -> Iterator[str]:
    """Find error values, and formulas and names that refer to what is gone or nowhere."""
    for place, value in view.survey.errors:
        yield f"{Cell(*place)}: {value}"
    for where, text in (*view.formulas.items(), *view.rules):
        if fault(text) and not str(where).startswith("the name"):
            yield f"{where}: {fault(text)} in ={text}"
    for cell, text in view.formulas.items():
        missing = next(iter(unknown(view, text)), "")
        if missing and missing not in ASKED and not fault(text):
            yield f"{cell}: there is no {missing}: ={text}"
