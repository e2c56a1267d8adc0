"""What questions' sheets print: amounts with their signs, no tables that only feed charts, names that end at a word."""

from importlib.resources import files

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.utils import column_index_from_string

from flopsheet.configs.sizes import model_of_size
from flopsheet.export.layout.look import LOOKS, PRINT_AREA
from flopsheet.export.layout.page import page
from flopsheet.export.layout.question import chart, question
from flopsheet.export.layout.spec import ChartLayout, ColumnLayout, TableLayout
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.plan import make_plan
from flopsheet.planning.questions.serving.apis import MAX_NAME, OFFERS

TEMPLATE = files("flopsheet_templates") / "plan.xlsx"


@pytest.fixture(scope="module")
def sheets():
    """Return how the sheets of questions are laid out, by their tabs."""
    plan = make_plan(
        load(), cost_all(load(), [model_of_size(load(), "7B")]), questions=["phases", "comparison", "catalog"]
    )
    return {laid.tab: laid for laid in (sheet.laid() for sheet in question_sheets(plan))}


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
    """The list of APIs is printed, what the chart of it reads is not."""
    book, laid = Workbook(), sheets["Alternatives"]
    question(book, laid)
    assert [one.name for one in laid.tables if not one.printed] == ["serving_offers"]
    assert book["Alternatives"].defined_names[PRINT_AREA].value.count(":") == len(laid.tables)


def test_sources_longer_than_a_page_print_behind_the_table(sheets):
    """Who prints the catalog sees its prices next to the chart, and where they are from afterwards."""
    book, laid = Workbook(), sheets["Catalog"]
    question(book, laid)
    printed = book["Catalog"].defined_names[PRINT_AREA].value.split(",")
    firsts = [book["Catalog"][one.rpartition("!")[2].partition(":")[0]].value for one in printed]
    assert firsts == [laid.title, "Accelerators", "Sources:"]


def test_a_sheet_on_one_page_prints_the_state_of_the_checks(sheets):
    """It is above the last printed columns, however narrow the table is."""
    book, laid = Workbook(), sheets["Train"]
    page(book, laid)
    column = book.defined_names["chk_comparison_3"].attr_text.split("$")[1]
    assert column_index_from_string(column) < laid.tables[0].printed
    assert book["Train"].freeze_panes == "A8"


def test_names_of_apis_on_a_chart_end_at_a_word():
    """A name that is too long is left without its last words, rather than cut anywhere."""
    names = [label.partition(" ")[2] for label in OFFERS.labels]
    assert "Llama-3.3-70B" in names
    assert max(map(len, names)) <= MAX_NAME


def test_an_axis_has_the_digits_of_what_it_measures():
    """Losses have three decimals each, where others have as many as they need."""
    laid = ChartLayout("line", "Loss", "sizes", "Size", ("Loss",), (), "Size", "Nats", look="loss")
    columns = tuple(ColumnLayout(one, "", "", "figure", 9) for one in ("Size", "Loss"))
    table = TableLayout("sizes", "Sizes", columns, 2)
    drawn = chart(Workbook().active, laid, 1, table, header=6, size=(9, 9))
    assert drawn.y_axis.number_format.formatCode == LOOKS["loss"].form
