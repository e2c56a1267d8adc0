"""The header of a model list: where it is, what its columns say, and the unit that each counts in."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.accounting.values import show_value
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.configs.words import aliases, unit_of
from flopsheet.errors import PortfolioError
from flopsheet.units.table import is_plain, kind_of, known_units, times
from livesheets.spelling import as_field, fold, readings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet
    from fractions import Fraction

    from flopsheet.configs.grid import Grid
    from flopsheet.host.host import Host

FIELDS = {
    "name": "name",
    "model": "name",
    "model_name": "name",
    "model_type": "model_type",
    "architecture": "architecture",
    "config": "config",
    "read_as": "read_as",
    "tokens_override": "tokens",
    "training_tokens": "tokens",
    "published": "published",
    "parameters": "published",
    "published_source": "source",
    "published_date": "date",
}
"""What a list can say of a model alongside dimensions and config fields, by the name that a header means."""
RESULTS = ("parameters", "training_tokens")
"""Names of results that say an input in a list."""
KINDS = frozenset({"model_type", "architecture", "config"})
"""One of these has to be in every list: what kind of model a row is."""
COUNTED = {"tokens": "tokens", "published": "parameters"}
"""What is a number, and its unit."""
TEXT = "text"
"""Stands for the unit of what is no number."""
MAX_HEADER = 40
"""Characters of a text that may name a kind of model."""
SEARCHED = 50
"""Rows in which the header is looked for."""


class Column(Struct, frozen=True):
    """A column of a list: its place, its header, the header's name without the unit, and what its numbers multiply by.

    `says` is what it says of a model, "" for dimensions, config fields and the unknown; `yields_to` is the header of a
    column that says it better.
    """

    place: int
    text: str
    name: str
    unit: str = ""
    says: str = ""
    scale: Fraction | int = 1
    yields_to: str = ""

    @property
    def word(self) -> str:
        """The name as headers are compared."""
        return fold(self.name)


class Header(Struct, frozen=True):
    """The header row of a list, its columns, and what else could say an input; the models begin in row `first`."""

    grid: Grid
    columns: tuple[Column, ...]
    inputs: AbstractSet[str]
    first: int


@cache
def _fields() -> Mapping[str, str]:
    """Return what each header, folded, says of a model alongside dimensions and config fields."""
    others = {word: FIELDS[name] for word, name in aliases().items() if name in FIELDS}
    return MappingProxyType(others | {fold(name): field for name, field in FIELDS.items()})


def find_header(host: Host, grid: Grid) -> Header | None:
    """Return the header of a list, or None where the sheet holds none.

    It is the first row that names a kind of model (`architecture`, `model_type` or `config`) and anything more that a
    list can say. PortfolioError lists headers that appear twice and units that nobody understands.
    """
    units = _units(host)
    for row in range(min(len(grid.rows), SEARCHED)):
        columns = list(_columns(grid, row, units))
        if _is_header(columns, units):
            return _check_header(grid, row, _settle_columns(columns), units)
    return None


def _is_header(columns: Iterable[Column], units: Mapping[str, object]) -> bool:
    words = {column.says or column.word for column in columns if column.word in units}
    return bool(words & KINDS and words - KINDS)


def _units(host: Host) -> Mapping[str, AbstractSet[str]]:
    """Return the units of every header that a list can have; headers are folded, and TEXT is the unit of no number."""
    result = {word: {COUNTED.get(field, TEXT)} for word, field in _fields().items()}
    for ledger in host.every_ledger().values():
        for dimension in (*ledger.architecture.dimensions, *WORKLOAD):
            unit = TEXT if dimension.kind in ("choice", "flag") else unit_of(dimension)
            for name in (dimension.name, dimension.title, *dimension.keys):
                result.setdefault(fold(name), set()).add(unit)
    others = {word: result[fold(name)] for word, name in aliases().items() if fold(name) in result}
    return others | result


def _columns(grid: Grid, row: int, units: Mapping[str, object]) -> Iterator[Column]:
    """Give the columns of a row; what ends a header is its unit where the rest is a known name."""
    for place in range(len(grid.rows[row])):
        text = grid.cell(row, place)
        if text is not None:
            text = str(text)
            name, unit = next((reading for reading in readings(text) if fold(reading[0]) in units), (text, ""))
            yield Column(place, text, name, unit, _fields().get(fold(name), ""))


def _settle_columns(columns: Iterable[Column]) -> list[Column]:
    """Return the columns; one that says by another word what a column says by its own name says nothing."""
    columns = list(columns)
    first: dict[str, Column] = {}
    for column in sorted(columns, key=_rank):
        first.setdefault(_sort(column), column)
    pairs = ((column, first[_sort(column)]) for column in columns)
    return [replace(it, says="", yields_to=own.text) if _rank(own) < _rank(it) else it for it, own in pairs]


def _rank(column: Column) -> int:
    """Return 0 for an input by its name, 1 for one by a planner's word, 2 for a result that says one."""
    name = aliases().get(column.word) or as_field(column.name)
    return 2 if name in RESULTS else int(column.word in aliases())


def _sort(column: Column) -> str:
    """Return what columns have in common of which one is enough."""
    return "kind" if column.says in KINDS else column.says or f"header {column.word}"


def _check_header(grid: Grid, row: int, columns: list[Column], units: Mapping[str, AbstractSet[str]]) -> Header:
    """Return the header with the scale of each column; whatever is wrong with it is one PortfolioError."""
    below = row + 1
    with_units = below < len(grid.rows) and _is_units(grid, below, columns, units)
    problems = [*_doubles(grid, row, columns), *_more(grid, below, units)]
    results = []
    for column in columns:
        beneath = _beneath(grid, below, column) if with_units else ""
        stated_units = [unit for unit in (column.unit, beneath) if unit and column.word in units]
        scales = {_scale(unit, units[column.word]) for unit in stated_units}
        if None in scales or len(scales - {1}) > 1:
            where, unit = grid.address(row, column.place), show_value(" and ".join(stated_units))
            problems.append(f"{where}: the unit {unit} is not understood; {_list_units(units[column.word])}")
        results.append(replace(column, scale=max((scale for scale in scales if scale), default=1)))
    if problems:
        raise PortfolioError("\n  ".join([f"{grid.file}: the header of the model list has problems:", *problems]))
    return Header(grid, tuple(results), frozenset(units), below + with_units)


def _doubles(grid: Grid, row: int, columns: Iterable[Column]) -> Iterator[str]:
    """Say which headers mean what another one means already."""
    first: dict[tuple[str, str], Column] = {}
    for column in columns:
        earlier = first.setdefault((column.says, "" if column.says else column.word or column.text), column)
        if earlier is not column:
            here, there = (grid.address(row, each.place) for each in (column, earlier))
            yield f"{here}: {show_value(column.text)} means the same as {show_value(earlier.text)} in {there}"


def _more(grid: Grid, first: int, units: Mapping[str, object]) -> Iterator[str]:
    """Say where another header is among the rows: what follows it would be read by the wrong columns."""
    kinds = {word for word, field in _fields().items() if field in KINDS}
    for row in range(first, len(grid.rows)):
        texts = (text for text in grid.rows[row] if isinstance(text, str) and len(text) < MAX_HEADER)
        if any(fold(text) in kinds for text in texts) and _is_header(_columns(grid, row, units), units):
            where = grid.address(row, 0)
            yield f"{where}: this row is another header; give each list its own sheet or file"


def _is_units(grid: Grid, row: int, columns: Iterable[Column], units: Mapping[str, AbstractSet[str]]) -> bool:
    """Tell a row of units: it names no model and no kind, holds no number, and one unit at least that is understood."""
    understood = False
    for column in columns:
        text = _beneath(grid, row, column)
        if any(sign.isdigit() for sign in text) or (column.says in {"name", *KINDS} and not is_plain(text)):
            return False
        understood |= bool(text) and (_scale(text, units.get(column.word, ())) is not None or kind_of(text) != "")
    return understood


def _beneath(grid: Grid, row: int, column: Column) -> str:
    """Return what a units row says under a header, without brackets; a number stands for no unit."""
    cell = grid.cell(row, column.place)
    return cell.strip("()[] -") if isinstance(cell, str) else "" if cell is None else "0"


def _scale(unit: str, units: Iterable[str]) -> Fraction | int | None:
    """Return by how much a unit multiplies, None for one that nobody understands."""
    if TEXT in units and is_plain(unit):
        return 1
    scales = {scale for base in units if base != TEXT and (scale := times(base, unit)) is not None}
    return scales.pop() if len(scales) == 1 else None


def _list_units(units: AbstractSet[str]) -> str:
    spellings = [unit for name in sorted(units - {TEXT}) for unit in known_units(name)]
    return f"it can be {', '.join(dict.fromkeys(spellings))}" if spellings else "this column has no unit"
