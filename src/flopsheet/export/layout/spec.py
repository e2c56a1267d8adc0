"""What is laid out for a question: plain data, which says everything that a template's sheet needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from flopsheet.planning.sheet_records import SheetChart

if TYPE_CHECKING:
    from collections.abc import Mapping


class ColumnLayout(Struct, frozen=True):
    """A column of a table: header, title and unit above it, look, width in characters; a name for the title's cell."""

    header: str
    title: str
    unit: str
    look: str
    width: float
    title_cell: str = ""


class TableLayout(Struct, frozen=True):
    """An Excel table with its title; its first `printed_columns` are printed.

    `rows` are how many it has when it is filled first: where it is printed depends on that. With `row_looks` each row
    has looks of its own, a look for each column.
    """

    name: str
    title: str
    columns: tuple[ColumnLayout, ...]
    printed_columns: int
    rows: int = 1
    row_looks: tuple[tuple[str, ...], ...] = ()


class ChartLayout(SheetChart, frozen=True):
    """A chart whose lines are headers of a table in the workbook; its axis has digits as its `look` has."""

    look: str = ""


class FigureLayout(Struct, frozen=True):
    """A figure's row; `key` is in the names of its cells.

    `is_shared` says whether it is a line of the table of cases, `follows` whether its cases are formulas or constants.
    """

    key: str
    is_shared: bool
    unit: str = ""
    follows: bool = True


class DriverLayout(NamedTuple):
    """An input on the cover, and whether it is a share."""

    name: str
    is_share: bool


class CoverLayout(Struct, frozen=True):
    """What the cover shows: figures of the questions that every plan asks, and inputs behind the answer.

    `scenarios` are those that may be chosen next to the three cases. A cover may be about one question, `lead`: it
    then has no figures but those of the sheets. `without` are sheets of every plan that the template leaves out,
    `hidden` those that it hides. A `brief` workbook prints one page of each question.
    """

    figures: tuple[FigureLayout, ...]
    drivers: tuple[DriverLayout, ...]
    scenarios: tuple[str, ...] = ()
    lead: str = ""
    without: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    brief: bool = False


class SheetLayout(Struct, frozen=True):
    """A question's sheet; one of `workings`, and one with a `detail`, is hidden unless somebody asks for it.

    With a `pick` people choose the model that it shows, in a cell whose name holds the key. One with `decided` inputs
    is a page that somebody signs: its answer in words is below the title, what it rests on below the notes.
    """

    key: str
    tab: str
    title: str
    about: str
    figures: tuple[FigureLayout, ...]
    tables: tuple[TableLayout, ...]
    charts: tuple[ChartLayout, ...]
    notes: tuple[str, ...]
    paper: int
    first: bool = False
    one_page: bool = False
    workings: bool = False
    detail: bool = False
    pick: bool = False
    decided: int = 0


FIGURE_CELLS = ("lbl", "out", "unit", "low", "base", "high", "abt", "since")
"""What a figure's row on its sheet holds, from left to right."""


def figure_name(cell: str, key: str, prefix: str = "") -> str:
    """Return the name of a cell of a figure; About's own cells have a prefix."""
    name = f"out_{key}_{cell}" if cell in ("low", "base", "high") else f"{cell}_{key}"
    return f"{prefix}{name}"


def check_cell(tab: str, layout: Mapping[str, Any]) -> str:
    """Return the name of the cell with the state of all checks on a sheet that sheets.toml lays out."""
    return f"chk_{layout.get('check_name', tab.lower())}"
