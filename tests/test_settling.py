"""A layout that nobody gave: each model takes the fastest that fits, says so, and keeps it on every way back."""

import dataclasses
import re
import tomllib
import zipfile

import pytest
from msgspec.structs import replace
from planner import run
from samples import EXAMPLES, write_portfolio

from flopsheet.configs.sizes import model_of_size
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost, cost_all
from flopsheet.planning.deep_totals import add_totals
from flopsheet.planning.found_layouts import settle_layouts
from flopsheet.planning.making import make_plan
from flopsheet.planning.remarks import remarks

PLAN = """
questions = ["budget", "training", "serving"]
[inputs]
accelerators = 64
days = 90
tokens = 1e12
report_date = "2026-11-21"
[[models]]
size = "13B"
[[models]]
size = "70B"
[models.inputs]
tensor_parallel = 8
zero_stage = 3
"""


def with_accelerators(path, target, count):
    """Copy a workbook in which somebody typed another number of accelerators in Base, which the other cases follow."""
    typed, changes = (
        re.compile(rb"(<t>accelerators</t></is></c>)((?:<c [^>]*>(?:<f>drivers[^<]*</f>)?<v>64</v></c>){3})"),
        0,
    )
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for entry in source.infolist():
            data, result = typed.subn(lambda row: row[1] + row[2].replace(b">64<", b">%d<" % count), source.read(entry))
            copy.writestr(entry, data)
            changes += result
    assert changes == 1


@pytest.fixture(scope="module")
def found():
    """Return a plan of one model for which nobody states a layout."""
    models = cost_all(load(), [model_of_size(load(), "70B")])
    return make_plan(load(), models, inputs={"accelerators": 512}, questions=["training"])


def test_a_model_takes_the_fastest_layout_that_fits(found):
    """Its step is that of the first of the layouts compared, and it fits."""
    numbers = found.training(found.costed[0], "base")
    assert (numbers["fits_layout"], numbers["step_seconds"]) == (1, numbers["fastest_step_seconds"])


def test_a_note_says_which_layout_it_took(found):
    """The reader of a plan knows that nobody chose it, and how to."""
    (note,) = (one for one in remarks(found) if "no layout is given" in one)
    first = next(row["layout"] for row in found.table("layouts") if row["layout_rank"] == 1)
    assert f"70B {first}" in note


def test_a_layout_that_is_given_stays():
    """Of the plan, or of one model: nothing is taken in its place, even where it does not fit."""
    models = cost_all(load(), [model_of_size(load(), "70B")])
    plan = make_plan(load(), models, inputs={"accelerators": 512, "tensor_parallel": 1}, questions=["training"])
    assert plan.settled == {}
    assert plan.training(plan.costed[0], "base")["fits_layout"] == 0


def test_recomputation_that_is_given_stays():
    """The fastest layout with it is taken."""
    model = cost(load(), model_of_size(load(), "70B"), {"recompute": "full"})
    plan = make_plan(load(), [model], inputs={"accelerators": 512}, questions=["training"])
    assert plan.settled["layout"][0].endswith("full")
    assert plan.costed[0].dimensions["recompute"] == "full"


def test_where_nothing_fits_a_model_stays_as_it_is():
    """A terabyte of weights on one accelerator."""
    models = cost_all(load(), [model_of_size(load(), "400B")])
    plan = make_plan(load(), models, inputs={"accelerators": 1, "global_batch": 1}, questions=["training"])
    assert plan.settled == {}


def test_a_report_fed_back_gives_the_same(tmp_path):
    """The layouts that were taken stand among the inputs of each model."""
    assert run("report", write_portfolio(tmp_path, PLAN), "-o", tmp_path / "one.toml")[0] == 0
    status, _, errors = run("report", tmp_path / "one.toml", "-o", tmp_path / "two.toml")
    assert status == 0, errors
    one, two = (tomllib.loads((tmp_path / f"{name}.toml").read_text("utf-8")) for name in ("one", "two"))
    assert [model["inputs"] for model in one["models"]] == [model["inputs"] for model in two["models"]]
    assert [model["scenarios"] for model in one["models"]] == [model["scenarios"] for model in two["models"]]


def test_an_edited_workbook_keeps_its_layouts(tmp_path):
    """Import states them, so that the next report does not search for others."""
    path = write_portfolio(tmp_path, PLAN)
    assert run("report", path, "-o", tmp_path / "plan.xlsx")[0] == 0
    with_accelerators(tmp_path / "plan.xlsx", tmp_path / "edited.xlsx", 128)
    status, out, errors = run("import", tmp_path / "edited.xlsx", "-o", path, "--yes")
    assert status == 0, out + errors
    first, second = tomllib.loads(path.read_text("utf-8"))["models"]
    assert {"tensor_parallel", "zero_stage", "micro_batch", "serving_tensor_parallel"} <= first["inputs"].keys()
    assert first["recompute"] in ("none", "selective", "full")
    assert second["inputs"] == {"tensor_parallel": 8, "zero_stage": 3}


def test_a_template_that_asks_for_training_says_it_too(tmp_path):
    """The portfolio asks for the budget alone, and the template's plan takes layouts that nobody gave."""
    plan = 'questions = ["budget"]\n[inputs]\naccelerators = 64\n[[models]]\nsize = "13B"\n'
    path = write_portfolio(tmp_path, plan)
    status, _, errors = run("report", path, "--template", "training-plan", "-o", tmp_path / "plan.xlsx")
    assert status == 0, errors
    assert "note: no layout is given" in errors


def test_models_of_one_name_are_settled_apart():
    """The one that states a layout keeps it, and nothing is restated for it."""
    one = model_of_size(load(), "13B")
    two = replace(one, drivers={"tensor_parallel": 8})
    plan = make_plan(load(), cost_all(load(), [two, one]), inputs={"accelerators": 64}, questions=["training"])
    assert list(plan.settled["layout"]) == [1]
    assert plan.costed[0].model.drivers == {"tensor_parallel": 8}


def served(inputs=(), size="70B"):
    """Return a plan that serves one model, and its lines."""
    given = {"accelerator": "h200-sxm", "requests_per_second": 50, **dict(inputs)}
    plan = make_plan(load(), cost_all(load(), [model_of_size(load(), size)]), inputs=given, questions=["serving"])
    return plan, plan.training(plan.costed[0], "base")


def test_replicas_take_the_cheapest_layout_that_meets_the_targets():
    """No tensor parallelism that is typed costs less per token and is as fast as asked."""
    plan, result = served()
    typed = [served({"tensor_parallel": size})[1] for size in (1, 2, 4, 8)]
    usable = [one for one in typed if one["max_batch"] and one["itl_seconds"] * 1000 <= 50]
    assert result["usd_per_mtok_blended"] == min(one["usd_per_mtok_blended"] for one in usable)
    assert result["served_tensor"] > 1
    (note,) = (one for one in remarks(plan) if "no layout of replicas is given" in one)
    assert f"70B TP{result['served_tensor']}" in note


def test_a_mixture_that_one_accelerator_cannot_hold_has_its_experts_divided():
    """DeepSeek-V3 fits on no tensor parallelism of a server of H100, and is served all the same."""
    models = cost_all(load(), [load_model(load(), EXAMPLES / "configs/DeepSeek-V3/config.json")])
    plan = make_plan(load(), models, inputs={"accelerator": "h100-sxm"}, questions=["serving"])
    result = plan.training(plan.costed[0], "base")
    assert result["max_batch"] > 0
    assert result["served_experts"] > 8


def test_a_model_too_large_for_a_server_has_stages():
    """400B dense parameters in bf16 are more than eight H100 hold."""
    result = served({"accelerator": "h100-sxm"}, "400B")[1]
    assert (result["served_tensor"], result["served_stages"]) == (8, 2)


@pytest.mark.parametrize(
    "missed", [{"itl_target_ms": 5}, {"fixed_replicas": 1, "requests_per_second": 20}], ids=["latency", "demand"]
)
def test_where_no_layout_meets_a_target_the_nearest_is_taken(missed):
    """The one of the layouts compared that is least beyond it."""
    plan, _ = served(missed)
    rows = plan.table("serving_layouts")
    best = next(row for row in rows if row["replica_rank"] == 1)
    assert best["target_missed"] == min(row["target_missed"] for row in rows if row["replica_usable"]) > 1
    assert plan.settled["replica_layout"] == {0: best["replica_layout"]}


@pytest.mark.parametrize("given", ["tensor_parallel", "serving_tensor_parallel", "attention_data_parallel"])
def test_a_layout_of_replicas_that_is_given_stays(given):
    """Under any of its names, training's among them, which count for both."""
    assert served({given: 1})[0].settled == {}


def test_training_and_serving_are_settled_apart():
    """What one takes is no layout that the other was given."""
    models = cost_all(load(), [model_of_size(load(), "70B")])
    inputs = {"accelerators": 512, "accelerator": "h200-sxm"}
    plan = make_plan(load(), models, inputs=inputs, questions=["training", "serving"])
    assert plan.settled.keys() == {"layout", "replica_layout"}
    result = plan.training(plan.costed[0], "base")
    assert plan.settled["replica_layout"][0] == f"TP{result['served_tensor']}"


def reversed_search(plan):
    """Return a plan whose searches list their rows in the opposite order."""

    def turned(rows):
        if not rows.search:
            return rows
        only = tuple(tuple(sorted(len(rows.values) + 1 - key for key in keys)) for keys in rows.only)
        return rows._replace(values=rows.values[::-1], labels=rows.labels[::-1], only=only)

    questions = [
        dataclasses.replace(one, tables=tuple(t._replace(rows=tuple(map(turned, t.rows))) for t in one.tables))
        for one in plan.program.questions
    ]
    return replace(plan, program=replace(plan.program, questions=tuple(questions)))


def test_layouts_that_rank_alike_are_told_apart_by_what_they_are():
    """With a peak like the mean several replicas cost the same: the order of the search does not choose."""
    inputs = {"accelerators": 64, "peak_to_mean": 1, "requests_per_second": 2}
    models = cost_all(load(), [model_of_size(load(), "70B")])
    plan = make_plan(load(), models, inputs=inputs, questions=["serving"])
    unsettled = replace(plan, models=add_totals(load(), models, plan.program), settled={})
    ranks = unsettled.run("base").table("serving_layouts").columns["replica_rank"]
    assert list(ranks).count(1) > 1
    results = [settle_layouts(one, inputs).settled for one in (unsettled, reversed_search(unsettled))]
    assert results[0] == results[1] != {}
