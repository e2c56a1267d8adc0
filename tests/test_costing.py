"""Costing a model: its dimensions, totals, groups and lines, and what settings change."""

from pathlib import Path

import numpy as np
import pytest

import flopsheet
from flopsheet.configs.model import Model, Published
from flopsheet.configs.reading import read_dimensions
from flopsheet.errors import UsageError
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost, cost_all
from flopsheet.planning.reconcile import mismatches

CONFIGS = Path(__file__).parent.parent / "examples" / "configs"
TOTALS = {
    *("parameters", "parameters_active", "parameters_embedding", "flops_forward", "flops_forward_linear"),
    *("flops_forward_matmul", "flops_training_step", "weights_bytes", "kv_cache_bytes", "state_bytes"),
}
PUBLISHED = {
    "gpt2-xl": 1_557_611_200,
    "Llama-3.1-8B": 8_030_261_248,
    "Llama-3.1-70B": 70_553_706_496,
    "Llama-3.1-405B": 405_853_388_800,
    "Mixtral-8x7B": 46_702_792_704,
    "Qwen3-32B": 32_762_123_264,
    "mamba-2.8b": 2_768_345_600,
    "t5-11b": 11_307_321_344,
}


def example(name, **workload):
    """Return an example config's model."""
    return flopsheet.evaluate(CONFIGS / name / "config.json", **workload)


@pytest.mark.parametrize(("name", "parameters"), PUBLISHED.items(), ids=PUBLISHED)
def test_published_counts(name, parameters):
    """Well-known models have the parameters that their publishers say."""
    model = example(name)
    assert (model.status, model.totals["parameters"]) == ("ok", parameters)


MODELS = ("gpt2-xl", "gemma-2-27b", "Mixtral-8x7B", "DeepSeek-V3", "mamba-2.8b", "mamba2-2.7b", "mt5-xl", "bart-large")


@pytest.mark.parametrize("name", MODELS)
def test_totals_are_whole_and_all_there(name):
    """Every architecture has every total, as an int wherever it is whole."""
    totals = example(name).totals
    assert totals.keys() >= TOTALS
    assert all(type(totals[total]) is int for total in TOTALS)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("mask", ["full", "causal", "window"])
def test_each_table_of_groups_sums_to_its_total(name, mask):
    """The parts are the whole."""
    model = example(name, mask=mask)
    for groups, total in (("parameters", "parameters"), ("flops", "flops_forward"), ("memory", "memory_bytes")):
        assert sum(model.groups[groups].values()) == model.totals[total]


@pytest.mark.parametrize("name", MODELS)
def test_every_line_says_what_it_is(name):
    """Name, formula, value, unit, group, about and source stand on each line."""
    for line in example(name).lines:
        assert line.keys() == {"name", "formula", "value", "unit", "group", "about", "source"}
        assert line["formula"]
        assert line["about"]


@pytest.mark.parametrize("name", MODELS)
def test_masks_order_the_flops(name):
    """Windows see at most what a causal token sees, and that is less than the full square."""
    window, causal, full = (example(name, mask=mask).totals for mask in ("window", "causal", "full"))
    assert window["flops_forward"] <= causal["flops_forward"] <= full["flops_forward"]
    assert window["flops_forward_matmul"] == causal["flops_forward_matmul"] == full["flops_forward_matmul"]


def test_workload_names_are_settings():
    """The contract's example: batch, context and the cache's type."""
    totals = example("Llama-3.1-8B", batch=2, context=8192, kv_dtype_bytes=1).totals
    assert totals["kv_cache_bytes"] == 2 * 2 * 8192 * 32 * 8 * 128
    assert totals["weights_bytes"] == 2 * 8_030_261_248


def test_dimensions_are_settings():
    """A dimension that is set wins over the config."""
    model = example("gpt2-xl", n_layers=1)
    assert model.dimensions["n_layers"] == 1
    assert model.status == "ok"


def test_dimensions_are_shown_as_people_read_them():
    """Choices by label, whole numbers as int."""
    dimensions = example("gpt2-xl", mask="causal").dimensions
    assert (dimensions["mask"], dimensions["n_heads"], dimensions["d_head"]) == ("causal", 25, 64)


def test_a_setting_that_nothing_knows_is_a_usage_error():
    """With a suggestion."""
    with pytest.raises(UsageError, match=r"--set bach: no model has such a dimension; did you mean 'batch'\?"):
        example("gpt2-xl", bach=2)


def test_a_setting_that_only_some_models_have_is_a_note():
    """The state's type means nothing to a model without states."""
    host = load()
    models = [
        read_dimensions(host, "dense", {"n_layers": 1, "d_model": 8, "n_heads": 2, "vocab_size": 11}),
        read_dimensions(
            host, "mamba1", {"n_layers": 1, "d_model": 8, "d_state": 2, "d_conv": 4, "vocab_size": 11, "d_inner": 16}
        ),
    ]
    dense, mamba = cost_all(host, models, {"state_dtype_bytes": 4})
    assert dense.notes[0] == "set but not used by this architecture: state_dtype_bytes"
    assert (dense.status, any("set but not used" in note for note in mamba.notes)) == ("ok", False)
    assert mamba.totals["state_bytes"] == 4 * 16 * (2 + 4)


def test_a_setting_out_of_range_is_an_error_of_the_model():
    """It is told with what was expected."""
    model = example("gpt2-xl", batch=0)
    assert model.status == "error"
    assert model.problems == ["batch = 0 is out of range; a whole number of at least 1 is expected"]


@pytest.mark.parametrize("count", [np.int64(3), np.int32(3), np.float32(3), np.array(3)])
def test_numbers_of_numpy_are_numbers(count):
    """A value of a data frame counts as Python's own does, exact beyond what NumPy holds."""
    assert example("Llama-3.1-405B", batch=count).totals == example("Llama-3.1-405B", batch=3).totals


def test_a_model_in_error_has_no_numbers():
    """Only the reasons."""
    model = cost(load(), Model(name="broken", errors=("no good",)))
    assert (model.status, model.problems) == ("error", ["no good"])
    assert (model.totals, model.lines, model.dimensions, model.plugin) == ({}, [], {}, None)
    assert model.groups == {"parameters": {}, "flops": {}, "memory": {}}


def test_the_provider_stands_on_the_model():
    """Name, package and version of the plugin that counted."""
    plugin = example("gpt2-xl").plugin
    assert (plugin.name, plugin.package) == ("dense", "flopsheet")


@pytest.mark.parametrize(
    ("model", "problems"),
    [
        (Model(name="plain"), 0),
        (Model(name="stored", stored=Published(7)), 0),
        (Model(name="stored", stored=Published(8, source="index")), 1),
        (Model(name="published", published=Published(8)), 0),
        (Model(name="borrowed", read_as="llama"), 1),
        (Model(name="borrowed", read_as="llama", published=Published(8)), 1),
        (Model(name="borrowed", read_as="llama", published=Published(7)), 0),
        (Model(name="borrowed", read_as="llama", stored=Published(7)), 0),
    ],
)
def test_tie_out_of_seven_parameters(model, problems):
    """A checkpoint must agree; a publisher's number confirms a borrowed reading and accuses no other."""
    assert len(mismatches(model, 7)) == problems


@pytest.mark.parametrize("parameter", ["plugins", "without", "require"])
def test_a_name_alone_is_no_list_of_its_letters(parameter):
    """The message says how one is given."""
    with pytest.raises(UsageError, match=rf"{parameter} is 'dense' alone: a list is expected, such as \['dense'\]"):
        example("gpt2-xl", **{parameter: "dense"})


def test_evaluate_takes_paths_texts_and_contents(tmp_path):
    """Whatever is at hand."""
    path = CONFIGS / "gpt2-xl" / "config.json"
    assert flopsheet.evaluate(path).totals == flopsheet.evaluate(str(path)).totals
    assert flopsheet.evaluate(tmp_path / "none.json").status == "error"
    assert flopsheet.evaluate({}).status == "error"
