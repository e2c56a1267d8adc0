import re
from io import BytesIO

import pytest
from openpyxl import load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.datavalidation import DataValidation
from xlsx_templates import ROWS, cell_xml, filled, part, patched, save, template, whole_charts

from livesheets.engine import Column, Fill, TableFill, fill
from livesheets.engine.resize import Mode, Resize, Scope, adapt, carry_areas, runs
from livesheets.errors import TemplateError
from livesheets.references import Area

MODELS, LISTS = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet3.xml"
GROWN = {"models": TableFill(ROWS)}

DATA_3_TO_10 = Resize("t", Area(5, 1, 9, 4), 1, 15, 4, None)
"""A5:D9 with a header, data in rows 6 to 8 and totals in row 9, grown to data in rows 6 to 15."""
SHRUNK = Resize("t", Area(5, 1, 9, 4), 1, 6, 4, None)
MOVED = Resize("t", Area(5, 1, 8, 3), 0, 8, 5, {1: (1,), 2: (4, 3), 3: ()}, above=1)
"""A5:C8 whose second column stands for C and D, D first, and whose third is gone."""


def scope(growth):
    """Return a scope in which one table on the sheet S grows."""
    return Scope("S", {"s": (growth,)})


@pytest.mark.parametrize(
    ("formula", "exact", "window", "cover"),
    [
        ("A6:A8", "A6:A15", "A6:A15", "A6:A15"),
        ("$A$5:$D$9", "$A$5:$D$16", "$A$5:$D$16", "$A$5:$D$16"),
        ("S!B6:B9", "S!B6:B16", "S!B6:B16", "S!B6:B16"),
        ("A6:A7", "A6:A7", "A6:A7", "A6:A15"),
        ("A7:A8", "A7:A8", "A7:A8", "A7:A8"),
        ("A6:A20", "A6:A20", "A6:A15", "A6:A20"),
        ("A6:A12", "A6:A16", "A6:A15", "A6:A16"),
        ("A1:D12", "A1:D16", "A1:D16", "A1:D16"),
        ("B9", "B16", "B16", "B16"),
        ("B9:C9", "B16:C16", "B16:C16", "B16:C16"),
        ("A6", "A6", "A6", "A6"),
        ("F6:F8", "F6:F8", "F6:F8", "F6:F8"),
        ("Other!A6:A8", "Other!A6:A8", "Other!A6:A8", "Other!A6:A8"),
        ("A1:A4", "A1:A4", "A1:A4", "A1:A4"),
        ("$6:$8", "$6:$15", "$6:$15", "$6:$15"),
        ("S!6:7", "S!6:7", "S!6:7", "S!6:15"),
        ("$5:$5", "$5:$5", "$5:$5", "$5:$5"),
        ("A:B", "A:B", "A:B", "A:B"),
    ],
)
def test_ranges_follow_a_growing_table(formula, exact, window, cover):
    """Which ranges stretch depends on what they are for; nothing else changes."""
    modes = {Mode.EXACT: exact, Mode.WINDOW: window, Mode.COVER: cover}
    assert {mode: adapt(formula, scope(DATA_3_TO_10), mode) for mode in modes} == modes


@pytest.mark.parametrize(
    ("formula", "exact", "window"),
    [("A6:A8", "A6:A6", "A6:A6"), ("A6:A7", "A6:A6", "A6:A6"), ("B9", "B7", "B7"), ("A5:D9", "A5:D7", "A5:D7")],
)
def test_ranges_follow_a_shrinking_table(formula, exact, window):
    """Ranges over all rows shrink, and one over the first rows ends where the data does: not in the totals row."""
    assert adapt(formula, scope(SHRUNK)) == exact
    assert adapt(formula, scope(SHRUNK), Mode.WINDOW) == window


@pytest.mark.parametrize(
    ("formula", "moved"),
    [("B6:B8", "D6:D8"), ("$B$5", "$D$5"), ("B4", "D4"), ("B3", "B3"), ("A5:C8", "A5:E8"), ("B9", "B9")],
)
def test_ranges_follow_their_column(formula, moved):
    """A reference to a column of the template means the column that stands for it, header and title too."""
    assert adapt(formula, scope(MOVED)) == moved


def test_a_reference_to_a_column_that_is_gone_is_refused():
    """Nothing may silently show another column."""
    with pytest.raises(TemplateError, match="column C of the table t"):
        adapt("C6:C8", scope(MOVED))


def test_a_lone_cell_stays_in_a_table_of_one_row():
    """With one sample row, B6 is the first row and B6:B6 is all of them; a chart means all of them either way."""
    growth = scope(Resize("t", Area(5, 1, 6, 2), 0, 9, 2, None))
    assert adapt("B6+SUM(B6:B6)", growth) == "B6+SUM(B6:B9)"
    assert adapt("$B$6", growth, Mode.WINDOW) == "$B$6:$B$9"


@pytest.mark.parametrize(
    ("formula", "after"),
    [
        ("SUM(A6:D6)", "SUM(A6:D6)"),
        ("SUM(B$6:B6)", "SUM(B$6:B6)"),
        ("B6/SUM(B$6:B$6)", "B6/SUM(B$6:B$9)"),
        ("SUM(B6:B$6)", "SUM(B6:B$9)"),
    ],
    ids=["along the row", "running total", "share of all", "the rest"],
)
def test_a_formula_of_a_lone_sample_row_means_its_row(formula, after):
    """Where the sample is one row, a range that ends in it without a dollar is the row's, one with a dollar is all."""
    growth = scope(Resize("t", Area(5, 1, 6, 2), 0, 9, 2, None))
    assert adapt(formula, growth, Mode.ROW) == adapt(formula, growth, Mode.ROW_RULE) == after


def test_every_row_means_the_one_totals_row():
    """A share of the total needs no dollar in a sample of one row, and every row would read another one below."""
    growth = scope(Resize("t", Area(5, 1, 7, 2), 1, 9, 2, None))
    assert adapt("B6/B7+$A7", growth, Mode.ROW) == "B6/B$10+$A$10"
    assert adapt("B7", growth) == "B10"


@pytest.mark.parametrize(
    ("formula", "grown", "shrunk"),
    [
        ("SUM(B7:B$8)", "SUM(B7:B$15)", "SUM(B7:B$6)"),
        ("SUM(B7:B$9)", "SUM(B7:B$16)", "SUM(B7:B$7)"),
        ("COUNTIF($A7:$A$8,$A6)", "COUNTIF($A7:$A$15,$A6)", "COUNTIF($A7:$A$6,$A6)"),
        ("SUM(B7:B$12)", "SUM(B7:B$16)", "SUM(B7:B$12)"),
        ("SUM(B$6:B7)", "SUM(B$6:B7)", "SUM(B$6:B7)"),
        ("SUM(B$7:B$8)", "SUM(B$7:B$8)", "SUM(B$7:B$8)"),
    ],
    ids=["rows below", "and totals", "formats", "and beyond", "running total", "some rows"],
)
def test_a_range_over_the_rest_of_the_table_ends_with_it(formula, grown, shrunk):
    """In a formula of each row, a fixed end in the last row follows it, wherever the range begins."""
    for mode in (Mode.ROW, Mode.ROW_RULE):
        assert [adapt(formula, scope(growth), mode) for growth in (DATA_3_TO_10, SHRUNK)] == [grown, shrunk]


def test_rows_repeat_ranges_along_the_row(tmp_path):
    """Formulas, formats and validations of a lone sample row add up the same columns in every row."""
    book = load_workbook(BytesIO(template()))
    sheet = book["Models"]
    sheet.tables["models"].ref, sheet.tables["models"].totalsRowCount = "A5:D6", None
    sheet.delete_rows(7, 2)
    sheet["C6"] = "=SUM(B6:B6)/SUM(B$6:B$6)"
    sheet.add_data_validation(DataValidation("custom", formula1="SUM($A6:$B6)<9", sqref="B6"))
    output = filled(tmp_path, save(book), tables=GROWN)
    assert "<f>SUM(B8:B8)/SUM(B$6:B$8)</f>" in cell_xml(output, MODELS, "C8")
    rules = load_workbook(output)["Models"].data_validations.dataValidation
    assert [rule.formula1 for rule in rules if str(rule.sqref) == "B6:B8"] == ["SUM($A6:$B6)<9"]


def test_tables_and_sheets_are_renamed():
    """A clone's formulas speak of its own table, in texts too, and of its own sheet; longer names are other names."""
    renamed = Scope("new one", {}, {"proto": "new one"}, {"proto": "dense"})
    formula = 'SUM(proto[a])+myproto[a]+Proto!A1+INDIRECT("proto[b]")+proto'
    assert adapt(formula, renamed) == "SUM(dense[a])+myproto[a]+'new one'!A1+INDIRECT(\"dense[b]\")+proto"


def test_carried_ranges_take_every_heir():
    """A validation goes to all columns that are like its own and keeps what lies outside the table."""
    assert carry_areas([Area(6, 2, 6, 2)], [MOVED]) == [Area(6, 3, 8, 4)]
    assert carry_areas([Area(6, 3, 8, 3)], [MOVED]) == []
    assert carry_areas([Area(6, 9, 6, 9)], [MOVED]) == [Area(6, 9, 6, 9)]
    assert carry_areas([Area(1, 1, 20, 9)], [MOVED]) == [Area(1, 1, 20, 9)]


def test_runs_join_neighbors():
    """Neighboring columns make one range."""
    assert runs({7, 1, 2, 3, 8}) == [(1, 3), (7, 8)]
    assert runs(()) == []


def test_defined_names_follow(tmp_path):
    """Names over the rows stretch, names of the totals row move, names elsewhere stay."""
    names = load_workbook(filled(tmp_path, template(), tables=GROWN)).defined_names
    assert names["all_names"].attr_text == "Models!$A$6:$A$8"
    assert names["out_sum"].attr_text == "Models!$B$9"
    assert names["in_price"].attr_text == "Models!$F$1"


def test_print_areas_follow(tmp_path):
    """The print area covers all rows, and the repeated rows stay."""
    sheet = load_workbook(filled(tmp_path, template(), tables=GROWN))["Models"]
    assert sheet.print_area == "'Models'!$A$1:$D$9"
    assert sheet.print_title_rows == "$5:$5"


def test_validations_and_formats_cover_all_rows(tmp_path):
    """Both cover every row of the table, and a list taken from the table has all its rows."""
    sheet = load_workbook(filled(tmp_path, template(), tables=GROWN))["Models"]
    result = {str(validation.sqref): validation.formula1 for validation in sheet.data_validations.dataValidation}
    assert result == {"D6:D8": '"yes,no"', "H1": "$A$6:$A$8"}
    assert [str(ranges.sqref) for ranges in sheet.conditional_formatting] == ["B6:B8"]


def test_cells_listed_one_by_one_cover_all_rows(tmp_path):
    """A validation whose cells are listed covers all rows once, and nothing is told."""
    book = load_workbook(BytesIO(whole_charts()))
    sheet = book["Models"]
    sheet.data_validations.dataValidation[0].sqref = MultiCellRange("D6 D7")
    sheet.add_data_validation(DataValidation("custom", formula1="B6<C6", sqref=MultiCellRange("B6 C6 B7 C7")))
    report = fill(save(book), Fill(tables=GROWN), tmp_path / "filled.xlsx")
    rules = load_workbook(tmp_path / "filled.xlsx")["Models"].data_validations.dataValidation
    assert {"D6:D8", "B6:B8 C6:C8"} <= {str(rule.sqref) for rule in rules}
    assert report.not_stretched == ()


def test_formulas_on_other_sheets_follow(tmp_path):
    """A sum over the rows on another sheet covers all of them and forgets its old value, as does one over the table."""
    data = patched(template(), LISTS, ("<v></v>", "<v>30</v>"))
    output = filled(tmp_path, data, tables=GROWN)
    assert cell_xml(output, LISTS, "A1") == '<c r="A1"><f>SUM(Models!$B$6:$B$8)</f></c>'
    assert cell_xml(output, LISTS, "A2") == '<c r="A2"><f>COUNTA(models[name])</f></c>'


def test_lists_on_other_sheets_follow(tmp_path):
    """A drop-down on another sheet offers every row."""
    book = load_workbook(BytesIO(template()))
    choice = DataValidation("list", formula1="Models!$A$6:$A$7", sqref="B1")
    book["Notes"].add_data_validation(choice)
    sheet = load_workbook(filled(tmp_path, save(book), tables=GROWN))["Notes"]
    assert sheet.data_validations.dataValidation[0].formula1 == "Models!$A$6:$A$8"


def test_formulas_on_the_filled_sheet_forget_stale_values(tmp_path):
    """A formula whose inputs changed and that nobody computed anew keeps its text and loses its value."""
    data = patched(template(), MODELS, ("<f>F1*10</f><v></v>", "<f>F1*10</f><v>20</v>"))
    assert "<f>F1*10</f><v>20</v>" in cell_xml(filled(tmp_path, data, tables=GROWN), MODELS, "G1")
    output = filled(tmp_path, data, names={"in_price": 3})
    assert cell_xml(output, MODELS, "G1") == '<c r="G1"><f>F1*10</f></c>'


def test_a_rule_about_a_column_that_is_gone_goes_too(tmp_path):
    """A format that depends on a column which the fill leaves out is dropped, its validation neighbors stay."""
    book = load_workbook(BytesIO(template()))
    from openpyxl.formatting.rule import FormulaRule  # noqa: PLC0415 one test needs it

    book["Models"].conditional_formatting.add("B6:B7", FormulaRule(formula=['$D6="no"']))
    columns = (Column("name"), Column("size"))
    output = filled(tmp_path, save(book), tables={"models": TableFill([("a", 1)], columns=columns)})
    assert "cellIs" in part(output, MODELS)
    assert "$D6" not in part(output, MODELS)


def test_a_name_of_a_column_that_is_gone_is_refused(tmp_path):
    """The message says which name and which column."""
    book = load_workbook(BytesIO(template()))
    book.defined_names["flags"] = DefinedName("flags", attr_text="Models!$D$6:$D$7")
    fill = TableFill([("a", 1)], columns=(Column("name"), Column("size")))
    with pytest.raises(TemplateError, match=r"the defined name flags: refers to the column D of the table models"):
        filled(tmp_path, save(book), tables={"models": fill})


def test_extended_validations_follow(tmp_path):
    """A validation in an extension list, as Excel writes those that look at other sheets, covers all rows."""
    extension = (
        '<extLst><ext uri="{CCE6A557-97BC-4b89-ADB6-D9C93CAAB3DF}" '
        'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">'
        '<x14:dataValidations xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main" count="1">'
        '<x14:dataValidation type="list"><x14:formula1><xm:f>Models!$A$6:$A$7</xm:f></x14:formula1>'
        "<xm:sqref>D6:D7</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst></worksheet>"
    )
    xml = part(filled(tmp_path, patched(template(), MODELS, ("</worksheet>", extension)), tables=GROWN), MODELS)
    assert re.search(r"<xm:f>Models!\$A\$6:\$A\$8</xm:f>.*<xm:sqref>D6:D8</xm:sqref>", xml)
