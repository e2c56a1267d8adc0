"""Tornado and grid: a result of any question with one input changed, or two, as plans with those inputs give it."""

import json

import pytest
from planner import run
from samples import write_portfolio

PLAN = """\
questions = ["money", "training", "scaling"]

[inputs]
accelerator = "h100-sxm"
accelerators = 1024
days = 60
price_kind = "on_demand"
{inputs}

[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = {{ n_layers = 40, d_model = 5120, n_heads = 40, d_ff = 13824, mlp_matrices = 3, vocab_size = 128256 }}
"""


def planned(folder, *options, inputs=""):
    """Return a plan as a program reads it."""
    path = write_portfolio(folder, PLAN.format(inputs=inputs))
    status, out, errors = run("plan", path, "--format", "json", *options)
    assert status == 0, errors
    return json.loads(out)


@pytest.fixture(scope="module")
def varied(tmp_path_factory):
    """Return a plan with a tornado and a grid of the program's cost."""
    options = ("--tornado", "--grid", "goodput,price_per_hour", "--result", "money.cheapest")
    return planned(tmp_path_factory.mktemp("varied"), *options)


def test_a_tornado_has_the_widest_swing_first(varied):
    """Every input with a range that moves the result is in it."""
    rows = varied["tornado"]["rows"]
    swings = [row["Swing"] for row in rows]
    assert swings == sorted(swings, reverse=True)
    assert min(swings) > 0
    assert {"research_multiplier", "price_per_hour", "contingency_share"} <= {row["Input"] for row in rows}
    assert varied["tornado"]["base"] == varied["answers"]["money"]["cheapest"]["base"]


def test_a_bar_is_the_plan_with_that_input(varied, tmp_path):
    """A portfolio that states the input's end gives the same result."""
    row = next(row for row in varied["tornado"]["rows"] if row["Input"] == "research_multiplier")
    for end, result in (("Low cost", "Result, low"), ("High cost", "Result, high")):
        other = planned(tmp_path, inputs=f"research_multiplier = {row[end]}")
        assert other["answers"]["money"]["cheapest"]["base"] == row[result]


def test_a_corner_of_the_grid_is_the_plan_with_both_inputs(varied, tmp_path):
    """Down is the first input and across the second, each in its cases; the middle is the plan."""
    rows = varied["grid"]["rows"]
    assert list(rows[1].values())[2] == varied["answers"]["money"]["cheapest"]["base"]
    price = list(rows[0])[3].removeprefix("price_per_hour = ")
    other = planned(tmp_path, inputs=f"goodput = {rows[0]['goodput']}\nprice_per_hour = {price}")
    assert list(rows[0].values())[3] == pytest.approx(other["answers"]["money"]["cheapest"]["base"])


@pytest.mark.parametrize("result", ["step", "loss", "training_days", "memory_bytes_per_accelerator", "budget.energy"])
def test_a_result_of_any_question_is_varied(tmp_path, result):
    """Figures by their name, lines of the cluster and of the costliest model."""
    assert planned(tmp_path, "--grid", "goodput,price_per_hour", "--result", result)["grid"]["base"] > 0


BAD = {
    "two inputs are expected": ("--grid", "goodput"),
    "two different inputs are expected": ("--grid", "goodput,goodput"),
    "the input 'goodputt' is unknown; did you mean 'goodput'?": ("--grid", "goodputt,price_per_hour"),
    "days has one value in all cases": ("--grid", "days,price_per_hour"),
    "the result 'zzz' is unknown; expected a line such as training_cost": ("--tornado", "--result", "zzz"),
    "--result money.cheapest: add --tornado or --grid": ("--result", "money.cheapest"),
    "the result 'cheapes' is unknown; did you mean 'cheapest'?": ("--tornado", "--result", "cheapes"),
}


@pytest.mark.parametrize("message", BAD)
def test_a_variation_that_cannot_be_is_refused(tmp_path, message):
    """The message says what to write instead."""
    status, _, errors = run("plan", write_portfolio(tmp_path, PLAN.format(inputs="")), *BAD[message])
    assert status == 2
    assert message in errors
