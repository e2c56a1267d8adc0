"""Serving as users ask: requests that follow users who read and think."""

import pytest
from test_serving_plan import LLAMA, plan_of, served

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.questions.serving.search import REPLICAS_TABLE


def test_users_who_think_ask_as_often_as_they_are_answered():
    """Little's law: users are in thought or wait for their answer, so requests × (thought + answer) are the users."""
    lines = served(concurrent_users=1000, think_time=40)
    assert float(lines["mean_requests"] * (40 + lines["request_seconds"])) == pytest.approx(1000)
    assert lines["peak_requests"] == pytest.approx(float(2 * lines["mean_requests"]))


def test_without_users_requests_are_those_that_are_typed():
    """0 users: the demand is requests_per_second."""
    assert served(requests_per_second=7)["mean_requests"] == 7


def test_all_that_is_bought_follows_the_users():
    """Months, bills of an API and the peak of tokens are those of the users' requests."""
    plan = plan_of(concurrent_users=1000, think_time=40, api_output_price=1, peak_to_mean=1)
    requests = plan.training(plan.costed[0], "base")["mean_requests"]
    assert plan.table("serving_monthly", "base")[0]["month_requests"] == requests
    assert plan.table("serving_summary", "base")[0]["peak_tokens"] == requests * 500
    bill = plan.table("serving_apis", "base")[0]["api_cost_per_month"]
    month = 3600 * 24 * plan.case("base")["month_days"]
    assert float(bill) == pytest.approx(float(requests * 500 / 10**6 * month))


def test_a_layout_that_answers_slowly_is_not_cheaper_for_its_fewer_requests():
    """Layouts are ranked by accelerators per request: a slow answer lowers demand, and with it accelerators."""
    host = load()
    inputs = {"accelerator": "h200-sxm", "weight_precision": "fp8", "concurrent_users": 1000, "think_time": 1}
    plan = make_plan(host, [cost(host, load_model(host, LLAMA))], inputs=inputs, questions=["serving"])
    rows = [row for row in plan.table(REPLICAS_TABLE, "base") if row["targets_met"]]
    assert len({row["mean_requests"] for row in rows}) > 1
    assert min(rows, key=lambda row: row["serving_accelerators"] / row["mean_requests"])["replica_rank"] == 1
