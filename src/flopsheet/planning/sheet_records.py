"""What a question says of how people see it: the records of its `sheet.toml`, which its tables are checked against."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - what its tables are read by
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from flopsheet.accounting.line import NOTHING

ChartKind = Literal["line", "bar", "colored", "stacked", "steps", "scatter"]
Paper = Literal["A4", "A3"]
LOOKS: Mapping[str, str] = MappingProxyType(
    {
        "number": "Whole numbers, thousands apart",
        "figure": "Two decimals, three below 1",
        "sparse": "The same; 0 is a dash",
        "sparse_percent": "Shares as percentages; 0 is a dash",
        "reachable_percent": "Shares to reach; more than 100% is none, 0 is a dash",
        "price": "Two to four decimals; 0 is a dash",
        "rank": "Whole numbers in the middle; 0 is a dash",
        "balance": "Two decimals, negative numbers too; 0 is a dash",
        "signed": "Three decimals, negative numbers too; 0 is a dash",
        "loss": "Three decimals; 0 is a dash",
        "tenth": "One decimal, three below 1",
        "general": "A number with its own digits",
        "percent": "Shares as percentages",
        "difference": "Percentages with their sign; 0 is exact",
        "yes": "yes, or no for 0",
        "output": "tokens, or writes no tokens for 0",
        "no": "Whole numbers in the middle",
        "text": "Texts",
        "fact": "Numbers from elsewhere, with their own digits",
        "fact_known": "The same; 0 is a dash",
        "fact_price": "Prices from elsewhere; 0 is a dash",
        "fact_yes": "yes or no, from elsewhere",
    }
)
"""Looks of columns, each with what it shows."""
MODEL_LOOKS: Mapping[str, str] = MappingProxyType(
    {
        "no": "Whole numbers in the middle",
        "name": "The names of models",
        "status": "ok, approximate or error",
        "input": "What people may change",
        "computed": "Results, two decimals",
        "day": "Days, one decimal",
        "end": "yes or no, in the last column of a band",
        "close": "Two decimals, in the last column of a band",
        "open": "One decimal, in the first column of a band",
        "last": "Two decimals, in the last column",
    }
)
"""Looks of columns on Models alone."""
if TYPE_CHECKING:
    ColumnLook = str
else:  # a closed list that is computed, of which type checkers know nothing
    ColumnLook = Literal[("", *LOOKS, *MODEL_LOOKS)]


class SheetColumn(Struct, frozen=True):
    """A column that people see: a line or key, in a unit of their choice; "" and 0 leave the default.

    The rest is for the sheet Models, whose columns may also be totals of a model's ledger, and facts of the model.
    `print = false` puts it behind the columns that are printed. `place = 2` says that the column is of the model in
    that place by the question's `best`: it has the model's name for its title, and goes where there are fewer models.
    `band` is above neighboring columns. `units` is a family of units, of which the batch takes the largest that
    fits; `cases` asks for a column per case. The unit "-" is not shown. The line "*" is where further questions have
    their columns.
    """

    line: str
    title: str = ""
    unit: str = ""
    look: ColumnLook = ""
    width: float = 0
    band: str = ""
    units: str = ""
    cases: bool = False
    print: bool = True
    place: int = 0


class Reference(NamedTuple):
    """A straight line of a chart: an input, or a line with one number per case."""

    of: str
    title: str = ""


class SheetChart(Struct, frozen=True):
    """A chart of a table: a series per line, over a key or the models' names; lines `over` bars have the same axis.

    A `scatter` has for each series a line `across`; the axis of one with a `log` goes by its powers. In a `colored` one
    each row has a bar of one series, and 0 of the others; in one of `steps` the first series is what bars stand on. A
    `wide` chart has no other next to it. `labels` write the
    value on each bar. Bars begin at 0; `signed` ones may reach below it.
    """

    table: str
    series: tuple[str, ...]
    kind: ChartKind = "line"
    title: str = ""
    category: str = ""
    x_title: str = ""
    y_title: str = ""
    over: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    across: tuple[str, ...] = ()
    log: int = 0
    wide: bool = False
    labels: bool = False
    signed: bool = False


class SeenTable(Struct, frozen=True):
    """A table as people see it: its columns, the lines that are `shown` first, and the line that its rows `rank` by.

    `sensitivity` are the lines that Sensitivity offers first. Without columns every key and line shows, without `shown`
    every line.
    """

    title: str = ""
    columns: tuple[SheetColumn, ...] = ()
    shown: tuple[str, ...] | None = None
    rank: str = ""
    sensitivity: tuple[str, ...] = ()
    print: bool = True


class SeenSheet(Struct, frozen=True):
    """A further sheet, with some of the question's tables; title and line below it are the question's unless it says.

    A `first` one is next to About. One that is `one_page` has its first table below figures, charts and notes, and
    prints on a single page. One with a `detail` of the question is hidden unless somebody asks for it.
    """

    name: str
    tables: tuple[str, ...]
    title: str = ""
    about: str = ""
    notes: tuple[str, ...] = ()
    paper: Paper = "A4"
    first: bool = False
    one_page: bool = False
    detail: bool = False


class Best(Struct, frozen=True):
    """The line of a table that gives each model its place, 1 for the best; `none` is said where no model has one.

    `order` is a line by which the first of one scenario is held against another's. `said` are the parts of the sentence
    that answers the question. `{line}` in braces is a line of the first model in its unit, `{line!}` without unit,
    `{line@2}` that of the second; inputs may be named too, a choice with a word for each label, and a
    flag with one for 0 and one for 1, as in `{acquisition=Rent|Buy}`. `turns` say in the same way where it is no longer
    viable, and `risk` is the line of Models whose widest swings are its largest risks. `{model}` and `{accelerator}`
    are names. A part that names 0 is left out.
    `nearest` says what the option in the first place by the line `near` has, where no option has a place.
    """

    table: str
    line: str
    none: str = "No model"
    order: str = ""
    said: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    risk: str = ""
    near: str = ""
    nearest: tuple[str, ...] = ()


class TimelineLine(Struct, frozen=True):
    """A row of a timeline: a line of its table, and what the column of all periods shows of it.

    `total` is the sum of the periods, the `first` or `last` of them, or nothing. A `flag` only says whether the line is
    above 0; a row that is `bold` is the sum of those above it.
    """

    line: str
    title: str = ""
    unit: str = ""
    total: Literal["sum", "first", "last", ""] = "sum"
    flag: bool = False
    bold: bool = False


class TimelineBlock(Struct, frozen=True):
    """Rows of a timeline that belong together, below a heading."""

    title: str
    lines: tuple[TimelineLine, ...]


class Timeline(Struct, frozen=True):
    """A further sheet, on which the rows of one model of a table stand side by side, a column a period.

    `table` has a row for each model and each period, which is its last key. `each` are the lines that all models have
    below the blocks. `steps` are the lines that add up to the peak, one above the other in a chart, up to the period
    that the line `until` of the table `of` names for each model; `limit` is its line that the peak is held against.
    `start` and `end` are the lines with the first and the last day of a period.
    """

    name: str
    table: str
    blocks: tuple[TimelineBlock, ...]
    title: str = ""
    about: str = ""
    notes: tuple[str, ...] = ()
    each: tuple[TimelineLine, ...] = ()
    steps: tuple[TimelineLine, ...] = ()
    of: str = ""
    until: str = ""
    peak: str = ""
    limit: str = ""
    start: str = ""
    end: str = ""


class Described(Struct, frozen=True):
    """All that a sheet.toml says: of the question's own sheet, its tables, charts and further sheets.

    `drivers` are the inputs on a cover that is about the question.
    """

    name: str = ""
    title: str = ""
    about: str = ""
    notes: tuple[str, ...] = ()
    paper: Paper = "A4"
    first: bool = False
    one_page: bool = False
    tables: Mapping[str, SeenTable] = NOTHING
    charts: tuple[SheetChart, ...] = ()
    drivers: tuple[str, ...] = ()
    sheets: tuple[SeenSheet, ...] = ()
    best: Best | None = None
    timeline: Timeline | None = None

    def table(self, name: str) -> SeenTable:
        """Return what is said of a table."""
        return self.tables.get(name, SeenTable())
