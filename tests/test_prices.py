"""Contract and spot prices as observed, their age, and plans whose prices or dates make no sense."""

from datetime import date

import pytest

from flopsheet.configs.portfolio import Portfolio
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.catalog import accelerators, price_kinds, priced
from flopsheet.planning.datafiles import data_rows
from flopsheet.planning.plan import make_plan
from flopsheet.planning.prices import age_days, observed_price
from flopsheet.planning.remarks import assumed_price, remarks

LARGE = {"accelerators": 4096, "days": 90}


def planned(**inputs):
    """Return a plan without models under the given inputs."""
    return make_plan(load(), [], inputs=inputs, questions=["budget"])


def price_of(made):
    """Return the plan's price of an hour with its range and source."""
    return next(one for one in made.drivers if one.name == "price_per_hour")


def failing(made):
    """Return the names of the checks of a plan that do not hold."""
    return {one.check.name for one in made.check_results() if not one.holds}


@pytest.mark.parametrize("row", data_rows("observed_prices"), ids=lambda row: f"{row['accelerator']} {row['kind']}")
def test_an_observed_price_is_whole(row):
    """It names an accelerator and a kind that exist, a provider, a date and a source."""
    assert row["accelerator"] in accelerators()
    assert row["kind"] in price_kinds()
    assert row["provider"]
    assert row["date"]
    assert row["source"]
    assert 0.2 < row["usd"] < 15


def test_a_large_plan_takes_an_observed_contract_price():
    """Of four prices of an H100 one is above the price on demand: it is the high end. A doubtful one is not counted.

    The low end is that of prices on demand less the discount, since few observations have no range.
    """
    price = price_of(planned(**LARGE))
    assert (price.low, price.base, price.high, price.date) == (1.78, 2.69, 4.82, "2026-06-26")
    assert "Amazon Web Services, 4.82, 2026-05-25" in price.source
    assert "Google Cloud, 2.71, 2026-05-25, doubtful" in price.source
    assert "SemiAnalysis survey of neoclouds, 2.65, 2026-06-26, second hand" in price.source


@pytest.mark.parametrize("name", [one.name for one in accelerators().values() if one.price_base])
def test_who_commits_for_longer_pays_no_more(name):
    """Three years cost at most what a year costs, and that at most what an hour on demand costs, whatever was seen."""
    found = [priced(accelerators()[name], price_kinds()[kind]) for kind in ("on_demand", "reserved", "reserved_3y")]
    assert sorted((one.price_base for one in found), reverse=True) == [one.price_base for one in found]
    assert all(one.price_low <= one.price_base <= one.price_high for one in found)


def test_months_of_serving_on_demand_are_told():
    """Where nobody chose the price, a note says what a contract costs; a kind or quote of the plan's own needs none."""
    serving = {"accelerator": "h200-sxm", "requests_per_second": 10}
    for given, told in (({}, True), ({"price_kind": "on_demand"}, False), ({"price_per_hour": 2}, False)):
        portfolio = Portfolio("plan", "plan.toml", "", inputs={**serving, **given})
        made = make_plan(load(), [], [portfolio], questions=["serving"])
        assert any("serving is paid on demand, 5.99 USD an hour, for 12 months" in one for one in remarks(made)) == told


def test_without_an_observed_price_the_discount_counts():
    """Contracts of an A100 PCIe were only seen in earlier years; the remark says which was taken."""
    made = planned(accelerator="a100-pcie-80gb", **LARGE)
    assert observed_price("a100-pcie-80gb", "reserved", 1.39, "capacity on demand") is None
    assert price_of(made).base == pytest.approx(1.39 * 0.66, abs=0.006)
    assert "34% below the price on demand (no observed price)" in assumed_price(made)
    assert "the median of the 2 of 4 observed prices" in assumed_price(planned(**LARGE))


@pytest.mark.parametrize(("dated", "days"), [("2026-05-25", 180), ("2025", 325), ("", 0), ("2027-01-01", 0)])
def test_the_age_of_a_price(dated, days):
    """In days; a bare year counts from its end, and a price without a date is taken as today's."""
    assert age_days(dated, date(2026, 11, 21)) == days


AGED = {
    "as collected": ({}, set()),
    "half a year later": ({"report_date": "2027-05-21"}, {"price_current"}),
    "a date as TOML has it": ({"report_date": date(2027, 5, 21)}, {"price_current"}),
    "an old quote": ({"price_per_hour": {"base": 2, "date": "2025-01-31"}}, {"price_current"}),
    "a quote without a date": ({"price_per_hour": 2, "report_date": "2027-05-21"}, set()),
    "a longer validity": ({"report_date": "2027-05-21", "price_max_age": 365}, set()),
    "nothing to pay": ({"price_per_hour": 0}, {"price_given"}),
}


@pytest.mark.parametrize(("inputs", "names"), AGED.values(), ids=AGED)
def test_old_and_missing_prices_fail_a_check(inputs, names):
    """Older than 180 days on the day of the report, or 0."""
    assert failing(planned(**inputs)) == names


def test_a_window_may_be_dates():
    """Days follow from start and end, and say so."""
    days = next(one for one in planned(start="2027-01-01", end=date(2027, 4, 1)).drivers if one.name == "days")
    assert (days.base, days.source) == (90, "From 2027-01-01 to 2027-04-01")


WINDOWS = {
    "before it starts": ({"start": "2027-04-01", "end": "2027-01-01"}, "end: 2027-01-01 is not after start"),
    "of no day": ({"start": "2027-04-01", "end": "2027-04-01"}, "the window ends before it starts"),
    "open": ({"start": "2027-04-01"}, "start and end are given together, or days alone"),
    "said twice": ({"start": "2027-04-01", "end": "2027-05-01", "days": 9}, "or days alone"),
    "no date": ({"start": "soon", "end": "2027-05-01"}, "start: 'soon' is not a date; write it as"),
    "no date of a report": ({"report_date": "today"}, "report_date: 'today' is not a date"),
}


@pytest.mark.parametrize(("inputs", "message"), WINDOWS.values(), ids=WINDOWS)
def test_a_window_that_makes_no_sense_is_refused(inputs, message):
    """With the key and what was expected."""
    with pytest.raises(PortfolioError) as caught:
        planned(**inputs)
    assert message in str(caught.value)
