"""What names of formulas refer to, resolved once: every engine reads these, and none looks for a name again."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

Reduce = Literal["one", "sum", "min", "max", "first", "previous", "running", "below"]
"""How the rows that a link means make one number; `previous`, `running` and `below` are of the table's own rows."""


class Given(Struct, frozen=True):
    """An input of the plan, in the case that is computed."""

    name: str


class Key(Struct, frozen=True):
    """A key of the row."""

    name: str


class Earlier(Struct, frozen=True):
    """A line of the same row that is evaluated before."""

    line: str


class Total(NamedTuple):
    """A total of the ledger of the row's model, 0 where it has none."""

    name: str


class Own(Struct, frozen=True):
    """What the row's model states for itself, another reference's number where it does not."""

    name: str
    otherwise: Ref


class Brought(Struct, frozen=True):
    """What a listed row brings next to its key, another reference's number where it does not."""

    name: str
    otherwise: Ref | None


class Flag(Struct, frozen=True):
    """1 where a choice has the label at a place, counted from 1; else 0."""

    of: Given | Own | Brought
    place: int

    @property
    def choice(self) -> str:
        """The input that is chosen."""
        return self.of.name


class Linked(Struct, frozen=True):
    """A number of another table's rows, or of the table's own.

    The rows meant are those that agree in all pairs of keys `on`, the row's own first; `where` leaves those in which a
    line is a number. In a `case` it is the number of that case, not of the one that is computed.
    """

    table: str
    line: str
    reduce: Reduce
    on: tuple[tuple[str, str], ...] = ()
    case: str = ""
    where: tuple[str, int] | None = None

    @property
    def read(self) -> list[tuple[str, str]]:
        """The lines that it reads, each with its table."""
        return [(self.table, self.line), *([(self.table, self.where[0])] if self.where else [])]


Ref: TypeAlias = Given | Key | Earlier | Total | Own | Brought | Flag | Linked
