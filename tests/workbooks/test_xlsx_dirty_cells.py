from io import BytesIO

import pytest
from openpyxl import load_workbook
from xlsx_templates import ROWS, filled, patched, raw_entries, save, template

from livesheets.engine import Formula, TableFill
from livesheets.engine.dirty_cells import Node, Sources, spread
from livesheets.references import Area, read_area

NAMES = {
    "price": "S!$B$2",
    "loop": "loop+S!$A$1",
    "moving": "OFFSET(S!A1,1,0)",
    "left": "S!$A1",
    "over": "S!B$1:B1",
    "top": "S!C$1",
    "double": "_xlfn.LAMBDA(_xlpm.x,_xlpm.x*S!$A$9)",
}
TABLES = {"data": ("s", Area(4, 1, 9, 6)), "t.b": ("x", Area(1, 1, 2, 2))}
SOURCES = Sources(TABLES, {"": NAMES, "s": NAMES, "other": NAMES | {"price": "Other!$Z$1", "mine": "Other!$Z$2"}})


def needs(formula, home="Other"):
    """Return what a formula reads as text, None if nobody can tell."""
    result = SOURCES.needs(formula, home)
    return None if result is None else sorted(f"{sheet}!{area}" for sheet, area in result)


@pytest.mark.parametrize(
    ("formula", "cells"),
    [
        ("1+2", []),
        ("A1+S!B2", ["other!A1", "s!B2"]),
        ("SUM($A$1:B3)", ["other!A1:B3"]),
        ("SUM(S!C:D,'it''s'!3:4)", ["it's!A3:XFD4", "s!C1:D1048576"]),
        ("SUM(Data[Cost '[USD'] m])+ROWS(T.B)", ["s!A4:F9", "x!A1:B2"]),
        ("Data[[#This Row],[a]]", ["s!A4:F9"]),
        ("price*mine", ["other!Z1", "other!Z2"]),
        ("S!price", ["s!B2"]),
        ("loop", ["s!A1"]),
        ("left", ["s!A1:A1048576"]),
        ("over", ["s!A1:XFD1048576"]),
        ("top", ["s!A1:XFD1"]),
        ("double(A1)", ["other!A1", "s!A9"]),
        ('IF(TRUE,"A1 & INDIRECT(B2)",1E+5)', []),
        ("B2*[1]Rates!$B$2+'[2]a b'!C3", ["other!B2"]),
        ("B2*[1]!price+SUM([1]!Data[a])+'[2]a b'!nobody", ["other!B2"]),
        ("[0]!price", None),
        ("[1]!macro(B2)", None),
        ("IFERROR(A1,#N/A)", ["other!A1"]),
        ("_xlfn.ANCHORARRAY(A1)", ["other!A1"]),
        ("_xlfn.LET(_xlpm.x,A1,_xlpm.x)", ["other!A1"]),
        ("INDIRECT(A1)", None),
        ("now()", None),
        ("_xlfn.RANDARRAY(2)", None),
        ("A1:INDEX(B1:B9,2)", None),
        ("SUM(One:Three!A1)", None),
        ("SUM('One:Three'!A1)", None),
        ("nobody+1", None),
        ("nobody[a]", None),
        ("[a]+1", None),
        ("moving", None),
    ],
)
def test_what_a_formula_reads(formula, cells):
    """References, tables and names are followed to cells; what moves or cannot be told is None."""
    assert needs(formula) == cells


def node(cell, *reads):
    """Return a formula on the sheet s."""
    return Node("s", read_area(cell), frozenset(("s", read_area(area)) for area in reads))


@pytest.mark.parametrize(
    ("nodes", "unknown"),
    [
        ([node("B1", "A1"), node("B2", "A2")], {"B1"}),
        ([node("B3", "B2"), node("B2", "B1"), node("B1", "A1:A9")], {"B1", "B2", "B3"}),
        ([node("B1", "B2"), node("B2", "B1"), node("B3", "B3", "A1")], {"B3"}),
        ([node("B1", "A1:A900000"), node("B2", "B1:XFD1")], {"B1", "B2"}),
        ([node("B1", "A2:A9"), node("C2:D9", "A1"), node("E1", "D9")], {"C2:D9", "E1"}),
        ([Node("s", read_area("B1"), None), node("B2", "B1")], {"B1", "B2"}),
        ([Node("t", read_area("B1"), frozenset({("t", read_area("A1"))}))], set()),
        (
            [*(node(f"C{row}", "A1") for row in (1, 2, 3)), node("D1", "C2:C9"), node("D2", "C3"), node("D3", "C4:C9")],
            {"C1", "C2", "C3", "D1", "D2"},
        ),
    ],
    ids=["one", "chain", "circle", "tall", "array", "nobody knows", "other sheet", "neighbors"],
)
def test_staleness_spreads(nodes, unknown):
    """What reads a changed cell is unknown, and so is what reads that, in any order."""
    result = spread([("s", read_area("A1"))], nodes).unknown
    cells = {node.area for node in nodes if result.meets(node.sheet, node.area)}
    assert {str(area) for area in cells} == unknown


def test_without_a_change_nothing_is_stale():
    """A fill that changes no cell leaves even volatile formulas their values."""
    assert not spread([], [Node("s", read_area("A1"), None)]).regions


def value_of(folder, formula, **asked):
    """Return the cached value 7 of a formula in Notes!B1 as the output has it."""
    book = load_workbook(BytesIO(template()))
    book["Notes"]["B1"] = "=7+7"
    data = patched(save(book), "xl/worksheets/sheet4.xml", ("<f>7+7</f><v></v>", f"<f>{formula}</f><v>7</v>"))
    output = filled(folder, data, **asked)
    same = raw_entries(data)["xl/worksheets/sheet4.xml"] == raw_entries(output.read_bytes())["xl/worksheets/sheet4.xml"]
    value = load_workbook(output, data_only=True)["Notes"]["B1"].value
    assert same == (value == 7)
    return value


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("Models!B6", None),
        ("Models!B40", 7),
        ("Models!B5", 7),
        ("in_price", 7),
        ("out_total", None),
        ("Lists!A1", None),
        ("Models!G1", 7),
        ("Models!A1", None),
        ("TODAY()", None),
        ("1+1", 7),
    ],
)
def test_a_formula_of_an_unfilled_sheet_forgets_only_what_changed(formula, value, tmp_path):
    """The value goes when its inputs changed, even through other sheets; else the whole sheet is a copy."""
    asked = {"tables": {"models": TableFill(ROWS)}, "texts": {"purpose": "us"}}
    assert value_of(tmp_path, formula, **asked) == value


def test_a_single_value_spoils_what_reads_it(tmp_path):
    """A value for a name changes the formulas that read the name."""
    assert value_of(tmp_path, "in_price*2", names={"in_price": 3}) is None


def test_a_computed_name_is_known(tmp_path):
    """A formula that gets its value from the fill keeps that value."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS)}, names={"out_total": Formula("1+1", 2)})
    assert load_workbook(output, data_only=True)["Models"]["F2"].value == 2


def test_a_formula_that_spills_may_fill_more_cells(tmp_path):
    """What reads a cell under a spilling formula may read what it fills now; the rest stays."""
    book = load_workbook(BytesIO(template()))
    sheet = book["Notes"]
    sheet["B1"], sheet["C1"], sheet["C2"], sheet["B9"] = "=7+7", "=8+8", "=9+9", "below"
    spilling = '<f t="array" ref="B1:B2">_xlfn._xlws.SORT(models[size])</f><v>7</v>'
    changes = [
        ('r="B1"><f>7+7</f><v></v>', f'r="B1" cm="1">{spilling}'),
        ("<f>8+8</f><v></v>", "<f>B5</f><v>0</v>"),
        ("<f>9+9</f><v></v>", "<f>D5</f><v>0</v>"),
    ]
    data = patched(save(book), "xl/worksheets/sheet4.xml", *changes)
    sheet = load_workbook(filled(tmp_path, data, tables={"models": TableFill(ROWS)}), data_only=True)["Notes"]
    assert [sheet[ref].value for ref in ("B1", "C1", "C2", "B9")] == [None, None, 0, "below"]
