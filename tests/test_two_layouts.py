"""A plan that trains and serves: each question has its own layout, and what counts for both is said."""

import json

import pytest
from planner import Planner, bring, run

PLAN = """
questions = ["training", "serving"]
[inputs]
accelerator = "h100-sxm"
accelerators = 64
days = 60
price_per_hour = 2
[layout]
tensor_parallel = 8
[serving]
SERVED
requests_per_second = 20
[[models]]
size = "70B"
"""


def written(folder, served):
    """Return a portfolio whose heading [serving] holds a line."""
    path = folder / "portfolio.toml"
    path.write_text(PLAN.replace("SERVED", served), "utf-8")
    return path


def planned(path, *options):
    """Return a plan's only model in the Base case, and what is noted."""
    status, out, errors = run("plan", path, "--format", "json", *options)
    assert status == 0, errors
    return json.loads(out)["models"][0]["base"], errors


def test_each_question_has_its_layout(tmp_path):
    """Under [serving], tensor_parallel is that of replicas alone."""
    model, notes = planned(written(tmp_path, "tensor_parallel = 4"))
    assert model["replica_size"] == 4
    assert model["stage_ranks"] == 8
    assert "alike" not in notes


def test_one_layout_for_both_is_said(tmp_path):
    """Without one of its own, serving takes that of training, and a note says where its own goes."""
    model, notes = planned(written(tmp_path, ""))
    assert model["replica_size"] == 8
    assert "note: tensor_parallel: used by training and serving alike" in notes
    assert "alike" not in planned(written(tmp_path, ""), "--question", "serving")[1]


@pytest.mark.parametrize("own", ["serving_tensor_parallel = 2", "tensor_parallel = 2"])
def test_both_names_mean_the_same(tmp_path, own):
    """The long name may stand under any heading, the short one under [serving]."""
    assert planned(written(tmp_path, own), "--question", "serving")[0]["replica_size"] == 2


def test_an_input_under_both_names_is_refused(tmp_path):
    """Two numbers for one input are told with both names."""
    path = written(tmp_path, "tensor_parallel = 4\nserving_tensor_parallel = 2")
    assert "serving.tensor_parallel: also given as serving_tensor_parallel" in run("plan", path)[2]


def test_an_edited_layout_comes_back_where_it_was_stated(tmp_path):
    """A cell of serving's layout changes the line under [serving], and no other."""
    path = written(tmp_path, "tensor_parallel = 4  # a server's half")
    assert run("report", path, "-o", tmp_path / "plan.xlsx")[0] == 0
    planner = Planner(tmp_path)
    for case in ("Low cost", "Base", "High cost"):
        planner.cell("drivers", "serving_tensor_parallel", case).value = 2
    planner.save()
    assert bring(tmp_path, "--yes")[0] == 0
    assert path.read_text("utf-8") == PLAN.replace("SERVED", "tensor_parallel = 2  # a server's half")


def test_show_reads_such_a_portfolio(tmp_path):
    """Models alone need no inputs of a plan."""
    assert run("show", written(tmp_path, "tensor_parallel = 4"))[0] == 0
