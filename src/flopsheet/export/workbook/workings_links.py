"""What Models brings from the tables of workings: by number, from whichever table holds the model."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.accounting.values import add
from flopsheet.export.workbook.cells import lookup
from flopsheet.export.workbook.column_spec import MAX_FORMULA, pack
from livesheets.excel import add_all, column_of_row, here, literal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.accounting.line import Number
    from flopsheet.export.workbook.architecture_table import ArchitectureTable
    from flopsheet.planning.costed_model import Costed
    from livesheets import Value
    from livesheets.excel import Expression


class WorkingsLink(Struct, frozen=True):
    """A column that brings lines from tables of workings; `terms` are the tables and lines that it looks into."""

    header: str
    formula: Expression
    terms: tuple[tuple[str, str], ...]

    def lines(self, table: str) -> list[str]:
        """Return the lines that are brought from one table."""
        return [line for name, line in self.terms if name == table]


class ModelRows:
    """The numbers of models, each with the table that it is in, and where each line is in the rows of a table."""

    def __init__(self, models: Sequence[Costed]) -> None:
        """Look each model up once, for all links."""
        self.rows = [(model.model.architecture, model.numbers.row) for model in models]
        self.places = {model.model.architecture: model.numbers.places for model in models}

    def values(self, link: WorkingsLink) -> list[Value]:
        """Return what a link brings to each model; 0 where the model's table is not among those looked into."""
        sums = {table: _sum_of([places[line] for line in link.lines(table)]) for table, places in self.places.items()}
        return [sums[table](row) for table, row in self.rows]


def _sum_of(places: Sequence[int]) -> Callable[[Sequence[Number]], Number]:
    """Return what sums the numbers at some places of a row."""
    if not places:
        return lambda _: 0
    take = itemgetter(*places)
    return take if len(places) == 1 else lambda row: add(take(row))


def workings_links(
    table: str, architectures: Sequence[ArchitectureTable], header: str, lines: Sequence[str]
) -> list[WorkingsLink]:
    """Return the columns that bring the sum of some lines; a sum too long to read is in parts before it."""
    terms = [(arch.table, line) for arch in architectures for line in lines if line in arch.names]
    groups = pack(terms, lambda group: len(str(_lookups(group, column_of_row("No")))) + 1, MAX_FORMULA)
    number = here(table, "No")
    if len(groups) <= 1:
        return [WorkingsLink(header, _lookups(terms, number) if terms else literal(0), tuple(terms))]
    places = enumerate(groups, start=1)
    parts = [WorkingsLink(f"{header}_part{place}", _lookups(group, number), tuple(group)) for place, group in places]
    whole = add_all(here(table, part.header) for part in parts)
    return [*parts, WorkingsLink(header, whole, tuple(terms))]


def _lookups(terms: Sequence[tuple[str, str]], number: Expression) -> Expression:
    return add_all(lookup(table, line, number) for table, line in terms)
