"""What a fill is made of: plain frozen data that the caller builds and `fill` writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from livesheets.excel import Expression

Value = str | int | float | bool | None | Fraction
"""What a cell holds. Numbers are written as the nearest float64, None is a blank cell with its style."""


@dataclass(frozen=True, slots=True, init=False)
class Formula:
    """An Excel formula, without '=', with the value that Python computed for it; None where nobody did yet.

    An empty text is no formula: in a row it writes the plain value, even in a column that has a formula. One that
    `follows` is in a cell for typing: it has the look of its column but for the font's color, which is black.
    """

    text: str
    value: Value
    follows: bool

    def __init__(self, text: Expression | str, value: Value = None, *, follows: bool = False) -> None:
        object.__setattr__(self, "text", str(text))
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "follows", follows)


class Column(Struct, frozen=True):
    """A column of a filled table.

    `like` names the column of the template's table that gives the styles, the width, the validations and the
    conditional formats; without it, the column of the same header. `above` are texts for the cells in the rows
    directly above the header, the nearest last. `width` is in characters, as Excel counts them. `choices` are the texts
    that a cell may hold; Excel offers them as a list.
    """

    header: str
    formula: Expression | str | None = None
    like: str | None = None
    above: tuple[str, ...] = ()
    width: float | None = None
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Write the formula once: it is asked for by whoever looks through a table, and for the cells."""
        if self.formula is not None:
            force_setattr(self, "formula", str(self.formula))

    @property
    def text(self) -> str:
        """The formula as it is written, "" without one."""
        return "" if self.formula is None else str(self.formula)


Row = Sequence[Value | Formula]
"""The values of a table's row, a value a column."""


class Rows(Struct, frozen=True):
    """So many rows of values, each made when it is asked for.

    `columns` gives all values of a column by its place, and `row` one row, without making the others.
    """

    count: int
    make: Callable[[], Iterable[Row]]
    columns: Callable[[int], Iterable[Value]] | None = None
    row: Callable[[int], Row] | None = None

    def column(self, place: int) -> Iterable[Value]:
        """Return a column's values."""
        return self.columns(place) if self.columns else (plain_value(row[place]) for row in self)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Row]:
        return iter(self.make())


def plain_value(content: Value | Formula) -> Value:
    """Return what a cell shows, as far as anybody computed it."""
    return content.value if isinstance(content, Formula) else content


class RowChoices(Struct, frozen=True):
    """Cells of one row of a table, from 0, that may hold what other cells of the row say; Excel offers it as a list.

    `columns` and `words` are the first and last header of those cells, and of the cells with the list.
    """

    row: int
    columns: tuple[str, str]
    words: tuple[str, str]


class TableFill(Struct, frozen=True):
    """The rows of one table.

    `rows` has a length and is iterated once, while it is written. Without `columns` the template's own columns stand,
    with the formulas of its first data row. `row_like` gives, for each row, the template's data row (from 0) whose
    styles it takes; `height` gives a row a height in points of its own, None leaves the template's. `totals` are the
    cached values of totals-row formulas, by header. `row_choices` keep cells of single rows to a list.
    """

    rows: Sequence[Row] | Rows
    columns: tuple[Column, ...] | None = None
    row_like: Sequence[int] | None = None
    height: Callable[[Row], float | None] | None = None
    totals: Mapping[str, Value] = field(default_factory=dict)
    row_choices: Sequence[RowChoices] = ()


class Clone(Struct, frozen=True):
    """A copy of a prototype sheet: each of its tables with a new name and a fill, and values for single cells.

    `cells` are keyed by a defined name of the prototype's own scope, or by an address such as "B3". `sheets` says
    which clones are meant where the prototype refers to other prototypes.
    """

    prototype: str
    sheet: str
    tables: Mapping[str, tuple[str, TableFill]]
    cells: Mapping[str, Value | Formula] = field(default_factory=dict)
    sheets: Mapping[str, str] = field(default_factory=dict)


class FillReport(Struct, frozen=True):
    """What a person should know of a fill, a line each.

    `kept` is active content that the template brought along. `not_stretched` refers to a table that grew and could not
    follow it. `refreshed` shows the template's values until Excel refreshes it on opening. `unbound` are headers and
    names that mean nothing, and tables and models that were left out. `refused` are samples that no number of the plan
    could replace. `failing` are checks that do not pass,
    `warning` those that only warn.
    """

    kept: tuple[str, ...] = ()
    not_stretched: tuple[str, ...] = ()
    refreshed: tuple[str, ...] = ()
    unbound: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    warning: tuple[str, ...] = ()


class Fill(Struct, frozen=True):
    """Everything that goes into a template.

    `names` are workbook-level defined names that point to one cell: a plain value fills the cell, or becomes the
    cached value of the formula that is there. `new_names` point to the cells given, also those of the template.
    `texts` fill `{{ name }}` markers. `prototypes` names sheets that
    are not in the output even if no clone asks for them. `hidden` names the output's sheets that are hidden; without it
    sheets are as in the template, clones as their prototype. `allow` has the words of the active content that the
    template may bring along. `protect` locks every sheet without a password: only cells whose style is unlocked can
    be changed.
    """

    tables: Mapping[str, TableFill] = field(default_factory=dict)
    names: Mapping[str, Value | Formula] = field(default_factory=dict)
    clones: Sequence[Clone] = ()
    new_names: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    prototypes: Sequence[str] = ()
    hidden: Collection[str] | None = None
    allow: Collection[str] = ()
    protect: bool = False
