"""Prices as observed in a window of days, their age, and plans whose prices or dates make no sense."""

import re
from datetime import date

import pytest
from msgspec import structs
from observing import FEW, observed, price
from pages.portfolio import page
from planner import run

from flopsheet.configs.portfolio import Portfolio
from flopsheet.configs.scenarios import Scenario
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.catalog import accelerators, at_price_kind, price_kinds
from flopsheet.planning.datafiles import data_rows
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.prices import WINDOW, age_days, day_collected, on_demand_price
from flopsheet.planning.remarks import assumed_price, remarks

OBSERVED = data_rows("observed_prices")
LARGE = {"accelerators": 4096, "days": 90}


def planned(**inputs):
    """Return a plan without models under the given inputs."""
    return make_plan(load(), [], inputs=inputs, questions=["budget"])


def price_of(made):
    """Return the plan's price of an hour with its range and source."""
    return next(one for one in made.drivers if one.name == "price_per_hour")


def failing(made):
    """Return the names of the checks of a plan that do not hold."""
    return {one.check.name for one in check_results(made) if not one.holds}


def test_every_observed_price_is_whole():
    """It names an accelerator and a kind that exist, a provider, a date and a source."""
    for row in OBSERVED:
        assert row["accelerator"] in accelerators(), row
        assert row["kind"] in price_kinds(), row
        assert row["provider"], row
        assert re.fullmatch(r"20\d\d(-[01]\d-[0-3]\d)?", row["date"]), row
        assert row["source"], row
        assert row["confidence"] in {"read", "read, doubtful", "second hand", "memory"}, row
        assert 0.2 <= row["usd"] < 30, row


def test_no_observation_stands_twice():
    """The same price of one provider, day and place would count twice."""
    rows = [repr(sorted((key, value) for key, value in row.items() if key != "source")) for row in OBSERVED]
    assert len(rows) == len(set(rows))


@pytest.mark.usefixtures("few_prices")
def test_a_large_plan_takes_an_observed_contract_price():
    """Of four prices of an H100 one is above the price on demand: it is the high end. A doubtful one is not counted.

    The low end is that of prices on demand less the discount, since few observations have no range.
    """
    price = price_of(planned(**LARGE))
    assert (price.low, price.base, price.high, price.date) == (1.98, 2.7, 4.5, "2026-06-26")
    assert "median of the 2 of 4 observed prices at or below the price of capacity on demand, 4.0 USD," in price.source
    assert "of 2026-05-25 to 2026-08-26 (" in price.source
    assert "Provider of 4.5, 4.5, 2026-05-25" in price.source
    assert "Provider of 2.7, 2.7, 2026-05-25, doubtful" in price.source
    assert "Provider of 2.6, 2.6, 2026-06-26, second hand" in price.source


@pytest.mark.usefixtures("few_prices")
def test_a_price_on_demand_is_the_median_of_what_was_seen():
    """With the nearest 20th and 80th percentile, how many there are, of when, and who asked them."""
    price = price_of(planned())
    assert (price.low, price.base, price.high, price.date) == (3, 4, 5, "2026-09-17")
    assert price.source == (
        "5 on-demand prices of 2026-09-17: median, with the 20th and 80th percentile as low and high (Provider of 2.0,"
        " 2.0; Provider of 3.0, 3.0; Provider of 4.0, 4.0; Provider of 5.0, 5.0; Provider of 6.0, 6.0); read in a price"
        " list"
    )


def test_half_a_cent_goes_up():
    """Two prices whose middle lies between two cents have one median, whatever floats make of it."""
    with observed(rows=[price("on_demand", usd, "2026-09-17") for usd in (2.3, 2.79)]):
        assert price_of(planned()).base == 2.55


NEXT_YEAR = [price("spot", 1.9, "2027-01-02"), price("spot", 1.7, "2027-01-01")]


@pytest.mark.parametrize("more", [NEXT_YEAR[:1], NEXT_YEAR], ids=["one", "two"])
def test_the_first_price_of_a_year_joins_those_of_the_last_months(more):
    """Those of the days before it go on counting, and the plan is of the newest day where it states none."""
    with observed(*more, rows=FEW):
        result = price_of(planned(price_kind="spot"))
        assert day_collected() == date(2027, 1, 2)
        assert result.base == pytest.approx({1: 1.9, 2: 1.8}[len(more)])
        assert f"median of the {2 + len(more)} of {2 + len(more)} observed prices" in result.source
        assert "of 2026-05-25 to 2027-01-0" in result.source


@pytest.mark.parametrize("kind", price_kinds())
def test_a_doubtful_price_changes_none(kind):
    """Neither as the newest, which chooses no window, nor as the highest or lowest of one."""
    doubtful = [
        price(kind, usd, date, confidence="read, doubtful")
        for usd in (0.5, 2.2, 9.0)
        for date in ("2026-06-01", "2029-01-02")
    ]
    with observed(rows=FEW):
        before = price_of(planned(price_kind=kind))
    with observed(*doubtful, rows=FEW):
        after = price_of(planned(price_kind=kind))
        assert str(day_collected()) == "2026-11-21"
    assert (after.cases, after.date) == (before.cases, before.date)
    assert "2029" not in after.source
    listed = kind in ("on_demand", "reserved", "spot")
    assert after.source.count("doubtful") == before.source.count("doubtful") + 3 * listed


def test_prices_of_later_days_are_not_known():
    """A plan counts what was seen until its day, for the price of an hour and on the sheet of the catalog."""
    later = [price("on_demand", 20.0, "2027-03-01"), price("reserved", 0.9, "2027-03-01")]
    with observed(*later, rows=FEW):
        for day, on_demand in (("2026-11-21", 4), ("2027-03-01", 4.5)):
            plan = planned(report_date=day)
            assert price_of(plan).base == on_demand
            plan = make_plan(load(), [], inputs={"report_date": day}, questions=["catalog", "money"])
            rows = plan.program.tables["accelerator_catalog"].rows[0]
            of_h100 = rows.values[rows.labels.index("H100 SXM5 80GB")]
            assert of_h100["part_on_demand"] == on_demand == plan.case("base")["list_price"]
            assert of_h100["part_reserved"] == plan.case("base")["reserved_price"]


def test_without_a_price_in_the_window_the_newest_count():
    """Those of the window before the newest, and the source says how old that is."""
    rows = [
        price("on_demand", usd, day) for usd, day in ((1.0, "2023-03-01"), (2.0, "2024-03-02"), (3.0, "2025-03-01"))
    ]
    with observed(rows=rows):
        result = price_of(planned())
    assert (result.low, result.base, result.high, result.date) == (2, 2.5, 3, "2025-03-01")
    assert result.source.startswith(
        "2 on-demand prices of 2024-03-02 to 2025-03-01, the newest 630 days before 2026-11-21"
    )
    assert (date(2025, 3, 1) - date(2024, 3, 2)).days == WINDOW - 1


def test_a_price_that_nobody_had_seen_yet_is_missing():
    """The input has no value, and its source says until when there is none."""
    with observed(rows=FEW):
        result = price_of(planned(report_date="2026-05-01"))
    assert (result.low, result.base, result.high) == (None, None, None)
    assert result.source == "The catalog has no price_per_hour of H100 SXM5 80GB until 2026-05-01"


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("2025-12-31", ""),
        ("2026-01-01", "2 on-demand prices of 2026: "),
        ("2027-12-31", "2 on-demand prices of 2026: "),
        ("2028-01-01", "2 on-demand prices of 2026, the newest 366 days before 2028-01-01: "),
    ],
)
@pytest.mark.usefixtures("few_prices")
def test_a_bare_year_counts_where_it_may_have_been_seen(day, said):
    """Its day is not known: it is any of that year."""
    result = on_demand_price("a10", date.fromisoformat(day))
    assert (result.basis if result else "").partition("median")[0] == said


def test_every_default_follows_an_observation():
    """A price that is added changes the plan, the list of inputs and the portfolio's reference alike."""
    with observed(rows=FEW):
        assert "1.98 to 4.5, base 2.7 USD/GPU-h" in run("inputs", "reserved_price")[1]
    with observed(price("reserved", 2.4, "2026-10-01"), price("on_demand", 2.5, "2026-10-01"), rows=FEW):
        plan = make_plan(load(), [], inputs=LARGE, questions=["money"])
        case = plan.case("base")
        assert (case["price_per_hour"], case["reserved_price"], case["list_price"]) == (2.6, 2.6, 3.5)
        (said,) = [line for line in run("inputs", "reserved_price")[1].splitlines() if "reserved_price" in line]
        assert "1.65 to 4.5, base 2.6 USD/GPU-h" in said
        assert "| `reserved_price` | Reserved price | USD/GPU-h | 1.65 | 2.6 | 4.5 | low |" in page()
        assert "| `price_per_hour` | GPU-hour price | USD/GPU-h | 2.5 | 3.5 | 5.0 | low |" in page()
        assert "6 on-demand prices of 2026-09-17 to 2026-10-01" in page()


@pytest.mark.parametrize("name", [one.name for one in accelerators().values() if one.price_base])
def test_who_commits_for_longer_pays_no_more(name):
    """Three years cost at most what a year costs, and that at most what an hour on demand costs, whatever was seen."""
    results = [
        at_price_kind(accelerators()[name], price_kinds()[kind]) for kind in ("on_demand", "reserved", "reserved_3y")
    ]
    assert sorted((one.price_base for one in results), reverse=True) == [one.price_base for one in results]
    assert all(one.price_low <= one.price_base <= one.price_high for one in results)


@pytest.mark.usefixtures("few_prices")
def test_months_of_serving_on_demand_are_told():
    """Where nobody chose the price, a note says what a contract costs; a kind or quote of the plan's own needs none."""
    serving = {"accelerator": "h100-sxm", "requests_per_second": 10}
    for given, told in (({}, True), ({"price_kind": "on_demand"}, False), ({"price_per_hour": 2}, False)):
        portfolio = Portfolio("plan", "plan.toml", "", inputs={**serving, **given})
        made = make_plan(load(), [], [portfolio], questions=["serving"])
        assert any("serving is paid on demand, 4.0 USD an hour, for 12 months" in one for one in remarks(made)) == told


def test_a_second_price_of_an_hour_is_told():
    """A plan of reserved capacity with both prices pays the reserved one, and a note says what the other counts as."""
    both = {"price_kind": "reserved", "price_per_hour": 2.2, "reserved_price": {"base": 2.7, "source": "Quote"}}
    for given, told in ((both, "counts as list_price"), ({**both, "list_price": 4}, "counts nowhere")):
        made = make_plan(load(), [], [Portfolio("plan", "plan.toml", "", inputs=given)], questions=["money"])
        assert price_of(made).base == pytest.approx(2.7)
        assert any(f"the price_per_hour that is given besides {told}" in one for one in remarks(made))


@pytest.mark.usefixtures("few_prices")
def test_without_an_observed_price_the_discount_counts():
    """No contract of an A100 was seen; the remark says which was taken."""
    made = planned(accelerator="a100-sxm-80gb", **LARGE)
    assert price_of(made).base == pytest.approx(2 * 0.66)
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


@pytest.mark.usefixtures("few_prices")
@pytest.mark.parametrize(("inputs", "names"), AGED.values(), ids=AGED)
def test_old_and_missing_prices_fail_a_check(inputs, names):
    """Older than 180 days on the day of the report, or 0."""
    assert failing(planned(**inputs)) == names


def test_a_window_may_be_dates():
    """Days follow from start and end, and say so."""
    days = next(one for one in planned(start="2027-01-01", end=date(2027, 4, 1)).drivers if one.name == "days")
    assert (days.base, days.source) == (90, "From 2027-01-01 to 2027-04-01")


def test_a_window_may_be_a_date_and_days():
    """The days are those that are given."""
    days = next(one for one in planned(start="2027-01-01", days=120).drivers if one.name == "days")
    assert days.base == 120


@pytest.mark.parametrize(
    ("given", "more", "length"),
    [({"end": "2027-04-01"}, {"days": 60}, 60), ({"days": 60}, {"end": "2027-04-01"}, 90)],
)
def test_what_a_window_is_given_by_last_is_its_end(given, more, length):
    """A scenario or --input with days has them from the start on, and one with an end has the days until then."""
    stated = Portfolio("p", "p.toml", "", inputs={"start": "2027-01-01", **given})
    in_scenario = structs.replace(stated, scenarios=(Scenario("other", "", more),))
    plans = [make_plan(load(), [], [in_scenario]), make_plan(load(), [], [stated], inputs=more)]
    lengths = [next(one for one in plan.drivers if one.name == "days") for plan in plans]
    assert (lengths[0].named, lengths[1].base) == ((length,), length)


WINDOWS = {
    "before it starts": ({"start": "2027-04-01", "end": "2027-01-01"}, "end: 2027-01-01 is not after start"),
    "of no day": ({"start": "2027-04-01", "end": "2027-04-01"}, "the window ends before it starts"),
    "open": ({"start": "2027-04-01"}, "a window is start and end, start and days, or days alone"),
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
