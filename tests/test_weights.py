"""The weights' index beside a config."""

import json
import re
import shutil
import tarfile

import pytest

import flopsheet
from flopsheet.configs import batches
from flopsheet.configs.model import Published
from flopsheet.configs.tensor_names import TIED
from flopsheet.configs.weights import INDEX, files_beside, stored_parameters
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost

COUNTED = {
    "parameters": ({"total_parameters": 10, "total_size": 40}, {"dtype": "bfloat16"}, 10),
    "bytes of two": ({"total_size": 40}, {"dtype": "bfloat16"}, 20),
    "bytes of four": ({"total_size": 40}, {"torch_dtype": "float32"}, 10),
    "bytes with less room than parameters": ({"total_parameters": 30, "total_size": 40}, {"dtype": "bfloat16"}, 20),
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
    return stored_parameters(files_beside(folder / "config.json"), config)


@pytest.mark.parametrize(("metadata", "config", "parameters"), COUNTED.values(), ids=COUNTED)
def test_an_index_tells_the_parameters(tmp_path, metadata, config, parameters):
    """They are given, or follow from bytes and type."""
    said = stored(tmp_path, json.dumps({"metadata": metadata}), config)
    assert said == (Published(parameters, source=INDEX), [])


@pytest.mark.parametrize(("metadata", "config"), UNKNOWN.values(), ids=UNKNOWN)
def test_an_index_that_tells_nothing_is_a_note(tmp_path, metadata, config):
    """No guess is made."""
    result, notes = stored(tmp_path, json.dumps({"metadata": metadata}), config)
    assert result is None
    assert notes == [f"{INDEX} is not compared: it names neither parameters nor bytes of a known dtype"]


def test_an_index_of_quantized_weights_is_not_compared(tmp_path):
    """It counts packed weights and scales."""
    said = stored(tmp_path, '{"metadata": {"total_parameters": 10}}', {"quantization_config": {"bits": 4}})
    assert said == (None, [f"{INDEX} is not compared: the weights are stored quantized"])


def test_a_truncated_index_is_a_note(tmp_path):
    """The model is counted all the same."""
    result, notes = stored(tmp_path, '{"metadata":', {})
    assert result is None
    assert "the weights' index cannot be read" in notes[0]


def test_no_index_is_no_note(tmp_path):
    """Most configs stand alone."""
    assert stored_parameters(files_beside(tmp_path / "config.json"), {}) == (None, [])


INDEXES = {
    "counted": '{"metadata": {"total_parameters": 10}, "weight_map": {"lm_head.weight": "1.safetensors"}}',
    "broken": '{"metadata":',
    "none": "",
}


def write_indexed(folder):
    """Write a config for each kind of index, with that beside it."""
    for name, text in INDEXES.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "config.json").write_text('{"model_type": "gpt2"}')
        if text:
            (folder / name / INDEX).write_text(text)


def write_tar_from_behind(archive, folder):
    """Write a tar archive in which everything stands before what it usually follows."""
    with tarfile.open(archive, "w") as tar:
        for path in sorted(folder.rglob("*.json"), reverse=True):
            tar.add(path, path.relative_to(folder))


def said_of_weights(host, place):
    """Return what the indexes of a folder or an archive say, by the model's name, without the place."""
    models = batches.open_batch(host, [str(place)]).models(host)
    return {one.name: (one.stored, re.sub(f"{place}[#/.]*", "", str(one.notes))) for one in models}


def test_an_index_in_an_archive_is_read_as_in_a_folder(tmp_path):
    """It may stand before its config or behind it, and says the same; one that cannot be read is the same note."""
    host, folder = load(), tmp_path / "all"
    write_indexed(folder)
    said = said_of_weights(host, folder)
    assert said["counted"][0] == Published(10, source=INDEX, extras=((TIED, 1),))
    assert "the weights' index cannot be read" in said["broken"][1]
    archives = [shutil.make_archive(str(folder), kind, folder) for kind in ("gztar", "zip")]
    write_tar_from_behind(tmp_path / "behind.tar", folder)
    for archive in (*archives, tmp_path / "behind.tar"):
        assert said_of_weights(host, archive) == said


def test_an_index_is_part_of_what_resume_asks(tmp_path):
    """A part is counted again where an index came, went or says something else, and only then."""
    config = tmp_path / "config.json"
    config.write_text("{}")
    alone = batches.Config(str(config)).digest()
    (tmp_path / INDEX).write_text(INDEXES["counted"])
    beside = batches.Config(str(config)).digest()
    assert alone != beside
    assert batches.Config("a.tar#config.json", b"{}", files_beside(config)).digest() == beside


BESIDE = {
    "hf_quant_config.json": {"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}},
    "quantize_config.json": {"bits": 4, "group_size": 128, "desc_act": False},
    "quant_config.json": {"w_bit": 4, "q_group_size": 128, "zero_point": True, "version": "GEMM"},
}
WIDTHS = {"hf_quant_config.json": 4.5, "quantize_config.json": 4.2, "quant_config.json": 4.2}
QWEN = {"model_type": "qwen3", "hidden_size": 1024, "num_hidden_layers": 4, "intermediate_size": 3072}


def bits(model):
    """Return the bits of a quantized weight."""
    return 8 * cost(load(), model).dimensions["quantized_bytes"]


def write_beside(folder, name, text):
    """Write a config that says nothing of its weights, and a file next to it that does."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(QWEN), "utf-8")
    (folder / name).write_text(text, "utf-8")


@pytest.mark.parametrize("name", BESIDE)
def test_a_file_beside_says_how_weights_are_quantized(tmp_path, name):
    """Many checkpoints of NVIDIA, AutoGPTQ and AutoAWQ say it there alone; an archive says the same as a folder."""
    write_beside(tmp_path / "all" / "one", name, json.dumps(BESIDE[name]))
    archive = shutil.make_archive(str(tmp_path / "all"), "gztar", tmp_path / "all")
    for place in (tmp_path / "all", archive):
        (model,) = batches.open_batch(load(), [str(place)]).models(load())
        assert bits(model) == pytest.approx(WIDTHS[name], abs=0.05)
        assert any(f"by {name}" in note for note in model.notes)


def test_the_config_wins_over_a_file_beside(tmp_path):
    """What it says of its weights is its own word."""
    write_beside(tmp_path / "one", "hf_quant_config.json", json.dumps(BESIDE["hf_quant_config.json"]))
    own = QWEN | {"quantization_config": {"quant_method": "fp8"}}
    (tmp_path / "one" / "config.json").write_text(json.dumps(own), "utf-8")
    (model,) = batches.open_batch(load(), [str(tmp_path)]).models(load())
    assert bits(model) == pytest.approx(8, abs=0.01)


def test_a_broken_file_beside_makes_the_bytes_approximate(tmp_path):
    """It may have said anything."""
    write_beside(tmp_path / "one", "hf_quant_config.json", "{")
    (model,) = batches.open_batch(load(), [str(tmp_path)]).models(load())
    assert model.status == "approximate"
    assert "a file that cannot be read, by hf_quant_config.json" in model.problems[0]


TIED_LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
    "tie_word_embeddings": True,
    "dtype": "bfloat16",
}
ROTARY = {f"model.layers.{layer}.self_attn.rotary_emb.inv_freq": "1" for layer in range(2)}
HEAD = {"lm_head.weight": "1"}
BESIDES = {
    "nothing": ({}, 0, "ok", ""),
    "rotary frequencies in 4 bytes": (ROTARY, 2 * 8 * 4, "ok", "it also stores rotary frequencies"),
    "rotary frequencies in 2 bytes": (ROTARY, 2 * 8 * 2, "ok", "it also stores rotary frequencies"),
    "a tied head": (HEAD, 100 * 64 * 2, "ok", "it also stores an output head, which the class ties"),
    "both": (ROTARY | HEAD, 2 * 8 * 4 + 100 * 64 * 2, "ok", "rotary frequencies and an output head"),
    "a head of another size": (HEAD, 100 * 64 * 2 + 2, "approximate", ""),
    "frequencies that no name says": ({}, 2 * 8 * 4, "approximate", ""),
}


@pytest.mark.parametrize(("names", "more", "status", "note"), BESIDES.values(), ids=BESIDES)
def test_what_no_class_counts_is_a_note(tmp_path, names, more, status, note):
    """Where it fills the gap to the byte; every other difference keeps the model approximate, also in a report."""
    alone = flopsheet.evaluate(TIED_LLAMA)
    size = int(alone.totals["weights_bytes"]) + more
    (tmp_path / "config.json").write_text(json.dumps(TIED_LLAMA), "utf-8")
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": size}, "weight_map": names}), "utf-8")
    model = flopsheet.evaluate(tmp_path / "config.json")
    assert model.status == status
    assert any(note in said for said in [*model.notes, ""])
    assert model.totals["weights_bytes"] == size - more


def test_weights_of_twice_the_bytes_are_a_note(tmp_path):
    """The config says bfloat16, its checkpoint is in float32."""
    size = 2 * int(flopsheet.evaluate(TIED_LLAMA).totals["weights_bytes"])
    (tmp_path / "config.json").write_text(json.dumps(TIED_LLAMA), "utf-8")
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": size}, "weight_map": {}}), "utf-8")
    model = flopsheet.evaluate(tmp_path / "config.json")
    assert model.status == "ok"
    assert f"{INDEX}: its weights take twice the bytes of the config's dtype" in model.notes
