"""Make the shipped templates: `python templates/build.py` writes plan.xlsx, always the same bytes."""

from __future__ import annotations

import re
import sys
import zipfile
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from charts import add_charts
from look import LOOKS, mark_check, mark_status, mark_zero, print_setup, put
from lxml import etree
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.table import Table, TableStyleInfo

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

HERE = Path(__file__).resolve().parent
Columns = list[tuple[str, str, float, object]]
"""Header, look, width and sample value of each column of a table."""

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
FONT_ORDER = (
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
)
FIGURES = ("budget", "hours", "cost", "energy", "carbon")
DRIVERS = ("accelerators", "days", "peak_tflops", "mfu", "goodput", "price_per_hour")
LEGEND = (
    ("assumption", "1,234", "An assumption: change it, and everything follows"),
    ("fact", "1,234", "A fact read from a config file"),
    ("number", "1,234", "A formula"),
    ("link_number", "1,234", "A formula that brings a number from another sheet"),
)


def name(sheet: Worksheet, defined: str, address: str) -> None:
    """Give a cell a name of the workbook."""
    column, row = address.rstrip("0123456789"), address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    reference = f"'{sheet.title}'!${column}${row}"
    sheet.parent.defined_names[defined] = DefinedName(defined, attr_text=reference)


def local_name(sheet: Worksheet, defined: str, address: str) -> None:
    """Give a cell a name of its sheet."""
    column, row = address.rstrip("0123456789"), address.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    sheet.defined_names[defined] = DefinedName(defined, attr_text=f"'{sheet.title}'!${column}${row}")


def bound(sheet: Worksheet, defined: str, address: str, value: object, look: str) -> None:
    """Write a sample value and give its cell a name."""
    put(sheet, address, value, look)
    name(sheet, defined, address)


def table(
    sheet: Worksheet,
    title: str,
    row: int,
    columns: Columns,
    samples: int = 1,
    heading: str = "heading",
    first: int = 1,
) -> None:
    """Lay out a table with its header in `row`, from column `first` on, and sample rows below it."""
    for place, (header, look, width, value) in enumerate(columns, start=first):
        cell = sheet.cell(row, place)
        put(sheet, cell.coordinate, header, _heading(look) if heading == "heading" else heading)
        sheet.column_dimensions[cell.column_letter].width = width
        for below in range(1, samples + 1):
            put(sheet, f"{cell.column_letter}{row + below}", value, look)
    corners = (sheet.cell(row, first).coordinate, sheet.cell(row + samples, first + len(columns) - 1).coordinate)
    shape = Table(displayName=title, ref=":".join(corners))
    shape.tableStyleInfo = TableStyleInfo(name="TableStyleLight1", showRowStripes=False)
    sheet.add_table(shape)


def _heading(look: str) -> str:
    """Return the look of a heading over cells of a look: to the right over numbers, indented over indented texts."""
    if look in NUMERIC:
        return "heading_right"
    return "heading_in" if LOOKS[look].indent else "heading"


NUMERIC = {
    "number",
    "figure",
    "tenth",
    "general",
    "percent",
    "difference",
    "assumption",
    "live",
    "link_number",
    "link_figure",
    "link_general",
    "total",
    "subtotal",
    "delivered",
}


def head(sheet: Worksheet, title: str, note: str, check: str = "F") -> None:
    """Write a sheet's title, what it is for, and the state of all checks."""
    put(sheet, "A1", title, "title")
    put(sheet, "A2", note, "note")
    put(sheet, f"{check}1", "All checks pass", "check")
    mark_check(sheet, f"{check}1")
    sheet.row_dimensions[1].height = 26


def about(book: Workbook) -> None:
    """Lay out the cover with the answer."""
    sheet = book.create_sheet("About")
    for column, width in zip("ABCDEFG", (32, 18, 15, 15, 15, 15, 62), strict=True):
        sheet.column_dimensions[column].width = width
    put(sheet, "A1", "{{ title }}", "title")
    put(
        sheet,
        "A2",
        "A planning workbook by flopsheet {{ version }}: exact counts, explained line by line, live.",
        "note",
    )
    bound(sheet, "chk_about", "G1", "All checks pass", "check")
    mark_check(sheet, "G1")
    bound(sheet, "out_question", "A4", "What do 4,096 H100 SXM5 80GB buy in 90 days?", "question")
    bound(sheet, "out_answer", "A5", "1.08E+25 FLOP · 8.85 M GPU-h · USD 35.1 m", "answer")
    bound(sheet, "out_range", "A6", "USD 23.8 m to 60.9 m from Low to High", "note")
    put(sheet, "A8", "Scenario", "text")
    bound(sheet, "in_scenario_label", "B8", "Base", "pick")
    bound(sheet, "in_scenario", "C8", 2, "no")
    put(sheet, "D8", "Choose Low, Base or High; Low is the case of low cost.", "note")
    choice = DataValidation("list", formula1='"Low,Base,High"', allow_blank=False, showErrorMessage=True)
    choice.error, choice.errorTitle = "Choose Low, Base or High", "Scenario"
    sheet.add_data_validation(choice)
    choice.add("B8")
    _figures(sheet)
    _counts(sheet)
    _drivers(sheet)
    _legend(sheet)
    print_setup(sheet, area="A1:G46")


def _figures(sheet: Worksheet) -> None:
    headings = ("What the cluster buys", "Live", "Unit", "Low", "Base", "High", "What it is")
    for column, text in zip("ABCDEFG", headings, strict=True):
        put(sheet, f"{column}10", text, _of_column(column, "BDEF"))
    for row, figure in enumerate(FIGURES, start=11):
        bound(sheet, f"lbl_{figure}", f"A{row}", figure, "text")
        bound(sheet, f"out_{figure}", f"B{row}", 1, "headline")
        bound(sheet, f"unit_{figure}", f"C{row}", "unit", "indented")
        for column, case in zip("DEF", ("low", "base", "high"), strict=True):
            bound(sheet, f"out_{figure}_{case}", f"{column}{row}", 1, "link_figure")
        bound(sheet, f"abt_{figure}", f"G{row}", "what it is", "indented")


def _of_column(column: str, numbers: str) -> str:
    """Return the look of a heading on the cover: to the right over numbers, indented over what follows them."""
    return "heading_right" if column in numbers else "heading" if column == "A" else "heading_in"


def _counts(sheet: Worksheet) -> None:
    for column, text in zip("ABCDEFG", ("Models", "", "", "", "", "", ""), strict=True):
        put(sheet, f"{column}17", text, "heading")
    rows = (
        ("exact", "Exact", "Counted to the last parameter; every field of the config is understood"),
        ("approximate", "Approximate", "Counted, with a reservation: the sheet Problems says which"),
        ("failed", "Not costed", "Cannot be counted: the sheet Problems says why"),
    )
    for row, (key, title, text) in enumerate(rows, start=18):
        put(sheet, f"A{row}", title, "text")
        bound(sheet, f"out_n_{key}", f"B{row}", 1, "number")
        for column in "CDEFG":
            put(sheet, f"{column}{row}", text if column == "C" else None, "indented" if column == "C" else "text")
    put(sheet, "A21", "In all", "total_text")
    bound(sheet, "out_costed", "B21", "14 of 16 costed", "total_right")
    for column in "CDEFG":
        put(sheet, f"{column}21", None, "total_text")


def _drivers(sheet: Worksheet) -> None:
    for column, text in zip(
        "ABCDEFG", ("Drivers behind the answer", "Live", "Unit", "Source", "", "", ""), strict=True
    ):
        put(sheet, f"{column}23", text, _of_column(column, "B"))
    for row, driver in enumerate(DRIVERS, start=24):
        bound(sheet, f"drv_{driver}", f"A{row}", driver, "text")
        bound(sheet, f"drv_{driver}_live", f"B{row}", 1, "link_general")
        bound(sheet, f"drv_{driver}_unit", f"C{row}", "unit", "indented")
        bound(sheet, f"drv_{driver}_source", f"D{row}", "source", "clip")
        for column in "EFG":
            put(sheet, f"{column}{row}", None, "text")
        sheet.merge_cells(f"D{row}:G{row}")
        sheet.row_dimensions[row].height = 24


def _legend(sheet: Worksheet) -> None:
    for column, text in zip("ABCDEFG", ("How to read the cells", "", "", "Where to go", "", "", ""), strict=True):
        put(sheet, f"{column}31", text, "heading")
    for row, (look, sample, text) in enumerate(LEGEND, start=32):
        put(sheet, f"A{row}", int(sample.replace(",", "")), look)
        put(sheet, f"B{row}", text, "note_in")
    put(
        sheet,
        "A36",
        "The numbers of models are exact. Money is a guess made of guesses: read three digits of it.",
        "note",
    )
    places = (
        ("Assumptions", "Every input, under three scenarios, with its source"),
        ("Budget", "What the cluster buys under each scenario"),
        ("Models", "Every model's size, cost and fit"),
        ("Charts", "Where the parameters sit, and what training costs"),
        ("Rules", "Rules of thumb held against the exact numbers"),
        ("Problems", "What could not be counted, and reservations"),
        ("Checks", "What this workbook verifies of itself"),
        ("Provenance", "What made this workbook, and of which files"),
    )
    for row, (place, text) in enumerate(places, start=32):
        cell = put(sheet, f"D{row}", place, "link")
        cell.hyperlink = f"#'{place}'!A1"
        put(sheet, f"E{row}", text, "note")
    put(sheet, "D40", "Then a card and a table of workings for each architecture.", "note")
    put(sheet, "A41", "How to use", "section")
    steps = (
        "1. Choose a scenario above, or change blue cells on Assumptions, Models and the tables of workings.",
        "2. A new model: type a row with a new number under its architecture's table, and the number under Models.",
        "3. Look at Checks: what was edited since delivery is counted there.",
    )
    for row, text in enumerate(steps, start=42):
        put(sheet, f"A{row}", text, "plain")


def assumptions(book: Workbook) -> None:
    """Lay out a row a driver."""
    sheet = book.create_sheet("Assumptions")
    head(
        sheet,
        "Assumptions",
        "Change blue cells. Live is what formulas use: the scenario chosen on About. Low is low cost.",
    )
    name(sheet, "chk_assumptions", "F1")
    columns: Columns = [
        ("Block", "text", 12, "cluster"),
        ("Input", "text", 30, "Accelerators"),
        ("Unit", "text", 16, "accelerators"),
        ("Low", "assumption", 20, 1),
        ("Base", "assumption", 20, 1),
        ("High", "assumption", 20, 1),
        ("Live", "live", 20, 1),
        ("Source", "small", 52, "source"),
        ("Date", "small", 11, "2026"),
        ("Comment", "small", 44, "about"),
        ("Name", "id", 19, "accelerators"),
    ]
    table(sheet, "drivers", 4, columns)
    positive = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)
    positive.error, positive.errorTitle = "A number of at least 0 is expected", "Assumption"
    sheet.add_data_validation(positive)
    positive.add("D5:F5")
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4")


def budget(book: Workbook) -> None:
    """Lay out a row a driver or line, the scenarios across."""
    sheet = book.create_sheet("Budget")
    head(
        sheet, "Budget", "What the cluster buys under each scenario, and of what; Live is the scenario chosen on About."
    )
    name(sheet, "chk_budget", "F1")
    columns: Columns = [
        ("Part", "text", 12, "Result"),
        ("Line", "text", 34, "FLOP budget"),
        ("Unit", "text", 16, "ZFLOP"),
        ("Low", "link_general", 16, 1),
        ("Base", "link_general", 16, 1),
        ("High", "link_general", 16, 1),
        ("Live", "live", 16, 1),
        ("In words", "words", 74, "a · b"),
        ("Plain unit", "id", 12, "FLOP"),
        ("Times", "id", 24, 1),
        ("Id", "id", 22, "budget_flop"),
    ]
    table(sheet, "budget", 4, columns)
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4", area="A1:H5")


def cases(book: Workbook) -> None:
    """Lay out a row a scenario: all drivers, then what the cluster buys."""
    sheet = book.create_sheet("Workings budget")
    head(sheet, "Workings of the budget", "Every row carries all drivers of one scenario, and the same formulas.")
    name(sheet, "chk_cases", "F1")
    columns: Columns = [
        ("no", "no", 5, 1),
        ("case", "text", 9, "Low"),
        ("driver", "link_general", 19, 1),
        ("result", "general", 17, 1),
        ("big", "number", 32, 1),
    ]
    for place, row in enumerate((4, 5), start=0):
        for column, (_, _, width, _) in zip("ABCDE", columns, strict=True):
            put(sheet, f"{column}{row}", "-", ("column_title", "column_unit")[place])
            sheet.column_dimensions[column].width = width
    table(sheet, "cases", 6, columns, heading="column_id")
    sheet.freeze_panes = "C7"
    sheet.row_dimensions[4].height = 40
    print_setup(sheet, "4:6", wide=False)


def models(book: Workbook) -> None:
    """Lay out a row a costed model: results for people on the left, plain units on the right."""
    sheet = book.create_sheet("Models")
    head(
        sheet,
        "Models",
        "Every costed model. Blue cells change the tokens of one model. Workings in plain units stand on the right.",
        "G",
    )
    name(sheet, "chk_models", "G1")
    kinds = (
        ("no", "no", 5, 1),
        ("name", "text", 25, "Model"),
        ("status", "mark", 13, "ok"),
        ("text", "text", 10, "dense"),
        ("figure", "link_figure", 10, 1),
        ("tenth", "tenth", 10, 1),
        ("computed", "figure", 10, 1),
        ("percent", "percent", 7, 1),
        ("difference", "difference", 9, 0),
        ("fact", "fact", 10, 1),
        ("input", "assumption", 9, None),
        ("yes", "yes", 7, 1),
        ("end", "yes", 8, 1),
        ("link", "link_general", 19, 1),
        ("raw", "general", 22, 1),
    )
    for place, kind in enumerate(kinds, start=1):
        letter = sheet.cell(1, place).column_letter
        put(sheet, f"{letter}4", "-", "band")
        sheet.column_dimensions[letter].width = kind[2]
    table(sheet, "models", 5, list(kinds))
    sheet.row_dimensions[5].height = 54
    mark_status(sheet, "C6")
    mark_zero(sheet, "L6:M6")
    tokens = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)
    tokens.error, tokens.errorTitle = "A number of tokens in 1e12, or blank for the plan's", "Tokens"
    sheet.add_data_validation(tokens)
    tokens.add("K6")
    sheet.freeze_panes = "C6"
    print_setup(sheet, "4:5", area="A1:M6", paper=8)


def card(book: Workbook) -> None:
    """Lay out the prototype of a card: an architecture's lines for three models."""
    sheet = book.create_sheet("Card")
    put(sheet, "A1", "Line by line", "title")
    put(sheet, "A2", "what it is", "note")
    put(sheet, "A3", "what is left out", "note")
    put(sheet, "H1", "All checks pass", "check")
    mark_check(sheet, "H1")
    local_name(sheet, "title", "A1")
    local_name(sheet, "about", "A2")
    local_name(sheet, "left_out", "A3")
    local_name(sheet, "check", "H1")
    put(sheet, "D5", "Model number: choose", "column_title")
    put(sheet, "D6", "Model", "column_title")
    put(sheet, "D7", "Status", "column_title")
    picks = DataValidation("list", formula1="Workings!$A$6:$A$6", allow_blank=True, showErrorMessage=True)
    picks.error, picks.errorTitle = "Choose a model's number from the list", "Model"
    sheet.add_data_validation(picks)
    for letter, side in zip("EFG", "abc", strict=True):
        put(sheet, f"{letter}5", 1, "pick")
        put(sheet, f"{letter}6", "Model", "column_title")
        put(sheet, f"{letter}7", "ok", "mark")
        for row, what in ((5, "pick"), (6, "model"), (7, "status")):
            local_name(sheet, f"{what}_{side}", f"{letter}{row}")
        picks.add(f"{letter}5")
    mark_status(sheet, "E7:G7")
    sheet.row_dimensions[6].height = 28
    columns: Columns = [
        ("Group", "text", 16, "attention"),
        ("Line", "text", 34, "Queries"),
        ("In words", "words", 62, "a · b"),
        ("Unit", "text", 22, "parameters"),
        ("Model A", "number", 22, 1),
        ("Model B", "number", 22, 1),
        ("Model C", "number", 22, 1),
        ("Share of A", "percent", 9, 1),
        ("Source", "small", 40, "paper"),
        ("Id", "id", 26, "attention_q"),
        ("Of", "id", 14, "parameters"),
    ]
    table(sheet, "card_prototype", 9, columns, samples=3)
    for row, kind in ((11, "subtotal"), (12, "total")):
        looks = [
            kind + end for end in ("_text", "_text", "_words", "_text", "", "", "", "_percent", "_words", "_id", "_id")
        ]
        for letter, look in zip("ABCDEFGHIJK", looks, strict=True):
            put(sheet, f"{letter}{row}", sheet[f"{letter}10"].value, look)
    sheet.freeze_panes = "C10"
    print_setup(sheet, "5:9", area="A1:I12")


def rules(book: Workbook) -> None:
    """Lay out a row a rule and model."""
    sheet = book.create_sheet("Rules")
    head(
        sheet,
        "Rules of thumb",
        "Published rules beside the exact number; an erratum says where a rule errs, and what stands corrected.",
        "G",
    )
    name(sheet, "chk_rules", "G1")
    columns: Columns = [
        ("No", "no", 5, 1),
        ("Model", "text", 24, "Model"),
        ("Rule", "wrapped", 30, "12·L·d²"),
        ("Formula as published", "words", 38, "12 · L · d²"),
        ("Unit", "text", 12, "parameters"),
        ("Published", "number", 23, 1),
        ("Corrected", "number", 23, 1),
        ("Exact", "number", 23, 1),
        ("Published off", "difference", 10, 0),
        ("Corrected off", "difference", 10, 0),
        ("Erratum", "small", 46, "none"),
        ("Source", "small", 34, "paper"),
    ]
    table(sheet, "rules", 4, columns)
    sheet.row_dimensions[4].height = 30
    sheet.freeze_panes = "C5"
    print_setup(sheet, "4:4")


def problems(book: Workbook) -> None:
    """Lay out a row a problem or note."""
    sheet = book.create_sheet("Problems")
    head(
        sheet,
        "Problems and notes",
        "Errors: not costed. Approximate: costed with a reservation. Notes: conventions of exact counts.",
        "D",
    )
    name(sheet, "chk_problems", "D1")
    columns: Columns = [
        ("Model", "text", 28, "Model"),
        ("Status", "mark", 14, "ok"),
        ("Kind", "text", 12, "note"),
        ("What", "wrapped", 92, "text"),
        ("File", "small", 44, "config.json"),
    ]
    table(sheet, "problems", 4, columns)
    mark_status(sheet, "B5")
    sheet.freeze_panes = "A5"
    print_setup(sheet, "4:4")


def checks(book: Workbook) -> None:
    """Lay out a row a check, and the headline values as delivered."""
    sheet = book.create_sheet("Checks")
    head(sheet, "Checks", "What this workbook verifies of itself, and what was edited since it was delivered.", "D")
    name(sheet, "chk_checks", "D1")
    put(sheet, "A4", "Master check", "total_text")
    bound(sheet, "chk_master", "B4", "All checks pass", "total_text")
    put(sheet, "C4", None, "total_text")
    put(sheet, "A5", "Models that differ from delivery (a changed scenario counts too)", "text")
    bound(sheet, "out_edited", "B5", 0, "number")
    put(sheet, "C5", None, "text")
    columns: Columns = [
        ("Check", "wrapped", 54, "check"),
        ("Off by", "general", 18, 0),
        ("Pass", "pass", 8, 1),
        ("Why", "words", 58, "why"),
    ]
    table(sheet, "checks", 7, columns)
    mark_zero(sheet, "C8")
    put(sheet, "F6", "As delivered, beside the live numbers", "section")
    sheet.column_dimensions["E"].width = 3
    columns = [
        ("No", "no", 6, 1),
        ("Model", "text", 28, "Model"),
        ("Parameters delivered", "delivered", 22, 1),
        ("Parameters live", "link_number", 22, 1),
        ("Cost delivered (USD)", "delivered", 22, 1),
        ("Cost live (USD)", "link_number", 22, 1),
        ("Edited", "yes", 9, 0),
    ]
    table(sheet, "delivered", 7, columns, first=6)
    print_setup(sheet, "7:7")


def provenance(book: Workbook) -> None:
    """Lay out what made the workbook, and the files that it was made of."""
    sheet = book.create_sheet("Provenance")
    head(sheet, "Provenance", "What made this workbook, and the files that it was made of.", "C")
    name(sheet, "chk_provenance", "C1")
    columns: Columns = [
        ("What", "text", 14, "Program"),
        ("Name", "text", 78, "flopsheet"),
        ("Version or SHA-256", "text", 72, "0.1.0"),
    ]
    table(sheet, "provenance", 4, columns)
    sheet.freeze_panes = "A5"
    print_setup(sheet, "4:4")


def workings(book: Workbook) -> None:
    """Lay out the prototype of workings: a row a model, a column a dimension or line."""
    sheet = book.create_sheet("Workings")
    put(sheet, "A1", "Workings", "title")
    put(sheet, "G1", "All checks pass", "check")
    mark_check(sheet, "G1")
    local_name(sheet, "title", "A1")
    local_name(sheet, "check", "G1")
    kinds: Columns = [
        ("no", "no", 5, 1),
        ("model", "text", 26, "Model"),
        ("status", "mark", 13, "ok"),
        ("file", "id", 30, "config.json"),
        ("fact", "fact", 13, 1),
        ("flag", "fact", 10, 1),
        ("assumption", "assumption", 12, 1),
        ("choice", "assumption_text", 11, "full"),
        ("helper", "number", 19, 1),
        ("line", "number", 21, 1),
        ("subtotal", "subtotal", 21, 1),
        ("total", "total", 22, 1),
    ]
    for place in range(1, len(kinds) + 1):
        letter = sheet.cell(1, place).column_letter
        for row, look in ((2, "band"), (3, "column_title"), (4, "column_unit")):
            put(sheet, f"{letter}{row}", "-", look)
    table(sheet, "prototype", 5, kinds, heading="column_id")
    sheet.row_dimensions[3].height = 38
    sheet.row_dimensions[5].height = 24
    mark_status(sheet, "C6")
    for ref, validation in (
        ("F6", DataValidation("list", formula1='"0,1"', showErrorMessage=True)),
        ("H6", DataValidation("list", formula1='"full,causal,window"', showErrorMessage=True)),
        ("E6", DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)),
        ("G6", DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", showErrorMessage=True)),
    ):
        sheet.add_data_validation(validation)
        validation.add(ref)
    sheet.freeze_panes = "C6"
    print_setup(sheet, "1:5", wide=False)


def save(book: Workbook, path: Path) -> None:
    """Write the workbook with fixed dates, so that the same template gives the same bytes."""
    fixed = datetime(2026, 1, 1)  # noqa: DTZ001 - a date that never changes needs no zone
    book.properties.created = book.properties.modified = fixed
    book.properties.creator = "flopsheet"
    raw = BytesIO()
    book.save(raw)
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            info = zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, _mended(entry.filename, source.read(entry)))


def _mended(part: str, data: bytes) -> bytes:
    """Return a part without the moment of saving, and with fonts as the schema orders them: openpyxl does neither."""
    if part == "docProps/core.xml":
        return re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2026-01-01T00:00:00Z", data)
    if part != "xl/styles.xml":
        return data
    root = etree.fromstring(data)
    for font in root.iter(f"{{{MAIN}}}font"):
        font[:] = sorted(font, key=lambda child: FONT_ORDER.index(etree.QName(child).localname))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


def plan() -> Workbook:
    """Return the template of a training plan."""
    book = Workbook()
    book.remove(book.worksheets[0])
    about(book)
    assumptions(book)
    budget(book)
    models(book)
    card(book)
    add_charts(book, table, head, name)
    rules(book)
    problems(book)
    checks(book)
    provenance(book)
    cases(book)
    workings(book)
    return book


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "flopsheet_templates"
    save(plan(), folder / "plan.xlsx")
