"""The question "feasible": what fits time and money, how many tokens at most, and accelerators needed by a date."""

import json
from math import ceil

import pytest
from planner import run
from samples import write_portfolio

PLAN = """
[inputs]
accelerators = 64
days = 40
achieved_tflops = 400
goodput = 1
price_per_hour = 2
budget_usd = {cap}

[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }}
"""
PER_HOUR = 400e12 * 3600


@pytest.fixture(scope="module", params=[100_000, 1e9], ids=["money is the limit", "time is the limit"])
def found(request, tmp_path_factory):
    """Return a plan whose cap is tight or ample; 64 accelerators for 40 days are 122,880 dollars at 2 an hour."""
    path = write_portfolio(tmp_path_factory.mktemp("feasible"), PLAN.format(cap=request.param))
    status, out, errors = run("plan", path, "--format", "json")
    assert status == 0, errors
    return request.param, json.loads(out)


def test_as_many_tokens_as_time_and_money_allow(found):
    """Both spent: the whole window, or the whole cap."""
    cap, document = found
    (row,) = document["tables"]["feasible_limits"]
    assert row["limited_by_money"] == (cap < 122_880)
    if row["limited_by_money"]:
        assert row["limit_cost"] == pytest.approx(cap)
    else:
        assert row["limit_days"] == pytest.approx(40)
    n, d = document["models"][0]["base"]["training_tokens"] / 1e12 * 6_738_415_616, row["limit_tokens"]
    assert row["limit_loss"] == pytest.approx(1.8172 + 482.01 / n**0.34781 + 2085.43 / d**0.36585)


def test_accelerators_for_the_tokens_in_the_plans_days(found):
    """As many as train the model's own tokens in the plan's days, and one fewer takes longer."""
    base, (row,) = found[1]["models"][0]["base"], found[1]["tables"]["feasible_limits"]
    assert row["accelerators_in_time"] == ceil(base["training_hours"] / (24 * 40))


def test_options_in_proportion_to_their_tokens(found):
    """FLOP, days and money of each multiple, its margin, and whether it fits."""
    cap, document = found
    planned = document["models"][0]["base"]
    for row in document["tables"]["feasible_options"]:
        factor = row["option_tokens"] / 1e12
        hours = planned["training_flops"] * factor / PER_HOUR
        assert row["option_days"] == pytest.approx(hours / 64 / 24)
        assert row["option_cost"] == pytest.approx(2 * hours)
        margin = min(1 - row["option_days"] / 40, 1 - row["option_cost"] / cap)
        assert row["option_margin"] == pytest.approx(margin)
        assert row["option_fits"] == (margin >= 0)
    assert {row["option_fits"] for row in document["tables"]["feasible_options"]} == {0, 1}


def test_accelerators_needed_by_a_date(found):
    """Accelerator-hours over the hours of each number of days, rounded up."""
    hours = found[1]["models"][0]["base"]["training_hours"]
    for row in found[1]["tables"]["feasible_accelerators"]:
        assert row["accelerators_needed"] == ceil(hours / 24 / row["window_days"])
