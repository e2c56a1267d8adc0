"""A finance department's own template: its currency, its tables' names, its months; and no sample is ever left."""

from datetime import datetime
from math import ceil

import openpyxl
import pytest
from budget_template import add_table
from click.testing import CliRunner
from openpyxl.utils import absolute_coordinate
from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from samples import planned, write_portfolio

from flopsheet.cli import main

PORTFOLIO = """
questions = ["{question}"]

[inputs]
accelerator = "h100-sxm"
accelerators = 2048
days = 120
mfu = 0.4
price_per_hour = 3.97
{more}

[[models]]
name = "8B"
size = "8B"
tokens = 15e12

[[models]]
name = "70B"
size = "70B"
tokens = 10e12
"""
SIX_MONTHS = "program_months = 6\n"
EUROS = 'report_currency = "EUR"\ncurrency_rate = 0.9\n'
RATE, THOUSAND, MILLION = 0.9, 1e3, 1e6
SAMPLE = {"Model": "Sample", "Parameters [B]": 7.0, "Cost [EUR k]": 1234}
MONTHS = 6


def filled(folder, tables=(), cells=(), names=(), formats=(), more=EUROS, epoch=WINDOWS_EPOCH, **asked):
    """Return the exit status, what is printed, the sheet that is written, and the plan."""
    book = openpyxl.Workbook()
    book.epoch = epoch
    sheet = book.active
    for name, row, columns in tables:
        add_table(sheet, name, row, columns, totals=False)
    for cell, value in dict(cells).items():
        sheet[cell] = value
    for area in asked.get("merge", ()):
        sheet.merge_cells(area)
    for name, cell in dict(names).items():
        holder, own = (sheet if "!" in name else book), name.rpartition("!")[2]
        holder.defined_names[own] = DefinedName(own, attr_text=f"Sheet!{absolute_coordinate(cell)}")
    for cell, form in dict(formats).items():
        sheet[cell].number_format = form
    book.save(folder / "mine.xlsx")
    more = asked.get("program", SIX_MONTHS) + more
    portfolio = write_portfolio(folder, PORTFOLIO.format(more=more, question=asked.get("question", "money")))
    asked = ["report", str(portfolio), "--template", str(folder / "mine.xlsx"), "-o", str(folder / "plan.xlsx")]
    result = CliRunner().invoke(main, asked)
    return result.exit_code, result.output, openpyxl.load_workbook(folder / "plan.xlsx").active, planned(portfolio)


def column(sheet, table, header):
    """Return the values of a column of a table."""
    top, *rows = [[cell.value for cell in row] for row in sheet[sheet.tables[table].ref]]
    return [row[top.index(header)] for row in rows]


@pytest.mark.parametrize("name", ["Budget", "Drivers", "Programme", "Models", "Cashflow", "Options", "Cases"])
def test_a_table_is_known_by_its_columns_and_not_by_its_name(name, tmp_path):
    """Planners call their tables as the shipped ones are called: they are filled all the same, in their currency."""
    status, _, sheet, plan = filled(tmp_path, [(name, 1, SAMPLE)])
    assert status == 0
    assert column(sheet, name, "Model") == ["8B", "70B"]
    costs = [float(plan.training(model, "base")["training_cost"]) for model in plan.models]
    assert column(sheet, name, "Cost [EUR k]") == pytest.approx([cost * RATE / THOUSAND for cost in costs])


def test_a_list_of_models_with_headers_of_the_shipped_one_is_filled_by_them(tmp_path):
    """No other shipped table is in the template, so it is the planner's own, and nothing in it is of another plan."""
    status, text, sheet, _ = filled(tmp_path, [("models", 1, {"model": "Ours", "parameters": 1, "Days": 1})])
    assert (status, "keeps the numbers" in text) == (0, False)
    assert column(sheet, "models", "model") == ["8B", "70B"]


@pytest.mark.parametrize(
    ("name", "labels", "size"),
    [
        ("in_price_per_hour", {"A9": "Price per GPU hour", "B9": "EUR"}, 1 / RATE),
        ("in_price_per_hour", {"B9": "Price per GPU hour, EUR/GPU-h"}, 1 / RATE),
        ("in_price_per_hour", {"B9": "Price per GPU hour"}, 1),
        ("out_total_cost", {"B9": "All of it (€ m)"}, MILLION / RATE),
    ],
    ids=["a currency beside the label", "a unit of two", "no currency", "a sign with a scale"],
)
def test_a_cell_is_in_the_currency_of_its_label(name, labels, size, tmp_path):
    """At the rate of the portfolio, prices by the hour too."""
    status, _, sheet, plan = filled(tmp_path, cells={**labels, "C9": 1}, names={name: "C9"})
    total = sum(float(plan.training(model, "base")["training_cost"]) for model in plan.models)
    assert status == 0
    assert sheet["C9"].value == pytest.approx({"in_price_per_hour": 3.97, "out_total_cost": total}[name] / size)


def test_money_beside_a_number_of_another_kind_changes_nothing(tmp_path):
    """A label of euros further to the left is not that of days."""
    cells = {"A9": "Budget, EUR", "B9": "Window", "C9": 1}
    _, _, sheet, _ = filled(tmp_path, [("Mine", 1, SAMPLE)], cells=cells, names={"in_days": "C9"})
    assert sheet["C9"].value == 120


REFUSED = {
    "another currency": ({"B9": "All of it (GBP)", "C9": 77}, "out_total_cost", "'All of it (GBP)' is not in USD"),
    "no result": (
        {"B9": "All of it", "C9": 77},
        "out_total_costs",
        "is no result of this plan, so its sample is left out",
    ),
    "another question": (
        {"B9": "All of it", "C9": 77},
        "out_serving_cost",
        "belongs to the question 'serving', which the plan does not ask, so its sample is left out",
    ),
    "no result of a sheet": (
        {"B9": "All of it", "C9": 77},
        "Sheet!out_total_costs",
        "is no result of this plan, so its sample is left out",
    ),
    "of the workbook too": (
        {"B9": "All of it", "C9": 77},
        "Sheet!out_n_models",
        "C9: the name Sheet!out_n_models is not filled: another sheet, or the workbook, has a name out_n_models too",
    ),
}


@pytest.mark.parametrize(("cells", "name", "said"), REFUSED.values(), ids=REFUSED)
def test_a_sample_that_nothing_replaces_is_an_error(cells, name, said, tmp_path):
    """The cell is empty, the run says which it is and fails."""
    names = {"out_n_models": "F9", name: "C9"}
    status, output, sheet, _ = filled(tmp_path, [("Mine", 1, SAMPLE)], cells=cells, names=names)
    assert status == 1
    assert "template error: " in output
    assert said in output
    assert sheet["C9"].value is None


@pytest.mark.parametrize("merged", [True, False], ids=["merged", "several"])
def test_a_name_of_several_cells_is_filled_where_they_are_merged(merged, tmp_path):
    """The first cell of merged ones is meant; of others nobody can tell, so the run fails."""
    cells, names = {"B9": "Models", "C9": 77}, {"out_n_models": "C9:D10"}
    merge = ["C9:D10"] if merged else []
    status, output, sheet, _ = filled(tmp_path, [("Mine", 1, SAMPLE)], cells=cells, names=names, merge=merge)
    assert (status, sheet["C9"].value) == ((0, 2) if merged else (1, 77))
    assert ("template error: the defined name out_n_models points to" in output) is not merged


def test_a_cell_that_an_array_formula_fills_keeps_its_value(tmp_path):
    """The formula is in the first of its cells alone, and calculates the others."""
    cells = {"C8": ArrayFormula("C8:C9", "=B8:B9*2"), "C9": 7}
    _, _, sheet, _ = filled(tmp_path, [("Mine", 1, SAMPLE)], cells=cells, names={"in_days": "C9"})
    assert sheet["C9"].value != 120


def test_a_rate_of_one_converts_nothing(tmp_path):
    """A currency without a rate is not filled with dollars."""
    status, _, sheet, _ = filled(tmp_path, [("Mine", 1, SAMPLE)], more='report_currency = "EUR"\n')
    assert status == 0
    assert column(sheet, "Mine", "Cost [EUR k]") == [None, None]


def months(plan, model, line):
    """Return a line of each month of a model."""
    result = plan.run("base").table("programme_monthly")
    return [float(result.columns[line][at]) for at, key in enumerate(result.keys) if key[0] == model]


def test_a_table_of_months_has_the_cash_of_each(tmp_path):
    """By number, in the currency of the header, of the first model; a column of the planner's own stays blank."""
    table = {"Month": 1, "Cash [EUR m]": 10, "Cumulative cash (USD k)": 10, "Mine": 10}
    status, output, sheet, plan = filled(tmp_path, [("Spend", 1, table)])
    assert status == 0
    assert column(sheet, "Spend", "Month") == [*range(1, MONTHS + 1)]
    wanted = [cash * RATE / MILLION for cash in months(plan, 0, "cash")]
    assert column(sheet, "Spend", "Cash [EUR m]") == pytest.approx(wanted)
    wanted = [cash / THOUSAND for cash in months(plan, 0, "cumulative_cash")]
    assert column(sheet, "Spend", "Cumulative cash (USD k)") == pytest.approx(wanted)
    assert column(sheet, "Spend", "Mine") == [None] * MONTHS
    assert "the column 'Mine' stays blank" in output


def test_a_table_of_months_may_have_every_model(tmp_path):
    """With a column that names the model, and months by the days of their beginning and end."""
    table = {"Model": "Sample", "Month": 46000, "End": 46000, "Cash": 10}
    days = {"B2": "mmm yy", "C2": "yyyy-mm-dd"}
    more = 'start = "2027-03-01"'
    status, _, sheet, plan = filled(tmp_path, [("Spend", 1, table)], formats=days, more=more)
    assert status == 0
    assert column(sheet, "Spend", "Model") == ["8B"] * MONTHS + ["70B"] * MONTHS
    assert column(sheet, "Spend", "Month")[:2] == [datetime(2027, 1, 1), datetime(2027, 2, 1)]  # noqa: DTZ001 - a day
    assert column(sheet, "Spend", "End")[-1] == datetime(2027, 6, 30)  # noqa: DTZ001 - a day
    assert column(sheet, "Spend", "Cash") == pytest.approx(months(plan, 0, "cash") + months(plan, 1, "cash"))


def test_a_short_date_is_one_of_days(tmp_path):
    """Excel's own formats of days are in files by number alone: 14, and 17 for months."""
    days = {"A2": "mmm-yy", "B2": "mm-dd-yy"}
    table = {"Month": 46000, "End": 46000, "Cash": 10}
    _, output, sheet, _ = filled(tmp_path, [("Spend", 1, table)], formats=days, more='start = "2027-03-01"')
    assert column(sheet, "Spend", "Month")[0] == datetime(2027, 1, 1)  # noqa: DTZ001 - a day
    assert "not formatted for days" not in output


def test_a_list_of_models_with_the_days_of_their_runs_is_none_of_months(tmp_path):
    """Start, End and Days are columns of both: the other headers say which it is."""
    columns = {"Model": "Sample", "Parameters [B]": 7, "Cost [USD m]": 1.5, "Start": 1, "End": 2, "Days": 3}
    status, _, sheet, plan = filled(tmp_path, [("Runs", 1, columns)], more="")
    assert (status, column(sheet, "Runs", "Model")) == (0, ["8B", "70B"])
    days = [float(plan.training(model, "base")["training_days"]) for model in plan.models]
    assert column(sheet, "Runs", "Days") == pytest.approx(days)


def test_months_that_no_question_fills_keep_no_sample(tmp_path):
    """Without the question money, a table of months is left without rows, and the run says which question fills it."""
    table = {"Month": 1, "Cash (USD m)": 10}
    status, output, sheet, _ = filled(tmp_path, [("Spend", 1, table)], question="budget", program="", more="")
    assert status == 1
    assert set(column(sheet, "Spend", "Cash (USD m)")) == {None}
    assert "the table Spend is left without rows: ask the question money, which fills it" in " ".join(output.split())


@pytest.mark.parametrize("epoch", [WINDOWS_EPOCH, MAC_EPOCH], ids=["1900", "1904"])
def test_start_and_end_are_days(epoch, tmp_path):
    """Of each run in a list of models, of the window in cells, as the workbook counts; blank without dates."""
    table = {"Model": "Sample", "Cost": 1, "Start": 46000, "End": 46000}
    asked = {
        "tables": [("Runs", 1, table)],
        "cells": {"F1": 46000, "F2": 46000},
        "names": {"out_start": "F1", "out_end": "F2"},
        "formats": dict.fromkeys(("C2", "D2", "F1", "F2"), "yyyy-mm-dd"),
        "epoch": epoch,
    }
    _, _, sheet, plan = filled(tmp_path, **asked, more='start = "2027-03-01"')
    assert column(sheet, "Runs", "Start") == [datetime(2027, 3, 1)] * 2  # noqa: DTZ001 - a day
    days = [float(plan.training(model, "base")["training_days"]) for model in plan.models]
    ends = [(end - datetime(2027, 3, 1)).days + 1 for end in column(sheet, "Runs", "End")]  # noqa: DTZ001 - a day
    assert ends == [ceil(one) for one in days]
    assert [sheet["F1"].value, sheet["F2"].value] == [datetime(2027, 3, 1), datetime(2027, 6, 28)]  # noqa: DTZ001
    _, output, sheet, _ = filled(tmp_path, **asked, more="")
    assert column(sheet, "Runs", "Start") == [None, None]
    assert sheet["F1"].value in (None, "")
    assert "the name out_start is left blank: the plan has no date, so set start under [inputs]" in output


def test_shipped_tables_are_not_filled_where_days_count_from_1904(tmp_path, monkeypatch):
    """Their formulas count from 1900, so the fill says which option to turn off, and so does an import."""
    monkeypatch.setattr("livesheets.template.day_offset", lambda _: 1462)
    portfolio = write_portfolio(tmp_path, PORTFOLIO.format(more="", question="budget"))
    output = tmp_path / "plan.xlsx"
    result = CliRunner().invoke(main, ["report", str(portfolio), "-o", str(output)])
    assert (result.exit_code, output.exists()) == (2, False)
    assert "the template counts its days from 1904, flopsheet's tables from 1900: turn off File" in result.output
    monkeypatch.undo()
    CliRunner().invoke(main, ["report", str(portfolio), "-o", str(output)])
    monkeypatch.setattr("livesheets.reading.day_offset", lambda _: 1462)
    result = CliRunner().invoke(main, ["import", str(output), "-o", str(portfolio), "--yes"])
    assert result.exit_code == 2
    assert "counts its days from 1904" in result.output


def test_check_says_what_a_fill_changes(tmp_path):
    """Each cell and table with what is there before and behind, and what is refused; the template stays as it is."""
    cells, names = {"B9": "EUR", "C9": 1.5, "C10": 77}, {"in_price_per_hour": "C9", "out_mine": "C10"}
    filled(tmp_path, [("Budget", 1, SAMPLE)], cells=cells, names=names)
    before = (tmp_path / "mine.xlsx").read_bytes()
    asked = ["templates", "check", str(tmp_path / "mine.xlsx"), "--portfolio", str(tmp_path / "portfolio.toml")]
    result = CliRunner().invoke(main, asked)
    lines = [" ".join(line.split()) for line in result.output.splitlines()]
    assert result.exit_code == 1
    assert "Sheet!A1:C2 Budget 1 row → 2 rows" in lines
    assert "Sheet!C9 in_price_per_hour 1.5 → 3.573" in lines
    assert "Sheet!C10 out_mine 77 → blank" in lines
    assert "Sheet!C1 Cost [EUR k] → training_cost in EUR k" in lines
    assert any(line.startswith("error: Sheet!C10: the name out_mine is no result of this plan") for line in lines)
    assert (tmp_path / "mine.xlsx").read_bytes() == before


def test_check_knows_the_days_of_a_plan(tmp_path):
    """They are results of a question that the check's plan does not ask, and fail nothing."""
    table = {"Model": "Sample", "Parameters [B]": 1, "Cost [USD k]": 1}
    filled(tmp_path, [("Mine", 1, table)], cells={"F1": 1}, names={"out_start": "F1"})
    result = CliRunner().invoke(main, ["templates", "check", str(tmp_path / "mine.xlsx")])
    assert "out_start → Start of the window, where money is asked (date)" in " ".join(result.output.split())
    assert "mine.xlsx: 0 unrecognized names" in result.output
    assert result.exit_code == 0


def test_check_asks_what_a_review_asks_only_where_it_is_told_to(tmp_path):
    """A finance workbook need not have a change log to be filled."""
    filled(tmp_path, [("Budget", 1, {"Model": "Sample", "Parameters [B]": 1, "Cost [USD k]": 1})])
    plain = CliRunner().invoke(main, ["templates", "check", str(tmp_path / "mine.xlsx")])
    review = CliRunner().invoke(main, ["templates", "check", str(tmp_path / "mine.xlsx"), "--review"])
    assert (plain.exit_code, "change log" in plain.output) == (0, False)
    assert (review.exit_code, "change log" in review.output) == (1, True)
