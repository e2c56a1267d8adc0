"""Cells that a fill does not fill stay, in whatever way a program spells the XML of their sheet."""

import zipfile
from functools import cache
from io import BytesIO
from itertools import cycle

import pytest
from lxml import etree
from sheet_corpus import (
    COMBINED,
    MAIN,
    SPELLINGS,
    cells,
    sheets_of,
    spell,
    tables_of,
    values,
    with_sheets,
    without_formulas,
    workbooks,
)
from xlsx_templates import rezipped, template

from flopsheet.errors import TemplateError
from flopsheet.export.workbook.write import load_template
from livesheets.engine import Fill, TableFill, fill, stream
from livesheets.engine.active import WORDS

cells_before = cache(cells)
"""The cells of a template's sheet, which many spellings are compared with."""
FREE = (99, 702)
"""The row and column of a cell that no sheet of the corpus has: ZZ99."""


@cache
def named(data):
    """Return a workbook with a name for an empty cell of each of its sheets, and those names."""
    names = {f"out_free_{at}": f"'{sheet}'!$ZZ$99" for at, sheet in enumerate(sheets_of(data).values())}

    def add(book):
        root = etree.fromstring(book)
        holder = root.find(f"{MAIN}definedNames")
        if holder is None:
            holder = etree.Element(f"{MAIN}definedNames")
            root.find(f"{MAIN}sheets").addnext(holder)
        for name, cell in names.items():
            etree.SubElement(holder, f"{MAIN}definedName", name=name).text = cell
        return etree.tostring(root)

    return rezipped(lambda parts: [(n, add(xml) if n == "xl/workbook.xml" else xml) for n, xml in parts], data), names


def table_fills(data):
    """Return as many rows as each table has, of numbers that it does not have."""
    tables = [table for tables in tables_of(data).values() for table in tables]
    return {table.name: TableFill([[7] * table.columns] * table.rows) for table in tables}


def differing(before, after):
    """Return the cells that are not what they were; a formula may have lost the value that was stored with it."""
    lost = []
    for at, cell in before.items():
        now = after.get(at, ("", "", False, None, ""))
        blanked = cell[2] and not now[4] and now[:1] + now[2:3] == cell[:1] + cell[2:3]
        same_text = cell[3] is None or now[3] is None or now[3] == cell[3]
        if not same_text or (now[:3] + now[4:] != cell[:3] + cell[4:] and not blanked):
            lost.append((at, cell, now))
    return lost


def outside(found, tables):
    """Return the cells that are in no data row of a table, and not the cell that was filled."""
    areas = [(left, top + 1, right, top + rows) for _, (left, top, right, _), rows, _ in tables]
    filled = lambda row, column: any(a[1] <= row <= a[3] and a[0] <= column <= a[2] for a in areas)  # noqa: E731
    return {at: cell for at, cell in found.items() if at != FREE and not filled(*at)}


def check_kept(data, spellings, output, *, tables):
    """Fill a cell of each sheet, and tables if asked, and compare every other cell with the template's."""
    (data, names), of_sheets = named(data), tables_of(data)
    turns = cycle(spellings)
    spelled = with_sheets(data, lambda xml: spell(xml, next(turns)))
    fills = table_fills(data) if tables else {}
    fill(spelled, Fill(names=dict.fromkeys(names, 7), tables=fills, allow=WORDS), output)
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(output) as new:
        for part, own in of_sheets.items():
            before, after = cells_before(old.read(part)), cells(new.read(part))
            kept, result = (outside(one, own if tables else ()) for one in (before, after))
            assert not differing(kept, result), (output.name, part)
            assert result.keys() == kept.keys(), (output.name, part)
            assert after[FREE][4] == "7"


def test_the_corpus_is_large_enough():
    """Sheets of every kind, each of which is filled with its formulas and without them, and some with tables."""
    assert sum(len(sheets_of(data)) for data in workbooks().values()) >= 60
    assert sum(map(len, map(table_fills, workbooks().values()))) >= 10


@pytest.mark.parametrize("tables", [False, True], ids=["formulas", "values and tables"])
@pytest.mark.parametrize("spelling", [*SPELLINGS, *COMBINED])
def test_cells_that_are_not_filled_stay(spelling, tables, tmp_path):
    """A cell of each sheet is filled, and its tables where formulas do not read them; every other cell stays."""
    for name, data in (values() if tables else workbooks()).items():
        output = tmp_path / f"{name}.{'xlsm' if name == 'rich' else 'xlsx'}"
        check_kept(data, [spelling], output, tables=tables)


@pytest.mark.parametrize("formulas", [True, False])
def test_all_cells_of_a_large_workbook_stay(formulas, tmp_path):
    """The shipped template as a whole, each of its sheets in another spelling."""
    data = load_template("plan")[0]
    made = data if formulas else with_sheets(data, without_formulas)
    check_kept(made, [*SPELLINGS, *COMBINED], tmp_path / "plan.xlsx", tables=False)


@pytest.mark.parametrize("spelling", ["spans first", "a comment"])
def test_a_fill_that_would_lose_cells_is_refused(spelling, tmp_path, monkeypatch):
    """What is written is compared with what was read: a fault in between is no output."""
    data, names = named(with_sheets(template(), lambda xml: spell(without_formulas(xml), spelling)))
    monkeypatch.setattr(stream, "row_text", lambda *_: "")
    with pytest.raises(TemplateError, match=r"'Models' would lose cells that are not filled \(row 1, .*report it"):
        fill(data, Fill(names={next(iter(names)): 7}), tmp_path / "out.xlsx")
    assert not list(tmp_path.iterdir())
