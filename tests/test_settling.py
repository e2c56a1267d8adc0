"""A layout that nobody gave: each model takes the fastest that fits, says so, and keeps it on every way back."""

import tomllib
from dataclasses import replace

import openpyxl
import pytest
from planner import run
from samples import write_portfolio

from flopsheet.configs.sizes import model_of_size
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost, cost_all
from flopsheet.planning.plan import make_plan
from flopsheet.planning.remarks import remarks

PLAN = """
questions = ["budget", "training"]
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
    assert plan.settled[0].endswith("full")
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
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx")
    sheet = book["Assumptions"]
    row = next(cell.row for cell in sheet["K"] if cell.value == "accelerators")
    for column in "DEF":
        sheet[f"{column}{row}"] = 128
    book.save(tmp_path / "edited.xlsx")
    status, out, errors = run("import", tmp_path / "edited.xlsx", "-o", path, "--yes")
    assert status == 0, out + errors
    first, second = tomllib.loads(path.read_text("utf-8"))["models"]
    assert {"tensor_parallel", "zero_stage", "micro_batch"} <= first["inputs"].keys()
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
    assert list(plan.settled) == [1]
    assert plan.costed[0].model.drivers == {"tensor_parallel": 8}
