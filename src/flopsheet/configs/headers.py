"""The header of a model list: where it stands, what its columns say, and the unit that each counts in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flopsheet.accounting.values import shown
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.errors import PortfolioError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    "tokens": "tokens",
    "own_tokens": "tokens",
    "training_tokens": "tokens",
    "published": "published",
    "published_parameters": "published",
    "parameters": "published",
    "published_source": "source",
    "published_date": "date",
}
"""What a list can say of a model beside dimensions and config fields, by header."""
KINDS = {"model_type", "architecture", "config"}
"""One of these has to stand in every list: what kind of model a row is."""
COUNTED = {"tokens", "published"}
SEARCHED = 50
"""Rows in which the header is looked for."""
SCALES = {"k": 10**3, "m": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12}
SCALES |= {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
NOTHING = frozenset(
    {"", "-", "#", "bool", "count", "flag", "int", "integer", "label", "name", "number", "text", "unit"}
)
"""Words of a units row that stand for no unit."""
WORDS = frozenset(
    {"units", "tokens", "parameters", "params", "layers", "heads", "bytes", "sequences", "experts", "rows"}
)
"""Units in which flopsheet counts anyway."""
UNIT = re.compile(r"(?P<text>.*\S)\s*[(\[](?P<unit>[^()\[\]]*)[)\]]")


@dataclass(frozen=True)
class Column:
    """A column of a list: its place, header, the header as names are compared, the unit, and what it multiplies by."""

    place: int
    text: str
    word: str
    unit: str = ""
    scale: int = 1


@dataclass(frozen=True)
class Header:
    """The header row of a list and its columns; the models begin in row `first`."""

    grid: Grid
    columns: tuple[Column, ...]
    first: int


def folded(text: str) -> str:
    """Return a header as names are compared: in lower case, spaces and hyphens as underscores."""
    return re.sub(r"[\s_\-]+", "_", text.strip().lower())


def find_header(host: Host, grid: Grid) -> Header | None:
    """Return the header of a list, or None where the sheet holds none.

    It is the first row that names a kind of model (`architecture`, `model_type` or `config`) and anything more that a
    list can say. PortfolioError lists headers that stand twice and units that nobody understands.
    """
    known = {*FIELDS, *_names(host)}
    for row in range(min(len(grid.rows), SEARCHED)):
        columns = list(_columns(grid, row, known))
        words = {column.word for column in columns}
        if words & KINDS and words & (known - KINDS):
            return _checked(grid, row, columns, known)
    return None


def _names(host: Host) -> Iterator[str]:
    """Give every name, title and config field of a dimension, as headers are compared."""
    for architecture, _ in host.architectures.values():
        for dimension in (*architecture.dimensions, *WORKLOAD):
            yield from (folded(dimension.name), folded(dimension.title), *map(folded, dimension.keys))


def _columns(grid: Grid, row: int, known: set[str]) -> Iterator[Column]:
    """Give the columns of a row; brackets at a header's end are its unit where the rest is a known name."""
    for place in range(len(grid.rows[row])):
        text = grid.cell(row, place)
        if not isinstance(text, str):
            continue
        match = UNIT.fullmatch(text)
        if match and folded(match["text"]) in known:
            yield Column(place, text, folded(match["text"]), match["unit"])
        else:
            yield Column(place, text, folded(text))


def _checked(grid: Grid, row: int, columns: list[Column], known: set[str]) -> Header:
    """Return the header with the scale of each column; whatever is wrong with it is one PortfolioError."""
    below = row + 1
    with_units = below < len(grid.rows) and _is_units(grid, below, columns)
    problems = list(_doubles(grid, row, columns))
    scaled = []
    for column in columns:
        beneath = str(grid.cell(below, column.place) or "") if with_units else ""
        units = [unit for unit in (column.unit, beneath) if unit and column.word in known]
        scales = {_scale(unit) for unit in units}
        if None in scales or len(scales - {1}) > 1:
            problems.append(
                f"{grid.address(row, column.place)}: the unit {shown(' and '.join(units))} is not understood"
            )
        scaled.append(replace(column, scale=max((scale for scale in scales if scale), default=1)))
    if problems:
        raise PortfolioError("\n  ".join([f"{grid.file}: the header of the model list has problems:", *problems]))
    return Header(grid, tuple(scaled), below + with_units)


def _doubles(grid: Grid, row: int, columns: Iterable[Column]) -> Iterator[str]:
    """Say which headers mean what another one means already."""
    seen: dict[str, Column] = {}
    for column in columns:
        earlier = seen.setdefault(FIELDS.get(column.word, column.word), column)
        if earlier is not column:
            here, there = (grid.address(row, each.place) for each in (column, earlier))
            yield f"{here}: {shown(column.text)} says the same as {shown(earlier.text)} in {there}"


def _is_units(grid: Grid, row: int, columns: Iterable[Column]) -> bool:
    """Tell a row of units: it names no model and no kind, holds no number, and one unit at least that is understood."""
    cells = [(column, grid.cell(row, column.place)) for column in columns]
    units = []
    for column, cell in cells:
        text = cell if isinstance(cell, str) else "" if cell is None else "0"
        if FIELDS.get(column.word) in {"name", *KINDS} and text.lower() not in NOTHING | WORDS | {"model"}:
            return False
        if any(sign.isdigit() for sign in text):
            return False
        units.append(text)
    return any(text and _scale(text) is not None for text in units)


def _scale(unit: str) -> int | None:
    """Return by how much a unit multiplies, None for one that nobody understands."""
    scale = 1
    for word in unit.strip("()[] ").lower().split():
        if word not in NOTHING | WORDS and word not in SCALES:
            return None
        scale *= SCALES.get(word, 1)
    return scale
