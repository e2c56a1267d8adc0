"""A plan: what a cluster buys under three scenarios and what a model takes of it."""

from pathlib import Path

import pytest
from planner import run

from flopsheet.configs.inputs import read_inputs
from flopsheet.configs.portfolio import Portfolio
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.inputs import CASES
from flopsheet.planning.making import make_plan

PORTFOLIOS = Path(__file__).parent.parent / "examples" / "portfolios"


def plan_of(file):
    """Return the plan of an example portfolio."""
    host = load()
    models, portfolios = read_inputs(host, [str(PORTFOLIOS / file)])
    return make_plan(host, cost_all(host, models), portfolios)


def planned(cluster=None, **drivers):
    """Return a plan of no models under the given inputs."""
    return make_plan(load(), [], [Portfolio("Plan", "plan.toml", "", inputs={**(cluster or {}), **drivers})])


@pytest.mark.parametrize("case", CASES)
def test_the_walkthroughs_budget(case):
    """400 TFLOP/s × 64 accelerators × 60 days × 86,400 s: exactly, in every case."""
    budget = plan_of("walkthrough.toml").cluster[case]["budget_flop"]
    assert budget == 400 * 10**12 * 64 * 60 * 86_400 == 132_710_400_000 * 10**12
    assert type(budget) is int


@pytest.mark.usefixtures("few_prices")
def test_a_quarter_of_4096_h100():
    """The frontier portfolio's cluster: 8.85 million hours, 9.93e24 FLOP, USD 23.9 million at a contract price."""
    base = plan_of("frontier.toml").cluster["base"]
    assert base["accelerator_hours"] == 4096 * 90 * 24 == 8_847_360
    assert base["budget_flop"] == pytest.approx(9.93e24, rel=5e-3)
    assert base["budget_cost"] == pytest.approx(8_847_360 * 2.7)


def test_the_low_case_costs_least():
    """Low is the case of low cost for the cluster and for every model."""
    plan = plan_of("frontier.toml")
    cost = [plan.cluster[case]["budget_cost"] for case in CASES]
    assert cost == sorted(cost)
    for model in plan.costed:
        cost = [plan.training(model, case)["training_cost"] for case in CASES]
        assert cost == sorted(cost), model.name


def test_a_models_own_tokens_win():
    """Llama 3.1 405B took 15.6e12 tokens in every case; GPT-2 XL takes the plan's."""
    plan = plan_of("frontier.toml")
    models = {model.name: model for model in plan.costed}
    assert [plan.training(models["Llama 3.1 405B"], case)["training_tokens"] for case in CASES] == [15.6e12] * 3
    assert [plan.training(models["GPT-2 XL"], case)["training_tokens"] for case in CASES] == [10e12, 15e12, 15e12]


def test_training_follows_the_tokens():
    """3 × forward FLOP a token × tokens, and hours, days and cost after it."""
    plan = plan_of("walkthrough.toml")
    model = plan.costed[0]
    result, drivers = plan.training(model, "base"), plan.case("base")
    assert result["training_flops"] == 3 * model.numbers["flops_per_token"] * result["training_tokens"]
    assert result["training_hours"] * 3600 * 400 * 10**12 == pytest.approx(float(result["training_flops"]))
    assert result["training_days"] * 64 * 24 == pytest.approx(float(result["training_hours"]))
    assert result["training_cost"] == pytest.approx(float(result["training_hours"]) * drivers["price_per_hour"])


def test_affordable_tokens_spend_the_budget():
    """Training on as many tokens as the budget affords takes the whole budget."""
    plan = plan_of("walkthrough.toml")
    for model in plan.costed:
        tokens = plan.training(model, "base")["affordable_tokens"]
        spent = 3 * model.numbers["flops_per_token"] * tokens
        assert float(spent) == pytest.approx(float(plan.cluster["base"]["budget_flop"]))


def test_sparse_models_reach_less():
    """Where a token uses part of the parameters, the sparse MFU counts, unless speed was measured."""
    plan = plan_of("frontier.toml")
    models = {model.name: model for model in plan.costed}
    case = plan.case("base")
    assert plan.training(models["Mixtral 8x7B"], "base")["model_mfu"] == case["mfu_sparse"]
    assert plan.training(models["Llama 3.1 8B"], "base")["model_mfu"] == case["mfu"]


@pytest.mark.parametrize(("accelerators", "fits"), [(1, 0), (2, 1)])
def test_fits_memory(accelerators, fits):
    """16 bytes a parameter of an 8-billion model need two accelerators of 80 GB."""
    host = load()
    models, portfolios = read_inputs(host, [str(PORTFOLIOS / "walkthrough.toml")])
    model = next(m for m in cost_all(host, models) if m.name == "Llama 3.1 8B")
    cluster = {"accelerators": accelerators, "memory_usable": 1}
    plan = make_plan(host, [model], [Portfolio("Plan", "", "", inputs=cluster)])
    assert plan.training(model, "base")["fits_memory"] == fits
    assert portfolios


def test_fits_time():
    """A model fits if it is trained within the plan's days."""
    plan = plan_of("frontier.toml")
    for model in plan.costed:
        result = plan.training(model, "base")
        assert result["fits_time"] == int(result["training_days"] <= 90)


def test_a_number_stands_for_all_cases():
    """Its source is the plan, since nobody else said it."""
    driver = next(d for d in planned(goodput=0.8).drivers if d.name == "goodput")
    assert (driver.cases, driver.source) == ((0.8, 0.8, 0.8), "Set in this plan")


def test_a_table_says_each_case():
    """An end that is left out takes the base; a high goodput is the case of low cost; source and date are kept."""
    table = {"low": 0.7, "base": 0.8, "source": "a log", "date": "2026-01-01"}
    driver = next(d for d in planned(goodput=table).drivers if d.name == "goodput")
    assert (driver.cases, driver.source, driver.date) == ((0.8, 0.8, 0.7), "a log", "2026-01-01")


def test_an_efficiency_written_in_rising_order_means_what_it_says():
    """`mfu = { low = .2, base = .3, high = .4 }`: the best MFU is the case of low cost, the worst that of high cost."""
    plan = planned(mfu={"low": 0.2, "base": 0.3, "high": 0.4})
    assert [plan.case(case)["mfu"] for case in CASES] == [0.4, 0.3, 0.2]
    costs = [float(plan.cluster[case]["compute_price"]) for case in CASES]
    assert costs == sorted(costs)


@pytest.mark.parametrize("name", ["price_per_hour", "mfu"])
def test_values_that_do_not_rise_are_refused(name):
    """A range has an order, and the message says which case takes which end."""
    with pytest.raises(PortfolioError, match=r"low = 0.5, base = 0.3, high = 0.1; values in rising order are expected"):
        planned(**{name: {"low": 0.5, "base": 0.3, "high": 0.1}})


def test_the_cluster_may_name_drivers():
    """Accelerators and days are said where they are looked for."""
    case = planned({"accelerators": 8, "days": 2.5, "accelerator": "a100-sxm-80gb"}).case("high")
    assert (case["accelerators"], case["days"]) == (8, 2.5)
    assert planned({"accelerator": "a100-sxm-80gb"}).accelerator.name == "a100-sxm-80gb"


def test_whole_floats_are_whole_numbers():
    """15e12 is how people write tokens."""
    assert type(planned(tokens=15e12).case("base")["tokens"]) is int


BAD = {
    "unknown accelerator": ({"accelerator": "h100"}, {}, "did you mean 'h100-nvl' or 'h100-pcie' or 'h100-sxm'?"),
    "accelerator by title": ({"accelerator": "H100 SXM5 80GB"}, {}, "did you mean 'h100-sxm'?"),
    "accelerator that is no name": ({"accelerator": 3}, {}, "accelerator: 3 is not a name such as 'h100-sxm'"),
    "unknown input": ({}, {"godput": 1}, "godput: unknown; did you mean 'goodput'?"),
    "unknown in the cluster": ({"gpus": 8}, {}, "gpus: unknown"),
    "negative": ({}, {"goodput": -1}, "goodput: -1 is out of range; a number above 0 and at most 1 is expected"),
    "not a number": ({}, {"goodput": float("nan")}, "goodput: nan is out of range; a number above 0"),
    "more than the whole": ({}, {"goodput": 45}, "goodput: 45 is out of range; a number above 0 and at most 1"),
    "infinite": ({}, {"goodput": float("inf")}, "goodput: inf is out of range"),
    "text": (
        {},
        {"goodput": "45 GB"},
        "goodput: '45 GB' is not a number; a number above 0 and at most 1 is expected: write",
    ),
    "truth value": ({}, {"goodput": True}, "goodput: True is not a number"),
    "half an accelerator": (
        {"accelerators": 2.5},
        {},
        "2.5 is out of range; a whole number greater than 0",
    ),
    "zero of what divides": ({"accelerators": 0}, {}, "0 is out of range; a whole number greater than 0 is expected"),
    "case with its end": ({}, {"goodput": {"low": -1}}, "goodput: low = -1 is out of range"),
    "unknown case": (
        {},
        {"goodput": {"best": 1}},
        "goodput: best unknown; low, base, high, source and date are expected",
    ),
}


@pytest.mark.parametrize(("cluster", "drivers", "message"), BAD.values(), ids=BAD)
def test_bad_drivers_are_told(cluster, drivers, message):
    """With their name, what stands there and what was expected."""
    with pytest.raises(PortfolioError) as caught:
        planned(cluster, **drivers)
    assert message in str(caught.value)


def test_all_bad_drivers_are_told_at_once():
    """One error for all of them."""
    with pytest.raises(PortfolioError) as caught:
        planned(goodput=-1, mfu="high", days=None)
    assert str(caught.value).count("expected") == 3


def test_two_portfolios_must_agree():
    """A report has one cluster."""
    first, second = (Portfolio("Plan", "", "", inputs={"days": days}) for days in (60, 90))
    with pytest.raises(PortfolioError, match=r"days: two portfolios give 60 and 90; report them separately"):
        make_plan(load(), [], [first, second])


def test_a_plan_of_no_portfolio_has_defaults():
    """Configs alone are planned on the default accelerator."""
    plan = make_plan(load(), [], [])
    assert (plan.name, plan.scenario, plan.accelerator.name) == ("Model plan", "base", "h100-sxm")


def test_a_scenario_is_the_portfolios():
    """The first that names one."""
    portfolios = [Portfolio("One", "", ""), Portfolio("Two", "", "", scenario="high")]
    assert make_plan(load(), [], portfolios).scenario == "high"


def test_a_model_may_state_a_choice_that_no_question_reads(tmp_path):
    """Its label is no number that a search could try."""
    model = '[[models]]\nsize = "7B"\ninputs = { precision = "fp8" }\n'
    (tmp_path / "p.toml").write_text(f'questions = ["serving"]\n{model}', "utf-8")
    models, portfolios = read_inputs(load(), [str(tmp_path / "p.toml")])
    assert "precision" not in make_plan(load(), cost_all(load(), models), portfolios).own_inputs


LONG = """
[workload]
seq_len = 131072
{mask}
[[models]]
size = "70B"
"""


@pytest.mark.parametrize(("mask", "said"), [("", True), ('mask = "causal"', False), ('mask = "full"', False)])
def test_a_long_sequence_says_what_the_full_square_adds_to_the_cost(tmp_path, mask, said):
    """Unless the plan states its mask: a third of a step at 131,072 tokens is attention to tokens that come later."""
    (tmp_path / "plan.toml").write_text(LONG.format(mask=mask), "utf-8")
    _, _, errors = run("plan", tmp_path / "plan.toml")
    assert ("are pairs that no token may see" in errors) is said


@pytest.mark.parametrize(
    ("given", "said"), [("", True), ("[layout]\nhas_dropout = 1", False), ('questions = ["budget"]', False)]
)
def test_dropout_of_a_config_is_said_where_memory_leaves_it_out(tmp_path, given, said):
    """GPT-2 has dropout of a tenth; whether a run uses it decides a third of its activations."""
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "resid_pdrop": 0.1}', "utf-8")
    asks = given if given.startswith("questions") else f'questions = ["training"]\n{given}'
    (tmp_path / "plan.toml").write_text(f'{asks}\n[[models]]\nconfig = "config.json"\n', "utf-8")
    _, _, errors = run("plan", tmp_path / "plan.toml")
    assert ("the config has dropout in" in errors) is said
