"""Items about formulas and the values beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from flopsheet.export.checklist.look import Cell, words
from flopsheet.export.checklist.reach import cycle, ranges
from flopsheet.export.checklist.tokens import depth, functions, pieces, shown
from flopsheet.export.xlsx.markup import attribute
from flopsheet.export.xlsx.refs import relative_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx import Value
    from flopsheet.export.xlsx.book import Table

SHOWN, STORED, DEEP = 255, 8_192, 3
CLOSE = 1e-9


def one_formula(look: Look) -> Iterator[str]:
    """Find columns of tables whose cells hold different formulas, or formulas and constants.

    A list of checks has a formula of its own in every row; only their verdicts are alike.
    """
    for table in look.tables:
        for header in ["Pass"] if table in look.checks else table.columns:
            cells = look.column(table, header)
            found = {cell: look.formulas.get(cell, "") for cell in cells}
            forms = {relative_rows(text, cell.row) for cell, text in found.items()}
            if len(forms) > 1:
                first = relative_rows(found[cells[0]], cells[0].row)
                odd = next(cell for cell, text in found.items() if relative_rows(text, cell.row) != first)
                yield f"{odd}: the column {header!r} of {table.name} holds something else than in its first row"


def constants(look: Look) -> Iterator[str]:
    """Find numbers in formulas that should be named inputs."""
    for cell, text in look.formulas.items():
        for piece in pieces(text):
            if piece.kind == "number" and piece.inside not in words()["positions"] and not _allowed(float(piece.text)):
                yield f"{cell}: the constant {piece.text} in ={text}"
                break


def _allowed(number: float) -> bool:
    if number in words()["allowed"]:
        return True
    powers = (math.log(number, base) for base in (10, 1024))
    return any(math.isclose(power, round(power), abs_tol=1e-12) for power in powers)


def length(look: Look) -> Iterator[str]:
    """Find formulas that are too long to read or to store."""
    for cell, text in look.formulas.items():
        if len(text) > STORED:
            yield f"{cell}: {len(text):,} characters as stored; Excel reads at most {STORED:,}"
        elif len(shown(text)) > SHOWN:
            yield f"{cell}: {len(shown(text))} characters"


def nesting(look: Look) -> Iterator[str]:
    """Find formulas with too many functions inside each other."""
    for cell, text in look.formulas.items():
        if depth(text) > DEEP:
            yield f"{cell}: {depth(text)} functions inside each other in ={text}"


def nested_if(look: Look) -> Iterator[str]:
    """Find an IF inside an IF."""
    for cell, text in look.formulas.items():
        if any(piece.text == "IF" and "IF" in piece.around for piece in functions(text)):
            yield f"{cell}: ={text}"


def volatile(look: Look) -> Iterator[str]:
    """Find functions that change without an input."""
    yield from _using(look, lambda name: name in words()["volatile"])


def safe(look: Look) -> Iterator[str]:
    """Find functions that not every spreadsheet has; volatile ones are another item's."""
    yield from _using(look, lambda name: name not in words()["safe"] and name not in words()["volatile"])


def _using(look: Look, bad: Callable[[str], bool]) -> Iterator[str]:
    for where, text in (*look.formulas.items(), *look.rules):
        found = [piece.text for piece in functions(text) if bad(piece.text)]
        if found:
            yield f"{where}: {found[0]} in ={text}"


def twice(look: Look) -> Iterator[str]:
    """Find columns of a table, or cells outside of tables, that compute the same."""
    for table in look.tables:
        yield from _same((cell, look.formulas.get(cell, "")) for cell in _first_row(look, table))
    inside = {cell for table in look.tables for cell in look.formulas if _in_table(table, cell)}
    yield from _same((cell, text) for cell, text in look.formulas.items() if cell not in inside)


def _first_row(look: Look, table: Table) -> list[Cell]:
    top = look.body(table).start
    return [Cell(table.sheet, top, column) for column in range(table.area.left, table.area.right + 1)]


def _in_table(table: Table, cell: Cell) -> bool:
    return table.sheet == cell.sheet and table.area.has(cell.row, cell.column)


def _same(found: Iterable[tuple[Cell, str]]) -> Iterator[str]:
    """Give the cells whose formula computes something and stands in an earlier cell of the same sheet already."""
    seen: dict[tuple[str, str], Cell] = {}
    for cell, text in found:
        if any(piece.kind == "function" for piece in pieces(text)):
            first = seen.setdefault((cell.sheet, text), cell)
            if first != cell:
                yield f"{cell}: computes the same as {first}: ={text}"


def chains(look: Look) -> Iterator[str]:
    """Find references to a cell that does nothing but refer to another."""
    bare = {cell: target for cell, text in look.formulas.items() if (target := _target(look, cell, text))}
    for cell, target in bare.items():
        if target in bare:
            yield f"{cell}: refers to {target}, which refers to {bare[target]}"


def _target(look: Look, cell: Cell, text: str) -> Cell | None:
    """Return the one cell that a formula brings as it is."""
    if any(sign in text for sign in "(+-*/&=<>^,;"):
        return None
    found = list(ranges(look, cell, text))
    if len(found) != 1 or (found[0][1].top, found[0][1].left) != (found[0][1].bottom, found[0][1].right):
        return None
    sheet = look.template.book.sheets.get(found[0][0])
    return Cell(sheet.name, found[0][1].top, found[0][1].left) if sheet else None


def circles(look: Look) -> Iterator[str]:
    """Find a circular reference."""
    found = cycle(look)
    if found:
        yield " → ".join(map(str, [*found, found[0]]))


def errors(look: Look) -> Iterator[str]:
    """Find error values, and formulas and names that refer to what is gone."""
    for sheet in look.sheets:
        for row, line in look.xml(sheet).cells.items():
            for column, element in line.items():
                if attribute(element, "t") == "e":
                    yield f"{Cell(sheet, row, column)}: {look.value(Cell(sheet, row, column))}"
    yield from (f"{cell}: ={text}" for cell, text in look.formulas.items() if "#REF!" in text)


def totals(look: Look) -> Iterator[str]:
    """Find sums in totals rows that are not what stands above them."""
    for table in look.tables:
        for place, (header, function) in enumerate(zip(table.columns, table.functions, strict=True)):
            cell = Cell(table.sheet, table.area.bottom, table.area.left + place)
            said = look.value(cell) if table.totals and function == "sum" else None
            found = math.fsum(_number(look.value(one)) for one in look.column(table, header))
            if said is not None and not math.isclose(_number(said), found, rel_tol=CLOSE, abs_tol=CLOSE):
                yield f"{cell}: shows {said}, but the column {header!r} adds up to {found}"


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0
