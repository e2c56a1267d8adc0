"""Sliding windows: every form in which configs write them."""

import pytest

from flopsheet import Family, read_windows

ALL = Family("all", "dense", hints={"windows": "all"})
WITH_DEFAULT = Family("default", "dense", hints={"windows": "all", "default_window": 4096})
ALTERNATE = Family("alternate", "dense", hints={"windows": "alternate"})
PERIOD = Family("period", "dense", hints={"windows": "period", "period": 4})
SPACED = Family("spaced", "dense", hints={"windows": "spaced", "period": 4})
NAMED = Family("named", "dense", hints={"windows": "named"})
LATE = Family("late", "dense", hints={"windows": "late"})
NONE = Family("none", "dense")
FULL, SLIDING = "full_attention", "sliding_attention"

FORMS = {
    "every layer": (ALL, {"sliding_window": 8}, 5),
    "every layer, whatever layer_types say": (ALL, {"sliding_window": 8, "layer_types": [FULL] * 5}, 5),
    "every other layer, from the first": (ALTERNATE, {"sliding_window": 8}, 3),
    "layers by name": (ALTERNATE, {"sliding_window": 8, "layer_types": [FULL, SLIDING, FULL, FULL, FULL]}, 1),
    "empty names": (ALTERNATE, {"sliding_window": 8, "layer_types": []}, 3),
    "late layers": (LATE, {"sliding_window": 8, "use_sliding_window": True, "max_window_layers": 2}, 3),
    "late without a number": (LATE, {"sliding_window": 8, "use_sliding_window": True}, 5),
    "all but every fourth": (PERIOD, {"sliding_window": 8}, 4),
    "all but every second, as the config says": (PERIOD, {"sliding_window": 8, "sliding_window_pattern": 2}, 3),
    "all but the first and every fourth after it": (SPACED, {"sliding_window": 8}, 3),
    "only by name": (NAMED, {"sliding_window": 8, "layer_types": [FULL, SLIDING, SLIDING, FULL, FULL]}, 2),
    "late, null": (LATE, {"sliding_window": 8, "use_sliding_window": True, "max_window_layers": None}, 5),
}


@pytest.mark.parametrize(("family", "config", "layers"), FORMS.values(), ids=FORMS)
def test_window_layers(family, config, layers):
    """The count of window layers and the width are read."""
    reading = read_windows({"num_hidden_layers": 5} | config, family)
    assert reading.values == {"n_window_layers": layers, "window": 8}
    assert (reading.problems, reading.notes) == ([], [])


WITHOUT = {
    "no names": (NAMED, {"sliding_window": 8}),
    "null": (ALL, {"sliding_window": None}),
    "zero": (ALL, {"sliding_window": 0}),
    "absent": (ALL, {}),
    "switched off": (LATE, {"sliding_window": 8, "use_sliding_window": False, "max_window_layers": 0}),
    "beyond the last layer": (LATE, {"sliding_window": 8, "use_sliding_window": True, "max_window_layers": 5}),
    "all layers full": (ALTERNATE, {"sliding_window": 8, "layer_types": [FULL] * 5}),
    "null in place of the class default": (WITH_DEFAULT, {"sliding_window": None}),
    "layers that are no number": (ALL, {"sliding_window": 8, "num_hidden_layers": "5"}),
}


@pytest.mark.parametrize(("family", "config"), WITHOUT.values(), ids=WITHOUT)
def test_no_windows(family, config):
    """Then no value is given, and the architecture's default of none stands."""
    reading = read_windows({"num_hidden_layers": 5} | config, family)
    assert (reading.values, reading.problems) == ({}, [])


def test_a_class_default_is_noted():
    """The window of the class is taken where the config has none."""
    reading = read_windows({"num_hidden_layers": 5}, WITH_DEFAULT)
    assert reading.values == {"n_window_layers": 5, "window": 4096}
    assert reading.notes == ["sliding_window is not in the config: the class default 4096 is taken"]


def test_unknown_kinds_are_a_problem():
    """A kind of layer that nobody understands makes the count approximate."""
    kinds = ["linear_attention", "chunked_attention", FULL, SLIDING, FULL]
    reading = read_windows({"num_hidden_layers": 5, "sliding_window": 8, "layer_types": kinds}, LATE)
    assert reading.problems == ["layer_types has kinds that are not understood: chunked_attention, linear_attention"]


def test_kinds_that_do_not_add_up_are_a_problem():
    """There must be a kind for each layer."""
    reading = read_windows({"num_hidden_layers": 5, "sliding_window": 8, "layer_types": [SLIDING] * 3}, LATE)
    assert reading.problems == ["layer_types names 3 layers, num_hidden_layers says 5"]


def test_a_family_without_windows_reads_no_field():
    """Then a window in a config is a field that nothing understands."""
    reading = read_windows({"num_hidden_layers": 5, "sliding_window": 8}, NONE)
    assert (reading.values, reading.keys) == ({}, set())


def test_the_fields_that_were_understood_are_told():
    """They are no longer unknown."""
    reading = read_windows({"num_hidden_layers": 5, "sliding_window": 8}, ALL)
    assert reading.keys == {"sliding_window", "layer_types", "use_sliding_window", "max_window_layers"}
