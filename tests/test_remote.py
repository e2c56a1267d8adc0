"""Types whose code comes with their checkpoints: published counts say what no class of transformers can."""

import tomllib
from pathlib import Path

import pytest
from samples import caveats

import flopsheet
from flopsheet.kit.default_config import OPEN

MODELS = tomllib.loads((Path(__file__).parent / "data" / "remote.toml").read_text("utf-8"))

LISTED = ("openelm", "deci", "nemotron-nas")
"""Types whose layers differ: there is no model without their lists."""


@pytest.mark.parametrize("name", MODELS)
def test_published_parameters(name):
    """The parameters are the published ones, with the status that the file gives."""
    said = MODELS[name]
    model = flopsheet.evaluate(said["config"])
    assert model.totals["parameters"] == said["parameters"]
    assert model.status == ("approximate" if "approximate" in said else "ok"), model.problems
    assert said.get("approximate", "") in "; ".join(model.problems)


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name]["config"]["model_type"] not in LISTED])
def test_a_type_alone_is_counted_at_its_defaults(name):
    """A config that names its type, and what its class leaves open, is counted as its config class has it."""
    said = MODELS[name]
    model_type = said["config"]["model_type"]
    model = flopsheet.evaluate({"model_type": model_type, **OPEN.get(model_type, {})})
    assert (not caveats(model)) == ("approximate" not in said), model.problems


def test_minicpm_v_4_has_a_llama():
    """4.1 billion parameters are published (OpenBMB/MiniCPM-V, docs/minicpm_v4_en.md): Llama of 3.6 and a tower."""
    other = MODELS["minicpm-v-4-5"]["config"]
    text = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 32, "num_key_value_heads": 2}
    without = {key: value for key, value in other.items() if key not in ("sliding_window", "use_sliding_window")}
    model = flopsheet.evaluate({**without, **text, "version": 4.0, "vocab_size": 73448})
    assert model.status == "ok", model.problems
    assert round(model.totals["parameters"] / 1e9, 1) == 4.1


LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 512,
    "num_hidden_layers": 3,
    "num_attention_heads": 8,
    "vocab_size": 1000,
    "max_position_embeddings": 64,
}


def nemotron(*layers):
    """Evaluate a Nemotron-NAS config of Llama's shape with these layers, attention and MLP of each."""
    blocks = [{"attention": attention, "ffn": ffn} for attention, ffn in layers]
    changed = {"model_type": "nemotron-nas", "architectures": ["DeciLMForCausalLM"], "block_configs": blocks}
    return flopsheet.evaluate({**LLAMA, **changed})


def test_layers_of_one_kind_are_those_of_llama():
    """A search that changed nothing is Llama: same parameters, FLOP and cache."""
    llama = flopsheet.evaluate({**LLAMA, "num_key_value_heads": 2, "intermediate_size": 1792})
    layer = ({"n_heads_in_group": 4, "window_length": None}, {"ffn_mult": 5.25})
    searched = nemotron(layer, layer, layer)
    assert (searched.status, searched.totals) == ("ok", llama.totals)


def test_layers_may_be_left_out_or_replaced():
    """A layer without attention has no norm for it; a square matrix stands in for a part with its norm."""
    full = ({"n_heads_in_group": 8}, {"ffn_mult": 1.0})
    skipped = ({"no_op": True, "n_heads_in_group": None}, {"replace_with_linear": True})
    model = nemotron(full, skipped, ({"replace_with_linear": True}, {"no_op": True}))
    attention, mlp = 2 * 512 * 512 + 2 * 512 * 64, 3 * 512 * 512
    assert model.totals["parameters"] == 2 * 1000 * 512 + attention + mlp + 2 * 512 * 512 + (4 + 1) * 512
    assert model.totals["kv_cache_bytes"] == 2 * 2 * 64 * 64


def test_windows_of_single_layers_are_a_problem():
    """What a layer's table says beyond heads and width is not understood."""
    layer = ({"n_heads_in_group": 8, "window_length": 1024}, {"ffn_mult": 1.0})
    assert "window_length" in nemotron(layer, layer, layer).problems[0]


HUNYUAN = MODELS["hunyuan-a13b"]["config"] | {"architectures": ["HunYuanMoEV1ForCausalLM"]}
EXPERT, ROUTER = 3 * 4096 * 3072, 64 * 4096
FIRST_FORM = {
    "no shared experts": ({"use_mixed_mlp_moe": False}, -32 * EXPERT),
    "dense layers first": (
        {"moe_layer_num_skipped": 2, "intermediate_size": 8192},
        2 * (3 * 4096 * 8192 - 65 * EXPERT - ROUTER),
    ),
}


@pytest.mark.parametrize(("fields", "more"), FIRST_FORM.values(), ids=FIRST_FORM)
def test_layers_of_hunyuans_first_form_may_lack_experts(fields, more):
    """Layers before `moe_layer_num_skipped` have one MLP, and only `use_mixed_mlp_moe` gives a shared expert."""
    model = flopsheet.evaluate(HUNYUAN | fields)
    assert (model.status, model.totals["parameters"]) == ("ok", MODELS["hunyuan-a13b"]["parameters"] + more)


def test_biases_of_hunyuans_first_form_are_told():
    """`mlp_bias` gives every MLP and expert biases, which are not counted."""
    model = flopsheet.evaluate(HUNYUAN | {"mlp_bias": True})
    assert model.status == "approximate"
    assert model.problems[0].startswith("mlp_bias = true")
