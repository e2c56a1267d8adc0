"""Plugins that add lines to another plugin's architecture."""

import pytest
from toy_plugins import RULE, WORKLOAD, Point, counted, plugin, toy

from flopsheet import Dimension, Line
from flopsheet.configs.reading import read_config
from flopsheet.host.loading import load_from
from flopsheet.planning.costing import cost

LORA = Line("lora", "2 * rank * width", "parameters", "other", source="Hu et al. 2106.09685")
RANK = Dimension("rank", "Rank", default=4)


@pytest.mark.parametrize("name", ["adapter", "zadapter"])
def test_an_extension_adds_lines_to_another_plugins_architecture(name):
    """It may load before its owner, and its dimensions and lines follow the owner's."""
    extension = plugin(extends=("toy",), dimensions=[RANK], parameters=[LORA])
    host = load_from(sorted([Point(name, extension), Point("toys", toy())], key=lambda point: point.name))
    assert host.failures == []
    ledger = host.ledger("toy")
    assert [dimension.name for dimension in ledger.architecture.dimensions] == ["width", "rank"]
    assert ledger.evaluate({"width": 3, "rank": 4, "weight_dtype_bytes": 2, **WORKLOAD})["parameters"] == 9 + 24


def test_an_extension_may_name_the_owners_lines():
    """Formulas of an extension use lines of the architecture that it extends."""
    extension = plugin(extends=("toy",), parameters=[Line("copy", "matrix * 2", "parameters", "mlp")])
    assert counted(load_from([Point("copies", extension), Point("toys", toy())])) == 27


def test_configs_are_read_for_the_dimensions_of_an_extension():
    """What its keys name is understood like what the owner's name."""
    rank = Dimension("rank", "Rank", keys=("lora_r",), default=4)
    host = load_from([Point("adapter", plugin(extends=("toy",), dimensions=[rank])), Point("toys", toy())])
    model = read_config(host, {"model_type": "toy", "hidden_size": 3, "lora_r": 8})
    assert (model.given, model.problems) == ({"width": 3, "rank": 8}, ())


SPOILING = {
    "name of another line": (LORA, Line("matrix", "1", "parameters"), "the name 'matrix' cannot be used"),
    "name of a total": (LORA, Line("parameters", "1", "parameters"), "the name 'parameters' cannot be used"),
    "name of a cell": (LORA, Line("bf16", "1", "parameters"), "Excel reads 'bf16' as a cell"),
    "bad formula": (LORA, Line("more", "rank ** 2", "parameters"), "rank ** 2\n     ^"),
    "unknown name": (LORA, Line("more", "2 * widht", "parameters"), "did you mean 'width'?"),
}


@pytest.mark.parametrize(("good", "bad", "reason"), SPOILING.values(), ids=SPOILING)
def test_an_extension_that_spoils_a_ledger_is_left_out(good, bad, reason):
    """Found when the ledger is first read: the extension is refused with its name, the architecture counts on."""
    spoiler = plugin(extends=("toy",), dimensions=[RANK], parameters=[good, bad])
    host = load_from([Point("spoiler", spoiler), Point("toys", toy())])
    assert counted(host) == 9
    (failure,) = host.failures
    assert failure.plugin.name == "spoiler"
    assert reason in failure.reason


def test_a_dimension_that_every_model_of_another_would_have_to_say_is_refused():
    """Models of the owner count on, and the plugin is told what to give."""
    extension = plugin(extends=("toy",), dimensions=[Dimension("rank", "Rank")], parameters=[LORA])
    host = load_from([Point("adapter", extension), Point("toys", toy())])
    model = cost(host, read_config(host, {"model_type": "toy", "hidden_size": 3}))
    assert (model.status, model.totals["parameters"]) == ("approximate", 9)
    assert "dimension rank has no default" in model.problems[0]


def test_a_model_counted_without_an_extension_is_approximate():
    """Nobody takes a count for exact that lacks the lines of a plugin that failed."""
    spoiler = plugin(extends=("toy",), parameters=[Line("more", "2 * widht", "parameters")])
    host = load_from([Point("spoiler", spoiler), Point("toys", toy())])
    model = cost(host, read_config(host, {"model_type": "toy", "hidden_size": 3}))
    assert (model.status, model.numbers["parameters"]) == ("approximate", 9)
    (problem,) = model.problems
    assert problem.startswith("counted without the lines of spoiler (package-spoiler 1.0): ")


def test_a_good_extension_survives_a_bad_one():
    """Extensions are tried one at a time."""
    bad = plugin(extends=("toy",), parameters=[Line("matrix", "1", "parameters")], rules=[RULE])
    good = plugin(extends=("toy",), parameters=[Line("bias", "width", "parameters")])
    host = load_from([Point("bad", bad), Point("good", good), Point("toys", toy())])
    assert counted(host) == 12
    assert host.rules("toy") == []
