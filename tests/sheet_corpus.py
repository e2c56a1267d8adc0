"""Workbooks with sheets of every kind, the ways in which programs spell their rows, and the cells that they say."""

from __future__ import annotations

import random
import re
import zipfile
from functools import cache, lru_cache
from io import BytesIO
from typing import NamedTuple

from budget_template import budget
from lxml import etree
from openpyxl import Workbook
from openpyxl.styles import Font
from openpyxl.utils import column_index_from_string
from openpyxl.utils.cell import range_boundaries
from openpyxl.worksheet.formula import ArrayFormula
from rich_template import rich_template
from test_xlsx_foreign import FORMS
from xlsx_templates import prototype_template, rezipped, save, template

from flopsheet.export.workbook.write import load_template

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FORMULA = re.compile(rb"<(\w+:)?f\b[^>]*/>|<(\w+:)?f\b.*?</(\w+:)?f>", re.DOTALL)
ROW = re.compile(rb'<((?:\w+:)?row)((?: [\w:]+="[^"]*")*?) r="([0-9]+)"')
ROWS = re.compile(rb"<(?:\w+:)?row\b[^>]*/>|<(?:\w+:)?row\b[^>]*[^/]>.*?</(?:\w+:)?row>", re.DOTALL)
FIRST_CELL = re.compile(rb"<((?:\w+:)?c) ")
SHEET = "worksheets/sheet"


def rows_backwards(xml):
    """Return a sheet with its rows from the last to the first."""
    backwards = iter(reversed(ROWS.findall(xml)))
    return ROWS.sub(lambda _: next(backwards), xml)


SPELLINGS = {
    "spans first": lambda xml: ROW.sub(rb'<\1 spans="1:9"\2 r="\3"', xml.replace(b' spans="', b' was="')),
    "collapsed first": lambda xml: ROW.sub(rb'<\1 collapsed="false"\2 r="\3"', xml),
    "single quotes": lambda xml: ROW.sub(rb"<\1\2 r='\3'", xml),
    "a blank before the sign": lambda xml: ROW.sub(rb'<\1\2 r ="\3"', xml),
    "a comment": lambda xml: re.sub(rb"(</(?:\w+:)?c>)", rb"\1<!-- a -->", xml, count=1),
    "a processing instruction": lambda xml: re.sub(rb"(</(?:\w+:)?row>)", rb"<?a b?>\1", xml, count=1),
    "CDATA": lambda xml: re.sub(rb"(<(?:\w+:)?[vt]>)([^<&]+)</", rb"\1<![CDATA[\2]]></", xml, count=3),
    "a namespace of a row": lambda xml: ROW.sub(rb'<\1 xmlns:odd="urn:odd"\2 r="\3" odd:a="1"', xml, count=1),
    "a namespace of a cell": lambda xml: FIRST_CELL.sub(rb'<\1 xmlns:odd="urn:odd" odd:a="1" ', xml, count=2),
    "rows out of order": rows_backwards,
}
COMBINED = {
    "a namespace, a comment and spans": ("a namespace of a cell", "a comment", "spans first"),
    "backwards in single quotes with CDATA": ("rows out of order", "CDATA", "single quotes"),
    "all at once": (
        *("rows out of order", "CDATA", "a comment", "a processing instruction"),
        *("a namespace of a cell", "a namespace of a row", "a blank before the sign"),
    ),
}


def spell(xml, spelling):
    """Return a sheet spelled in a way of SPELLINGS, or in several of them one after the other."""
    for name in COMBINED.get(spelling, (spelling,)):
        xml = SPELLINGS[name](xml)
    return xml


@cache
def workbooks():
    """Return the workbooks of the corpus: those of other tests, random ones, the first rows of the shipped template."""
    own = {"rich": rich_template(), "plain": template(), "prototype": prototype_template(), "budget": budget()}
    own |= {f"random {seed}": random_workbook(seed) for seed in (1, 2)}
    own["short"] = with_sheets(load_template("plan")[0], shorten)
    return own | FORMS


@cache
def values():
    """Return the workbooks of the corpus without formulas, as the values that were stored with them."""
    return {name: with_sheets(data, without_formulas) for name, data in workbooks().items()}


def random_workbook(seed, sheets=10):
    """Return a workbook with numbers, texts, flags, errors, dates, formulas, styles and blanks in many shapes."""
    chance, book = random.Random(seed), Workbook()  # noqa: S311 - chance, no secret
    book.remove(book.active)
    for at in range(sheets):
        sheet = book.create_sheet(f"Sheet {at}")
        for _ in range((1, 5, 40, 90)[at % 4]):
            cell = sheet.cell(chance.randint(1, 60), chance.choice((1, 2, 3, 5, 26, 27, 60)))
            cell.value = random_content(chance, cell.coordinate)
            cell.font = Font(bold=chance.random() < 0.3)
            cell.number_format = chance.choice(("General", "0.00", "yyyy-mm-dd"))
        for row in range(1, 60, 7):
            sheet.row_dimensions[row].height = chance.choice((None, 12.5, 30))
    return save(book)


def random_content(chance, ref):
    """Return one of the things that a cell at an address may hold."""
    texts = ("a&b <c>", " blanks around ", "line\nbreak", "_x0041_", "ünï", "1.5")
    numbers = (0, -1, 1.5, 1e300, 12345678901234)
    others = (True, "#N/A", "=1+1", None, ArrayFormula(ref, "=SUM(1,2)"))
    return chance.choice(chance.choice((texts, numbers, others)))


def with_sheets(data, change):
    """Return a workbook with each sheet's XML changed."""
    return rezipped(lambda parts: [(name, change(xml) if SHEET in name else xml) for name, xml in parts], data)


def shorten(xml, rows=5):
    """Return a sheet with its first rows."""
    result = list(ROWS.finditer(xml))
    return xml if len(result) <= rows else xml[: result[rows].start()] + xml[result[-1].end() :]


def without_formulas(xml):
    """Return a sheet with the values that were stored next to its formulas."""
    return FORMULA.sub(b"", xml)


class Table(NamedTuple):
    """A table of a workbook: its name, its part, and its first and last column and row."""

    name: str
    area: tuple[int, int, int, int]
    rows: int
    columns: int


def sheets_of(data):
    """Return the parts that are worksheets, in the order of the workbook, with the names of their sheets."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        targets = targets_of(archive, "xl/workbook.xml")
        book = etree.fromstring(archive.read("xl/workbook.xml"))
    parts = {
        targets[next(value for key, value in s.items() if key.endswith("}id"))]: s for s in book.iter(f"{MAIN}sheet")
    }
    return {part: sheet.get("name") for part, sheet in parts.items() if "worksheets/" in part}


def targets_of(archive, part):
    """Return the parts that a part of the workbook points to, by the id of each relationship."""
    folder, _, name = part.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    arrows = etree.fromstring(archive.read(rels)) if rels in archive.namelist() else ()
    plain = {arrow.get("Id"): arrow.get("Target").replace("../", "/xl/") for arrow in arrows}
    return {key: to.removeprefix("/") if to.startswith("/") else f"{folder}/{to}" for key, to in plain.items()}


def tables_of(data):
    """Return the tables of each worksheet that have a header."""
    result = {}
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for part in sheets_of(data):
            parts = sorted(to for to in targets_of(archive, part).values() if "/tables/" in to)
            result[part] = [read_table(archive.read(one)) for one in parts]
    return result


def read_table(xml):
    """Return what a part says of a table."""
    root = etree.fromstring(xml)
    area = range_boundaries(root.get("ref"))
    rows = area[3] - area[1] - int(root.get("totalsRowCount", "0"))
    return Table(root.get("displayName"), area, rows, area[2] - area[0] + 1)


@lru_cache(maxsize=200)
def cells(xml):
    """Return the meaning of each cell by row and column: style, type, formula and value; read by lxml alone."""
    result, at = {}, 0
    for row in etree.fromstring(xml).iter(f"{MAIN}row"):
        at, column = int(row.get("r", at + 1)), 0
        for cell in row.iter(f"{MAIN}c"):
            column = column_index_from_string(cell.get("r").rstrip("0123456789")) if cell.get("r") else column + 1
            formula = cell.find(f"{MAIN}f")
            value = "".join(text for part in cell if part is not formula for text in part.itertext())
            text = None if formula is None else ("".join(formula.itertext()) or None)
            result[at, column] = (cell.get("s", "0"), cell.get("t", "n"), formula is not None, text, value)
    return result
