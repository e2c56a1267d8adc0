"""The tables of workings: a row a model, a column a dimension, helper, line, subtotal or total."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from flopsheet.accounting.formula import Formula as Parsed
from flopsheet.accounting.formula import Steps
from flopsheet.accounting.line import spoken
from flopsheet.accounting.values import label
from flopsheet.accounting.workload import WORKLOAD
from flopsheet.export.workbook.cells import here, is_chosen, line_formula
from flopsheet.export.workbook.pieces import Piece, in_parts
from flopsheet.export.workbook.rules import rule_pieces
from flopsheet.export.workbook.shape import without
from flopsheet.spreadsheet.engine import Clone, Column, Formula, Rows, TableFill

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from flopsheet.accounting.line import Dimension
    from flopsheet.accounting.totals import Entry
    from flopsheet.export.workbook.shape import Shape
    from flopsheet.planning.costing import Costed
    from flopsheet.spreadsheet.engine import Value
    from flopsheet.spreadsheet.engine.book import Table

WORKLOAD_NAMES = frozenset(dimension.name for dimension in WORKLOAD)
BANDS = {"workload": "Helpers", "parameters": "Parameters", "flops": "Forward FLOP", "memory": "Memory"}


def workings(shape: Shape, pieces: Sequence[Piece], sample: Table, checks: Formula) -> Clone:
    """Return the sheet of workings of one architecture; `sample` is the prototype's table."""
    title = f"{shape.ledger.architecture.title}: workings, a row a model"
    return Clone(
        sample.sheet,
        shape.sheet,
        {sample.name: (shape.table, workings_table(shape, pieces))},
        {"title": title, "check": checks},
    )


def workings_table(shape: Shape, pieces: Sequence[Piece]) -> TableFill:
    """Return the table of workings of one architecture."""
    filled = _Filled(pieces, shape.models)
    rows = Rows(len(shape.models), lambda: filled.rows(shape.models), filled.column, filled.row)
    return TableFill(rows, tuple(_columns(pieces)))


@dataclass(frozen=True)
class _Filled:
    """The values of columns for models by number, row by row or column by column."""

    pieces: Sequence[Piece]
    models: Mapping[int, Costed]

    def rows(self, models: Mapping[int, Costed]) -> Iterator[Sequence[Value]]:
        """Give a row a model: what is computed for it goes behind its numbers, and all columns are taken at once."""
        for model, *own in zip(models.values(), *(values(models) for values in self._given.values()), strict=True):
            known = self._steps.evaluate(model.numbers.some(self._names))
            yield self._taken((*model.numbers.row, *own, *[known[header] for header in self._steps.formulas]))

    def row(self, at: int) -> Sequence[Value]:
        """Return one row."""
        number = self._numbers[at]
        return next(self.rows({number: self.models[number]}))

    def column(self, place: int) -> Iterable[Value]:
        """Return the values of one column."""
        value = self.pieces[place].value
        if callable(value):
            return value(self.models)
        numbers = [model.numbers for model in self.models.values()]
        if isinstance(value, str):
            return [one.row[one.places[value]] for one in numbers]
        steps = Steps({"": value})
        return [steps.evaluate(one.some(value.names))[""] for one in numbers]

    @cached_property
    def _numbers(self) -> list[int]:
        return list(self.models)

    @cached_property
    def _steps(self) -> Steps:
        return Steps({piece.header: piece.value for piece in self.pieces if isinstance(piece.value, Parsed)})

    @cached_property
    def _names(self) -> set[str]:
        return {name for parsed in self._steps.formulas.values() for name in parsed.names}

    @cached_property
    def _given(self) -> Mapping[str, Callable[[Mapping[int, Costed]], Iterable[Value]]]:
        return {piece.header: piece.value for piece in self.pieces if callable(piece.value)}

    @cached_property
    def _taken(self) -> Callable[[Sequence[Value]], Sequence[Value]]:
        """What takes a row out of a model's numbers, what is given for it, and what is computed."""
        places = next(iter(self.models.values())).numbers.places
        behind = {header: place for place, header in enumerate((*self._given, *self._steps.formulas), len(places))}
        return itemgetter(*[places[p.value] if isinstance(p.value, str) else behind[p.header] for p in self.pieces])


def pieces_of(shape: Shape) -> list[Piece]:
    """Return the columns of an architecture's workings, in their order."""
    return [*_identity(), *_dimensions(shape), *_lines(shape), *rule_pieces(shape)]


def _columns(pieces: Sequence[Piece]) -> list[Column]:
    columns, band = [], ""
    for piece in pieces:
        shown = piece.band if piece.band != band else ""
        band = piece.band
        above = (shown, piece.title, piece.unit)
        columns.append(Column(piece.header, piece.formula, piece.like, above, choices=piece.choices))
    return columns


def _identity() -> list[Piece]:
    return [
        Piece("no", "no", "Model", "No", "", lambda models: models),
        Piece("model", "model", "Model", "Model", "", _each(lambda model: model.name)),
        Piece("status", "status", "Model", "Status", "", _each(lambda model: model.status)),
        Piece("file", "file", "Model", "Config file", "", _each(lambda model: model.model.source)),
    ]


def _each(value: Callable[[Costed], Value]) -> Callable[[Mapping[int, Costed]], Iterable[Value]]:
    return lambda models: map(value, models.values())


def _dimensions(shape: Shape) -> list[Piece]:
    return [piece for dimension in shape.dimensions for piece in _dimension(shape, dimension)]


def _dimension(shape: Shape, dimension: Dimension) -> list[Piece]:
    name = dimension.name
    band = "Workload" if name in WORKLOAD_NAMES else "Config values"
    if dimension.kind == "choice":
        return _choice(shape, dimension, band)
    like = "assumption" if name in WORKLOAD_NAMES else "flag" if dimension.kind == "flag" else "fact"
    return [Piece(name, like, band, dimension.title, dimension.unit, name)]


def _choice(shape: Shape, dimension: Dimension, band: str) -> list[Piece]:
    name, labels = dimension.name, ",".join(f'"{label}"' for label in dimension.labels)
    index = f"MATCH({here(shape.table, name)},{{{labels}}},0)"
    return [
        Piece(name, "choice", band, dimension.title, "", _label(dimension), choices=dimension.labels),
        Piece(f"{name}_index", "helper", band, f"{dimension.title}, place", "", name, index),
    ]


def _label(dimension: Dimension) -> Callable[[Mapping[int, Costed]], Iterable[Value]]:
    return _each(lambda model: label(dimension, model.numbers[dimension.name]))


def _lines(shape: Shape) -> list[Piece]:
    return [piece for entry in shape.entries for piece in _line(shape, entry)]


def _line(shape: Shape, entry: Entry) -> list[Piece]:
    """Return the column of an entry; before a total or helper that is a long sum, the columns of its parts."""
    line = entry.line
    flag = is_chosen(shape, line.name)
    text = flag or line_formula(shape, entry)
    piece = Piece(line.name, entry.role, _band(entry), line.label, line.unit, line.name, text)
    if flag or entry.role not in ("helper", "total"):
        return [piece]
    parts, whole = in_parts(shape, piece, without(shape.ledger.formulas[line.name], shape.left_out))
    return [*parts, replace(piece, formula=whole)]


def _band(entry: Entry) -> str:
    section = BANDS[entry.section]
    if entry.role in ("line", "subtotal"):
        return f"{section}: {spoken(entry.line.group)}"
    return (
        section
        if entry.section == "workload"
        else f"{section}: totals"
        if entry.role == "total"
        else f"{section}: helpers"
    )


IDENTITY = tuple(piece.header for piece in _identity())
"""The columns that every table of workings begins with."""
