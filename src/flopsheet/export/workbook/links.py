"""What Models brings from the tables of workings: by number, from whichever table holds the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flopsheet.export.workbook.cells import here, lookup
from flopsheet.export.workbook.pieces import LONGEST, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flopsheet.export.workbook.shape import Shape
    from flopsheet.planning.costing import Costed
    from flopsheet.spreadsheet.engine import Value


@dataclass(frozen=True)
class Link:
    """A column that brings lines from tables of workings; `terms` are the tables and lines that it looks into."""

    header: str
    formula: str
    terms: tuple[tuple[str, str], ...]

    def lines(self, table: str) -> list[str]:
        """Return the lines that are brought from one table."""
        return [line for found, line in self.terms if found == table]


def bringer(links: Sequence[Link]) -> Callable[[Costed], list[Value]]:
    """Return what gives a model's values of some links; 0 where its table is not among those looked into."""
    wanted: dict[str, list[list[int]]] = {}

    def values(model: Costed) -> list[Value]:
        table, row = model.model.architecture, model.numbers.row
        if table not in wanted:
            wanted[table] = [[model.numbers.places[line] for line in link.lines(table)] for link in links]
        return [row[places[0]] if len(places) == 1 else sum([row[at] for at in places]) for places in wanted[table]]

    return values


def links(table: str, shapes: Sequence[Shape], header: str, lines: Sequence[str]) -> list[Link]:
    """Return the columns that bring the sum of some lines; a sum too long to read stands in parts before it."""
    terms = [(shape.table, line) for shape in shapes for line in lines if line in shape.names]
    groups = packed(terms, lambda group: len(_brought(group, "[@No]")) + 1, LONGEST)
    number = here(table, "No")
    if len(groups) <= 1:
        return [Link(header, _brought(terms, number) or "0", tuple(terms))]
    parts = [
        Link(f"{header}_part{place}", _brought(group, number), tuple(group))
        for place, group in enumerate(groups, start=1)
    ]
    whole = "+".join(here(table, part.header) for part in parts)
    return [*parts, Link(header, whole, tuple(terms))]


def _brought(terms: Sequence[tuple[str, str]], number: str) -> str:
    return "+".join(lookup(table, line, number) for table, line in terms)
