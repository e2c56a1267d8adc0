"""Configs as people have them: no false error, no false alarm, and no default in place of a size of another name."""

import json

import pytest
from msgspec.structs import astuple

import flopsheet
from flopsheet.configs.fields import inert
from flopsheet.configs.source import name_of

LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 1000,
}
QWEN_14B = {
    "model_type": "qwen",
    "architectures": ["QWenLMHeadModel"],
    "hidden_size": 5120,
    "intermediate_size": 27392,
    "num_hidden_layers": 40,
    "num_attention_heads": 40,
    "max_position_embeddings": 8192,
    "seq_length": 2048,
    "vocab_size": 152064,
    "tie_word_embeddings": False,
}


def test_the_training_length_of_qwen_contradicts_nothing():
    """The official files have `seq_length`, the length of training, next to a longer table of positions."""
    model = flopsheet.evaluate(QWEN_14B)
    assert (model.status, model.dimensions["max_positions"]) == ("ok", 8192)


INERT = {
    "max_sequence_length": 2048,
    "use_mrope": False,
    "ignore_index": -100,
    "pre_allocate_kv_cache": True,
    "capacity_factor": 1.25,
    "moe_frequency": 1,
    "expert_dropout": 0.1,
    "sequence_parallel_enabled": True,
    "selective_checkpoint_enabled": True,
    "move_model_to_device": True,
    "use_scaled_init_for_output_weights": True,
    "tokenizer_name": "x",
    "merge_method": "slerp",
    "mergekit_version": "0.1",
    "lora_r": 8,
    "fuse_norm": True,
    "language_model_only": False,
}


@pytest.mark.parametrize("field", INERT)
def test_a_field_that_no_count_depends_on_costs_no_ok(field):
    """Each has its reason in inert.toml."""
    model = flopsheet.evaluate(LLAMA | {field: INERT[field]})
    assert model.problems == []
    assert any(field in table for table in astuple(inert()))


def test_biases_that_a_field_turns_off_are_off_by_another_name():
    """InternLM's `bias` in a config of Llama; on, or with Llama's own field on, it is not understood."""
    assert flopsheet.evaluate(LLAMA | {"bias": False}).status == "ok"
    assert flopsheet.evaluate(LLAMA | {"bias": True}).status == "approximate"
    assert flopsheet.evaluate(LLAMA | {"bias": False, "attention_bias": True}).status == "approximate"


def test_a_size_that_a_config_inside_says_too_is_no_problem():
    """Qwen2-Audio's file has its vocabulary twice."""
    config = {"model_type": "qwen2_audio", "architectures": ["Qwen2AudioForConditionalGeneration"]}
    config |= {"text_config": {"model_type": "qwen2", "vocab_size": 156032, "hidden_size": 64}}
    assert not any("vocab_size" in one for one in flopsheet.evaluate(config | {"vocab_size": 156032}).problems)
    assert any("vocab_size" in one for one in flopsheet.evaluate(config | {"vocab_size": 156033}).problems)


def test_another_frequency_of_experts_stays_a_problem():
    """1 is every layer; 2 would be half of them."""
    assert flopsheet.evaluate(LLAMA | {"moe_frequency": 2}).status == "approximate"


def test_the_same_number_under_a_second_name_is_no_problem():
    """GLM-5.2 says its experts twice; another number is not understood."""
    config = {"model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"], "n_routed_experts": 128}
    sizes = {"num_hidden_layers": 4, "hidden_size": 256}
    assert flopsheet.evaluate(config | sizes | {"num_experts": 128}).problems == []
    assert flopsheet.evaluate(config | sizes | {"num_experts": 64}).status == "approximate"


SCORED = {
    "llama": ({}, 2),
    "qwen3": ({"num_labels": 1}, 1),
    "qwen2_moe": ({"id2label": {"0": "a", "1": "b", "2": "c"}}, 3),
    "gpt2": ({"num_labels": 5, "n_head": 4}, 5),
}


@pytest.mark.parametrize("model_type", SCORED)
def test_a_head_of_labels_takes_the_place_of_the_vocabulary(model_type):
    """`*ForSequenceClassification` is the model without a head, and a matrix of labels by width, as in transformers."""
    fields, labels = SCORED[model_type]
    name = {"llama": "Llama", "qwen3": "Qwen3", "qwen2_moe": "Qwen2Moe", "gpt2": "GPT2"}[model_type]
    width = "n_embd" if model_type == "gpt2" else "hidden_size"
    depth = "n_layer" if model_type == "gpt2" else "num_hidden_layers"
    config = {"model_type": model_type, width: 256, depth: 2, "vocab_size": 1000, **fields}
    scored = flopsheet.evaluate(config | {"architectures": [f"{name}ForSequenceClassification"]})
    base = flopsheet.evaluate(config | {"architectures": [f"{name}Model"]})
    assert scored.problems == []
    assert scored.totals["parameters"] == base.totals["parameters"] + labels * 256


def test_a_head_of_another_type_is_unknown():
    """A class goes with the language model whose name it has."""
    model = flopsheet.evaluate(LLAMA | {"architectures": ["GPT2ForSequenceClassification"]})
    assert model.status == "approximate"
    assert any("GPT2ForSequenceClassification" in problem for problem in model.problems)


def test_a_reward_head_of_two_layers():
    """Qwen2.5-Math-RM: a square matrix and a row, both with biases."""
    config = {**LLAMA, "model_type": "qwen2", "architectures": ["Qwen2Model"], "num_key_value_heads": 4}
    base = flopsheet.evaluate(config).totals["parameters"]
    model = flopsheet.evaluate(config | {"architectures": ["Qwen2ForRewardModel"]})
    assert (model.problems, model.totals["parameters"]) == ([], base + 256 * 256 + 256 + 256 + 1)


FOREIGN = {
    "facebook/opt-66b as llm-analysis has it": ("opt", {"hidden_dim": 9216, "num_layers": 64, "n_head": 72}),
    "params.json": ("llama", {"dim": 4096, "n_layers": 32, "n_heads": 32}),
}


@pytest.mark.parametrize(("model_type", "sizes"), FOREIGN.values(), ids=FOREIGN)
def test_sizes_under_foreign_names_are_an_error(model_type, sizes):
    """OPT-66B is not the 125M of the class's defaults."""
    model = flopsheet.evaluate({"model_type": model_type, **sizes})
    (error,) = model.problems
    assert model.status == "error"
    assert all(f"{name} = {value}" in error for name, value in sizes.items())
    assert "hidden_size" in error
    assert "rename" in error


def test_a_stub_without_sizes_is_approximate():
    """The class's defaults are counted, and the model says so where its status is read."""
    model = flopsheet.evaluate({"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"]})
    (problem,) = model.problems
    assert model.status == "approximate"
    assert "neither depth nor width" in problem
    assert "hidden_size = 4096" in problem
    assert flopsheet.evaluate({"model_type": "qwen3", "hidden_size": 1024}).status == "ok"


def test_a_stub_whose_sizes_are_set_is_not():
    """What `--set` says is known."""
    assert flopsheet.evaluate({"model_type": "qwen3"}, n_layers=4, d_model=256).status == "ok"


def snapshot(root, repository, revision):
    """Return a snapshot's folder in a Hub cache, whose config is a link to a blob."""
    home = root / f"models--{repository.replace('/', '--')}"
    folder = home / "snapshots" / revision
    folder.mkdir(parents=True)
    (home / "blobs").mkdir(exist_ok=True)
    (home / "blobs" / revision).write_text(json.dumps(LLAMA), "utf-8")
    (folder / "config.json").symlink_to(home / "blobs" / revision)
    return folder


def test_models_of_a_hub_cache_are_named_by_their_repository(tmp_path, monkeypatch):
    """Not by "blobs", whether the path is whole, inside the snapshot, or a link to it."""
    folder = snapshot(tmp_path, "acme/Tiny-Llama", "a1")
    assert name_of(folder / "config.json") == "acme/Tiny-Llama"
    (tmp_path / "current").symlink_to(folder)
    assert name_of(tmp_path / "current" / "config.json") == "acme/Tiny-Llama"
    monkeypatch.chdir(folder)
    assert name_of("config.json") == "acme/Tiny-Llama"


def test_one_size_under_a_foreign_name_is_an_error():
    """TeleChat-52B, another class of the same type, has `n_embd`; the default width is not its own."""
    config = {"model_type": "telechat", "n_embd": 8192, "n_layer": 64, "n_head": 64, "vocab_size": 80896}
    model = flopsheet.evaluate(config)
    assert model.status == "error"
    assert "n_embd = 8192" in model.model.errors[0]


def test_the_same_size_under_a_second_name_is_no_error():
    """What says the class default says nothing else."""
    assert flopsheet.evaluate({**LLAMA, "dim": 256}).status == "approximate"


def test_experts_under_their_other_name_are_counted():
    """Ling-plus has both names in its two files; the default of 16 would be a quarter."""
    config = {"model_type": "bailing_moe", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config |= {"intermediate_size": 128, "moe_intermediate_size": 32, "vocab_size": 100}
    one, other = (flopsheet.evaluate(config | {name: 64}) for name in ("num_experts", "n_routed_experts"))
    assert one.totals["parameters"] == other.totals["parameters"]
