"""Which cells of the output may show something else than in the template: what changed, and what depends on it."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from livesheets.references import MAX_COLUMN, MAX_ROW, Area, reference, rewrite
from livesheets.tokens import read_structured, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from livesheets.references import Reference
    from livesheets.tokens import Token

BLOCK = 64
"""Rows; ranges are looked up by blocks of rows."""
TALL = 64
"""Blocks; a range over more of them is compared with everything on its sheet."""

_VOLATILE = frozenset(
    {"cell", "evaluate", "indirect", "info", "now", "offset", "rand", "randarray", "randbetween", "today"}
)
_CONSTANTS = frozenset({"true", "false"})

Region = tuple[str, Area]
"""Cells of a sheet; its name in lower case."""


class Regions(Struct, frozen=True):
    """Cells of many sheets: ranges and single cells by sheet (lower case)."""

    areas: dict[str, list[Area]] = field(default_factory=lambda: defaultdict(list))
    cells: dict[str, set[tuple[int, int]]] = field(default_factory=lambda: defaultdict(set))

    def add(self, sheet: str, area: Area) -> None:
        """Take in a range or a single cell."""
        if (area.top, area.left) == (area.bottom, area.right):
            self.cells[sheet].add((area.top, area.left))
        else:
            self.areas[sheet].append(area)

    def __bool__(self) -> bool:
        return bool(self.areas or self.cells)

    def has(self, sheet: str, row: int, column: int) -> bool:
        """Whether a cell is in one of the regions."""
        areas = self.areas.get(sheet, ())
        return (row, column) in self.cells.get(sheet, ()) or any(area.has(row, column) for area in areas)

    def meets(self, sheet: str, area: Area) -> bool:
        """Whether some cell of a range is in one of the regions."""
        areas, cells = self.areas.get(sheet, ()), self.cells.get(sheet, ())
        return any(area.meets(other) for other in areas) or any(area.has(*cell) for cell in cells)


class DirtyCells(Struct, frozen=True):
    """`regions` are all that may differ from the template; `unknown` is the part of it that nobody computed."""

    regions: Regions = field(default_factory=Regions)
    unknown: Regions = field(default_factory=Regions)

    def may_change(self, needs: Iterable[Region] | None) -> bool:
        """Whether what reads some cells may show something else; None are cells that nobody can tell."""
        return needs is None or any(self.regions.meets(*region) for region in needs)


class Node(Struct, frozen=True):
    """Cells that are computed from others: a formula, an array, a pivot table. `needs` is None if that is not known."""

    sheet: str
    area: Area
    needs: frozenset[Region] | None


class Sources(Struct, frozen=True):
    """What words in formulas mean: tables, and defined names as each sheet sees them, all in lower case."""

    tables: Mapping[str, Region]
    names: Mapping[str, Mapping[str, str]]

    def needs(self, formula: str, home: str) -> frozenset[Region] | None:
        """Return the cells that a formula on a sheet reads; None if it is volatile or cannot be told."""
        results: set[Region] = set()
        return frozenset(results) if self._read(formula, home.casefold(), results, set()) else None

    def _read(self, formula: str, home: str, regions: set[Region], names: set[tuple[str, str]]) -> bool:
        """Collect what a formula reads; whether all of it is understood: what a colon still joins is computed."""
        pieces = _own(tokens(formula))
        cells = [reference(piece.text) for piece in pieces if piece.kind == "cells"]
        if ("sign", ":") in pieces or any(":" in cell.sheet for cell in cells):
            return False
        regions |= {(cell.sheet.casefold() or home, cell.reach) for cell in cells if cell.reach and not cell.foreign}
        homes = [*(cell.sheet.casefold() for cell in reversed(cells) if cell.reach is None), home]
        is_outside = any("]" in sheet for sheet in homes)
        return not is_outside and all(self._word(piece, homes, regions, names) for piece in pieces)

    def _word(self, piece: Token, homes: Sequence[str], regions: set[Region], names: set[tuple[str, str]]) -> bool:
        """Collect what a table, defined name or function reads; whether that is known."""
        if piece.kind not in {"table", "name", "function"}:
            return True
        is_function = piece.kind == "function"
        word = (read_structured(piece.text).table if piece.kind == "table" else piece.text).casefold()
        if word in self.tables and not is_function:
            regions.add(self.tables[word])
            return True
        if is_function and (piece.word in _VOLATILE or piece.word.startswith("get.")):
            return False
        home = next((home for home in homes if word in self.names.get(home, {})), None)
        if home is None:
            return is_function or piece.word in _CONSTANTS or piece.word.startswith("_xlpm.")
        if (home, word) in names:
            return True
        names.add((home, word))
        return self._read(rewrite(self.names[home][word], _anywhere), home, regions, names)


def _own(pieces: Sequence[Token]) -> list[Token]:
    """Leave out names and tables of other workbooks: no fill changes them."""
    elsewhere = {
        at
        for at, (place, word) in enumerate(pairwise(pieces))
        if place.kind == "cells" and word.kind in {"name", "table"} and _is_elsewhere(reference(place.text))
    }
    return [piece for at, piece in enumerate(pieces) if elsewhere.isdisjoint({at, at - 1})]


def _is_elsewhere(place: Reference) -> bool:
    """Whether what stands before a name is another workbook; [0] is this one."""
    return place.foreign and not place.sheet.startswith("[0]")


def _anywhere(reference: Reference) -> Reference:
    """Return all that a reference of a name may mean: what has no dollar moves with the cell that reads the name."""
    area = reference.reach
    if area is None:
        return reference
    if any(end.moves_down for end in reference.ends):
        area = replace(area, top=1, bottom=MAX_ROW)
    if any(end.moves_right for end in reference.ends):
        area = replace(area, left=1, right=MAX_COLUMN)
    return reference.at(area)


def spread(seeds: Iterable[Region], nodes: Iterable[Node]) -> DirtyCells:
    """Return what changes when the seeds do: every node that reads a changed cell, or whose needs are not known."""
    dirty = DirtyCells()
    index = _Index()
    todo = list(seeds)
    for sheet, area in todo:
        dirty.regions.add(sheet, area)
    for node in nodes if todo else ():
        if node.needs is None:
            _spoil(dirty, node, todo)
        else:
            index.add(node)
    while todo:
        batch = _join_regions(todo)
        todo.clear()
        for region in batch:
            for node in index.readers(*region):
                _spoil(dirty, node, todo)
    return dirty


def _join_regions(regions: Iterable[Region]) -> list[Region]:
    """Return the same cells in fewer regions: neighbors in a column are one, since whole columns change at once."""
    rows: dict[tuple[str, int, int], dict[int, int]] = defaultdict(dict)
    for sheet, area in regions:
        bottoms = rows[sheet, area.left, area.right]
        bottoms[area.top] = max(area.bottom, bottoms.get(area.top, 0))
    return [
        (sheet, Area(top, left, bottom, right))
        for (sheet, left, right), bottoms in rows.items()
        for top, bottom in _stack_rows(bottoms)
    ]


def _stack_rows(rows: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return runs of rows, first and last, joined where they touch."""
    results: list[tuple[int, int]] = []
    for top, bottom in sorted(rows.items()):
        if results and top <= results[-1][1] + 1:
            results[-1] = results[-1][0], max(results[-1][1], bottom)
        else:
            results.append((top, bottom))
    return results


def _spoil(dirty: DirtyCells, node: Node, todo: list[Region]) -> None:
    dirty.regions.add(node.sheet, node.area)
    dirty.unknown.add(node.sheet, node.area)
    todo.append((node.sheet, node.area))


class _Index(Struct, frozen=True):
    """Which nodes read which cells: the ranges by sheet and block of rows, the nodes by range until they are spoilt."""

    blocks: dict[tuple[str, int], set[Area]] = field(default_factory=lambda: defaultdict(set))
    tall: dict[str, set[Area]] = field(default_factory=lambda: defaultdict(set))
    sheets: dict[str, set[Area]] = field(default_factory=lambda: defaultdict(set))
    nodes: dict[Region, list[Node]] = field(default_factory=lambda: defaultdict(list))
    spoilt: set[Region] = field(default_factory=set)

    def add(self, node: Node) -> None:
        """Take in a node by each range that it reads."""
        for sheet, area in node.needs or ():
            self.nodes[sheet, area].append(node)
            for place in self._places(sheet, area):
                place.add(area)

    def _places(self, sheet: str, area: Area) -> list[set[Area]]:
        """Return where an area is looked up."""
        blocks = _blocks(area)
        tall = len(blocks) > TALL
        near = [self.tall[sheet]] if tall else [self.blocks[sheet, block] for block in blocks]
        return [self.sheets[sheet], *near]

    def readers(self, sheet: str, cells: Area) -> Iterator[Node]:
        """Give each node that reads one of the changed cells and was not given before."""
        blocks = _blocks(cells)
        short = (self.blocks.get((sheet, block), ()) for block in blocks)
        near = self.sheets[sheet] if len(blocks) > TALL else self.tall[sheet].union(*short)
        for area in [area for area in near if area.meets(cells)]:
            for place in self._places(sheet, area):
                place.discard(area)
            for node in self.nodes.pop((sheet, area), ()):
                if (node.sheet, node.area) not in self.spoilt:
                    self.spoilt.add((node.sheet, node.area))
                    yield node


def _blocks(area: Area) -> range:
    return range(area.top // BLOCK, area.bottom // BLOCK + 1)
