"""The sheet Timeline: the months of one program side by side, live, and what its peak funding is made of."""

import judges
import openpyxl
import pytest
from samples import planned, write_portfolio

from flopsheet.export.workbook.write import write_workbook

PORTFOLIO = """
questions = ["money"]

[inputs]
accelerator = "h100-sxm"
accelerators = 2048
start = "2027-03-01"
days = 120
mfu = 0.4
price_per_hour = 3.97
program_months = 6
failed_share = 0.5
acquisition = "owned"
owned_accelerators = 256
rest = "on_demand"
purchase_month = 2
disposal_share = 0.3
budget_usd = 60e6
budget_covers = "program"

[[models]]
name = "70B"
size = "70B"
tokens = 10e12

[[models]]
name = "8B"
size = "8B"
tokens = 15e12
"""
MONEY = ("rent_on_demand", "purchase", "facility", "staff", "services", "contingency", "cash", "expense")
MILLION = 1e6


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Return a plan with a purchase, a sale and hours on demand."""
    return planned(write_portfolio(tmp_path_factory.mktemp("timeline"), PORTFOLIO))


@pytest.fixture(scope="module")
def delivered(plan, tmp_path_factory):
    """Write its workbook."""
    path = tmp_path_factory.mktemp("timeline") / "plan.xlsx"
    write_workbook(plan, path)
    return path


def table(path, name):
    """Return the rows of a table on the sheet, by the title of the line; a title may be there several times."""
    sheet = openpyxl.load_workbook(path, data_only=True)["Timeline"]
    headers, *rows = [[cell.value for cell in row] for row in sheet[sheet.tables[name].ref]]
    return [dict(zip(headers, row, strict=True)) for row in rows]


def lines(plan, model):
    """Return the lines of each month of a model, by line."""
    result = plan.run("base").table("programme_monthly")
    mine = [at for at, key in enumerate(result.keys) if key[0] == model]
    return {name: [float(result.columns[name][at]) for at in mine] for name in result.columns}


def titled(plan, name):
    """Return the title of a line of the months."""
    return next(line.label for line in plan.program.lines("programme_monthly") if line.name == name)


def check_months(path, plan, model):
    """Compare each amount of the sheet with the exact months of a model, and its total with their sum."""
    rows = {row["Line"]: row for row in table(path, "money_timeline")[:-3]}
    for name in MONEY:
        wanted, row = lines(plan, model)[name], rows[titled(plan, name)]
        months = [row[str(month)] * MILLION for month in range(1, 7)]
        assert months == pytest.approx(wanted, rel=1e-9, abs=1e-6), name
        assert row["Total"] * MILLION == pytest.approx(sum(wanted), rel=1e-9, abs=1e-6), name


def test_months_are_side_by_side(delivered, plan):
    """Every amount of the first model is that of its months, and totals are their sums."""
    check_months(delivered, plan, 0)


def test_days_are_those_of_the_calendar(delivered):
    """First and last day of each month, and how many there are: the run's last month is the last of the program."""
    rows = {row["Line"]: row for row in table(delivered, "money_timeline")}
    assert [rows["First day"][month].isoformat()[:10] for month in "16"] == ["2027-01-01", "2027-06-01"]
    assert [rows["Last day"][month].isoformat()[:10] for month in ("2", "6", "Total")] == [
        "2027-02-28",
        "2027-06-30",
        "2027-06-30",
    ]
    assert [rows["Days"][month] for month in ("1", "2", "Total")] == [31, 28, 181]


def test_flags_mark_the_months_of_research_run_and_purchase(delivered):
    """A mark in the months of each, and no other."""
    rows = {row["Line"]: row for row in reversed(table(delivered, "money_timeline"))}
    flags = ("Research", "Final run", "Reservation", "Purchase")
    marks = {name: [month for month in range(1, 7) if rows[name][str(month)]] for name in flags}
    assert marks == {"Research": [1, 2, 3, 4, 5, 6], "Final run": [3, 4, 5], "Reservation": [], "Purchase": [2]}


def test_the_steps_add_up_to_peak_funding(delivered, plan):
    """Each bar stands on those before it; the last is peak funding, and the cap is beside it."""
    *steps, peak, cap = table(delivered, "money_timeline_steps")
    assert sum(step["Amount"] for step in steps) == pytest.approx(peak["Amount"], rel=1e-9)
    assert steps[-1]["Below"] + steps[-1]["Amount"] == pytest.approx(peak["Amount"], rel=1e-9)
    assert peak["Amount"] * MILLION == pytest.approx(
        float(plan.run("base").table("programme").columns["peak_funding"][0])
    )
    assert cap["Amount"] == 60


def test_a_cap_on_the_run_is_not_beside_the_peak_of_the_program(tmp_path):
    """It meets another amount than peak funding, which it would seem to break, or to leave room for."""
    text = PORTFOLIO.replace('budget_covers = "program"', 'budget_covers = "final_run"')
    write_workbook(planned(write_portfolio(tmp_path, text)), tmp_path / "plan.xlsx")
    *_, cap = table(tmp_path / "plan.xlsx", "money_timeline_steps")
    assert (cap["Line"], cap["Amount"]) == ("Money cap", 0)


@judges.needs_soffice
def test_another_model_is_shown_by_its_number(delivered, plan, tmp_path):
    """LibreOffice shows the months of the model whose number is typed, and its name."""
    book = openpyxl.load_workbook(delivered)
    sheet, cell = next(book.defined_names["pick_money_timeline"].destinations)
    book[sheet][cell.replace("$", "")].value = 2
    book.save(tmp_path / "plan.xlsx")
    remade = judges.recalculate(tmp_path / "plan.xlsx", tmp_path / "out")
    check_months(remade, plan, 1)
    name = next(book.defined_names["name_money_timeline"].destinations)[1].replace("$", "")
    assert openpyxl.load_workbook(remade, data_only=True)["Timeline"][name].value == "8B"


def test_every_model_has_its_cumulative_cash(delivered, plan):
    """Below the months of one model there is a row for each."""
    *_, first, second = table(delivered, "money_timeline")
    for place, row in enumerate((first, second)):
        wanted = lines(plan, place)["cumulative_cash"]
        assert [row[str(month)] * MILLION for month in range(1, 7)] == pytest.approx(wanted, rel=1e-9)
        assert row["Total"] * MILLION == pytest.approx(wanted[-1], rel=1e-9)
