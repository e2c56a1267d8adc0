"""The sheet of a question: a page with figures, charts, notes and short tables, and further tables to its right."""

from __future__ import annotations

from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from openpyxl.drawing.spreadsheet_drawing import AnchorMarker, OneCellAnchor
from openpyxl.drawing.xdr import XDRPositiveSize2D
from openpyxl.utils import get_column_letter
from openpyxl.utils.units import cm_to_EMU

from flopsheet.export.layout.drawing import chart, width
from flopsheet.export.layout.look import mark_large, mark_warned, mark_zero, of_unit, print_setup, put
from flopsheet.export.layout.signatures import lay_out_signatures, rows_signed
from flopsheet.export.layout.spec import figure_name
from flopsheet.export.layout.tables import add_choice, head, name, put_named, table
from flopsheet.planning.inputs import TITLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from openpyxl import Workbook
    from openpyxl.worksheet.worksheet import Worksheet

    from flopsheet.export.layout.spec import ChartLayout, FigureLayout, SheetLayout, TableLayout

WIDTHS = (34, 16, 14, 16, 16, 16, 60, 34)
CASES = ("low", "base", "high")
Places = dict[str, tuple[int, "TableLayout", int]]
"""The first column of each table, the table, and the row of its header, by its name."""
MARKS = {"pass": mark_zero, "warned": mark_warned} | dict.fromkeys(("figure", "sparse", "tenth"), mark_large)
"""What marks columns by their look: those of checks get colors, large figures lose their decimals."""
UNSAID = {"": None, "flag": None, "output": None}
"""What stands for units that say nothing: a column of yes and no says what it is."""
GAP, GAP_WIDTH = 2, 3.0
"""Columns from the page to the first table on its right, and the width of an empty one between two tables."""
NUMBER_WIDTH, ENOUGH = 8.0, 3.0
"""The least width of a column with a number, and what a text may lack of the width that it needs."""
MIN_WIDTH, MAX_WIDTH = 150.0, 290.0
"""Of a page, in characters: one that is narrower looks coarse, a wider one is too small to be read."""
ROWS_PER_WIDTH = 0.205
"""Rows that a landscape page has room for, per character of its width."""
ROW_HEIGHT, LOW_ROW = 15.0, 12.0
"""Heights of rows in points: as they are, and on a sheet with more of them than a page has room for."""
NOTHING = "A3"
"""The print area of a sheet of which nothing is printed: a cell without a value."""
CHECK = 45
"""Characters that the state of the checks takes."""
HEAD = 2
"""The rows of title and purpose."""
HEADER = 6
"""The row of the headers of tables on the right, below their titles and units."""
TITLED = 4
"""The rows from what is above a table to its header: a blank one, its title, titles and units of its columns."""
SHORT = 12
"""Rows of a table that may be on the page with the charts."""
LETTERS = 240
"""Letters of a note that have room on a line."""
CHART_SIZE, WIDE_SIZE = (15, 7.2), (16, 7.8)
"""The rows that charts take, and their heights in cm; a wide one has many names, which are upright."""
DRAWN, BETWEEN = 0.97, 0.3
"""Of the width of the columns, what charts take, as programs differ in how wide a column is drawn; cm between two."""
MOST_BESIDE = 4
"""Charts that are side by side."""
LONG_LIST = 40
"""Lines of notes that are more than a page has room for, below the rows that it repeats."""
SAMPLE = {"text": "text", "wrapped": "text"}


class FigureCell(NamedTuple):
    """A cell of a figure's row: its heading with a look, its own look, a sample, and the characters that it needs."""

    heading: str
    heading_look: str
    look: str
    sample: object
    width: int


FIGURE = {
    "lbl": FigureCell("Figure", "heading", "text", "figure", 34),
    "out": FigureCell("Live", "heading_right", "headline", 1, 14),
    "unit": FigureCell("Unit", "heading_in", "indented", "unit", 12),
    **{case: FigureCell(TITLES[case], "heading_right", "link_figure", 1, 14) for case in CASES},
    "abt": FigureCell("What it is", "heading_open", "indented", "what it is", 60),
    "since": FigureCell("Note", "heading_open", "small", "", 24),
}
NEEDED = sum(cell.width for cell in FIGURE.values())
"""The characters that a figure's row needs."""


def question(book: Workbook, spec: SheetLayout, *, brief: bool = False) -> None:
    """Lay out the sheet of a question; one for the workings of others prints nothing, a `brief` one its page alone."""
    page = arrange_tables(spec)
    sheet = book.create_sheet(spec.tab)
    last = len(page.widths)
    check = next(place for place in range(last, 0, -1) if place == 1 or sum(page.widths[place - 1 :]) >= CHECK)
    head(sheet, spec.title, spec.about, get_column_letter(check), get_column_letter(last))
    name(sheet, f"chk_{spec.key}", f"{get_column_letter(check)}1")
    figures(sheet, spec, HEADER + 1, page.figures)
    if spec.pick:
        _pick(sheet, spec.key)
    places, areas = _put_beside(sheet, page)
    if page.below:
        places[page.below.name] = 1, page.below, page.header
        table_at(sheet, page.below, 1, page.header, "column_unseen")
        sheet.row_dimensions[page.header - 2].height = 36
    for place, wide in enumerate(page.widths, start=1):
        sheet.column_dimensions[get_column_letter(place)].width = wide
    _charts(sheet, spec, page, places)
    row = _notes(sheet, spec.notes, page.notes)
    if spec.decided:
        lay_out_signatures(sheet, spec.decided, row, page.widths)
    bottom = page.header + 1 if page.below else max(row - 1, HEADER)
    areas.insert(0, f"A1:{get_column_letter(last)}{bottom}")
    sheet.row_dimensions[HEADER - 2].height, sheet.row_dimensions[HEADER].height = 30, 24
    sheet.freeze_panes = f"A{HEADER + 1}"
    sheet.sheet_format.customHeight = True
    if spec.pick:
        sheet.sheet_format.defaultRowHeight = LOW_ROW
    sheet.sheet_state = "hidden" if spec.workings or spec.detail else "visible"
    area = NOTHING if spec.workings else areas[0] if spec.one_page or brief else ",".join(areas)
    print_setup(sheet, f"{HEADER - 3}:{HEADER - 1}", area=area, paper=spec.paper, high=int(spec.one_page))


def _pick(sheet: Worksheet, key: str) -> None:
    """Lay out the choice of a model by its number, and the name of the one that is shown."""
    put(sheet, "A4", "Model by its number (blank: the first choice)", "text")
    put_named(sheet, f"pick_{key}", "B4", None, "pick")
    put_named(sheet, f"shown_{key}", "C4", 1, "no")
    put_named(sheet, f"name_{key}", "D4", "Model", "question")
    put(sheet, "A5", "First choice", "note")
    put_named(sheet, f"first_{key}", "C5", 1, "id")
    add_choice(sheet, "B4", "Models!$A$6:$A$6", "Model", "Choose a model's number from the list", may_be_blank=True)


class PageLayout(Struct, frozen=True):
    """What is where on a question's sheet: the printed page on the left, and tables to its right.

    `widths` are those of the page's columns, `figures` the columns of a figure's cells, `rows` of charts begin in
    `charts`, notes in `notes`; a table `below` them has its header in the row `header`.
    """

    widths: list[float]
    figures: list[int]
    charts: list[int]
    notes: int
    header: int
    below: TableLayout | None
    beside: list[TableLayout]


def arrange_tables(spec: SheetLayout) -> PageLayout:
    """Return what is where: a short table that is printed is below the charts if all is on one page then."""
    printable = [] if spec.workings else [one for one in spec.tables if one.printed_columns]
    fits = printable and (spec.one_page or _fits(spec, printable[0]))
    return _page(spec, printable[0] if fits else None)


def _page(spec: SheetLayout, below: TableLayout | None) -> PageLayout:
    tall = ROWS_PER_WIDTH * (ROW_HEIGHT / LOW_ROW if spec.pick else 1)
    row = HEADER + 1 + (len(spec.figures) + 2 if spec.figures else 0)
    charts = []
    for group in by_row(spec.charts):
        charts.append(row)
        row += ceil((WIDE_SIZE if group[0].wide else CHART_SIZE)[0] * tall / ROWS_PER_WIDTH)
    notes = row
    header = notes + sum(len(_lines(note)) for note in spec.notes) + TITLED + rows_signed(spec.decided)
    bottom = header + below.rows if below else header - TITLED
    if not below and bottom > MAX_WIDTH * tall:  # notes go on, but no chart is on two pages
        bottom = notes
    least = max(NEEDED if spec.figures else MIN_WIDTH, bottom / tall)
    own = [column.width for column in below.columns[: below.printed_columns]] if below else WIDTHS
    widths = [round(wide * max(1, least / sum(own)), 1) for wide in own]
    beside = sorted((one for one in spec.tables if one is not below), key=lambda one: not one.printed_columns)
    return PageLayout(widths, _spread(widths) if spec.figures else [], charts, notes, header, below, beside)


def _fits(spec: SheetLayout, below: TableLayout) -> bool:
    """Whether a table is short enough, and has columns enough for figures above it."""
    page = _page(spec, below)
    has_room = not spec.figures or page.figures[-2] <= len(page.widths)
    return has_room and below.rows <= SHORT and sum(page.widths) <= MAX_WIDTH


def _spread(widths: Sequence[float]) -> list[int]:
    """Return the columns in which a figure's cells begin.

    Words reach over narrow columns; a number needs one that is wide enough.
    """
    places, at = [], 0
    for cell, (*_, need) in FIGURE.items():
        is_number = cell in ("out", *CASES)
        while is_number and at < len(widths) and widths[at] < NUMBER_WIDTH:
            at += 1
        places.append(at + 1)
        wide = 0.0
        while not wide or (wide < need - ENOUGH and not is_number and at < len(widths)):
            wide, at = wide + (widths[at] if at < len(widths) else need), at + 1
    return places


def _group_printed(page: PageLayout) -> list[tuple[list[TableLayout], float]]:
    """Return the tables to the right that are printed, as many next to each other as a page is wide, with that width.

    A page that would be nearly empty is none: its tables are for the screen.
    """
    groups: list[list[TableLayout]] = []
    for layout in (one for one in page.beside if one.printed_columns):
        before = groups[-1] if groups else []
        whole = all(other.printed_columns == len(other.columns) for other in before)
        if before and whole and sum(map(_width, [*before, layout])) <= sum(page.widths):
            before.append(layout)
        else:
            groups.append([layout])
    pages = [(tables, _wide_enough(tables)) for tables in groups]
    return [(tables, wide) for tables, wide in pages if _most_rows(tables) + TITLED >= wide * ROWS_PER_WIDTH / 3]


def _wide_enough(tables: Sequence[TableLayout]) -> float:
    """Return how wide pages are, so that the last one is not nearly empty: the wider, the more rows they have."""
    wide, rows = max(sum(map(_width, tables)), MIN_WIDTH), _most_rows(tables)
    pages, rest = divmod(rows, wide * ROWS_PER_WIDTH - TITLED)
    is_short = pages and rest < wide * ROWS_PER_WIDTH / 3 - TITLED
    return max(wide, (rows / pages + TITLED + 1) / ROWS_PER_WIDTH) if is_short else wide


def _most_rows(tables: Sequence[TableLayout]) -> int:
    return max(table.rows for table in tables)


def _width(table: TableLayout) -> float:
    return sum(column.width for column in table.columns[: table.printed_columns]) + GAP_WIDTH


def _put_beside(sheet: Worksheet, page: PageLayout) -> tuple[Places, list[str]]:
    """Lay out the tables to the right of the page; return where they are, and the cells that are printed of them."""
    groups = _group_printed(page)
    alone = [([table], 0.0) for table in page.beside if not any(table in tables for tables, _ in groups)]
    column = max(len(page.widths), len(page.below.columns) if page.below else 0) + GAP
    places: Places = {}
    areas = []
    for tables, wide in (*groups, *alone):
        first = column
        for one in tables:
            places[one.name] = column, one, HEADER
            table_at(sheet, one, column)
            column += len(one.columns) + 1
        lack, last = wide - sum(map(_width, tables)), tables[-1]
        right = column - 2 - len(last.columns) + last.printed_columns
        if lack > 0 and last.printed_columns == len(last.columns):  # else what formulas need is next to it
            sheet.column_dimensions[get_column_letter(column - 1)].width = min(lack, MAX_WIDTH)
            right, column = column - 1, column + 1
        areas += [f"{get_column_letter(first)}{HEADER + 1}:{get_column_letter(right)}{HEADER + 1}"] if wide else []
    return places, areas


def _charts(sheet: Worksheet, spec: SheetLayout, page: PageLayout, places: Places) -> None:
    """Draw the charts side by side over the whole page."""
    whole = width(sheet, get_column_letter(len(page.widths))) * DRAWN
    for row, group in zip(page.charts, by_row(spec.charts), strict=True):
        size = whole / len(group) - BETWEEN, (WIDE_SIZE if group[0].wide else CHART_SIZE)[1]
        for at, layout in enumerate(group):
            column, table, header = places[layout.table]
            drawing = chart(sheet, layout, column, table, header=header, size=size)
            drawing.anchor = anchor(sheet, row, at * (size[0] + BETWEEN), size)
            sheet.add_chart(drawing)


def anchor(sheet: Worksheet, row: int, left: float, size: tuple[float, float]) -> OneCellAnchor:
    """Return where something of a size in cm is drawn: at a row, so many centimeters from the left."""
    place = 1
    while left > (wide := width(sheet, get_column_letter(place), get_column_letter(place))):
        left, place = left - wide, place + 1
    marker = AnchorMarker(col=place - 1, colOff=cm_to_EMU(left), row=row - 1)
    return OneCellAnchor(marker, XDRPositiveSize2D(*map(cm_to_EMU, size)))


def _notes(sheet: Worksheet, notes: Sequence[str], row: int) -> int:
    """Write notes from a row on; return the row below what is printed of them.

    A note that ends with a colon begins a list; a list that is longer than a page is for the screen.
    """
    begins = 0
    for note in notes:
        begins = row if note.endswith(":") else begins
        for at, part in enumerate(_lines(note)):
            put(sheet, f"A{row}", part, "note_in" if at else "note")
            row += 1
    return begins if begins and row - begins > LONG_LIST else row


def _lines(note: str) -> list[str]:
    return wrap(note, LETTERS, break_on_hyphens=False)


def by_row(charts: Sequence[ChartLayout]) -> list[list[ChartLayout]]:
    """Return the charts that are side by side: a wide one is alone."""
    results: list[list[ChartLayout]] = []
    for one in charts:
        if one.wide or not results or results[-1][0].wide or len(results[-1]) == MOST_BESIDE:
            results.append([one])
        else:
            results[-1].append(one)
    return results


def figure_look(figure: FigureLayout, cell: str) -> str:
    """Return the look of a cell of a figure: cases that follow come from another sheet, others are constants."""
    look = "delivered_figure" if cell in CASES and not figure.follows else FIGURE[cell].look
    return of_unit("link_headline" if cell == "out" and figure.is_shared else look, figure.unit)


def figures(sheet: Worksheet, spec: SheetLayout, header: int, columns: Sequence[int]) -> None:
    """Write the figures below a header, each cell in its column."""
    if not spec.figures:
        return
    letters = [get_column_letter(column) for column in columns]
    for letter in map(get_column_letter, {*range(columns[0], columns[-1])} - {*columns}):
        put(sheet, f"{letter}{header}", None, "heading")
        for row in range(header + 1, header + 1 + len(spec.figures)):
            put(sheet, f"{letter}{row}", None, "text")
    for letter, cell in zip(letters, FIGURE.values(), strict=True):
        put(sheet, f"{letter}{header}", cell.heading, cell.heading_look)
    for row, figure in enumerate(spec.figures, start=header + 1):
        for letter, (key, cell) in zip(letters, FIGURE.items(), strict=True):
            put_named(sheet, figure_name(key, figure.key), f"{letter}{row}", cell.sample, figure_look(figure, key))
    for letter in (letters[1], *letters[3:6]):
        mark_large(sheet, f"{letter}{header + 1}:{letter}{header + len(spec.figures)}")


def table_at(
    sheet: Worksheet, spec: TableLayout, column: int, header: int = HEADER, heading: str = "column_id"
) -> None:
    """Lay out a table from a column on, its header in a row."""
    first = get_column_letter(column)
    put(sheet, f"{first}{header - 3}", spec.title, "section")
    for place, one in enumerate(spec.columns, start=column):
        letter = get_column_letter(place)
        put(sheet, f"{letter}{header - 2}", one.title, "link_title" if one.title_cell else "column_title")
        if one.title_cell:
            name(sheet, one.title_cell, f"{letter}{header - 2}")
        put(sheet, f"{letter}{header - 1}", UNSAID.get(one.unit, one.unit), "column_unit")
        if mark := MARKS.get(one.look):
            mark(sheet, f"{letter}{header + 1}")
    columns = [(one.header, one.look, one.width, SAMPLE.get(one.look, 1)) for one in spec.columns]
    table(sheet, spec.name, header, columns, heading=heading, first=column, rows=spec.row_looks)
