"""What questions' sheets print: amounts with their signs, no tables that only feed charts, names that end at a word."""

from importlib.resources import files

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import column_index_from_string

from flopsheet.configs.sizes import model_of_size
from flopsheet.export.layout.drawing import chart
from flopsheet.export.layout.look import LOOKS, PRINT_AREA
from flopsheet.export.layout.question import ROWS_PER_WIDTH, arrange_tables, question
from flopsheet.export.layout.spec import ChartLayout, ColumnLayout, TableLayout
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.planning.questions.serving.apis import MAX_NAME, OFFERS

TEMPLATE = files("flopsheet_templates") / "plan.xlsx"


@pytest.fixture(scope="module")
def sheets():
    """Return how the sheets of questions are laid out, by their tabs."""
    plan = make_plan(
        load(), cost_all(load(), [model_of_size(load(), "7B")]), questions=["phases", "comparison", "catalog"]
    )
    return {laid.tab: laid for laid in (sheet.lay_out() for sheet in question_sheets(plan))}


@pytest.mark.parametrize(
    "line", ["phase_tokens", "phase_share", "phase_flop", "phase_hours", "phase_days", "phase_cost"]
)
def test_amounts_of_a_phase_show_their_sign(line, sheets):
    """Phases with more tokens than there are leave less than none; formats with conditions drop the sign of it."""
    columns = sheets["Phases"].tables[0].columns
    look = next(one.look for one in columns if one.header.partition(" ")[0] == line)
    assert "[" not in LOOKS[look].form


def test_results_on_budget_show_their_sign():
    """Owning may be worth less than renting; a format under a condition keeps the sign."""
    rules = load_workbook(TEMPLATE)["Budget"].conditional_formatting
    forms = {one.dxf.numFmt.formatCode for ref in rules for one in ref.rules if one.operator == "lessThan"}
    assert forms == {LOOKS["balance"].form}


def test_tables_that_only_feed_charts_are_not_printed(sheets):
    """The volumes behind a chart are not printed, nor is a list that is for the screen."""
    book, laid = Workbook(), sheets["Lifetime"]
    question(book, laid)
    assert [one.name for one in laid.tables if not one.printed_columns] == [
        "comparison_crossings",
        "comparison_volumes",
    ]
    assert book["Lifetime"].defined_names[PRINT_AREA].value.count(":") == 1


def test_sources_longer_than_a_page_are_for_the_screen(sheets):
    """Who prints the catalog sees its prices next to the chart."""
    book, laid = Workbook(), sheets["Catalog"]
    question(book, laid)
    first, second = book["Catalog"].defined_names[PRINT_AREA].value.split(",")
    bottom = int(first.rpartition("$")[2])
    shown = [row[0].value for row in book["Catalog"].iter_rows(max_row=bottom, max_col=1) if row[0].value]
    assert laid.notes[:2] == tuple(shown[-2:])
    assert "Sources:" in laid.notes
    assert second.partition("!")[2].startswith("$J$7")


def test_the_page_of_a_question_prints_the_state_of_the_checks(sheets):
    """It is above the last printed columns, however narrow the table is."""
    for laid in sheets.values():
        book = Workbook()
        question(book, laid)
        column = book.defined_names[f"chk_{laid.key}"].attr_text.split("$")[1]
        assert column_index_from_string(column) <= len(arrange_tables(laid).widths)
        assert book[laid.tab].freeze_panes == "A7"


def test_names_of_columns_are_not_printed(sheets):
    """Names that formulas read are above the rows that print, or a format without a text shows nothing of them."""
    for laid in (one for one in sheets.values() if not one.workings):
        book, page = Workbook(), arrange_tables(laid)
        question(book, laid)
        areas = book[laid.tab].defined_names[PRINT_AREA].value.split(",")
        tops = [int(one.partition("!")[2].partition(":")[0].rpartition("$")[2]) for one in areas]
        assert tops == [1, *[7] * (len(areas) - 1)]
        if page.below:
            header = book[laid.tab].cell(page.header, 1)
            assert (header.value, header.number_format) == (page.below.columns[0].header, ";;;")


def test_workings_are_hidden_and_print_nothing(sheets):
    """Their print area is a cell without a value."""
    book, laid = Workbook(), next(one for one in sheets.values() if one.workings)
    question(book, laid)
    sheet = book[laid.tab]
    assert (sheet.sheet_state, sheet.defined_names[PRINT_AREA].value) == ("hidden", f"'{laid.tab}'!$A$3")
    assert sheet["A3"].value is None


def test_a_page_is_no_higher_than_paper(sheets):
    """Charts, notes and a table are on one page: the more rows, the wider the columns."""
    for laid in sheets.values():
        page = arrange_tables(laid)
        if page.below:
            assert (page.header + page.below.rows) / sum(page.widths) <= ROWS_PER_WIDTH + 0.01


def test_names_of_apis_on_a_chart_end_at_a_word():
    """A name that is too long is left without its last words, rather than cut anywhere."""
    names = [label.partition(" ")[2] for label in OFFERS.labels]
    assert "Llama-3.3-70B" in names
    assert max(map(len, names)) <= MAX_NAME


def test_an_axis_has_the_digits_of_what_it_measures():
    """Losses have three decimals each, where others have as many as they need."""
    laid = ChartLayout("sizes", ("Loss",), "line", "Loss", "Size", "Size", "Nats", look="loss")
    columns = tuple(ColumnLayout(one, "", "", "figure", 9) for one in ("Size", "Loss"))
    table = TableLayout("sizes", "Sizes", columns, 2)
    drawn = chart(Workbook().active, laid, 1, table, header=6, size=(9, 9))
    assert drawn.y_axis.number_format.formatCode == LOOKS["loss"].form
