"""What formulas refer to, as ranges of cells, and whether they refer to themselves in the end."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flopsheet.export.checklist.look import Cell
from flopsheet.export.checklist.tokens import pieces, unquoted_text
from flopsheet.export.xlsx.refs import MAX_COLUMN, MAX_ROW, Area, Reference, references, rewrite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from flopsheet.export.checklist.look import Look
    from flopsheet.export.xlsx.book import Table

Range = tuple[str, Area]
"""A sheet's name in lower case, and cells of it."""

FOREIGN = re.compile(r"(?<![\w\]])'?[^'\[\]]*\[[^\[\]]+\][^\[\]]*!|\|")
"""What refers to another workbook or program."""
CELL = re.compile(r"[a-z]{1,3}[0-9]+")
_STRUCTURED = re.compile(r"([^\W\d]\w*)(\[(?:[^\[\]']|'.|\[(?:[^\[\]']|'.)*\])*\])")
_PART = re.compile(r"\[((?:[^\[\]']|'.)*)\]")


class Said(NamedTuple):
    """What a formula says, whichever cell it stands in: cells, tables with their brackets, and words."""

    cells: tuple[Reference, ...]
    columns: tuple[tuple[str, str], ...]
    words: tuple[str, ...]


@lru_cache(2**16)
def said(formula: str) -> Said:
    """Read a formula; the rows of a list say the same thing."""
    bare = unquoted_text(formula) if '"' in formula else formula
    cells = tuple(found for found in references(formula) if found.first is not None)
    words = tuple(piece.text.casefold() for piece in pieces(formula) if piece.kind == "word")
    return Said(cells, tuple((name.casefold(), inside) for name, inside in _STRUCTURED.findall(bare)), words)


def ranges(look: Look, cell: Cell, formula: str) -> Iterator[Range]:
    """Give every range that a formula in a cell refers to: cells, names, and columns of tables."""
    found = said(formula)
    yield from _plain(found.cells, cell.sheet)
    for name, inside in found.columns:
        table = look.template.book.tables.get(name)
        if table is not None:
            yield table.sheet.casefold(), _columns(look, table, inside, cell)
    for word in found.words:
        if word in look.targets:
            yield from _plain(said(look.targets[word]).cells, cell.sheet)


def unknown(look: Look, formula: str) -> Iterator[str]:
    """Give what a formula names that is not there: sheets, tables, columns of tables, names."""
    bare, book = unquoted_text(formula), look.template.book
    if FOREIGN.search(bare):
        return
    for found in references(bare):
        if found.sheet and ":" not in found.sheet and found.sheet.casefold() not in book.sheets:
            yield f"sheet {found.sheet!r}"
    for name, inside in _STRUCTURED.findall(bare):
        table = book.tables.get(name.casefold())
        if table is None:
            yield f"table {name!r}"
        else:
            yield from (f"column {one!r} of {name}" for one in _strangers(look, table, inside))
    words = (piece.text for piece in pieces(rewrite(bare, lambda _: "")) if piece.kind == "word")
    yield from (f"name {word!r}" for word in words if not _is_known(look, word))


def _strangers(look: Look, table: Table, inside: str) -> Iterator[str]:
    parts = _PART.findall(inside[1:-1]) or [inside[1:-1]]
    named = [re.sub(r"'(.)", r"\1", part.removeprefix("@")) for part in parts if part and not part.startswith("#")]
    return (name for name in named if name and name.casefold() not in look.places(table))


def _is_known(look: Look, word: str) -> bool:
    key = word.replace("$", "").casefold()
    return (
        key in look.targets
        or key in look.template.book.tables
        or key in ("true", "false")
        or key.startswith("_xl")
        or CELL.fullmatch(key) is not None
        or any(key == name.casefold() for sheet in look.sheets for name in look.local_names(sheet))
    )


def _plain(cells: Iterable[Reference], sheet: str) -> Iterator[Range]:
    return (((found.sheet or sheet).casefold(), _area(found)) for found in cells)


def _area(found: Reference) -> Area:
    first, last = found.first, found.last or found.first
    if found.area is not None or first is None or last is None:
        return found.area or Area(1, 1, 1, 1)
    return Area(first.row or 1, first.column or 1, last.row or MAX_ROW, last.column or MAX_COLUMN)


@lru_cache(2**16)
def _parts(inside: str) -> tuple[list[str], list[str]]:
    """Return what stands in the brackets of a structured reference, and the same as names of columns."""
    parts = _PART.findall(inside[1:-1]) or [inside[1:-1]]
    return parts, [re.sub(r"'(.)", r"\1", part).casefold() for part in parts]


def _columns(look: Look, table: Table, inside: str, cell: Cell) -> Area:
    """Return the cells that a structured reference means."""
    parts, names = _parts(inside)
    places = look.places(table)
    wanted = [places[name] for name in names if name in places]
    wanted = wanted or [0, len(table.columns) - 1]
    left, right = table.area.left + min(wanted), table.area.left + max(wanted)
    body = look.body(table)
    top, bottom = body.start, body.stop - 1
    words = {part.casefold() for part in parts if part.startswith("#")}
    if "#this row" in words:
        top = bottom = cell.row
    elif words & {"#headers", "#all"}:
        top, bottom = table.area.top, table.area.top if "#all" not in words else table.area.bottom
    elif "#totals" in words:
        top = bottom = table.area.bottom
    return Area(top, left, bottom, right)


@dataclass(frozen=True)
class Graph:
    """Which formula cells each formula and each range leads to; a range is looked through once."""

    look: Look
    known: dict[Cell | Range, list[Cell | Range]] = field(default_factory=dict)
    rows: Mapping[str, dict[int, list[int]]] = field(default_factory=lambda: defaultdict(dict))
    """The rows with a formula, by sheet and column."""
    spelled: dict[str, str] = field(default_factory=dict)

    def next(self, node: Cell | Range) -> list[Cell | Range]:
        """Return where a node leads."""
        if node not in self.known:
            if isinstance(node, Cell):
                self.known[node] = list(ranges(self.look, node, self.look.formulas[node]))
            else:
                self.known[node] = list(self._inside(*node))
        return self.known[node]

    def _inside(self, sheet: str, area: Area) -> Iterator[Cell]:
        known = self.rows.get(sheet, {})
        for column in (one for one in known if area.left <= one <= area.right):
            rows = known[column]
            for row in rows[bisect_left(rows, area.top) : bisect_right(rows, area.bottom)]:
                yield Cell(self.spelled[sheet], row, column)


def cycle(look: Look) -> list[Cell]:
    """Return the cells of a circular reference, nothing without one."""
    graph = Graph(look)
    for cell in sorted(look.formulas, key=lambda cell: (cell.sheet, cell.column, cell.row)):
        graph.rows[cell.sheet.casefold()].setdefault(cell.column, []).append(cell.row)
        graph.spelled[cell.sheet.casefold()] = cell.sheet
    done: set[Cell | Range] = set()
    for start in look.formulas:
        found = _walk(graph, start, done)
        if found:
            return [node for node in found if isinstance(node, Cell)]
    return []


def _walk(graph: Graph, start: Cell, done: set[Cell | Range]) -> list[Cell | Range]:
    """Follow every path from a cell; return the nodes of a circle that it runs into."""
    path: dict[Cell | Range, Iterator[Cell | Range]] = {}
    node: Cell | Range = start
    if node not in done:
        path[node] = iter(graph.next(node))
    while path:
        node = next(reversed(path))
        after = next(path[node], None)
        if after is None:
            done.add(node)
            del path[node]
        elif after in path:
            nodes = list(path)
            return nodes[nodes.index(after) :]
        elif after not in done:
            path[after] = iter(graph.next(after))
    return []
