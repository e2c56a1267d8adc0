"""The checklist: every item with its name, what it asks, and the function that finds what fails it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from flopsheet.audit import (
    charts,
    check_rows,
    colors,
    documentation,
    formulas,
    inputs,
    parts,
    sheets,
    totals,
    units,
    visibility,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from flopsheet.audit.view import WorkbookView


class Item(Struct, frozen=True):
    """One item: `find` gives the places that fail it, each with what is wrong there."""

    name: str
    asks: str
    find: Callable[[WorkbookView], Iterable[str]]
    of_fill: bool = False
    """Whether a fill depends on it; the others are what a model review asks."""


class Verdict(Struct, frozen=True):
    """What an item found: it passes without a failure."""

    name: str
    asks: str
    failures: tuple[str, ...]
    of_fill: bool = False


ITEMS = (
    Item(
        "about",
        "The first sheet says what the workbook is: title, purpose, date, version, how to use it",
        documentation.about,
    ),
    Item("change_log", "A version and a change log", documentation.change_log),
    Item("provenance", "What made the workbook, and its inputs with their SHA-256", documentation.provenance),
    Item("apart", "Inputs, calculations and results on sheets of their own", sheets.apart),
    Item("colors", "Inputs blue on a pale fill, links to other sheets green, formulas never blue", colors.colors),
    Item("one_formula", "One formula per column", formulas.one_formula),
    Item(
        "constants",
        "No constants in formulas but 0, 1, 2, 12, 24, 100, 1000, 3600 and powers of units",
        formulas.constants,
    ),
    Item("length", "Formulas of at most 255 characters as Excel shows them, 8,192 as stored", formulas.length),
    Item("nesting", "Functions nested at most three deep", formulas.nesting),
    Item("nested_if", "No nested IFs", formulas.nested_if),
    Item("volatile", "No volatile functions", formulas.volatile),
    Item("safe", "Only functions that Excel 2016, LibreOffice and Google Sheets share", formulas.safe),
    Item("twice", "Nothing calculated twice", formulas.twice),
    Item("chains", "No daisy chains: no reference to a cell that only repeats another", formulas.chains),
    Item("circles", "No circular references", formulas.circles),
    Item("errors", "No error values, and no references to anything missing", formulas.errors),
    Item(
        "checks",
        "A list of checks that are computed, pass and could fail, and chk_master over all of them",
        check_rows.checks,
    ),
    Item("master", "chk_master shown on every sheet", check_rows.master),
    Item("totals", "Totals, formulas and delivered values tie out to 1e-9, and sums miss no row", totals.totals),
    Item("units", "A unit for every input and column", units.units, of_fill=True),
    Item("sources", "A source or a note for every input", inputs.sources),
    Item("hidden", "Nothing hidden but sheets that the cover names", visibility.find_hidden),
    Item("merged", "No merged cells in data", visibility.find_merged),
    Item("frozen", "Panes frozen below the header of a sheet's first list", sheets.frozen),
    Item("print", "One page wide, titles repeated, a footer with sheet, page and version", sheets.print_setup),
    Item("validation", "Validation on every choice and percentage, which refuses what does not fit", inputs.validation),
    Item(
        "scenario",
        "A selector in_scenario over Low cost, Base and High cost, the live case by INDEX",
        inputs.scenario,
    ),
    Item("sensitivity", "A sensitivity table with its chart, its base row the live output", charts.sensitivity),
    Item("bridge", "A waterfall of stacked columns that sums", charts.bridge),
    Item("live_charts", "Charts on live ranges, all rows of their lists", charts.live),
    Item("chart_titles", "Charts with a title and titles on their axes", charts.titles),
    Item("external", "No external links, connections, macros or embedded objects", parts.external, of_fill=True),
    Item("names", "Names valid and used", parts.names),
    Item("room", "Room for every list to grow", sheets.room),
    Item("dates", "The same bytes for the same inputs: fixed dates in the zip", parts.dates),
    Item("limits", "Sheet names and texts within Excel's limits", parts.limits, of_fill=True),
)


def check(view: WorkbookView, only: Container[str] | None = None) -> list[Verdict]:
    """Return the verdict on every item, or on those with some names alone; each pays only for what it reads."""
    items = ITEMS if only is None else [item for item in ITEMS if item.name in only]
    return [Verdict(item.name, item.asks, tuple(item.find(view)), item.of_fill) for item in items]
