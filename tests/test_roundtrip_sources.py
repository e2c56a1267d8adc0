"""What becomes of the range, the source and the date of an input of which a planner edits some cases."""

import tomllib
from datetime import date

import pytest
from msgspec.structs import replace
from planner import PORTFOLIO, TODAY, Planner, bring, edit, run, today
from samples import planned

from flopsheet.accounting.line import Input
from flopsheet.export.roundtrip.edited_source import with_source
from flopsheet.planning.inputs import Assumption

PRICE = Input("price_per_hour", "Price", unit="USD", keys=("accelerator.price",), better="low")
QUOTED = Assumption(PRICE, 2, 3, 4, "A quote", "2026-05-01")


def sourced(*ends, of=QUOTED, day="2026-12-01"):
    """Return the source and date of an input of which some ends were typed."""
    told = with_source(of, {}, ends, day)
    return told["source"], told["date"]


def test_one_case_is_typed():
    """The others keep their source, and the input the date of its Base."""
    assert sourced("high") == ("High cost: edited in the workbook, 2026-12-01; Low cost, Base: A quote", "2026-05-01")


def test_base_is_typed():
    """The input has the day's date, and the others theirs in the source."""
    text = "Base: edited in the workbook, 2026-12-01; Low cost, High cost: A quote (2026-05-01)"
    assert sourced("base") == (text, "2026-12-01")


def test_all_cases_are_typed():
    """Nothing of the old source is left to say."""
    assert sourced("low", "base", "high") == ("Edited in the workbook", "2026-12-01")


def test_a_second_edit_keeps_the_first():
    """Each case has the day on which it was typed."""
    source, day = sourced("base")
    once = replace(QUOTED, source=source, date=day)
    twice = "Base: edited in the workbook, 2026-12-01; High cost: edited in the workbook, 2027-01-05"
    assert sourced("high", of=once, day="2027-01-05") == (f"{twice}; Low cost: A quote (2026-05-01)", "2026-12-01")
    assert sourced("base", of=once, day="2027-01-05") == (
        "Base: edited in the workbook, 2027-01-05; Low cost, High cost: A quote (2026-05-01)",
        "2027-01-05",
    )


def test_cases_are_named_as_on_the_sheet():
    """High MFU is low cost."""
    mfu = replace(QUOTED, input=PRICE._replace(better="high"))
    assert sourced("high", of=mfu)[0].startswith("Low cost: edited")


def imported(folder, *edits):
    """Edit cells, import them on a known day, and return the inputs of the portfolio and what was printed."""
    planner = Planner(folder)
    for key, header, value in edits:
        planner.cell("drivers", key, header).value = value
    planner.save()
    with today():
        status, out, errors = bring(folder, "--yes")
    assert status == 0, errors
    return tomllib.loads((folder / "portfolio.toml").read_text("utf-8")), out


def test_base_alone_of_an_input_without_a_range(folder):
    """Its value is meant for all cases, a number as well as a choice; an input with a range keeps its other cases."""
    document, out = imported(folder, ("accelerators", "Base", 1024), ("mfu", "Base", 0.4), ("days", "Base", 60))
    assert document["cluster"] == {"accelerator": "h100-sxm", "accelerators": 1024, "days": 60}
    assert {end: document["drivers"]["mfu"][end] for end in ("low", "base", "high")} == {
        "low": 0.28,
        "base": 0.4,
        "high": 0.45,
    }
    assert "accelerators: 1,024 in all cases, since it has no range" in out
    assert "# one quarter" in (folder / "portfolio.toml").read_text("utf-8")


def test_the_low_case_alone_makes_a_range(folder):
    """Who types another value for one case means that case."""
    document, _ = imported(folder, ("goodput", "Low cost", 0.95))
    assert document["drivers"]["goodput"] == {"low": 0.9, "base": 0.9, "high": 0.95}


def test_a_typed_price_is_dated(folder):
    """It has the day's date, the cases that were not typed keep source and date, and its age follows."""
    run("report", folder / "portfolio.toml", "-o", folder / "before.toml")
    before = tomllib.loads((folder / "before.toml").read_text("utf-8"))["inputs"]
    document, _ = imported(folder, ("price_per_hour", "Base", 3.5), ("price_per_hour", "High cost", 6))
    price = document["drivers"]["price_per_hour"]
    listed = before["price_per_hour"]
    assert price.pop("source") == (
        f"Base, High cost: edited in the workbook, {TODAY}; Low cost: {listed['source']} ({listed['date']})"
    )
    assert price == {"low": listed["low"], "base": 3.5, "high": 6, "date": TODAY}
    run("report", folder / "portfolio.toml", "-o", folder / "after.toml", "--input", "report_date=2026-12-31")
    after = tomllib.loads((folder / "after.toml").read_text("utf-8"))["inputs"]
    assert before["price_age"]["base"] > (date(2026, 12, 31) - date.fromisoformat(TODAY)).days
    assert after["price_age"]["base"] == 30


@pytest.mark.parametrize(("case", "header"), [("base", "Base"), ("Later", "Later")])
@pytest.mark.parametrize(("name", "value"), [("price_per_hour", 2.4), ("rented_as", "on_demand")])
def test_a_price_stays_of_the_kind_that_the_workbook_has(name, value, case, header, folder):
    """Without its kind, a price that is typed would be one on demand, and another kind would have another price."""
    text = f'questions = ["money"]\n{PORTFOLIO}\n[scenarios.Later]\naccelerator = "b200-sxm"\n'
    (folder / "portfolio.toml").write_text(text, "utf-8")
    before = planned(folder / "portfolio.toml").case(case)
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    imported(folder, (name, header, value))
    after = planned(folder / "portfolio.toml").case(case)
    assert {one for one in before if before[one] != after[one]} - {"price_age"} == {name}


def test_the_high_price_alone_silences_no_check(folder):
    """Base and Low are still those of the catalog, and as old."""
    document, _ = imported(folder, ("price_per_hour", "High cost", 6))
    run("report", folder / "portfolio.toml", "-o", folder / "after.toml")
    after = tomllib.loads((folder / "after.toml").read_text("utf-8"))["inputs"]
    assert document["drivers"]["price_per_hour"]["date"] == after["price_per_hour"]["date"] < "2026-11"
    assert after["price_age"]["base"] > 30


def test_a_source_that_was_typed_too_stays(folder):
    """Who says where a price is from is believed."""
    document, _ = imported(
        folder, ("price_per_hour", "Base", 3.5), ("price_per_hour", "Source", "Quote"), ("price_per_hour", "Date", None)
    )
    assert document["drivers"]["price_per_hour"]["source"] == "Quote"


def test_a_new_portfolio_dates_what_was_typed_over_the_catalog(folder):
    """Without a portfolio to compare with, the catalog shows which cases were typed."""
    edit(folder, "drivers", "price_per_hour", "High cost", 6)
    edit(folder, "drivers", "accelerators", "Base", 1024)
    with today():
        assert run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")[0] == 0
    inputs = tomllib.loads((folder / "new.toml").read_text("utf-8"))["inputs"]
    assert inputs["price_per_hour"]["source"].startswith(f"High cost: edited in the workbook, {TODAY}; Low cost, Base:")
    assert (inputs["accelerators"], "price_age" in inputs) == (1024, False)


@pytest.mark.parametrize(("header", "status"), [("Base", 0), ("Low cost", 2)])
def test_days_between_two_dates(header, status, folder):
    """Other days move the end of the window; a range has no end."""
    window = PORTFOLIO.replace("days = 90  # one quarter", "start = 2027-01-01  # new year\nend = 2027-03-02")
    (folder / "portfolio.toml").write_text(window, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    edit(folder, "drivers", "days", header, 30)
    result, out, errors = bring(folder, "--yes")
    assert result == status, errors
    assert ("end = 2027-01-31" in (folder / "portfolio.toml").read_text("utf-8")) == (status == 0)
    assert "days follow from start and end" in errors or "end = 2027-01-31: 30 days from start" in out


def test_days_after_a_start(folder):
    """Without an end there is none to move: the days themselves are brought back."""
    window = PORTFOLIO.replace("days = 90  # one quarter", "start = 2027-01-01\ndays = '12 weeks'")
    (folder / "portfolio.toml").write_text(window, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    document, _ = imported(folder, ("days", "Base", 30))
    assert (document["cluster"]["days"], "end" in document["cluster"]) == (30, False)


def test_a_number_with_a_unit_is_brought_back_where_it_was_edited(folder):
    """As a plain number; what was not edited stays as it is written."""
    typed = PORTFOLIO.replace("days = 90  # one quarter", "days = '90 d'\npue = '120%'")
    (folder / "portfolio.toml").write_text(typed, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    document, _ = imported(folder, ("days", "Base", 30))
    assert (document["cluster"]["days"], document["cluster"]["pue"]) == (30, "120%")


def test_a_scenario_follows_a_lone_base(folder):
    """It is the Base case with other inputs; one that states the input keeps its own."""
    more = "\n[scenarios.Later]\nmfu = 0.5\n\n[scenarios.Smaller]\naccelerators = 256\n"
    (folder / "portfolio.toml").write_text(PORTFOLIO + more, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    document, _ = imported(folder, ("accelerators", "Base", 1024))
    assert document["scenarios"] == {"Later": {"mfu": 0.5}, "Smaller": {"accelerators": 256}}
