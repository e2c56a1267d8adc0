"""What people see of a question: its sheets with their tables and charts, by what its `sheet.toml` says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from flopsheet.planning.question import CASES_TABLE, MODELS_TABLE
from flopsheet.planning.sheet_records import SeenSheet, SheetChart, SheetColumn

if TYPE_CHECKING:
    from collections.abc import Collection

    from flopsheet.accounting.line import Input
    from flopsheet.planning.program import Program
    from flopsheet.planning.question import Question, Table

SHARED = (CASES_TABLE, MODELS_TABLE)
"""Tables that are on sheets of the workbook, whichever questions add lines to them."""
FURTHER = "*"
"""The line in place of which columns of further questions stand."""
MAX_TAB = 31
"""Characters of a sheet's name in Excel."""
FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))


class SheetTable(Struct, frozen=True):
    """A table as it is on a sheet, on paper too if it may `print`; without columns every key and line shows."""

    name: str
    title: str
    columns: tuple[SheetColumn, ...]
    print: bool = True


class Sheet(Struct, frozen=True):
    """One of a question's own sheets: tab, title, tables, charts, notes and paper; a `first` one is next to About.

    One that is `one_page` has its first table below figures, charts and notes, and prints on a single page. One with a
    `detail` of the question is hidden unless somebody asks for it.
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
    detail: bool = False


def own_tables(question: Question) -> list[str]:
    """Return the tables that a question has on its own sheets."""
    return [table.name for table in question.tables if table.name not in SHARED]


def sheets_of(program: Program, question: Question) -> list[Sheet]:
    """Return how a question's sheets look: its own one, and the further ones that take some of its tables and charts.

    PluginError names what its `sheet.toml` says of nothing.
    """
    view = question.described
    elsewhere = {name for sheet in view.sheets for name in sheet.tables}
    tables = tuple(name for name in own_tables(question) if name not in elsewhere)
    name = _own_name(question, view.name)
    own = SeenSheet(name, tables, view.title, view.about, view.notes, view.paper, view.first, view.one_page)
    return [_sheet(program, question, sheet) for sheet in (own, *view.sheets)]


def tabs_of(question: Question) -> list[str]:
    """Return the tabs of a sound question's sheets, without reading what is on them."""
    further = (sheet["name"] for sheet in question.sheet.get("sheets", ()))
    return [tab(name) for name in (_own_name(question, question.sheet.get("name", "")), *further)]


def _own_name(question: Question, name: str) -> str:
    return name or question.name.replace("_", " ").capitalize()


def _sheet(program: Program, question: Question, view: SeenSheet) -> Sheet:
    """Return a sheet with the tables that are given to it, and the charts of these."""
    return Sheet(
        tab(view.name),
        view.title or question.title,
        view.about or question.about,
        tuple(_table(question, program.tables[name]) for name in view.tables),
        tuple(chart for chart in question.described.charts if chart.table in view.tables),
        view.notes,
        view.paper,
        view.first,
        view.one_page,
        view.detail,
    )


def _table(question: Question, table: Table) -> SheetTable:
    view = question.described.table(table.name)
    every = tuple(SheetColumn(name) for name in (*table.keys, *(line.name for line in table.lines)))
    return SheetTable(table.name, view.title or table.title, view.columns or every, view.print)


def shared_columns(program: Program, table: str) -> list[SheetColumn]:
    """Return the columns for people that questions give one of the shared tables, in order."""
    results: list[SheetColumn] = []
    for question in program.questions if table in program.tables else ():
        own = question.described.table(table).columns
        place = next((at for at, column in enumerate(results) if column.line == FURTHER), len(results))
        band = results[place].band if place < len(results) else ""
        results[place:place] = [replace(column, band=column.band or band) for column in own]
    return [column for column in results if column.line != FURTHER]


def cover_inputs(program: Program, questions: Collection[str]) -> list[Input]:
    """Return the inputs that questions ask the cover to show where it is about them, by their sheet.toml."""
    drivers = (question.described.drivers for question in program.questions if question.name in questions)
    return [program.inputs[name] for names in drivers for name in names]


def tab(name: str) -> str:
    """Return a name as a sheet can have it."""
    return " ".join(name.translate(FORBIDDEN).split())[:MAX_TAB].rstrip()
