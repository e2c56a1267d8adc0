"""What people see of a question: the content of its `sheet.toml`, read and checked against its tables."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from flopsheet.accounting.totals import total_names
from flopsheet.errors import PluginError
from flopsheet.planning.facts import FACTS
from flopsheet.planning.program import extra_keys
from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.suggestions import names_like
from flopsheet.units.readable import families

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from flopsheet.accounting.line import Input
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Table

SHARED = (CASES_TABLE, MODELS_TABLE)
"""Tables that are on sheets of the workbook, whichever questions add lines to them."""
KINDS = ("line", "bar", "colored", "stacked", "scatter")
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
FURTHER = "*"
"""The line in place of which columns of further questions stand."""
PAPERS = ("A4", "A3")
OF_A_SHEET = {"name", "title", "about", "tables", "notes", "paper", "first", "one_page"}
"""What each sheet of a question may say of itself."""
KEYS = OF_A_SHEET | {"charts", "drivers", "sheets", "best"}
"""What a sheet.toml may say."""
MAX_TAB = 31
"""Characters of a sheet's name in Excel."""
FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))


class SheetColumn(NamedTuple):
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
    look: str = ""
    width: float = 0
    band: str = ""
    units: str = ""
    cases: bool = False
    print: bool = True
    place: int = 0


ON_MODELS = set(SheetColumn._fields) - {"width", "print", "place"}
ON_SHEETS = set(SheetColumn._fields) - {"band", "units", "cases"}
"""What columns of Models, and of a question's own tables, may say."""


class Reference(NamedTuple):
    """A straight line of a chart: an input, or a line with one number per case."""

    of: str
    title: str = ""


class SheetChart(NamedTuple):
    """A chart of a table: a series per line, over a key or the models' names; lines `over` bars have the same axis.

    A `scatter` has for each series a line `across`; the axis of one with a `log` goes by its powers. In a `colored` one
    each row has a bar of one series, and 0 of the others. A `wide` chart has no other next to it. `labels` write the
    value on each bar. Bars begin at 0; `signed` ones may reach below it.
    """

    kind: str
    title: str
    table: str
    series: tuple[str, ...]
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


class SheetTable(NamedTuple):
    """A table as it is on a sheet; without columns every key and line shows."""

    name: str
    title: str
    columns: tuple[SheetColumn, ...]


class Sheet(NamedTuple):
    """One of a question's own sheets: tab, title, tables, charts, notes and paper; a `first` one is next to About.

    One that is `one_page` has its first table below figures, charts and notes, and prints on a single page.
    """

    name: str
    title: str
    about: str
    tables: tuple[SheetTable, ...]
    charts: tuple[SheetChart, ...]
    notes: tuple[str, ...]
    paper: str
    first: bool
    one_page: bool


def sheets_of(program: Program, question: Question) -> list[Sheet]:
    """Return how a question's sheets look: its own one, and the further ones that take some of its tables and charts.

    PluginError names what its `sheet.toml` says of nothing.
    """
    given, where = question.sheet, f"sheet.toml of question {question.name}"
    _known(where, given, KEYS)
    if best := given.get("best"):
        _known(f"{where}: best", best, {"table", "line", "none"})
        _one_of(f"{where}: best", best["line"], _names(program.tables[best["table"]]))
    for name in given.get("drivers", ()):
        _one_of(f"{where}: drivers", name, program.inputs)
    own = [table.name for table in question.tables if table.name not in SHARED]
    for name in given.get("tables", {}):
        _one_of(f"{where}: table", name, [*SHARED, *own])
    further = given.get("sheets", ())
    for one in further:
        _known(f"{where}: sheet {one.get('name', '')!r}", one, OF_A_SHEET)
        for name in one["tables"]:
            _one_of(f"{where}: sheet {one['name']}", name, own)
    elsewhere = {name for one in further for name in one["tables"]}
    named = {"name": question.name.replace("_", " ").capitalize(), "title": question.title, "about": question.about}
    first = {**named, **given, "tables": [name for name in own if name not in elsewhere]}
    return [_sheet(where, program, question, one) for one in (first, *further)]


def _sheet(where: str, program: Program, question: Question, given: Mapping[str, Any]) -> Sheet:
    """Return a sheet with the tables that are given to it, and the charts of these."""
    paper = given.get("paper", PAPERS[0])
    _one_of(f"{where}: paper", paper, PAPERS)
    described, charts = question.sheet.get("tables", {}), question.sheet.get("charts", ())
    drawn = [_chart(where, program, chart) for chart in charts]
    return Sheet(
        tab(given["name"]),
        given["title"],
        given["about"],
        tuple(_table(where, program.tables[name], described.get(name, {})) for name in given["tables"]),
        tuple(chart for chart in drawn if chart.table in given["tables"]),
        tuple(given.get("notes", ())),
        paper,
        given.get("first", False),
        given.get("one_page", False),
    )


def shared_columns(program: Program, table: str) -> list[SheetColumn]:
    """Return the columns for people that questions give one of the shared tables, in order."""
    found: list[SheetColumn] = []
    for question in program.questions if table in program.tables else ():
        given = question.sheet.get("tables", {}).get(table, {})
        own = _columns(f"sheet.toml of question {question.name}", program.tables[table], given)
        place = next((at for at, one in enumerate(found) if one.line == FURTHER), len(found))
        band = found[place].band if place < len(found) else ""
        found[place:place] = [one._replace(band=one.band or band) for one in own]
    return [one for one in found if one.line != FURTHER]


def cover_inputs(program: Program, questions: Collection[str]) -> list[Input]:
    """Return the inputs that questions ask the cover to show where it is about them, by their sheet.toml."""
    said = (question.sheet.get("drivers", ()) for question in program.questions if question.name in questions)
    return [program.inputs[name] for names in said for name in names]


def tab(name: str) -> str:
    """Return a name as a sheet can have it."""
    return " ".join(name.translate(FORBIDDEN).split())[:MAX_TAB].rstrip()


def _table(where: str, table: Table, given: Mapping[str, Any]) -> SheetTable:
    _known(f"{where}: table {table.name}", given, {"title", "columns", "shown", "rank", "sensitivity"})
    if "rank" in given:
        _one_of(f"{where}: table {table.name}: rank", given["rank"], _names(table))
    columns = tuple(_columns(where, table, given))
    every = tuple(SheetColumn(name) for name in (*table.keys, *(line.name for line in table.lines)))
    return SheetTable(table.name, given.get("title", table.title), columns or every)


def _columns(where: str, table: Table, given: Mapping[str, Any]) -> Iterable[SheetColumn]:
    for row in given.get("columns", ()):
        place = f"{where}: table {table.name}, column {row.get('line', '')!r}"
        _known(place, row, ON_MODELS if table.name == MODELS_TABLE else ON_SHEETS)
        _one_of(place, row.get("line", ""), _names(table))
        if "look" in row:
            _one_of(f"{place}: look", row["look"], (*LOOKS, *(MODEL_LOOKS if table.name == MODELS_TABLE else ())))
        if "units" in row:
            _one_of(f"{place}: units", row["units"], families())
        yield SheetColumn(**row)


def _names(table: Table) -> list[str]:
    extra = [name for rows in table.rows for name in extra_keys(rows)]
    totals = (*FACTS, *total_names(), FURTHER) if table.name == MODELS_TABLE else ()
    return [*table.keys, *extra, *(line.name for line in table.lines), *totals]


def _chart(where: str, program: Program, given: Mapping[str, Any]) -> SheetChart:
    place = f"{where}: chart {given.get('title', '')!r}"
    _known(place, given, set(SheetChart._fields))
    chart = SheetChart(
        **{"kind": "line", "title": "", "table": "", **given}
        | {name: tuple(given.get(name, ())) for name in ("series", "over", "across")}
        | {"references": tuple(Reference(**one) for one in given.get("references", ()))}
    )
    _one_of(f"{place}: kind", chart.kind, KINDS)
    _one_of(f"{place}: table", chart.table, [name for name in program.tables if name not in SHARED])
    if (chart.kind == "scatter") != bool(chart.across) or len(chart.across) not in (0, len(chart.series)):
        raise PluginError(f"{place}: a scatter has a line across for each of its series, other kinds have none")
    for name in (*chart.series, *chart.over, *chart.across, *([chart.category] if chart.category else ())):
        _one_of(place, name, _names(program.tables[chart.table]))
    for reference in chart.references:
        _one_of(f"{place}: reference", reference.of, [*program.inputs, *(x.name for x in program.lines(CASES_TABLE))])
    return chart


def _known(where: str, given: Mapping[str, Any], known: set[str]) -> None:
    for name in given:
        if name not in known:
            raise PluginError(f"{where}: {name!r} is unknown{names_like(name, known)}")


def _one_of(where: str, name: str, known: Iterable[str]) -> None:
    names = list(known)
    if name not in names:
        raise PluginError(f"{where}: {name!r} is unknown{names_like(name, names)}; expected one of {', '.join(names)}")
