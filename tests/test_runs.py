"""Published runs: what they say of MFU, what plans take from them, and what is said of plans beyond them."""

import json

import pytest
from click.testing import CliRunner
from pages.runs import compared_runs, met

from flopsheet.cli import main
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.catalog import accelerators
from flopsheet.planning.costing import cost
from flopsheet.planning.evidence import GOODPUT, evidence, published_runs
from flopsheet.planning.inputs import CASES
from flopsheet.planning.listing import list_inputs
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results

DENSE = {"model_type": "llama", "num_hidden_layers": 2}
SPARSE = {"model_type": "mixtral", "num_hidden_layers": 2}


def plan(config=DENSE, questions=("budget",), **inputs):
    """Return the plan of one model under the given inputs."""
    model = cost(load(), load_model(load(), config), {"seq_len": 1024})
    return make_plan(load(), [model], inputs={"price_per_hour": 2, **inputs}, questions=questions)


def failing(made):
    """Return the names of the checks of a plan that do not hold."""
    return {one.check.name for one in check_results(made) if not one.holds}


def flop_per_token(run):
    """Return the training FLOP per token of a run, counted from what is published of its model."""
    row = run.row
    if "model" in row:
        host = load()
        counted = cost(host, load_model(host, row["model"]), {"seq_len": row["seq_len"]})
        return int(counted.numbers["flops_training_per_token"])
    if "flops_reported" in row:
        return round(int(row["flops_reported"]) / run.tokens)
    attention = 12 * row["n_layers"] * row["d_model"] * row["seq_len"] if "n_layers" in row else 0
    return 6 * int(row.get("parameters_active", row["parameters"])) + attention


@pytest.mark.parametrize("run", published_runs(), ids=lambda run: run.name)
def test_flop_of_a_run_are_what_flopsheet_counts(run):
    """The number beside each run is counted again from its config, or from what is published of its model."""
    assert flop_per_token(run) == run.training_flops_per_token


def test_runs_are_whole_and_named_once():
    """Names are rows of a sheet; an MFU above 1 or hours of another unit would show here."""
    names = [run.name for run in published_runs()]
    assert len(names) == len(set(names)) >= 50
    assert all(0.05 < run.implied_mfu < 0.9 for run in published_runs())
    assert all(run.row["source"] and run.row["confidence"] for run in published_runs())


def test_hours_at_the_reported_mfu_are_met():
    """Of the runs with tokens, hours and MFU and without a flag, 80% are within 10%."""
    hits, count = met(compared_runs())
    assert count >= 7
    assert hits / count >= 0.8


def test_the_table_of_runs_follows_the_plan():
    """Twice the MFU halves the predicted hours; a mixture follows the MFU of mixtures."""
    first, second = (
        {row["run"]: row for row in plan(questions=["runs"], mfu=mfu, goodput=0.9).table("runs")} for mfu in (0.2, 0.4)
    )
    llama = "Llama 3.1 405B"
    assert first[llama]["predicted_ratio"] == pytest.approx(2 * second[llama]["predicted_ratio"])
    assert first["DeepSeek-V3 671B"] == second["DeepSeek-V3 671B"]
    assert second[llama]["predicted_ratio"] == pytest.approx(second[llama]["whole_run_mfu"] / 0.36)


def test_defaults_are_those_of_the_runs():
    """The numbers of the list of inputs are what the rule gives for the H100, source included."""
    shown = {row["name"]: row for row in list_inputs(load())}
    for name, found in evidence("Hopper").items():
        row = shown[name]
        assert (row["low"], row["default"], row["high"], row["source"], row["date"]) == found
    assert shown["goodput"]["default"] == GOODPUT


def test_a_generation_with_few_runs_takes_those_of_all():
    """Blackwell has no published run, so its defaults are those of every generation, and say so."""
    assert evidence("Blackwell")["mfu"].source.partition(":")[0].endswith("on all accelerators")
    assert evidence("Ampere")["mfu"].source.partition(":")[0].endswith("on Ampere")
    assert plan(accelerator="a100-sxm-80gb").case("base")["mfu"] == evidence("Ampere")["mfu"].base


@pytest.mark.parametrize("name", accelerators())
def test_default_speeds_are_within_published_runs(name):
    """A plan that says nothing of MFU is not blamed for it, on any accelerator, dense or sparse."""
    known = {} if accelerators()[name].tdp_w else {"tdp_w": 500}
    assert not failing(plan(DENSE, accelerator=name, **known))
    assert not failing(plan(SPARSE, accelerator=name, **known))


BEYOND = {
    "dense": (DENSE, {"mfu": 0.8}, {"mfu_published", "speed_published"}),
    "too low": (DENSE, {"mfu": 0.05}, {"mfu_usual", "speed_usual"}),
    "mixture": (SPARSE, {"mfu_sparse": 0.7}, {"mfu_sparse_published", "speed_published"}),
    "one case of three": (DENSE, {"mfu": {"low": 0.3, "base": 0.4, "high": 0.6}}, {"mfu_published", "speed_published"}),
    "measured": (DENSE, {"achieved_tflops": 800}, {"achieved_published", "speed_published"}),
    "measured, of a mixture": (SPARSE, {"achieved_tflops": 450}, {"speed_published"}),
    "widened": (DENSE, {"mfu": 0.6, "mfu_most": 0.6}, set()),
}


@pytest.mark.parametrize(("config", "inputs", "names"), BEYOND.values(), ids=BEYOND)
def test_an_mfu_that_was_never_published_is_said(config, inputs, names):
    """The range is that of published runs on the accelerator's generation, of the model's kind."""
    assert failing(plan(config, **inputs)) == names


def test_a_faster_precision_raises_the_limit():
    """An fp8 step may reach more of the bf16 peak than any bf16 run: twice as much on an H100."""
    layout = {"accelerators": 8, "global_batch": 128, "speed_basis": "layout"}
    limits = {
        precision: plan(questions=["training"], precision=precision, **layout).table("models", "base")[0]["most_mfu"]
        for precision in ("bf16", "fp8")
    }
    assert limits["bf16"] == evidence("Hopper")["mfu_most"].base
    assert limits["fp8"] == pytest.approx(2 * limits["bf16"])


@pytest.mark.parametrize("form", ["table", "json", "toml"])
def test_every_format_says_it(tmp_path, form):
    """Terminal, JSON and TOML name the input and its range."""
    portfolio = tmp_path / "plan.toml"
    portfolio.write_text("[inputs]\nmfu = 0.8\naccelerators = 8\n", encoding="utf-8")
    result = CliRunner().invoke(main, ["plan", str(portfolio), "--format", form], catch_exceptions=False)
    assert "mfu is above what published runs of this generation reached: mfu_least to mfu_most" in result.stdout
    if form == "json":
        state = next(one for one in json.loads(result.stdout)["checks"] if one["name"] == "mfu_published")["state"]
        assert state == "fail"


def test_the_low_case_takes_the_best_runs():
    """Low cost takes the 90th percentile of MFU, high cost the 10th."""
    made = plan()
    assert [made.case(case)["mfu"] for case in CASES] == list(evidence("Hopper")["mfu"][:3])[::-1]
