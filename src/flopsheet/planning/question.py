"""The nouns of planning: tables of lines and rows, links between them, figures, checks, and questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from msgspec import Struct

from flopsheet.accounting.records import by_place
from flopsheet.planning.sheet_records import Described

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flopsheet.accounting.line import Input, Line, Number

How = Literal["same", "sum", "min", "max", "first", "previous", "running", "below", "other"]
Reduction = Literal["sum", "min", "max", "first"]
"""How several rows make one number."""

OVERRIDE = "tokens_override"
"""The name by which formulas see a model's own tokens, 0 without."""
SAME_TO = 10**12
"""The share of a number by which another must be smaller to stand `below` it is one in this many."""
BRACED = re.compile(r"\{([a-z]\w*)\}")
"""An input in the words of a check."""
CASE_KEY = "in_case"
"""The key of tables that have the rows of another one in every case."""
CASES_TABLE, MODELS_TABLE = "cases", "models"
"""Tables that every question may add lines to: one row per case, one row per costed model."""


@by_place(5)
class Link(NamedTuple):
    """A number that a table reads from another one, or from its own earlier rows; formulas see it as `name`.

    `same`: the row with the same keys (the same model, the same month, or the case). `sum`, `min` and `max`: of all
    rows with the same keys. `first`: the key of the first row in which `line` is not 0, 0 where there is none.
    `below`: how many rows of the table itself have a smaller number, among those with the same first key, or of all
    where the table has one key; numbers that agree to twelve digits are equal, since a spreadsheet compares fifteen.
    A link to one of the shared tables may read another `case` than its own: low, base or high.
    `previous` and `running` read the table itself: the row before (0 for the first one), and the sum down to this row.
    A line may read its own `previous` row, such as `stock_before * 0.95 + added`: rows are then computed one by one.
    `other`: the row of a table over models that has this row's other model, in a table of pairs. A `sum` may be of the
    rows alone in which another line of their table is a number: `where = ("place", 1)`.
    """

    name: str
    table: str
    line: str
    how: How = "same"
    title: str = ""
    case: str = ""
    where: tuple[str, int] | None = None


Node = tuple[str, str]
"""A line of a table."""


class FoundRow(NamedTuple):
    """A row that a search found: what people call it, and the numbers that it gives its formulas."""

    label: str
    numbers: Mapping[str, Number]


Search = Callable[[Any, Any, Any], "list[FoundRow]"]
"""Finds rows for one model: from the `Program`, everything that formulas read in a case, and the `PlannedModel`."""


class RowSearch(NamedTuple):
    """How rows are found for each model when a plan is made: `find` gives them, each with what the search `brings`.

    `best` is the line of their table that ranks them, from 1 on, 0 for what cannot be used: what the first of them
    brings becomes the model's own where neither plan nor model states any of it, nor of `instead`: inputs that count
    where nobody gives what the rows bring, as training's layout does for serving. `taken` tells the reader so, with
    {models} in it.
    """

    find: Search
    brings: tuple[str, ...]
    best: str = ""
    instead: tuple[str, ...] = ()
    taken: str = ""


@by_place(3)
class Rows(NamedTuple):
    """What the rows of a table are: a key that formulas read, and its values.

    `key` is the name in formulas, such as `month`. `until` is a formula of inputs: the rows are 1 to that number. Or
    `values` lists the rows, each a number, or a mapping with the key and further numbers of that row. `labels` are what
    people see in place of the number.

    Or a `search` finds them. The values are then those found for any model, and `only` says for each model by its place
    which of them are its own.
    """

    key: str
    title: str = ""
    unit: str = ""
    until: str = ""
    values: tuple[float | Mapping[str, float], ...] = ()
    labels: tuple[str, ...] = ()
    search: RowSearch | None = None
    only: tuple[tuple[int, ...], ...] = ()

    @property
    def brings(self) -> tuple[str, ...]:
        """The numbers that rows of a search bring, none of others."""
        return self.search.brings if self.search else ()

    @property
    def best(self) -> str:
        """The line that ranks the rows of a search, "" without one."""
        return self.search.best if self.search else ""


MODELS = Rows("model", "Model")
"""The rows of a table with one row per costed model; the numbers of the model's ledger may be in its formulas."""
OTHERS = Rows("other", "Other model")
"""Behind `MODELS`: the models that follow each one, so that every pair of them has one row."""


@by_place(5)
class Table(NamedTuple):
    """Lines over rows: one formula per line, one number per line and row.

    `rows` are the row sources; several make their product, and none makes a single row per case. A line may use inputs,
    the keys of its row, earlier lines of the table, links, and over models the totals of a model. Tables of one name in
    several questions are one table, whose rows must agree; a line that a later question `replaces` has its formula
    wherever that question is asked.
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    rows: tuple[Rows, ...] = ()
    links: tuple[Link, ...] = ()
    about: str = ""
    replaces: tuple[str, ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of its rows."""
        return tuple(rows.key for rows in self.rows)


def flags(item: Input) -> list[str]:
    """Return the names that formulas read of a choice: one flag per label."""
    return [f"{item.name}_is_{label}" for label in item.labels]


def extra_keys(rows: Rows) -> Iterator[str]:
    """Give the names of the numbers that listed rows bring next to their key."""
    yield from rows.brings
    for row in rows.values[: 0 if rows.brings else 1]:
        if not isinstance(row, int | float):
            yield from (name for name in row if name != rows.key)


def ranked_within(table: Table) -> tuple[Rows, ...]:
    """Return the rows whose keys are the same where `below` counts: the first of several, and the case."""
    return table.rows[:-1][: 1 + any(rows.key == CASE_KEY for rows in table.rows)]


@by_place(6)
class Figure(NamedTuple):
    """A headline number: a line of a table, and the sentence that says what it is.

    Of a table with several rows `how` says which number it is: the sum, minimum or maximum, or the key of the first row
    in which the line is not 0.
    """

    name: str
    title: str
    table: str
    line: str
    about: str
    how: Reduction = "sum"


@by_place(6)
class Check(NamedTuple):
    """A formula that must hold in every row of a table: not 0, from the names that the table's lines may use.

    `message` is shown where it does not hold, `remedy` says what to do. Inputs in braces are called by their names
    where people type them, and by their titles on sheets. A `warning` is shown and fails no plan: what it warns of may
    be meant, such as an old price or a slow case.
    """

    name: str
    title: str
    table: str
    formula: str
    message: str
    remedy: str = ""
    warning: bool = False

    def describe(self, name_of: Callable[[str], str], where: str = "") -> str:
        """Return what failed, with `where` behind it, and what to do."""
        message, remedy = (BRACED.sub(lambda match: name_of(match[1]), text) for text in (self.message, self.remedy))
        return f"{message}{where}. {remedy}" if remedy else f"{message}{where}"


class Implied(Struct, frozen=True):
    """An input that takes another value than its default where a plan gives one of others, and not itself."""

    input: str
    value: float | str
    given: tuple[str, ...]


class Heeded(Struct, frozen=True):
    """An input that, where a plan gives it, brings a question along with the one that heeds it."""

    input: str
    asks: str


@dataclass(frozen=True)
class Question:
    """A planning question: its inputs, tables, figures and checks, and how its sheet looks.

    `sheet` is the content of its `sheet.toml`: the columns that people see, charts, notes and print setup. An
    `optional` question is asked only where it is named, or where a plan gives one of the inputs that are its own, or of
    `asked_by`. It `needs` the questions whose tables it reads: they are asked with it.
    Where a plan gives an input that it `heeds`, so is the question that makes that input count.
    """

    name: str
    title: str
    about: str
    inputs: tuple[Input, ...] = ()
    tables: tuple[Table, ...] = ()
    _: KW_ONLY
    figures: tuple[Figure, ...] = ()
    checks: tuple[Check, ...] = ()
    sheet: Annotated[Mapping[str, Any], Described] = field(default_factory=dict)
    optional: bool = False
    asked_by: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    implied: tuple[Implied, ...] = ()
    heeds: tuple[Heeded, ...] = ()

    @cached_property
    def described(self) -> Described:
        """What the question says of how people see it; PluginError says what is wrong, and where."""
        from flopsheet.host.typed_records import record  # noqa: PLC0415 - records of questions are read by it too

        result: Described = record(Described, self.sheet, "sheet")
        return result
