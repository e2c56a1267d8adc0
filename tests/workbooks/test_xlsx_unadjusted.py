from io import BytesIO

import pytest
from openpyxl import load_workbook
from openpyxl.comments import Comment
from openpyxl.formatting.rule import ColorScaleRule, FormulaRule
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.pagebreak import Break
from xlsx_templates import ROWS, filled, part, patched, save, template, whole_charts

from livesheets.engine import Fill, TableFill, fill

IN_PART = (
    ", which refer to some rows of the table models: "
    "let them refer to all of its rows, or make sure that those are still the rows that they mean"
)


def noted(folder, change=lambda _: None, data=None):
    """Change the plain template with openpyxl, fill it with three models, and return what did not stretch."""
    book = load_workbook(BytesIO(data or whole_charts()))
    change(book)
    return fill(save(book), Fill(tables={"models": TableFill(ROWS)}), folder / "filled.xlsx").not_stretched


def test_formulas_of_some_rows_are_told(tmp_path):
    """A sheet that repeats the sample's rows one by one shows no row that came after: one line names all its cells."""

    def change(book):
        formulas = ("=Models!A6", "=models!a7", "=SUM(Models!B7:B7)", "=SUM(Models!B6:B7)", "=Models!B8", "=Models!B7")
        for row, formula in enumerate(formulas, 1):
            book["Notes"].cell(row, 4, formula)

    assert noted(tmp_path, change) == (f"Notes!D1:D3, Notes!D6{IN_PART}",)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ("OFFSET(Models!$B$6,0,0,COUNTA(Models!$A:$A)-2,1)", False),
        ("SUM(Models!$B$6:INDEX(Models!$B:$B,9))", False),
        ("SUM(Models!$B$7:INDEX(Models!$B:$B,9))", True),
        ("Models!$B$6*2", True),
    ],
    ids=["offset", "index", "index from the second row", "one cell"],
)
def test_a_range_that_begins_with_the_data_is_computed(formula, told, tmp_path):
    """The first row's cell may be where a range begins whose end a function finds."""
    assert bool(noted(tmp_path, lambda book: book["Notes"].__setitem__("B1", f"={formula}"))) is told


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ('SUM(INDIRECT("Models!B6:B7"))', ['"Models!B6:B7" in the formula Notes!B1']),
        ('SUM(INDIRECT("Models!B6:B6"))', ['"Models!B6:B6" in the formula Notes!B1']),
        ('HYPERLINK("#Models!B8","total")&"Oh, B8!"', ['"#Models!B8" in the formula Notes!B1']),
        ("SUM(Models:Lists!B6:B7)", ["'Models:Lists'!B6:B7 in the formula Notes!B1"]),
        ("SUM(Charts:Models!B6:B7)", ["'Charts:Models'!B6:B7 in the formula Notes!B1"]),
        ("SUM('Models:My Lists'!$B$6:$B$7)", ["'Models:My Lists'!$B$6:$B$7 in the formula Notes!B1"]),
        ('"at 10:30"&INDIRECT("Models!F1:F2")', []),
        ("SUM(Models:Lists!Z1)", []),
    ],
    ids=[
        "text",
        "text of some rows",
        "a link to a total",
        "sheets",
        "sheets to the table's",
        "quoted sheets",
        "other cells",
        "other cells on sheets",
    ],
)
def test_references_that_cannot_follow_are_named(formula, said, tmp_path):
    """A reference made from a text, or over several sheets, is kept, and the formula is named."""
    assert noted(tmp_path, lambda book: book["Notes"].__setitem__("B1", f"={formula}")) == tuple(said)
    assert load_workbook(tmp_path / "filled.xlsx")["Notes"]["B1"].value == f"={formula}"


def in_sample(cell, formula):
    """Return a change that writes a formula into the sample's first row or totals, and none into its second row."""

    def change(book):
        book["Models"][cell], book["Models"]["C7"] = formula, None

    return change


def test_a_range_that_moves_with_its_row_is_told(tmp_path):
    """Repeated, B6:B7 means other rows in each row; the person may have meant all of them."""
    assert noted(tmp_path, in_sample("C6", "=B6/SUM(B6:B7)")) == (
        "B6:B7 in the formula Models!C6, which moves with the row",
    )


@pytest.mark.parametrize(
    ("cell", "formula", "told"),
    [
        ("C6", "B6/$B$7", True),
        ("C6", "B6/$B$6", False),
        ("C6", "SUM(B7:B$7)+SUM($B$6:$B$7)+SUM(B6:B$8)", False),
        ("C8", "B7-B6", True),
        ("C8", "SUM(B6:B7)", False),
    ],
    ids=["last row", "first row", "the rest", "totals of some rows", "totals"],
)
def test_a_fixed_row_of_the_sample_is_told(cell, formula, told, tmp_path):
    """In a formula of the table itself too: the last row of the sample may have stood for the last of all."""
    lines = noted(tmp_path, in_sample(cell, f"={formula}"))
    assert lines == ((f"Models!{cell}{IN_PART}",) if told else ())


def test_names_are_told(tmp_path):
    """A name of some rows stays with them, and so does one that reads a text."""

    def change(book):
        for name, text in {"first": "Models!$A$6:$A$6", "said": 'INDIRECT("Models!A6:A7")'}.items():
            book.defined_names[name] = DefinedName(name, attr_text=text)

    assert noted(tmp_path, change) == ('"Models!A6:A7" in the name said', f"the name first{IN_PART}")


def test_formats_and_validations_are_told(tmp_path):
    """Those of some rows of the table, and those elsewhere that read some; what follows is not told."""

    def change(book):
        models, notes = book["Models"], book["Notes"]
        models.conditional_formatting.add("A7:B7", FormulaRule(formula=["$B7>$B$6"]))
        models.conditional_formatting.add("B6:B7", FormulaRule(formula=["$B6>MAX($B$6:$B$7)"]))
        models.conditional_formatting.add("C6:C7", FormulaRule(formula=["C6>$B$7"]))
        notes.conditional_formatting.add("D1:D9", FormulaRule(formula=["D1>SUM(Models!$B$6:$B$6)"]))
        notes.add_data_validation(DataValidation("list", formula1="Models!$A$7:$A$7", sqref="E1"))
        notes.add_data_validation(DataValidation("list", formula1="Models!$A$6:$A$7", sqref="E2"))

    places = (
        "the format of Models!A7:B7",
        "the format of Models!C6:C7",
        "the format of Notes!D1:D9",
        "the validation of Notes!E1",
    )
    assert noted(tmp_path, change) == (f"{', '.join(places)}{IN_PART}",)


def test_charts_are_told(tmp_path):
    """A chart of the first row alone is named as a person knows it."""
    assert noted(tmp_path, data=template()) == (f"the chart 'Chart 2' on Charts{IN_PART}",)


def test_a_series_for_each_sample_row_is_told(tmp_path):
    """A chart with a series a row has none for the rows that came after."""
    data = patched(whole_charts(), "xl/charts/chart1.xml", ("$B$6:$B$7", "$A$6:$B$6"))
    assert noted(tmp_path, data=data) == (f"the chart 'Chart 1' on Charts{IN_PART}",)


def test_nothing_is_told_of_a_table_that_keeps_its_rows(tmp_path):
    """With as many models as sample rows, everything refers to what it did."""
    report = fill(template(), Fill(tables={"models": TableFill(ROWS[:2])}), tmp_path / "filled.xlsx")
    assert report.not_stretched == ()


def test_points_of_scales_follow(tmp_path):
    """The value of a scale's point may be a formula over the rows."""
    book = load_workbook(BytesIO(template()))
    ends = {f"{end}_value": f"{word}($B$6:$B$7)" for end, word in (("start", "MIN"), ("end", "MAX"))}
    scale = ColorScaleRule(start_type="formula", start_color="FFFFFF", end_type="formula", end_color="FF0000", **ends)
    book["Models"].conditional_formatting.add("B6:B7", scale)
    fill(save(book), Fill(tables={"models": TableFill(ROWS)}), tmp_path / "filled.xlsx")
    rules = load_workbook(tmp_path / "filled.xlsx")["Models"].conditional_formatting["B6:B8"]
    points = [point.val for rule in rules if rule.colorScale for point in rule.colorScale.cfvo]
    assert points == ["MIN($B$6:$B$8)", "MAX($B$6:$B$8)"]


def test_points_without_a_value_stay(tmp_path):
    """The least and the largest value of a data bar need no number, and get none."""
    points = '<cfvo type="min"/><cfvo type="max"/><color rgb="FF638EC6"/>'
    bar = f'<cfRule type="dataBar" priority="9"><dataBar>{points}</dataBar></cfRule>'
    data = patched(
        template(),
        "xl/worksheets/sheet1.xml",
        ("<dataValidations", f'<conditionalFormatting sqref="B6:B7">{bar}</conditionalFormatting><dataValidations'),
    )
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert points in part(output, "xl/worksheets/sheet1.xml")


def test_page_breaks_among_the_rows_are_told(tmp_path):
    """A page that ended under the sample ends among the rows now; one that ends further down or above does not."""

    def change(book):
        for row in (4, 8, 30):
            book["Models"].row_breaks.append(Break(row))

    assert noted(tmp_path, change) == ("the page break under row 8 of Models, among the rows of models",)


def test_what_the_table_grows_over_is_told(tmp_path):
    """A format, a validation and a comment of empty cells below the table are those of models now."""

    def change(book):
        sheet = book["Models"]
        sheet.conditional_formatting.add("A9:C9", FormulaRule(formula=["TRUE"]))
        sheet.add_data_validation(DataValidation("list", formula1='"x,y"', sqref="B9"))
        sheet.add_data_validation(DataValidation("list", formula1='"x,y"', sqref="B30 F9"))
        sheet["D9"].comment = Comment("pick one", "me")

    grows = "over which the table models grows: move it or take it out"
    told = [
        f"the {what}, {grows}" for what in ("comment on Models!D9", "format of Models!A9:C9", "validation of Models!B9")
    ]
    assert noted(tmp_path, change) == tuple(told)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            {"C6": "=B6", "C7": "=C6+B7"},
            ("the formulas in Models!C7, which differ from Models!C6: every row takes that one",),
        ),
        (
            {"D7": "=B7-B6"},
            ("the formulas in Models!D7, which differ from Models!D6: every row takes none, as that cell has none",),
        ),
        ({"C6": "=B6/B$8", "C7": "=B7/B8"}, ()),
    ],
    ids=["a running total", "a difference", "shares of the total"],
)
def test_formulas_that_differ_from_the_first_row_are_told(cells, said, tmp_path):
    """Every row takes the formula of the first: one that begins with it and goes on in another way would be lost."""

    def change(book):
        for at, formula in cells.items():
            book["Models"][at] = formula

    assert noted(tmp_path, change) == said
