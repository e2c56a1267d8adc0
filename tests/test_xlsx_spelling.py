"""Cells that a fill does not fill stay, in whatever way a program spells the XML of their sheet."""

import re
import zipfile
from functools import cache, lru_cache
from io import BytesIO

import pytest
from lxml import etree
from openpyxl.utils import column_index_from_string
from rich_template import rich_template
from test_xlsx_foreign import FORMS
from xlsx_templates import template

from flopsheet.errors import TemplateError
from flopsheet.export.workbook.write import load_template
from flopsheet.spreadsheet.engine import Fill, fill, stream
from flopsheet.spreadsheet.engine.active import WORDS

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FORMULA = re.compile(rb"<(\w+:)?f\b[^>]*/>|<(\w+:)?f\b.*?</(\w+:)?f>", re.DOTALL)
ROW = re.compile(rb'<((?:\w+:)?row)((?: [\w:]+="[^"]*")*?) r="([0-9]+)"')
FIRST_CELL = re.compile(rb"<((?:\w+:)?c) ")


def rows_backwards(xml):
    """Return a sheet with its rows from the last to the first."""
    rows = re.compile(rb"<(?:\w+:)?row\b[^>]*/>|<(?:\w+:)?row\b[^>]*[^/]>.*?</(?:\w+:)?row>", re.DOTALL)
    backwards = iter(reversed(rows.findall(xml)))
    return rows.sub(lambda _: next(backwards), xml)


SPELLINGS = {
    "spans first": lambda xml: ROW.sub(rb'<\1 spans="1:9"\2 r="\3"', xml.replace(b' spans="', b' was="')),
    "collapsed first": lambda xml: ROW.sub(rb'<\1 collapsed="false"\2 r="\3"', xml),
    "single quotes": lambda xml: ROW.sub(rb"<\1\2 r='\3'", xml),
    "a blank before the sign": lambda xml: ROW.sub(rb'<\1\2 r ="\3"', xml),
    "a comment": lambda xml: xml.replace(b"</c>", b"</c><!-- a -->", 1),
    "a processing instruction": lambda xml: xml.replace(b"</row>", b"<?a b?></row>", 1),
    "CDATA": lambda xml: re.sub(rb"<v>([^<&]+)</v>", rb"<v><![CDATA[\1]]></v>", xml, count=3),
    "a namespace of a row": lambda xml: ROW.sub(rb'<\1 xmlns:odd="urn:odd"\2 r="\3" odd:a="1"', xml, count=1),
    "a namespace of a cell": lambda xml: FIRST_CELL.sub(rb'<\1 xmlns:odd="urn:odd" odd:a="1" ', xml, count=2),
    "rows out of order": rows_backwards,
}


@cache
def workbooks():
    """Return the workbooks of the corpus: the shipped template and those of other tests."""
    own = {"plan": load_template("plan")[0], "rich": rich_template(), "plain": template()}
    return own | {form: FORMS[form] for form in ("the least", "prefixes", "no addresses", "a mark of the encoding")}


def sheets_of(data):
    """Return the parts that are worksheets, in the order of the workbook, with the names of their sheets."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        arrows = etree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {arrow.get("Id"): arrow.get("Target") for arrow in arrows}
        book = etree.fromstring(archive.read("xl/workbook.xml"))
    found = {}
    for sheet in book.iter(f"{MAIN}sheet"):
        target = targets[next(value for key, value in sheet.items() if key.endswith("}id"))]
        part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        if "worksheets/" in part:
            found[part] = sheet.get("name")
    return found


@lru_cache(maxsize=80)
def cells(xml):
    """Return the meaning of each cell by row and column: style, type, formula and value; read by lxml alone."""
    found, at = {}, 0
    for row in etree.fromstring(xml).iter(f"{MAIN}row"):
        at, column = int(row.get("r", at + 1)), 0
        for cell in row.iter(f"{MAIN}c"):
            column = column_index_from_string(cell.get("r").rstrip("0123456789")) if cell.get("r") else column + 1
            formula = cell.find(f"{MAIN}f")
            value = "".join(text for part in cell if part is not formula for text in part.itertext())
            plain = None if formula is None else ("".join(formula.itertext()) or None)
            found[at, column] = (cell.get("s", "0"), formula is not None, plain, value)
    return found


def respelled(data, change, *, formulas):
    """Return a workbook whose every sheet is spelled in another way, with a name for an empty cell of each sheet."""
    sheets, out = sheets_of(data), BytesIO()
    free = {part: f"out_free_{at}" for at, part in enumerate(sheets)}
    names = {free[part]: f"'{sheet}'!$ZZ$9999" for part, sheet in sheets.items()}
    original = {}
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename in sheets:
                content = content if formulas else FORMULA.sub(b"", content)
                original[info.filename] = cells(content)
                content = change(content)
                etree.fromstring(content)
            if info.filename == "xl/workbook.xml":
                content = named(content, names)
            new.writestr(info.filename, content)
    return out.getvalue(), original, tuple(free.values())


def named(book, names):
    """Return a workbook part with more defined names, each for a cell."""
    root = etree.fromstring(book)
    holder = root.find(f"{MAIN}definedNames")
    if holder is None:
        holder = etree.Element(f"{MAIN}definedNames")
        root.find(f"{MAIN}sheets").addnext(holder)
    for name, cell in names.items():
        etree.SubElement(holder, f"{MAIN}definedName", name=name).text = cell
    return etree.tostring(root)


def differing(before, after):
    """Return the cells that are not what they were; a formula may have lost the value that was stored with it."""
    lost = []
    for at, (style, computed, formula, value) in before.items():
        now = after.get(at, ("", False, None, ""))
        same_text = formula is None or now[2] is None or now[2] == formula
        if now[:2] != (style, computed) or not same_text or (now[3] != value and not (computed and not now[3])):
            lost.append((at, before[at], now))
    return lost


def test_the_corpus_is_large_enough():
    """Sheets of every kind, each with its formulas and without them."""
    assert sum(len(sheets_of(data)) for data in workbooks().values()) * 2 >= 60


@pytest.mark.parametrize("formulas", [True, False], ids=["formulas", "values"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_cells_that_are_not_filled_stay(spelling, formulas, tmp_path):
    """A cell of each sheet is filled; every other cell of the sheet is what it was."""
    for name, data in workbooks().items():
        odd, original, free = respelled(data, SPELLINGS[spelling], formulas=formulas)
        output = tmp_path / ("filled.xlsm" if name == "rich" else "filled.xlsx")
        fill(odd, Fill(names=dict.fromkeys(free, 7), allow=WORDS), output)
        with zipfile.ZipFile(output) as archive:
            for part, before in original.items():
                after = cells(archive.read(part))
                assert not differing(before, after), (name, part)
                assert len(after) == len(before) + 1, (name, part)
                assert after[9999, column_index_from_string("ZZ")][3] == "7"


@pytest.mark.parametrize("spelling", ["spans first", "a comment"])
def test_a_fill_that_would_lose_cells_is_refused(spelling, tmp_path, monkeypatch):
    """What is written is compared with what was read: a fault in between is no output."""
    odd, _, free = respelled(template(), SPELLINGS[spelling], formulas=False)
    monkeypatch.setattr(stream, "row_text", lambda *_: "")
    with pytest.raises(TemplateError, match=r"'Models' would lose cells that are not filled \(row 1, .*report it"):
        fill(odd, Fill(names={free[0]: 7}), tmp_path / "out.xlsx")
    assert not list(tmp_path.iterdir())
