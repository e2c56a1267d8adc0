"""The weights' index beside a config."""

import json

import pytest

from flopsheet.configs.model import Published
from flopsheet.configs.weights import INDEX, stored_parameters

COUNTED = {
    "parameters": ({"total_parameters": 10, "total_size": 40}, {"dtype": "bfloat16"}, 10),
    "bytes of two": ({"total_size": 40}, {"dtype": "bfloat16"}, 20),
    "bytes of four": ({"total_size": 40}, {"torch_dtype": "float32"}, 10),
    "bytes as a float": ({"total_size": 40.0}, {"torch_dtype": "float16"}, 20),
}
UNKNOWN = {
    "bytes of no type": ({"total_size": 40}, {}),
    "bytes of an unknown type": ({"total_size": 40}, {"dtype": "int4"}),
    "bytes that do not divide": ({"total_size": 41}, {"dtype": "bfloat16"}),
    "bytes as text": ({"total_size": "40"}, {"dtype": "bfloat16"}),
    "nothing": ({}, {"dtype": "bfloat16"}),
    "null": (None, {"dtype": "bfloat16"}),
    "list": ([40], {"dtype": "bfloat16"}),
    "truth value": ({"total_parameters": True}, {}),
}


def stored(folder, text, config):
    """Return what the index of this text says beside a config."""
    folder.joinpath(INDEX).write_text(text, "utf-8")
    return stored_parameters(folder / "config.json", config)


@pytest.mark.parametrize(("metadata", "config", "parameters"), COUNTED.values(), ids=COUNTED)
def test_an_index_tells_the_parameters(tmp_path, metadata, config, parameters):
    """They are given, or follow from bytes and type."""
    said = stored(tmp_path, json.dumps({"metadata": metadata}), config)
    assert said == (Published(parameters, source=INDEX), [])


@pytest.mark.parametrize(("metadata", "config"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_index_that_tells_nothing_is_a_note(tmp_path, metadata, config):
    """No guess is made."""
    found, notes = stored(tmp_path, json.dumps({"metadata": metadata}), config)
    assert found is None
    assert notes == [f"{INDEX} is not compared: it names neither parameters nor bytes of a known dtype"]


def test_an_index_of_quantized_weights_is_not_compared(tmp_path):
    """It counts packed weights and scales."""
    said = stored(tmp_path, '{"metadata": {"total_parameters": 10}}', {"quantization_config": {"bits": 4}})
    assert said == (None, [f"{INDEX} is not compared: the weights are stored quantized"])


def test_a_truncated_index_is_a_note(tmp_path):
    """The model is counted all the same."""
    found, notes = stored(tmp_path, '{"metadata":', {})
    assert found is None
    assert "the weights' index cannot be read" in notes[0]


def test_no_index_is_no_note(tmp_path):
    """Most configs stand alone."""
    assert stored_parameters(tmp_path / "config.json", {}) == (None, [])
