"""A serving fleet with a reserved base and its peaks on demand, against arithmetic by hand."""

import pytest
from samples import planned, write_portfolio

import flopsheet

PORTFOLIO = """
questions = ["serving"]

[inputs]
accelerator = "h100-sxm"
requests_per_second = 200
price_per_hour = 2.0
peak_price = 4.0
peak_to_mean = 2
peak_hours_share = {share}
serving_reserved = {reserved}
serving_mean_accelerators = {mean}

[[models]]
name = "70B"
size = "70B"
"""
HOURS = 730.5


def served(folder, reserved=0, share=0.25, mean=0):
    """Return the lines of the model and the bill of the first month."""
    plan = planned(write_portfolio(folder, PORTFOLIO.format(reserved=reserved, share=share, mean=mean)))
    lines = plan.training(plan.models[0], "base")
    return {name: float(value) for name, value in lines.items()}, plan.table("serving_monthly", "base")[0]


def test_without_a_base_the_peak_is_kept_all_month(tmp_path):
    """Every accelerator of the peak, each hour, at the plan's price."""
    lines, bill = served(tmp_path)
    assert lines["serving_cost_per_month"] == pytest.approx(lines["serving_accelerators"] * 2 * HOURS)
    assert bill["list_unit_price"] == 2


@pytest.mark.parametrize(
    ("share", "mean"), [(0.25, 0), (0.1, 0), (0.25, 300)], ids=["as by default", "short peaks", "a mean of one's own"]
)
def test_what_is_beyond_the_base_is_rented_on_demand(share, mean, tmp_path):
    """The base is paid for in all hours; the peak in its share of them and the quiet hours add what is beyond it."""
    base = 40
    lines, _ = served(tmp_path, base, share, mean)
    peak = lines["serving_accelerators"]
    quiet = ((mean or peak / 2) - share * peak) / (1 - share)
    beyond = share * (peak - base) + (1 - share) * (quiet - base)
    assert quiet > base
    assert lines["serving_cost_per_month"] == pytest.approx((base * 2 + beyond * 4) * HOURS)
    assert lines["serving_paid"] == pytest.approx(base + beyond)


def test_a_base_is_paid_for_whether_used_or_not(tmp_path):
    """More than the peak takes costs more than the peak."""
    lines, bill = served(tmp_path, 5000)
    assert lines["serving_accelerators"] < 5000
    assert lines["serving_cost_per_month"] == pytest.approx(5000 * 2 * HOURS)
    assert bill["list_unit_price"] == 2


def test_the_bill_has_the_hours_that_are_paid_for(tmp_path):
    """Quantity times unit price is the cost."""
    _, bill = served(tmp_path, 40)
    assert 2 < bill["list_unit_price"] < 4
    assert bill["consumed_quantity"] * bill["list_unit_price"] == pytest.approx(bill["billed_cost"])


@pytest.mark.parametrize(
    ("fixed", "base", "beyond"), [(30, 0, 0), (0, 50, 0), (0, 4, 5)], ids=["fixed replicas", "in a base", "beyond it"]
)
def test_at_the_break_even_what_is_paid_for_costs_what_the_api_does(fixed, base, beyond, tmp_path):
    """Fixed replicas and a base are paid for without requests; beyond it those of the peak and of the quiet hours."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(reserved=base, share=0.25, mean=0))
    given = {"tensor_parallel": 4, "api_input_price": 0.5, "api_output_price": 2, "redundancy": 0}
    plan = flopsheet.plan(path, inputs={**given, "fixed_replicas": fixed, "peak_price": beyond or 4}).plan
    row, *_ = plan.table("serving_apis", "base")
    each = plan.training(plan.models[0], "base")["replica_requests"]
    peak = 4 * (fixed or row["break_even_requests"] * 2 * 6 / 5 / each + 1)
    quiet = (peak / 2 - peak / 4) / 0.75
    rented = max(peak - base, 0) / 4 + 0.75 * max(quiet - base, 0) if base else 0
    assert (rented > 0) == (beyond > 0)
    hour = (base or peak) * 2 + rented * (beyond or 4)
    assert row["api_request_cost"] * row["break_even_requests"] * 3600 == pytest.approx(hour)


def test_a_mean_of_ones_own_grows_with_demand(tmp_path):
    """It is of the first month: where demand has doubled, twice as many are in use on average."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(reserved=40, share=0.25, mean=300))
    plan = flopsheet.plan(path, inputs={"demand_growth": 1, "serving_months": 3}).plan
    assert [row["month_mean_used"] for row in plan.table("serving_monthly", "base")] == [300, 600, 1200]


def test_demand_may_become_less(tmp_path):
    """A service that is being replaced: each month has half of the requests of the one before, and no more replicas."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(reserved=0, share=0.25, mean=0))
    plan = flopsheet.plan(path, inputs={"demand_growth": -0.5, "serving_months": 3}).plan
    months = plan.table("serving_monthly", "base")
    assert [row["month_requests"] / months[0]["month_requests"] for row in months] == [1, 0.5, 0.25]
    assert months[0]["month_replicas"] >= months[1]["month_replicas"] >= months[2]["month_replicas"]
