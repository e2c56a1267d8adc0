from __future__ import annotations

from fractions import Fraction
from importlib.resources import files

import pytest
from msgspec.structs import replace
from openpyxl import load_workbook
from samples import CONFIGS, planned

import flopsheet
from flopsheet.accounting import formula
from flopsheet.accounting.line import Rule
from flopsheet.export.layout.question import by_row
from flopsheet.export.layout.shipped_lists import shipped_lists
from flopsheet.export.layout.spec import ChartLayout
from flopsheet.export.workbook.architecture_table import (
    architecture_table,
    architecture_tables,
    constant_value,
    is_sum,
    without,
)
from flopsheet.export.workbook.card import lower_title
from flopsheet.export.workbook.cells import three_digits
from flopsheet.export.workbook.column_spec import MAX_FORMULA, ColumnSpec, split_sum
from flopsheet.export.workbook.heights import LEAST, heights
from flopsheet.export.workbook.list_fill import fill_list
from flopsheet.export.workbook.models import ModelRows, workings_links
from flopsheet.export.workbook.rule_results import RuleResults
from flopsheet.export.workbook.workings import column_specs
from flopsheet.host.loading import load
from flopsheet.planning.question import Check
from livesheets.engine import Formula
from livesheets.evaluate.book import Book
from livesheets.excel import cell

TEMPLATE = files("flopsheet_templates") / "plan.xlsx"
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
}


def model(**fields):
    """Return a small Llama with fields changed."""
    return flopsheet.evaluate(LLAMA | fields)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a", 0),
        ("b", None),
        ("a * b", 0),
        ("a + b", None),
        ("a + a", 0),
        ("a - a", 0),
        ("a / b", 0),
        ("b / a", None),
        ("-a", 0),
        ("a if b else 0", 0),
        ("a if b else b", None),
        ("b if a else a", 0),
        ("b if a < b else a", None),
        ("min(a, b)", None),
        ("min(a, 1)", 0),
        ("max(a, 0)", 0),
        ("max(a - 1, 0) * b", 0),
        ("3 / (a + 2)", Fraction(3, 2)),
        ("ceil(a - 1)", None),
        ("floor(0.5 + a)", 0),
        ("-(a + 1)", -1),
        ("round_up(a, b)", None),
        ("b * (a + 0)", 0),
    ],
)
def test_what_a_formula_always_comes_to(text, value):
    """A number is settled only if no value of the names that are not 0 can change it."""
    assert constant_value(formula.read(text).tree, {"a"}) == value


def test_biases_are_left_out_of_a_batch_without_biases():
    """Lines and flags that are 0 for every model stand in no table."""
    result = architecture_table(model().ledger, {1: model()})
    assert "qkv_bias" not in result.names
    assert "attention_q_bias" not in result.names
    assert "parameters" in result.names


def test_a_line_stays_as_long_as_a_flag_that_wakes_it_stays():
    """One model with biases keeps their lines for all models of the batch."""
    result = architecture_table(model().ledger, {1: model(), 2: model(attention_bias=True)})
    assert {"qkv_bias", "attention_q_bias"} <= result.names


def test_every_name_that_a_kept_line_needs_is_kept():
    """No formula of the table refers to a column that is not there, sums of what was left out excepted."""
    result = architecture_table(model().ledger, {1: model()})
    for entry in result.entries:
        if entry.role in ("line", "helper") and not is_sum(entry):
            assert set(result.ledger.formulas[entry.line.name].names) <= result.names


def test_helpers_that_nothing_needs_are_left_out():
    """A helper of lines that were left out goes with them."""
    kept = architecture_table(model().ledger, {1: model()})
    needed = {name for e in kept.entries for name in kept.ledger.formulas[e.line.name].names}
    assert all(e.line.name in needed for e in kept.entries if e.role == "helper")


def test_models_keep_their_place_in_the_batch_as_number():
    """Numbers count every model, so that one in error leaves a gap."""
    broken = flopsheet.evaluate(LLAMA | {"hidden_size": "wide"})
    (result,) = architecture_tables([broken, model()])
    assert list(result.models) == [2]


@pytest.mark.parametrize(
    ("text", "out", "left"),
    [("a + b + c", {"b"}, "a + c"), ("a - b + c", {"b"}, "a + c"), ("a - b", {"a"}, "-b"), ("a", {"a"}, "0")],
)
def test_sums_lose_the_terms_that_are_left_out(text, out, left):
    """A sum is written without its silent terms."""
    assert without(formula.read(text), frozenset(out)) == left


def test_links_add_up_over_the_tables_that_have_the_line():
    """Models brings a number from whichever table has the model, and 0 where none has the line."""
    result = architecture_table(model().ledger, {1: model()})
    (link,) = workings_links("models", [result], "parameters", ["parameters"])
    assert str(link.formula) == "SUMIFS(dense[parameters],dense[no],models[[#This Row],[No]])"
    assert ModelRows([model()]).values(link) == [model().totals["parameters"]]
    (nothing,) = workings_links("models", [result], "none", ["no_such_line"])
    assert (str(nothing.formula), ModelRows([model()]).values(nothing)) == ("0", [0])


def test_long_links_stand_in_parts():
    """Over many tables a link is the sum of parts that can be read, and the model's number stands in one of them."""
    result = architecture_table(model().ledger, {1: model()})
    brought = workings_links("models", [result], "all", [e.line.name for e in result.entries])
    *parts, whole = brought
    assert len(parts) > 3
    assert all(len(str(link.formula).replace("models[[#This Row],[No]]", "[@No]")) < MAX_FORMULA for link in parts)
    assert str(whole.formula).startswith("models[[#This Row],[all_part1]]+models[[#This Row],[all_part2]]+")


def test_a_long_sum_stands_in_parts():
    """A total of many terms is written as the sum of columns that hold a part of it each."""
    result = architecture_table(model().ledger, {1: model()})
    spec = ColumnSpec("total", "total", "", "Total", "", lambda models: models)
    text = " + ".join(["n_layers * d_model - vocab_size"] * 12)
    parts, whole = split_sum(result, spec, text)
    values = [part.value.evaluate(model().numbers) for part in parts]
    assert sum(values) == 12 * (2 * 64 - 100)
    assert str(whole) == "+".join(f"dense[[#This Row],[total_part{place}]]" for place in range(1, len(parts) + 1))
    assert split_sum(result, spec, "n_layers * d_model")[0] == []


def test_a_helper_that_only_a_rule_needs_stays():
    """A rule of thumb finds every line that it names."""
    whole = model()
    helper = next(
        e.line.name
        for e in whole.ledger.entries
        if e.role == "helper" and e.line.name not in architecture_table(whole.ledger, {1: whole}).names
    )
    rule = RuleResults(Rule("named", "Named", helper, "parameters", "FLOP", "a test"), {1: 0})
    assert helper in architecture_table(whole.ledger, {1: whole}, [rule]).names


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (35.124, "35.1"),
        (8.781, "8.78"),
        (999.4, "999"),
        (1234.5, "1,230"),
        (1e6, "1,000,000"),
        (0.53, "0.53"),
        (0, "0.00"),
    ],
)
def test_money_is_read_to_three_digits(value, text):
    """Three significant digits at every size, and two places below one."""
    book = Book()
    book.add_named({"amount": value, "shown": Formula(three_digits(cell("amount")))})
    assert book.evaluate_name("shown") == text


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Model width", "model width"),
        ("MLP width", "MLP width"),
        ("Σ norm", "Σ norm"),
        ("A", "A"),
        ("Mamba-2 layers", "Mamba-2 layers"),
    ],
)
def test_titles_inside_a_sentence(title, text):
    """A word begins small, an acronym or a sign stays."""
    assert lower_title(title) == text


def test_rows_grow_with_wrapped_text():
    """A long text asks for a higher row, a short one for the least."""
    height = heights({0: (20, 8)})
    assert height(["a"]) == LEAST
    assert height(["word " * 100]) > 5 * LEAST


def test_every_list_of_the_shipped_sheets_is_described_once():
    """The tables of the shipped template, but for its card, are those of lists.toml."""
    names = {table for sheet in load_workbook(TEMPLATE).worksheets for table in sheet.tables}
    assert names == shipped_lists().keys() - {"workings", "card"} | {"dense", "card_dense"}


@pytest.mark.parametrize("name", shipped_lists())
def test_formulas_of_other_workbooks_are_of_columns_that_a_list_has(name):
    """A header is written once; a formula under another one would be lost."""
    listed = shipped_lists()[name]
    headers = {header for header, *_ in listed.columns}
    assert [header for others in listed.where.values() for header in others if header not in headers] == []


def test_a_row_of_a_list_has_no_value_for_a_formula():
    """A value that no column takes would be lost."""
    with pytest.raises(ValueError, match="a row gives more values than there are columns without a formula"):
        fill_list("checks", [["Check", 0, "why", "check", "more"]])


@pytest.mark.parametrize(
    ("called", "text"), [(str, "mfu is low (here). Raise mfu"), (str.upper, "MFU is low (here). Raise MFU")]
)
def test_a_check_calls_inputs_as_its_readers_do(called, text):
    """The terminal has the names that people type, sheets have titles."""
    assert Check("low", "Low", "cases", "mfu", "{mfu} is low", "Raise {mfu}").describe(called, " (here)") == text


def test_the_workings_of_every_architecture_show_every_look():
    """A delivered workbook has a prototype of workings whatever its models are, so that it is a template again."""
    looks = shipped_lists()["workings"].looks
    for arch in architecture_tables(planned(CONFIGS).models, load()):
        headers = {spec.header for spec in column_specs(arch)}
        assert [look for look, shown in looks.items() if not headers & {*shown}] == [], arch.table


def test_a_chart_of_many_models_has_a_row_of_its_own():
    """Others are side by side, up to four in a row."""
    one = ChartLayout("models", ("cost",), "bar", "Cost", "Model", "Model", "USD")
    wide = replace(one, wide=True)
    assert by_row([wide, one, one, one, wide]) == [[wide], [one, one, one], [wide]]
