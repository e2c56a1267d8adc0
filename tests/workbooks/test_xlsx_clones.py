import re
import zipfile
from io import BytesIO

import pytest
from openpyxl import load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.hyperlink import Hyperlink
from xlsx_templates import cell_xml, filled, part, prototype_template, raw_entries, save

from livesheets.engine import Clone, Column, Formula, TableFill
from livesheets.errors import TemplateError

COLUMNS = (Column("name"), Column("d_model", like="size"), Column("is_a", like="flag"), Column("is_b", like="flag"))
DENSE = Clone("Proto", "dense", {"proto": ("dense", TableFill([("a", 1, 0), ("b", 3, 1), ("c", 5, 1)]))})
MOE = Clone("Proto", "Experts' own", {"proto": ("moe", TableFill([("x", 7, 0, 1)], columns=COLUMNS))})


def cloned(folder, *clones, data=None, **asked):
    """Fill the prototype template with clones and return the file."""
    return filled(folder, data or prototype_template(), clones=clones, **asked)


def one(sheet="x", table="x_table", **cells):
    """Return a clone with nothing in its table."""
    return Clone("Proto", sheet, {"proto": (table, TableFill([]))}, cells)


def test_clones_stand_where_the_prototype_stood(tmp_path):
    """The prototype is gone and its clones are in its place, in their order."""
    assert load_workbook(cloned(tmp_path, DENSE, MOE)).sheetnames == ["About", "dense", "Experts' own", "End"]


def test_each_clone_has_its_own_table(tmp_path):
    """Every clone's table has its own name, id, part, columns and rows."""
    output = cloned(tmp_path, DENSE, MOE)
    book = load_workbook(output)
    assert book["dense"].tables.items() == [("dense", "B5:D8")]
    assert book["Experts' own"].tables["moe"].column_names == ["name", "d_model", "is_a", "is_b"]
    assert [cell.value for (cell,) in book["dense"]["C6:C8"]] == [1, 3, 5]
    assert [cell.value for cell in book["Experts' own"]["B6:E6"][0]] == ["x", 7, 0, 1]
    with zipfile.ZipFile(output) as archive:
        parts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/tables/")]
    assert len(parts) == 2
    assert len({re.search(r' id="(\d+)"', xml)[1] for xml in parts}) == 2


def test_the_prototypes_parts_are_gone(tmp_path):
    """Neither the prototype's sheet nor its table is left, nor is either listed."""
    before = raw_entries(prototype_template())
    after = raw_entries(cloned(tmp_path, DENSE).read_bytes())
    gone = {"xl/worksheets/sheet2.xml", "xl/worksheets/_rels/sheet2.xml.rels", "xl/tables/table1.xml"}
    assert set(before) - set(after) == gone
    listed = part(tmp_path / "filled.xlsx", "[Content_Types].xml") + part(
        tmp_path / "filled.xlsx", "xl/_rels/workbook.xml.rels"
    )
    assert not [name for name in gone if f'"/{name}"' in listed]


def test_every_part_is_listed_with_its_type(tmp_path):
    """New sheets and tables are in the list of content types."""
    output = cloned(tmp_path, DENSE, MOE)
    types = part(output, "[Content_Types].xml")
    new = [name for name in raw_entries(output.read_bytes()) if re.match(r"xl/(worksheets|tables)/\w+\.xml", name)]
    assert len(new) == 6
    assert all(f'PartName="/{name}"' in types for name in new)


def test_formulas_speak_of_the_clone(tmp_path):
    """Formulas outside the table refer to the clone's own table and sheet."""
    sheet = load_workbook(cloned(tmp_path, DENSE, MOE))["Experts' own"]
    assert sheet["A1"].value == "=SUM(moe[size])"
    assert sheet["A2"].value == "='Experts'' own'!B5"
    assert sheet["A3"].value == '=INDIRECT("moe[size]")'


def test_a_prototype_may_lend_its_name_to_a_clone(tmp_path):
    """A clone can be called as its prototype is, sheet and table alike."""
    book = load_workbook(cloned(tmp_path, one("Proto", "proto"), MOE))
    assert book.sheetnames == ["About", "Proto", "Experts' own", "End"]
    assert book["Proto"]["A1"].value == "=SUM(proto[size])"


def test_cells_are_found_by_local_name_or_address(tmp_path):
    """A clone's single cells take values, by a name of the prototype's scope or by address."""
    output = cloned(tmp_path, one(title=Formula("1+1", 2), sub="=text", A9=5))
    sheet = load_workbook(output)["x"]
    assert (sheet["A1"].value, sheet["G1"].value, sheet["A9"].value) == ("=1+1", "=text", 5)
    assert (sheet["G1"].data_type, sheet["G1"].quotePrefix) == ("s", True)


def test_a_plain_value_is_the_cached_value_of_a_formula(tmp_path):
    """The prototype's formula stays, with the name of its new table and the value that was given."""
    output = cloned(tmp_path, one(title=9))
    assert cell_xml(output, "xl/worksheets/sheet4.xml", "A1") == '<c r="A1"><f>SUM(x_table[size])</f><v>9</v></c>'


def test_local_names_and_print_areas_come_along(tmp_path):
    """Each clone has its own copies of the prototype's names, and sheets behind it keep theirs."""
    book = load_workbook(cloned(tmp_path, DENSE, MOE))
    assert book["dense"].defined_names["title"].attr_text == "dense!$A$1"
    assert book["Experts' own"].defined_names["title"].attr_text == "'Experts'' own'!$A$1"
    assert book["dense"].print_area == "'dense'!$A$1:$D$8"
    assert book["Experts' own"].print_area == "'Experts'' own'!$A$1:$E$6"
    assert book["End"].print_area == "'End'!$A$1:$B$2"


def test_the_open_tab_stays_open(tmp_path):
    """The sheet that the template shows first is still the one, wherever it stands now."""
    assert load_workbook(cloned(tmp_path, DENSE, MOE)).active.title == "End"


def test_clones_are_not_selected_with_the_open_tab(tmp_path):
    """A clone of the open sheet is not grouped with its siblings."""
    book = load_workbook(BytesIO(prototype_template()))
    book.active = 1
    output = cloned(tmp_path, DENSE, MOE, data=save(book))
    assert not [sheet for sheet in load_workbook(output) if sheet.sheet_view.tabSelected and sheet.title != "End"]


def test_a_prototype_without_clones_disappears(tmp_path):
    """A sheet named as a prototype does not stand in the output, and the others are the same bytes."""
    data = prototype_template()
    output = filled(tmp_path, data, prototypes=["Proto"])
    assert load_workbook(output).sheetnames == ["About", "End"]
    name = "xl/worksheets/sheet3.xml"
    assert raw_entries(output.read_bytes())[name] == raw_entries(data)[name]


def test_other_sheets_may_not_refer_to_a_missing_prototype(tmp_path):
    """A formula left behind would show #REF!, so it is refused where it stands."""
    book = load_workbook(BytesIO(prototype_template()))
    book["About"]["B1"] = "=SUM(proto[size])"
    with pytest.raises(TemplateError, match=r"on the sheet 'About': refers to the prototype table 'proto'"):
        cloned(tmp_path, DENSE, data=save(book))


def test_workbook_names_may_not_refer_to_a_missing_prototype(tmp_path):
    """Names of the whole workbook cannot point to a sheet that is cloned under other names."""
    book = load_workbook(BytesIO(prototype_template()))
    book.defined_names["lost"] = DefinedName("lost", attr_text="Proto!$A$1")
    with pytest.raises(TemplateError, match=r"the defined name lost: refers to the prototype sheet 'Proto'"):
        cloned(tmp_path, DENSE, data=save(book))


def test_links_and_printer_settings_are_copied(tmp_path):
    """A clone keeps the prototype's web links."""
    book = load_workbook(BytesIO(prototype_template()))
    book["Proto"]["H1"].hyperlink = "https://example.org/"
    book = load_workbook(cloned(tmp_path, DENSE, MOE, data=save(book)))
    assert [book[name]["H1"].hyperlink.target for name in ("dense", "Experts' own")] == ["https://example.org/"] * 2


def test_a_prototype_with_a_drawing_is_refused(tmp_path):
    """Charts and pictures on a prototype are not cloned, and the message says so."""
    book = load_workbook(BytesIO(prototype_template()))
    chart = BarChart()
    chart.add_data(Reference(book["Proto"], min_col=3, min_row=6, max_row=7))
    book["Proto"].add_chart(chart, "H5")
    with pytest.raises(TemplateError, match="its prototype 'Proto' has a drawing, which cannot be cloned"):
        cloned(tmp_path, DENSE, data=save(book))


def test_a_prototype_with_a_drawing_can_be_left_out(tmp_path):
    """What only the prototype used goes with it: drawing and chart."""
    book = load_workbook(BytesIO(prototype_template()))
    chart = BarChart()
    chart.add_data(Reference(book["Proto"], min_col=3, min_row=6, max_row=7))
    book["Proto"].add_chart(chart, "H5")
    output = filled(tmp_path, save(book), prototypes=["Proto"])
    assert not [name for name in raw_entries(output.read_bytes()) if "chart" in name or "drawing" in name]
    assert "chart" not in part(output, "[Content_Types].xml")


@pytest.mark.parametrize(
    ("clones", "message"),
    [
        ([one("x" * 32)], "has 32 characters"),
        ([one("")], "has 0 characters"),
        ([one("a/b")], r"'a/b' has one of"),
        ([one("'a")], "an apostrophe"),
        ([one("ABOUT")], "'ABOUT' is taken"),
        ([one("x"), one("X", "y_table")], "'X' is taken"),
        ([one("x"), one("y")], "the name 'x_table' is taken"),
        ([one("x", "fp8")], "'fp8' is not a name that Excel accepts"),
        ([one("x", "r")], "'r' is not a name"),
        ([one("x", "two words")], "'two words' is not a name"),
        ([Clone("Proto", "x", {})], "the prototype's table proto has no new name"),
        ([Clone("Proto", "x", {"proto": ("a_a", TableFill([])), "q": ("b_b", TableFill([]))})], "has no table 'q'"),
        ([Clone("Prote", "x", {})], r"no worksheet 'Prote'; did you mean 'Proto'\?"),
        ([one(titel=1)], r"has no name 'titel' of its own; did you mean 'title'\?"),
        ([one(C6=1)], r"x!C6: the cell is inside a filled table"),
        ([one(C60=1)], None),
    ],
)
def test_what_cannot_be_cloned_is_refused(clones, message, tmp_path):
    """Names that Excel would repair, clashes and unknown names are refused before anything is written."""
    if message is None:
        assert cloned(tmp_path, *clones).exists()
        return
    with pytest.raises(TemplateError, match=message):
        cloned(tmp_path, *clones)
    assert list(tmp_path.iterdir()) == []


def test_a_bad_value_names_the_clone(tmp_path):
    """The message says on which sheet, in which table, column and row the value stands."""
    clone = Clone("Proto", "dense", {"proto": ("d_table", TableFill([("a", 1, 1), ("b", float("nan"), 1)]))})
    with pytest.raises(TemplateError, match=r"the sheet 'dense', the table d_table, column 'size', row 2: nan is no"):
        cloned(tmp_path, clone)


def test_a_workbook_needs_a_sheet(tmp_path):
    """Leaving out every sheet is refused."""
    with pytest.raises(TemplateError, match="no sheet would be left"):
        filled(tmp_path, prototype_template(), prototypes=["About", "Proto", "End"])


def test_inner_links_lead_to_the_clone(tmp_path):
    """A link from the prototype to itself leads to the clone."""
    book = load_workbook(BytesIO(prototype_template()))
    book["Proto"]["H1"].hyperlink = Hyperlink(ref="H1", location="Proto!A1")
    book = load_workbook(cloned(tmp_path, MOE, data=save(book)))
    assert book["Experts' own"]["H1"].hyperlink.location == "'Experts'' own'!A1"


def test_a_clone_knows_its_siblings(tmp_path):
    """Where a prototype refers to another one, the clone is told which sheet is meant."""
    book = load_workbook(BytesIO(prototype_template()))
    book.create_sheet("Card")["A1"] = "=Proto!C6*2"
    card = Clone("Card", "dense card", {}, {"A1": 2}, {"Proto": "dense"})
    book = load_workbook(cloned(tmp_path, DENSE, card, data=save(book)))
    assert book["dense card"]["A1"].value == "=dense!C6*2"
