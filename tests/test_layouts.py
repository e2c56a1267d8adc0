"""The search for layouts: it is as good as trying all of them, and says what fits on how many accelerators."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from flopsheet.configs.sizes import model_of_size
from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost, cost_all
from flopsheet.planning.deep_totals import add_totals
from flopsheet.planning.making import make_plan
from flopsheet.planning.sweep import Sweep

CONFIG = Path(__file__).parent.parent / "examples" / "configs" / "Llama-3.1-70B" / "config.json"
SIZES = product((1, 2, 4, 8), (1, 2, 4, 8, 16), (1, 2), range(4), (1, 2, 4, 8))
NAMES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "zero_stage", "virtual_stages")
WANTED = ("layout_divides", "fits_accelerator", "step_seconds", "fewest_accelerators")
LAYERS = 80


def llama(recompute):
    """Return Llama 3.1 70B with sequences of 8,192 tokens."""
    return cost(load(), load_model(load(), CONFIG), {"recompute": recompute, "seq_len": 8192})


def sized(*sizes):
    """Return models of which only the size is known."""
    return cost_all(load(), [model_of_size(load(), size) for size in sizes])


@pytest.fixture(scope="module")
def searched():
    """Return a plan of one model, and the numbers of every layout that divides, as columns."""
    inputs = {"accelerators": 64, "global_batch": 64}
    plan = make_plan(load(), [llama("selective")], inputs=inputs, questions=["training"])
    layouts = [one for one in SIZES if one[4] == 1 or (one[1] > 1 and LAYERS % (one[1] * one[4]) == 0)]
    results = [columns(plan, llama(recompute), np.array(layouts).T) for recompute in ("none", "selective", "full")]
    every = {line: np.concatenate([one[line] for one in results]) for line in WANTED}
    return plan.training(plan.costed[0], "base"), every, every["layout_divides"] == 1


def columns(plan, model, layouts):
    """Return the numbers of a model under many layouts, in floating point."""
    totals = add_totals(load(), [model], plan.program)[0].numbers.as_dict()
    given = dict.fromkeys(plan.facts, 0) | plan.case("base") | totals
    given = {name: float(value) for name, value in given.items()} | dict(zip(NAMES, layouts, strict=True))
    result = Sweep(plan.program, tuple(("models", line) for line in WANTED)).columns(given)
    return {line: result["models", line] for line in WANTED}


def test_the_search_finds_the_fastest_layout_of_all(searched):
    """Trying every split with every setting finds no faster layout that fits."""
    base, every, divides = searched
    usable = divides & (every["fits_accelerator"] == 1)
    assert usable.sum() > 100
    assert base["fastest_step_seconds"] == pytest.approx(every["step_seconds"][usable].min())


def test_the_search_finds_the_layout_on_fewest_accelerators(searched):
    """Trying every split with every setting finds none that fits on fewer."""
    base, every, divides = searched
    fewest = every["fewest_accelerators"][divides]
    assert base["smallest_accelerators"] == fewest[fewest > 0].min()


def test_a_layout_fits_on_its_fewest_accelerators_and_on_no_fewer():
    """On that many, with a batch in proportion, memory suffices; with one replica less it does not."""

    def base(accelerators):
        layout = {"tensor_parallel": 4, "pipeline_parallel": 2, "global_batch": 4 * accelerators}
        plan = make_plan(load(), [llama("full")], inputs={"accelerators": accelerators, **layout})
        return plan.training(plan.costed[0], "base")

    fewest = base(4096)["fewest_accelerators"]
    assert 8 < fewest < 4096
    assert base(fewest)["fits_accelerator"]
    assert not base(fewest - 8)["fits_accelerator"]


def test_layouts_of_a_mixture_divide_its_experts():
    """Expert parallelism is searched where there are experts, and for no dense model."""
    inputs = {"accelerators": 4096, "tensor_parallel": 8, "pipeline_parallel": 4}
    plan = make_plan(load(), sized("70B", "400B-A30B"), inputs=inputs)
    results = {(row["model"], " EP" in row["layout"]) for row in plan.table("layouts")}
    assert results == {("70B", False), ("400B-A30B", False), ("400B-A30B", True)}


def test_every_setting_is_varied():
    """Layouts differ in each size and setting that a plan may choose, the plan's own among them."""
    plan = make_plan(load(), [llama("selective")], inputs={"accelerators": 2048, "pipeline_parallel": 16})
    table = plan.run("base").table("layouts")
    names = (*NAMES, "micro_batch", "sequence_parallel", "recompute_is_full")
    assert [name for name in names if len({own[name] for own in table.brought}) == 1] == []
    assert "PP16 ZeRO1 selective" in [row["layout"].removeprefix("TP1 ") for row in plan.table("layouts")]


def test_a_plan_in_which_nothing_fits_lists_what_would():
    """Without a usable layout the rows are those that fit on the fewest accelerators."""
    plan = make_plan(load(), sized("1000B"), inputs={"accelerators": 8, "tensor_parallel": 8})
    base = plan.training(plan.costed[0], "base")
    assert base["fastest_step_seconds"] == 0
    assert base["smallest_accelerators"] > 8


def test_models_without_layers_to_cut_are_searched_too():
    """A batch of models of several architectures has layouts for each of them."""
    configs = [CONFIG.parent.parent / name / "config.json" for name in ("gpt2-xl", "DeepSeek-V3")]
    models = cost_all(load(), [load_model(load(), path) for path in configs])
    plan = make_plan(load(), models, inputs={"accelerators": 2048, "tensor_parallel": 1})
    assert {row["model"] for row in plan.table("layouts") if row["usable"]} == {model.name for model in models}
