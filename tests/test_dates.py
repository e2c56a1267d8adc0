"""Inputs that are days: written as dates, shown as dates in the workbook, and read back from it."""

import csv
import datetime as dt
import tomllib

import openpyxl
import pytest
from planner import Planner, run
from samples import planned, write_portfolio

from flopsheet.export.workbook.write import write_workbook

PORTFOLIO = """
questions = ["money"]

[inputs]
accelerators = 2048
start = "2027-03-01"
end = "2027-06-29"
program_start = {day}

[[models]]
size = "70B"
"""


@pytest.mark.parametrize("day", ['"2027-01-15"', "2027-01-15", "46402"], ids=["text", "date", "number"])
def test_a_day_is_a_date_in_any_form(tmp_path, day):
    """The program begins with the month of it, whether TOML has text, a date or what a spreadsheet counts."""
    plan = planned(write_portfolio(tmp_path, PORTFOLIO.format(day=day)))
    assert [row["month_first"] for row in plan.table("programme_monthly")][:2] == ["2027-01-01", "2027-02-01"]


def test_the_workbook_shows_days_as_dates(tmp_path):
    """A rule of the sheet gives rows whose unit is a date the format of one."""
    write_workbook(planned(write_portfolio(tmp_path, PORTFOLIO.format(day='"2027-01-15"'))), tmp_path / "plan.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["Assumptions"]
    rules = [rule for area in sheet.conditional_formatting for rule in area.rules if '="date"' in "".join(rule.formula)]
    assert [rule.dxf.numFmt.formatCode for rule in rules] == ['yyyy-mm-dd;;"-"']


def test_a_date_typed_into_the_workbook_comes_back(tmp_path):
    """A planner types dates, which a spreadsheet keeps as days: the portfolio has them as text, and they count."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(day='"2027-01-15"'))
    write_workbook(planned(path), tmp_path / "plan.xlsx")
    planner = Planner(tmp_path)
    for name, day in (("program_start", dt.datetime(2027, 2, 1)), ("run_start", dt.datetime(2027, 3, 8))):  # noqa: DTZ001 - cells have no time zone
        planner.cell("drivers", name, "Base").value = day
    planner.save()
    status, _, errors = run("import", tmp_path / "plan.xlsx", "-o", path, "--yes")
    assert status == 0, errors
    inputs = tomllib.loads(path.read_text("utf-8"))["inputs"]
    result = {name: one["base"] if isinstance(one, dict) else one for name, one in inputs.items()}
    assert (result["program_start"], result["run_start"]) == ("2027-02-01", "2027-03-08")
    (row,) = planned(path).table("programme")
    assert row["begins"] == (dt.date(2027, 3, 8) - dt.date(2027, 2, 1)).days


def test_a_verdict_has_its_words_in_every_report(tmp_path):
    """JSON, TOML and CSV say what stands against a model, not a number for it."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(day='"2027-01-15"'))
    run("report", path, "-o", tmp_path / "plan.toml", "-o", tmp_path / "plan.csv")
    (model,) = tomllib.loads((tmp_path / "plan.toml").read_text("utf-8"))["models"]
    assert model["scenarios"]["base"]["verdict"] == planned(path).table("programme")[0]["reason"] == "window"
    (row,) = csv.DictReader((tmp_path / "plan.csv").read_text("utf-8").splitlines())
    assert row["verdict"] == "window"


def test_a_plans_days_are_dates_in_its_report(tmp_path):
    """Those of a case are text, as those of a model are: 46,036 says nothing to whoever reads a report."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(day='"2027-01-15"'))
    run("report", path, "-o", tmp_path / "plan.toml")
    cases = tomllib.loads((tmp_path / "plan.toml").read_text("utf-8"))["scenarios"]
    assert cases["base"]["before_program"] == "2026-12-31"
