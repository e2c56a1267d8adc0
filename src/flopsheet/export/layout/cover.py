"""The cover: the question, the answer, headline figures, drivers, and how to read the rest."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from flopsheet.accounting.data import read_table
from flopsheet.accounting.line import lower_title
from flopsheet.export.layout.look import mark_check, mark_large, of_unit, print_setup, put
from flopsheet.export.layout.question import FIGURE, figure_look
from flopsheet.export.layout.spec import figure_name
from flopsheet.export.layout.tables import add_choice, name, put_named
from flopsheet.planning.inputs import TITLES, either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import CoverLayout, DriverLayout, FigureLayout, SheetLayout

TEXTS = read_table("flopsheet.export.layout", "cover.toml")
SOURCE_HEIGHT = 12.5
"""Of a line of a source, in rows with drivers: three, or four on a narrow cover."""
HEADINGS = ("Live", "Unit", *TITLES.values(), "What it is")
COLUMNS = "ABCDEFG"
FIGURE_HEADINGS = ("heading", "heading_right", "heading_in", *["heading_right"] * 3, "heading_in")
DRIVER_HEADINGS = ("heading", "heading_right", *["heading_in"] * 5)
"""Looks of headings: to the right over numbers, indented over what follows them."""
FIGURES, DRIVERS = 10, 6
"""The row in which figures begin, and how many drivers the rows of what follows them leave room for."""
SEEN = "see_"
"""How the names of cells begin that show a figure of another sheet again."""
WIDTHS = (34, 21, 20, 16, 16, 16, 84)
PAPER_WIDTH, PAPER_HEIGHT = 784, 501
"""Points of a page of A4 inside its margins."""
ROW_HEIGHT = 12.75
"""Points of a row that says none."""
LETTERS, NARROW = 108, 64
"""Letters of a step that have room on a line: below where to go, or left of it on a cover with many sheets."""


def about(book: Workbook, cover: CoverLayout, questions: Sequence[SheetLayout] = ()) -> None:
    """Lay out the cover with the answer; each question has its figures, and what follows them stands lower."""
    sheet = book.create_sheet("About")
    layouts = [layout for layout in questions if not layout.workings]
    many = len(layouts) > 1
    for column, width in zip(COLUMNS, WIDTHS, strict=True):
        sheet.column_dimensions[column].width = width
    put(sheet, "A1", "{{ title }}", "title")
    sheet.row_dimensions[1].height = 26
    put(sheet, "A2", TEXTS["purpose"], "note")
    put_named(sheet, "chk_about", "G2", "All checks pass", "check")
    mark_check(sheet, "G2")
    _answer(sheet, cover.lead)
    titles = (*TITLES.values(), *cover.scenarios)
    titles_text = either(titles)
    source = f"Assumptions!$D$8:${get_column_letter(3 + len(titles))}$8" if cover.scenarios else f'"{",".join(titles)}"'
    put(sheet, "A8", "Scenario", "text")
    put_named(sheet, "in_scenario_label", "B8", "Base", "pick")
    put_named(sheet, "in_scenario", "C8", 2, "place")
    put(sheet, "D8", f"Choose {titles_text}.", "note")
    add_choice(sheet, "B8", source, "Scenario", f"Choose {titles_text}")
    row = _figures(sheet, FIGURES, "What the cluster delivers", cover.figures) if cover.figures else FIGURES
    for layout in sorted(layouts, key=lambda layout: layout.key != cover.lead):
        if layout.figures:
            sheet.row_dimensions[row].height = 26 if len(layout.title) > WIDTHS[0] else None
            row = _figures(sheet, row, layout.title, layout.figures, SEEN)
    lower = row - 17
    _counts(sheet, lower)
    if not cover.lead:
        _together(sheet, lower)
    _drivers(sheet, lower, cover.drivers)
    if many:
        _on_one_page(sheet, 23 + lower, 23 + lower + len(cover.drivers))
    lower += len(cover.drivers) - DRIVERS
    places = _places(cover, layouts)
    _legend(sheet, lower, places)
    end = 31 + lower + len(places)
    bottom = _how_to_use(sheet, 40 + lower, NARROW, "many") if many else _how_to_use(sheet, end + 2, LETTERS, "alone")
    bottom = max(bottom, end) + 1
    put_named(sheet, "meta_hidden_sheets", f"A{bottom}", "{{ hidden_sheets }}", "clip")
    sheet.merge_cells(f"A{bottom}:G{bottom}")
    sheet.row_dimensions[bottom].height = 3 * SOURCE_HEIGHT
    print_setup(sheet, area=f"A1:G{bottom}", high=0 if many else 1)


def _answer(sheet: Worksheet, lead: str) -> None:
    """Write the question, its answer and its range: those of every plan, or of the question that leads."""
    cells = (
        [(f"{cell}_{lead}", sample, look) for cell, sample, look in TEXTS["lead_answer"]] if lead else TEXTS["answer"]
    )
    for row, (cell, sample, look) in enumerate(cells, start=4):
        put_named(sheet, cell, f"A{row}", sample, look)
    for row in (5, 6):
        sheet.merge_cells(f"A{row}:G{row}")
    sheet.row_dimensions[4].height, sheet.row_dimensions[5].height = 20, 40
    for row, (key, title) in enumerate(() if lead else TEXTS["helpers"], start=4):
        put(sheet, f"H{row}", title, "id")
        put_named(sheet, f"out_{key}", f"I{row}", 1, "id")


def _figures(sheet: Worksheet, row: int, title: str, figures: Sequence[FigureLayout], prefix: str = "") -> int:
    """Write figures from a row on, those with a prefix from their own sheet; return the row behind them."""
    _put_headings(sheet, row, (title, *HEADINGS), FIGURE_HEADINGS)
    for at, figure in enumerate(figures, start=row + 1):
        for column, (key, cell) in zip("ABCDEFGH", FIGURE.items(), strict=True):
            if key != "since" or not (prefix or figure.is_shared):
                look = cell.look if prefix else figure_look(figure, key)
                look = of_unit("link_headline" if key == "out" else look, figure.unit)
                put_named(sheet, figure_name(key, figure.key, prefix), f"{column}{at}", cell.sample, look)
    for column in "BDEF":
        mark_large(sheet, f"{column}{row + 1}:{column}{row + len(figures)}")
    return row + len(figures) + 2


def _put_headings(sheet: Worksheet, row: int, texts: Sequence[str], looks: Sequence[str] = ("heading",) * 7) -> None:
    for column, text, look in zip(COLUMNS, texts, looks, strict=True):
        put(sheet, f"{column}{row}", text, look)


def _put_blanks(sheet: Worksheet, columns: str, row: int, look: str) -> None:
    for column in columns:
        put(sheet, f"{column}{row}", None, look)


def _counts(sheet: Worksheet, lower: int) -> None:
    _put_headings(sheet, 17 + lower, ("Models", *[""] * 6))
    for row, (key, title, text) in enumerate(TEXTS["counts"], start=18 + lower):
        put(sheet, f"A{row}", title, "text")
        put_named(sheet, f"out_n_{key}", f"B{row}", 1, "number")
        put(sheet, f"C{row}", text, "indented")
        _put_blanks(sheet, "DEFG", row, "text")
        if key == "approximate":
            name(sheet, "out_reasons", f"C{row}")
    put(sheet, f"A{21 + lower}", "Total", "total_text")
    put_named(sheet, "out_costed", f"B{21 + lower}", "14 of 16 costed", "total_right")
    _put_blanks(sheet, "CDEFG", 21 + lower, "total_text")


def _together(sheet: Worksheet, lower: int) -> None:
    """Write what training all models takes, and the cells that it is made of."""
    put_named(sheet, "out_together", f"C{21 + lower}", "USD 256m and 676 days on the whole cluster", "total_unit")
    for column, title in zip("HIJ", ("Cost of all", "Days of all", "Window"), strict=True):
        put(sheet, f"{column}{20 + lower}", title, "id")
    put_named(sheet, "out_together_cost", f"H{21 + lower}", 256.31, "id")
    put_named(sheet, "out_together_window", f"J{21 + lower}", "longer than the 90-day window", "id")
    put_named(sheet, "out_together_days", f"I{21 + lower}", 676.24, "id")


def _drivers(sheet: Worksheet, lower: int, drivers: Sequence[DriverLayout]) -> None:
    titles = ("Drivers behind the answer", "Live", "Unit", "Source", "", "", "")
    _put_headings(sheet, 23 + lower, titles, DRIVER_HEADINGS)
    put(sheet, f"H{23 + lower}", "Row of Assumptions", "id")
    for row, (driver, is_share) in enumerate(drivers, start=24 + lower):
        put_named(sheet, f"drv_{driver}", f"A{row}", driver, "text")
        put_named(sheet, f"drv_{driver}_live", f"B{row}", 1, "link_percent" if is_share else "link_input")
        put_named(sheet, f"drv_{driver}_unit", f"C{row}", "unit", "indented")
        put_named(sheet, f"drv_{driver}_source", f"D{row}", "source", "clip")
        _put_blanks(sheet, "EFG", row, "text")
        sheet.merge_cells(f"D{row}:G{row}")
        put_named(sheet, f"drv_{driver}_row", f"H{row}", 1, "id")
        sheet.row_dimensions[row].height = 3 * SOURCE_HEIGHT


def _on_one_page(sheet: Worksheet, first: int, last: int) -> None:
    """Begin a page before some rows of a sheet that would otherwise be on two."""
    wide = sum(7 * width + 5 for width in WIDTHS) / 96 * 72
    page = 0.97 * PAPER_HEIGHT * wide / PAPER_WIDTH  # programs differ in how wide a column is printed
    heights = [sheet.row_dimensions[row].height or ROW_HEIGHT for row in range(1, last + 1)]
    if sum(heights[: first - 1]) % page + sum(heights[first - 1 :]) > page:
        sheet.row_breaks.append(Break(id=first - 1))


def _places(cover: CoverLayout, questions: Sequence[SheetLayout]) -> list[tuple[str, str, bool]]:
    """Return the sheets behind the cover, each with what it is for and whether it is hidden, those last."""
    main = [
        *TEXTS["sheets"]["first"],
        *((one.tab, one.title) for one in questions if not one.detail),
        *TEXTS["sheets"]["shared"],
    ]
    detail = [*((one.tab, one.title) for one in questions if one.detail), *TEXTS["sheets"]["hidden"]]
    places = [(tab, text, tab in cover.hidden) for tab, text in main]
    places = sorted(places, key=lambda place: place[2]) + [(tab, text, True) for tab, text in detail]
    return [place for place in places if place[0] not in cover.without]


def _legend(sheet: Worksheet, lower: int, places: Sequence[tuple[str, str, bool]]) -> None:
    _put_headings(sheet, 31 + lower, ("How to read the cells", "", "", "Where to go", "", "", ""))
    for row, (look, text) in enumerate(TEXTS["legend"], start=32 + lower):
        put(sheet, f"A{row}", 1234, look)
        put(sheet, f"B{row}", text, "note_in")
    for row, text in enumerate(TEXTS["notes"], start=37 + lower):
        put(sheet, f"A{row}", text, "note")
    for row, (place, text, is_hidden) in enumerate(places, start=32 + lower):
        cell = put(sheet, f"D{row}", place, "note" if is_hidden else "link")
        cell.hyperlink = None if is_hidden else f"#'{place}'!A1"
        put(sheet, f"E{row}", f"Detail: {lower_title(text)}" if is_hidden else text, "note")


def _how_to_use(sheet: Worksheet, row: int, letters: int, what: str) -> int:
    """Write the steps of using the workbook from a row on; return the last row."""
    put(sheet, f"A{row}", "How to use", "section")
    printed = TEXTS["print"][what].format_map(TEXTS["print"])
    for step in TEXTS["steps"]:
        for text in wrap(step.format(what=printed), letters, subsequent_indent="    ", break_on_hyphens=False):
            row += 1
            put(sheet, f"A{row}", text, "plain")
    return row
