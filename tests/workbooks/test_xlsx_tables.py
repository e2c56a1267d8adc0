import re
from fractions import Fraction
from io import BytesIO

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.worksheet.table import Table
from xlsx_templates import ROWS, cell_xml, filled, part, patched, prototype_template, save, template

from livesheets.engine import Column, Formula, Rows, TableFill
from livesheets.errors import TemplateError

SHEET = "xl/worksheets/sheet1.xml"
TABLE = "xl/tables/table1.xml"


def models(folder, rows, **options):
    """Fill the table `models` and return the file."""
    return filled(folder, template(), tables={"models": TableFill(rows, **options)})


def block(folder, rows, columns=None, data=None):
    """Fill the table `proto` where it stands and return its sheet as openpyxl reads it."""
    output = filled(folder, data or prototype_template(), tables={"proto": TableFill(rows, columns=columns)})
    return load_workbook(output)["Proto"]


def plain(*rows, name="t", after=()):
    """Return a template with one table on a sheet S, and more cells."""
    book = Workbook()
    sheet = book.active
    sheet.title = "S"
    for row in rows:
        sheet.append(row)
    last = "ABCDEFG"[len(rows[0]) - 1]
    sheet.add_table(Table(displayName=name, ref=f"A1:{last}{len(rows)}"))
    for ref, value in after:
        sheet[ref] = value
    return save(book)


def test_rows_stand_in_the_table(tmp_path):
    """The rows of a fill stand below the header, in order."""
    sheet = load_workbook(models(tmp_path, ROWS), data_only=True)["Models"]
    assert [[cell.value for cell in row] for row in sheet["A6:D8"]] == [list(row) for row in ROWS]


def test_the_templates_formula_is_repeated_with_the_rows_value(tmp_path):
    """A formula column keeps its formula in every row, and the row's value is what viewers see."""
    output = models(tmp_path, ROWS)
    formula = "<f>models[[#This Row],[size]]*in_price</f>"
    assert cell_xml(output, SHEET, "C6").endswith(f">{formula}<v>10.0</v></c>")
    assert cell_xml(output, SHEET, "C8").endswith(f">{formula}<v>2</v></c>")


def test_relative_references_in_a_template_formula_follow_the_row(tmp_path):
    """A formula with A1 references is filled down as Excel does it, percent signs and all."""
    data = plain(["a", "b"], [1, '=A2*A$2&"100%"&B1'])
    output = filled(tmp_path, data, tables={"t": TableFill([(1, 1), (2, 2), (3, 3)])})
    assert '<f>A4*A$2&amp;"100%"&amp;B3</f><v>3</v>' in cell_xml(output, SHEET, "B4")


def test_shared_formulas_are_told_apart(tmp_path):
    """A formula that shares its text with its neighbors becomes a formula of its own before it is repeated."""
    data = plain(["a", "b"], [1, "=A2*2"], [2, "=A3*2"], after=[("D2", "=C2"), ("D3", "=C3")])
    data = patched(
        data,
        SHEET,
        ("<f>A2*2</f>", '<f t="shared" si="0" ref="B2:B3">A2*2</f>'),
        ("<f>A3*2</f>", '<f t="shared" si="0"/>'),
        ("<f>C2</f>", '<f t="shared" si="1" ref="D2:D3">C2</f>'),
        ("<f>C3</f>", '<f t="shared" si="1"/>'),
    )
    output = filled(tmp_path, data, tables={"t": TableFill([(1, 2), (2, 4), (3, 6)])})
    assert "shared" not in part(output, SHEET)
    assert "<f>A4*2</f><v>6</v>" in cell_xml(output, SHEET, "B4")
    assert "<f>C3</f>" in cell_xml(output, SHEET, "D3")


def test_styles_and_heights_come_from_the_first_data_row(tmp_path):
    """Every row looks like the first sample row."""
    sheet = load_workbook(models(tmp_path, ROWS))["Models"]
    assert [sheet.cell(row, 2).number_format for row in (6, 7, 8)] == ["#,##0"] * 3
    assert [sheet.cell(row, 1).font.italic for row in (6, 7, 8)] == [True] * 3
    assert [sheet.row_dimensions[row].height for row in (6, 7, 8)] == [21] * 3


def test_rows_may_take_after_other_sample_rows(tmp_path):
    """A row can be told to look like the second sample row."""
    sheet = load_workbook(models(tmp_path, ROWS, row_like=[0, 1, 0]))["Models"]
    assert [bool(sheet.cell(row, 1).font.bold) for row in (6, 7, 8)] == [False, True, False]
    assert [sheet.row_dimensions[row].height for row in (6, 7, 8)] == [21, None, 21]


def test_a_blank_keeps_its_style(tmp_path):
    """None is a blank cell that looks as the column does."""
    output = models(tmp_path, [(None, None, None, None)])
    assert re.fullmatch('<c r="B6" s="[1-9]"/>', cell_xml(output, SHEET, "B6"))


def test_every_type_of_value_can_be_read_back(tmp_path):
    """Numbers, truth values and text come back from an independent reader as what they were."""
    rows = [("=1+1", Fraction(1, 4), True, 5), ("_x0041_", 2**60, False, "7")]
    data = plain(["a", "b", "c", "d"], [1, 1, 1, 1])
    sheet = load_workbook(filled(tmp_path, data, tables={"t": TableFill(rows)}))["S"]
    assert [cell.value for cell in sheet[2]] == ["=1+1", 0.25, True, 5]
    assert sheet["A2"].data_type == "s"
    assert [cell.value for cell in sheet[3]][1:] == [2**60, False, "7"]


def test_text_like_a_formula_is_quoted(tmp_path):
    """A model called =b stays text even after someone edits the cell, and looks like its neighbors."""
    sheet = load_workbook(models(tmp_path, [("=b", 1, 2, None), ("b", 1, 2, None)]))["Models"]
    assert [bool(sheet[ref].quotePrefix) for ref in ("A6", "A7")] == [True, False]
    assert sheet["A6"].font.italic


def test_the_table_states_its_new_range(tmp_path):
    """Range and filter follow the rows; the totals row is in the range and not in the filter."""
    filtered = patched(template(), TABLE, ("<tableColumns", '<autoFilter ref="A5:D7"/><tableColumns'))
    output = filled(tmp_path, filtered, tables={"models": TableFill(ROWS)})
    assert 'ref="A5:D9"' in part(output, TABLE)
    assert '<autoFilter ref="A5:D8"/>' in part(output, TABLE)


def test_the_totals_row_moves_down_with_its_formulas(tmp_path):
    """Totals stand below the last row, with label, formula and the value that was given."""
    output = models(tmp_path, ROWS, totals={"size": 13})
    sheet = load_workbook(output)["Models"]
    assert (sheet["A9"].value, sheet["B9"].value) == ("Total", "=SUBTOTAL(109,models[size])")
    assert "<v>13</v>" in cell_xml(output, SHEET, "B9")


def test_fewer_rows_clear_the_samples(tmp_path):
    """Sample rows beyond the data are emptied and totals move up."""
    sheet = load_workbook(models(tmp_path, ROWS[:1]))["Models"]
    assert [sheet.cell(7, column).value for column in (1, 2)] == ["Total", "=SUBTOTAL(109,models[size])"]
    assert [sheet.cell(8, column).value for column in (1, 2, 3, 4)] == [None] * 4


def test_no_rows_leave_one_blank_row(tmp_path):
    """An empty table has one blank row without formulas, so that nothing shows an error."""
    output = models(tmp_path, [])
    assert 'ref="A5:D7"' in part(output, TABLE)
    assert re.fullmatch('<c r="C6" s="[1-9]"/>', cell_xml(output, SHEET, "C6"))
    assert "calculatedColumnFormula" in part(output, TABLE)


def test_an_empty_table_is_empty_no_longer(tmp_path):
    """A table that was saved without rows has a mark for it, which would make Excel overlook the new ones."""
    data = patched(template(), TABLE, ("<table ", '<table insertRow="1" insertRowShift="1" '))
    assert "insertRow" not in part(filled(tmp_path, data, tables={"models": TableFill(ROWS)}), TABLE)


def test_a_cell_in_the_way_is_named(tmp_path):
    """A table does not grow over a cell with content, and says which one it is."""
    data = plain(["a"], [1], after=[("A5", "note")])
    with pytest.raises(TemplateError, match=r"S!A5 is in the way: the table t grows to A1:A5"):
        filled(tmp_path, data, tables={"t": TableFill([(n,) for n in range(4)])})


def test_a_table_grows_over_blank_cells_only_as_far_as_needed(tmp_path):
    """A cell just below the last row is no obstacle."""
    data = plain(["a"], [1], after=[("A5", "note")])
    sheet = load_workbook(filled(tmp_path, data, tables={"t": TableFill([(n,) for n in range(3)])}))["S"]
    assert [sheet.cell(row, 1).value for row in range(2, 6)] == [0, 1, 2, "note"]


def test_a_merged_range_in_the_way_is_named(tmp_path):
    """Merged cells in the table's new range are refused."""
    book = load_workbook(BytesIO(plain(["a"], [1])))
    book["S"].merge_cells("A4:B4")
    with pytest.raises(TemplateError, match=r"S!A4:B4 is merged and in the way of the table t"):
        filled(tmp_path, save(book), tables={"t": TableFill([(n,) for n in range(3)])})


def test_a_table_in_the_way_is_named(tmp_path):
    """A table does not grow over another one, even where that one is blank."""
    book = load_workbook(BytesIO(plain(["a"], [1])))
    book["S"]["A4"], book["S"]["A5"] = "b", None
    book["S"].add_table(Table(displayName="u", ref="A4:A5"))
    with pytest.raises(TemplateError, match=r"the table t would grow to A1:A4, over the table u in A4:A5; move u"):
        filled(tmp_path, save(book), tables={"t": TableFill([(n,) for n in range(3)])})


def test_neighboring_tables_grow_side_by_side(tmp_path):
    """Two tables in the same rows are filled together, and cells between and beside them stay."""
    book = Workbook()
    sheet = book.active
    for ref, value in {"A1": "a", "A2": 1, "C1": "c", "C2": 1, "B2": "between", "E3": "beside"}.items():
        sheet[ref] = value
    sheet.add_table(Table(displayName="left", ref="A1:A2"))
    sheet.add_table(Table(displayName="right", ref="C1:C2"))
    tables = {"left": TableFill([(1,), (2,), (3,)]), "right": TableFill([("x",), ("y",)])}
    read = load_workbook(filled(tmp_path, save(book), tables=tables)).active
    values = [[cell.value for cell in row] for row in read["A2:E4"]]
    assert values == [[1, "between", "x", None, None], [2, None, "y", None, "beside"], [3, None, None, None, None]]


def test_of_two_tables_in_the_same_rows_the_higher_rows_count(tmp_path):
    """A row is as high as the text in it needs, whichever table holds it."""
    book = Workbook()
    for ref, name in {"A1:A2": "one", "C1:C2": "two"}.items():
        book.active[ref[:2]], book.active[ref[3:]] = name, 1
        book.active.add_table(Table(displayName=name, ref=ref))
    tables = {"one": TableFill([(20,), (40,), (30,)], height=max), "two": TableFill([(25,), (35,), (30,)], height=max)}
    sheet = load_workbook(filled(tmp_path, save(book), tables=tables)).active
    assert [sheet.row_dimensions[row].height for row in (2, 3, 4)] == [25, 40, 30]


def test_columns_are_replaced(tmp_path):
    """New columns have their headers, texts above, styles and formulas; sample columns beyond them are gone."""
    columns = (
        Column("name", above=("Name", "")),
        Column("wide", like="size", above=("Wide\none", "parameters"), formula="LEN(proto[[#This Row],[name]])"),
    )
    sheet = block(tmp_path, [("a", 1), ("bb", 2)], columns)
    assert [cell.value for cell in sheet["B5:D5"][0]] == ["name", "wide", None]
    assert [cell.value for cell in sheet["B3:D3"][0]] == ["Name", "Wide\none", None]
    assert [cell.value for cell in sheet["B4:D4"][0]] == [None, "parameters", None]
    assert sheet["C3"].font.bold
    assert sheet["C5"].font.italic
    assert sheet["C7"].number_format == "#,##0"
    assert sheet["C7"].value == "=LEN(proto[[#This Row],[name]])"
    assert sheet["D7"].value is None
    table = sheet.tables["proto"]
    assert (table.ref, table.column_names) == ("B5:C7", ["name", "wide"])
    assert table.tableColumns[1].calculatedColumnFormula.attr_text == "LEN(proto[[#This Row],[name]])"


def test_columns_take_the_width_of_their_like(tmp_path):
    """Widths follow the columns, a width of one's own wins, and columns outside the table keep theirs."""
    columns = (
        Column("name"),
        Column("a", like="flag"),
        Column("b", like="flag"),
        Column("c", like="size", width=40),
        Column("size"),
    )
    sheet = block(tmp_path, [("x", 1, 1, 1, 1)], columns)
    widths = {letter: round(sheet.column_dimensions[letter].width) for letter in "CEF"}
    assert widths == {"C": 5, "E": 40, "F": 22}
    assert sheet.column_dimensions["C"].max == 4


def test_validations_and_formats_follow_the_columns(tmp_path):
    """What stood on a sample column's cell stands on all rows of every column that is like it."""
    columns = (Column("name"), Column("a", like="flag"), Column("size"), Column("b", like="flag"))
    sheet = block(tmp_path, [("x", 1, 5, 1), ("y", 1, 5, 1), ("z", 1, 5, 1)], columns)
    [validation] = sheet.data_validations.dataValidation
    assert str(validation.sqref) == "C6:C8 E6:E8"
    rules = {str(ranges.sqref): ranges.rules[0].formula for ranges in sheet.conditional_formatting}
    assert rules == {"C6:C8 E6:E8": ["C6=1"], "D6:D8": ["$C6=1"]}


def test_validations_go_with_their_column(tmp_path):
    """A validation whose column has no heir is dropped."""
    sheet = block(tmp_path, [("x", 5)], (Column("name"), Column("size")))
    assert sheet.data_validations.dataValidation == []


def test_headers_may_have_line_breaks(tmp_path):
    """The header cell and the table's column agree on a name with a line break."""
    columns = (Column("name"), Column("two\nlines", like="size"))
    output = filled(tmp_path, prototype_template(), tables={"proto": TableFill([("x", 1)], columns=columns)})
    assert 'name="two_x000a_lines"' in part(output, TABLE)
    assert "two\nlines</t>" in cell_xml(output, "xl/worksheets/sheet2.xml", "C5")


def test_totals_follow_the_columns(tmp_path):
    """A column that takes after one with a plain total has the same total of its own values."""
    columns = (Column("name"), Column("big", like="size"), Column("size"))
    fill = TableFill([("x", 1, 2), ("y", 3, 4)], columns=columns, totals={"big": 4, "size": 6})
    output = filled(tmp_path, template(), tables={"models": fill})
    assert "<f>SUBTOTAL(109,models[big])</f><v>4</v>" in cell_xml(output, SHEET, "B8")
    assert "<f>SUBTOTAL(109,models[size])</f><v>6</v>" in cell_xml(output, SHEET, "C8")
    assert part(output, TABLE).count('totalsRowFunction="sum"') == 2


def test_a_row_may_have_a_formula_of_its_own(tmp_path):
    """A value with its own formula replaces the column's, and an empty formula is a plain value."""
    rows = [("a", 1, Formula("1+1", 2), None), ("b", 1, Formula("", 3), None), ("c", 1, Formula("", "-"), None)]
    output = models(tmp_path, rows)
    assert cell_xml(output, SHEET, "C6").endswith("><f>1+1</f><v>2</v></c>")
    assert re.fullmatch('<c r="C7" s="[1-9]"><v>3</v></c>', cell_xml(output, SHEET, "C7"))
    assert "<is><t>-</t></is>" in cell_xml(output, SHEET, "C8")


def test_the_used_range_is_stated(tmp_path):
    """The sheet's dimension covers what was written."""
    assert '<dimension ref="A1:G9"/>' in part(models(tmp_path, ROWS), SHEET)


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (TableFill([("a", 1)]), r"the table models, row 1: 2 values for 4 columns"),
        (TableFill([*ROWS, ("x", float("inf"), 1, None)]), r"models, column 'size', row 4: inf is not a number"),
        (TableFill([("x" * 40_000, 1, 1, None)]), r"column 'name', row 1: the text has 40,000 characters"),
        (TableFill([({}, 1, 1, None)]), r"column 'name', row 1: dict is not a type"),
        (TableFill([("a",)], columns=(Column("new"),)), r"'new' is like 'new', which the template lacks"),
        (TableFill([("a",)], columns=(Column("x", like="sise"),)), r"did you mean 'size'\?"),
        (TableFill([(1, 1)], columns=(Column("size"), Column("SIZE", like="size"))), r"two columns .* 'SIZE'"),
        (TableFill([(1,)], columns=(Column("", like="size"),)), r"the header '' is empty"),
        (TableFill([(1,)], columns=(Column("x" * 256, like="size"),)), r"longer than 255"),
        (
            TableFill([(1, 1)], columns=(Column("size", formula="1" * 8_193), Column("name"))),
            r"column 'size': the formula has 8,193",
        ),
        (TableFill([(1,)], columns=(Column("size", above=("x",) * 5),)), r"5 texts belong above a header"),
        (TableFill(ROWS, row_like=[0]), r"row_like has 1 entries for 3 rows"),
        (TableFill(ROWS, row_like=[0, 2, 0]), r"names the row 2, but the template has 2 data rows"),
        (TableFill(range(1_048_576)), r"would end in row 1,048,582"),
        (TableFill([], columns=tuple(Column(f"c{n}", like="size") for n in range(16_385))), r"column 16,385"),
    ],
)
def test_what_cannot_stand_in_a_table_is_refused(fill, message, tmp_path):
    """Each refusal names the table, and the column and row where there is one."""
    with pytest.raises(TemplateError, match=message):
        filled(tmp_path, template(), tables={"models": fill})
    assert list(tmp_path.iterdir()) == []


def test_numbers_may_change_their_kind(tmp_path):
    """Whole numbers of one column are exact as long as a float64 holds them, whatever stood in the rows before."""
    sizes = [1, 2**53, 2**53 + 2, 67 * 10**22, -(2**60), 3, 2**53 + 4]
    rows = [(f"m{at}", size, 0.5, None) for at, size in enumerate(sizes)]
    output = models(tmp_path, rows)
    texts = [re.search("<v>(.*?)</v>", cell_xml(output, SHEET, f"B{row}"))[1] for row in range(6, 13)]
    assert texts == [
        "1",
        "9007199254740992",
        "9007199254740994.0",
        "6.7e+23",
        "-1.152921504606847e+18",
        "3",
        "9007199254740996.0",
    ]


def test_a_column_may_begin_with_large_numbers(tmp_path):
    """The first row does not decide how later ones are written."""
    output = models(tmp_path, [("a", 10**30, 1, None), ("b", 5, 1, None), ("c", 10**31, 1, None)])
    texts = [re.search("<v>(.*?)</v>", cell_xml(output, SHEET, f"B{row}"))[1] for row in (6, 7, 8)]
    assert texts == ["1e+30", "5", "1e+31"]


@pytest.mark.parametrize("bad", [float("nan"), 10**400])
def test_a_bad_number_after_good_ones_is_named(bad, tmp_path):
    """A value that no cell can hold is found in any row."""
    rows = [("a", type(bad)(1), 1, None), ("b", bad, 1, None)]
    with pytest.raises(TemplateError, match="column 'size', row 2"):
        models(tmp_path, rows)


def test_rows_are_asked_for_once(tmp_path):
    """Rows that are made on the way are made once, while they are written."""
    asked = []

    def make():
        asked.append(1)
        return iter(ROWS)

    output = models(tmp_path, Rows(3, make))
    assert 'ref="A5:D9"' in part(output, TABLE)
    assert asked == [1]


def test_rows_that_break_their_promise_are_refused(tmp_path):
    """A sequence that gives fewer rows than its length says would leave a table with missing rows."""

    class Short:
        def __len__(self):
            return 3

        def __iter__(self):
            return iter(ROWS[:2])

    with pytest.raises(TemplateError, match="announced 3 rows and gave 2"):
        models(tmp_path, Short())


def test_protection_covers_sheets_that_are_not_filled(tmp_path):
    """Where protection is asked for, no sheet is left open, filled or not."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS)}, protect=True)
    assert {sheet.title: sheet.protection.sheet for sheet in load_workbook(output)} == dict.fromkeys(
        ("Models", "Charts", "Lists", "Notes"), True
    )


def test_a_column_offers_its_choices(tmp_path):
    """A column with choices has a list of them over all its rows, beside the validations of the template."""
    columns = (Column("name"), Column("size", like="size"), Column("mask", like="size", choices=("full", "causal")))
    output = filled(tmp_path, template(), tables={"models": TableFill([("a", 1, "full"), ("b", 2, "causal")], columns)})
    rules = load_workbook(output)["Models"].data_validations.dataValidation
    assert [(str(rule.sqref), rule.formula1) for rule in rules if "causal" in rule.formula1] == [
        ("C6:C7", '"full,causal"')
    ]


def test_choices_take_the_place_of_the_templates_validation(tmp_path):
    """A cell is kept to one thing: where a choice has its list, that of the column which it takes after gives way."""
    columns = (Column("name"), Column("size"), Column("open"), Column("mask", like="open", choices=("full", "causal")))
    output = filled(tmp_path, template(), tables={"models": TableFill([("a", 1, "yes", "full")] * 3, columns)})
    rules = load_workbook(output)["Models"].data_validations.dataValidation
    result = {rule.formula1: str(rule.sqref) for rule in rules if rule.formula1.startswith('"')}
    assert result == {'"yes,no"': "C6:C8", '"full,causal"': "D6:D8"}


def test_a_list_too_long_for_excel_is_not_offered(tmp_path):
    """Excel refuses lists of more than 255 characters, so that none is written."""
    columns = (Column("name"), Column("size", choices=tuple(f"choice_{place}" for place in range(40))))
    output = filled(tmp_path, template(), tables={"models": TableFill([("a", 1)], columns)})
    rules = load_workbook(output)["Models"].data_validations.dataValidation
    assert not any("choice_1" in rule.formula1 for rule in rules)
