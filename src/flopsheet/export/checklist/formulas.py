"""Items about formulas."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from flopsheet.export.checklist.look import Cell, words
from flopsheet.export.checklist.reach import cycle, ranges, unknown
from flopsheet.export.checklist.tokens import computes, depth, functions, pieces, shown, spelled, unquoted_text
from flopsheet.export.xlsx.active import formula_words
from flopsheet.export.xlsx.markup import attribute, tag
from flopsheet.export.xlsx.refs import references, relative_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table

SHOWN, STORED, DEEP = 255, 8_192, 3
RULES = "rules"
BRACKETED = re.compile(r"^\((.*)\)$")
PLAIN = re.compile(r"[\w.!]+([+*][\w.!]+)+")
SPILL = re.compile(r"(?<=[\w)])#(?![A-Z/0]+[!?])|(?<![\w\[])@")
ASKED = ("name 'chk_master'", "name 'in_scenario'")
"""What has an item of its own, which says that it is missing."""
TYPED = re.compile(r'(?:[-+*/^]|\bVALUE\()\s*"\s*([0-9]*[.]?[0-9]+)\s*%?"', re.IGNORECASE)
"""A number in quotes that is calculated with."""
ERROR = re.compile(r"#(REF!|N/A|DIV/0!|VALUE!|NAME\?|NUM!|NULL!)")


def one_formula(look: Look) -> Iterator[str]:
    """Find columns of tables whose cells hold different formulas, or formulas and constants.

    A list of checks has a formula of its own in every row, its verdicts are for `checks`; so has the list of rules.
    """
    for table in look.tables:
        each = "check" in look.places(table) or (table.name in look.taken and table.name == RULES)
        for header in () if each else table.columns:
            cells = look.column(table, header)
            found = {cell: look.formulas.get(cell, "") for cell in cells}
            forms = {relative_rows(text, cell.row) for cell, text in found.items()}
            if len(forms) > 1:
                first = relative_rows(found[cells[0]], cells[0].row)
                odd = next(cell for cell, text in found.items() if relative_rows(text, cell.row) != first)
                yield f"{odd}: the column {header!r} of {table.name} holds something else than in its first row"


def constants(look: Look) -> Iterator[str]:
    """Find numbers in formulas that should be named inputs.

    Published rules are quoted as they are, and a line may have the numbers that its architecture defines it with.
    """
    cells = [(cell, text) for cell, text in look.formulas.items() if (cell.sheet, cell.column) not in look.quoted]
    found = [(cell, text, look.defined.get((cell.sheet, cell.column), ())) for cell, text in cells]
    for where, text, own in (*found, *((f"the name {name}", text, ()) for name, text in look.targets.items())):
        typed = next((said for said in TYPED.findall(text) if not _allowed(float(said))), "")
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


def length(look: Look) -> Iterator[str]:
    """Find formulas that are too long to read or to store."""
    for cell, text in look.formulas.items():
        if len(text) > STORED:
            yield f"{cell}: {len(text):,} characters as stored; Excel reads at most {STORED:,}"
        elif len(shown(text)) > SHOWN:
            yield f"{cell}: {len(shown(text))} characters; give parts of it cells of their own"


def nesting(look: Look) -> Iterator[str]:
    """Find formulas with too many functions inside each other."""
    for cell, text in look.formulas.items():
        if depth(text) > DEEP:
            yield f"{cell}: {depth(text)} functions inside each other; compute the inner ones beside it: ={text}"


def nested_if(look: Look) -> Iterator[str]:
    """Find an IF inside an IF."""
    for cell, text in look.formulas.items():
        if any(piece.text == "IF" and "IF" in piece.around for piece in functions(text)):
            yield f"{cell}: an IF inside an IF; use a lookup, MIN and MAX, or a cell of its own: ={text}"


def volatile(look: Look) -> Iterator[str]:
    """Find functions that change without an input."""
    yield from _using(look, lambda name: name in words()["volatile"])


def safe(look: Look) -> Iterator[str]:
    """Find functions that not every spreadsheet has; volatile ones, and those that reach out, are other items'."""
    elsewhere = {*words()["safe"], *words()["volatile"]}
    yield from _using(look, lambda name: name not in elsewhere and not formula_words(f"{name}("))
    for cell, text in look.formulas.items():
        sign = SPILL.search(unquoted_text(text))
        if sign:
            yield f"{cell}: {sign[0]} is of dynamic arrays, which not every spreadsheet has: ={text}"


def _using(look: Look, bad: Callable[[str], bool]) -> Iterator[str]:
    for where, text in (*look.formulas.items(), *look.rules):
        found = [piece.text for piece in functions(text) if bad(piece.text)]
        if found:
            yield f"{where}: {found[0]} in ={text}"


def twice(look: Look) -> Iterator[str]:
    """Find columns of a table, or cells outside of tables, that compute the same.

    Plain products of a row may be the same for two things, such as keys and values; so may lines, and published rules.
    """
    for table in look.tables:
        named = look.units.keys() if table.sheet in look.cloned else ()
        cells = [
            cell for cell, header in zip(_first_row(look, table), table.columns, strict=True) if header not in named
        ]
        found = ((cell, look.formulas.get(cell, "")) for cell in cells if (cell.sheet, cell.column) not in look.quoted)
        yield from _same((cell, text) for cell, text in found if functions(text))
    inside = {cell for table in look.tables for cell in look.formulas if _in_table(table, cell)}
    yield from _same((cell, text) for cell, text in look.formulas.items() if cell not in inside and computes(text))


def _first_row(look: Look, table: Table) -> list[Cell]:
    top = look.body(table).start
    return [Cell(table.sheet, top, column) for column in range(table.area.left, table.area.right + 1)]


def _in_table(table: Table, cell: Cell) -> bool:
    return table.sheet == cell.sheet and table.area.has(cell.row, cell.column)


def _same(found: Iterable[tuple[Cell, str]]) -> Iterator[str]:
    """Give the cells whose formula stands in an earlier cell already.

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
    terms = [sorted(term.split("*")) for term in text.split("+")] if PLAIN.fullmatch(text) else [[text]]
    return "+".join(sorted("*".join(factors) for factors in terms))


def chains(look: Look) -> Iterator[str]:
    """Find references to a cell that does nothing but refer to another."""
    bare = {cell: target for cell, text in look.formulas.items() if (target := _target(look, cell, text))}
    for cell, target in bare.items():
        if target in bare:
            yield f"{cell}: refers to {target}, which refers to {bare[target]}; refer to that"


def _target(look: Look, cell: Cell, text: str) -> Cell | None:
    """Return the one cell that a formula brings as it is."""
    bare = BRACKETED.sub(r"\1", text.strip().lstrip("+"))
    if computes(bare) or any(sign in bare for sign in "(,;"):
        return None
    found = list(ranges(look, cell, bare))
    if len(found) != 1 or (found[0][1].top, found[0][1].left) != (found[0][1].bottom, found[0][1].right):
        return None
    sheet = look.template.book.sheets.get(found[0][0])
    return Cell(sheet.name, found[0][1].top, found[0][1].left) if sheet else None


def circles(look: Look) -> Iterator[str]:
    """Find a circular reference."""
    root = look.template.book.root
    if any(attribute(one, "iterate") in ("1", "true") for one in root.iter(tag("calcPr"))):
        yield "iterative calculation is on, which hides circles; switch it off in the options"
    found = cycle(look)
    if found:
        yield " → ".join(map(str, [*found, found[0]]))


def errors(look: Look) -> Iterator[str]:
    """Find error values, and formulas and names that refer to what is gone or nowhere."""
    for sheet in look.sheets:
        for row, line in look.xml(sheet).cells.items():
            for column, element in line.items():
                if attribute(element, "t") == "e":
                    yield f"{Cell(sheet, row, column)}: {look.value(Cell(sheet, row, column))}"
    for where, text in (*look.formulas.items(), *look.rules):
        gone = ERROR.search(unquoted_text(text)) if not str(where).startswith("the name") else None
        if gone:
            yield f"{where}: {gone[0]} in ={text}"
    for cell, text in look.formulas.items():
        missing = next(unknown(look, text), "") if not ERROR.search(text) else ""
        if missing and missing not in ASKED:
            yield f"{cell}: there is no {missing}: ={text}"
