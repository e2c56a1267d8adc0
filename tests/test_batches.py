"""Whatever a config holds is an error of its model, and ends no batch."""

import pytest

import flopsheet
from flopsheet.configs.source import load_model
from flopsheet.errors import UsageError
from flopsheet.host.loading import load

LLAMA = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}


def nested(levels):
    """Return a list inside a list, so many levels deep."""
    inner = []
    for _ in range(levels):
        inner = [inner]
    return inner


ODD = {
    "a table for a list": {"layer_types": {"model_type": "llama"}},
    "a key that is no text": {None: 4},
    "5,000 levels": {"quantization_config": nested(5000), "rope_parameters": nested(5000), "odd": nested(5000)},
    "5,000 digits": {"hidden_size": 10**5000},
    "5,000 digits where nothing reads": {"odd": 10**5000},
    "a type of 5,000 digits": {"model_type": 10**5000},
    "a set": {"odd": {1, 2}},
    "bytes": {"odd": b"silu"},
}


@pytest.mark.parametrize("fields", ODD.values(), ids=ODD)
@pytest.mark.parametrize("model_type", ["llama", "mixtral", "qwen3_next", "t5", "mamba2", "gpt2"])
def test_whatever_a_config_holds_is_its_models_error(model_type, fields):
    """Nothing is raised, and nothing doubtful is called ok."""
    model = flopsheet.evaluate(LLAMA | {"model_type": model_type} | fields)
    assert model.status in ("error", "approximate")
    assert all(len(problem) < 400 for problem in model.problems)


@pytest.mark.parametrize(
    "odd",
    [{None: 4}, {"a": nested(5000)}, {"hidden_size": 10**5000}, [1], "x"],
    ids=["key", "levels", "digits", "list", "text"],
)
@pytest.mark.parametrize("part", ["text_config", "vision_config"])
def test_whatever_a_part_holds_is_its_models_error(part, odd):
    """Parts of multimodal models are read with the same care."""
    model = flopsheet.evaluate({"model_type": "llava", part: odd})
    assert model.status == "error"
    assert all(part in problem and len(problem) < 400 for problem in model.problems)


def test_a_number_that_no_class_computes_with_is_an_error():
    """Its message is short, however long the number is."""
    model = flopsheet.evaluate({"model_type": "deepseek_v3", "first_k_dense_replace": 10**400})
    assert model.status == "error"
    assert any("first_k_dense_replace = 1000" in one and "out of range" in one for one in model.problems)


def test_a_note_of_a_number_that_no_cell_holds_exactly_is_no_crash():
    """The note is shown, and the model counted as its class builds it."""
    model = flopsheet.evaluate({"model_type": "deepseek_v3", "hidden_size": 7168, "first_k_dense_replace": 2**63 - 1})
    assert model.status == "ok"
    assert any("first_k_dense_replace is beyond" in note for note in model.notes)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"hidden_size": 64, "hidden_size": 128}', "the key 'hidden_size' occurs 2 times; leave one"),
        ('{"a": {"b": 1, "b": 1}}', "the key 'b' occurs 2 times"),
        ("[" * 5000, "unusable JSON"),
        ('{"a": ' + "9" * 5000 + "}", "unusable JSON"),
    ],
    ids=["twice", "twice inside", "levels", "digits"],
)
def test_a_file_that_readers_would_read_differently_is_an_error(tmp_path, text, reason):
    """Some readers take the first of two equal keys, some the last."""
    path = tmp_path / "config.json"
    path.write_text(text, "utf-8")
    (error,) = load_model(load(), path).errors
    assert reason in error


@pytest.mark.parametrize("config", [None, 7, ["llama"]])
def test_what_is_no_config_is_a_usage_error(config):
    """The only thing that `evaluate` raises, beside names that nothing knows."""
    with pytest.raises(UsageError, match=r"a path of a config\.json or its content is expected"):
        flopsheet.evaluate(config)
