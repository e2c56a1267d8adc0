"""Low-rank adapters and frozen weights: what is trained, what a training step takes, and what stays as it was.

Parameters are those that PEFT 0.21.2 counts over transformers 5.23 for `target_modules="all-linear"`, or for the
projections of attention. FLOP are what torch's FlopCounterMode sees of a forward and a backward pass, eager attention,
with gradients required of the inputs.
"""

import json
import tomllib

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from samples import CONFIGS

import flopsheet
from flopsheet import Architecture, Dimension, blocks
from flopsheet.accounting.building import build
from flopsheet.cli import main
from flopsheet.configs.model import Published
from flopsheet.configs.source import load_model
from flopsheet.errors import PluginError
from flopsheet.export.workbook.architecture_table import architecture_tables
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost, cost_all
from flopsheet.planning.making import make_plan

LLAMA_8B = CONFIGS / "Llama-3.1-8B" / "config.json"
ADAPTED = {
    "llama": (LLAMA_8B, 41_943_040, 13_631_488, 8_072_204_288),
    "gpt2, queries, keys and values in one matrix": (
        CONFIGS / "gpt2-xl" / "config.json",
        19_660_800,
        7_372_800,
        1_577_272_000,
    ),
    "qwen2": (CONFIGS / "Qwen2-72B" / "config.json", 210_534_400, 65_536_000, 72_916_738_048),
    "mistral": ({"model_type": "mistral"}, 41_943_040, 13_631_488, 7_283_675_136),
    "phi3, up and gate in one matrix": ({"model_type": "phi3"}, 25_165_824, 9_437_184, 3_846_245_376),
}
SMALL = {
    "llama": {
        "model_type": "llama",
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 100,
        "tie_word_embeddings": False,
    },
    "gpt2": {"model_type": "gpt2", "n_embd": 64, "n_layer": 3, "n_head": 4, "vocab_size": 100, "n_positions": 64},
}
MEASURED = {
    "llama, all trained": ("llama", {}, 20_103_168),
    "llama, adapters": ("llama", {"lora_rank": 4}, 15_933_440),
    "llama, all frozen": ("llama", {"frozen_share": 1}, 13_795_328),
    "gpt2, all trained": ("gpt2", {}, 30_720_000),
    "gpt2, adapters": ("gpt2", {"lora_rank": 4}, 23_232_512),
    "gpt2, all frozen": ("gpt2", {"frozen_share": 1}, 20_873_216),
}


def totals(config, **settings):
    """Return a model's totals."""
    return flopsheet.evaluate(config, **settings).totals


@pytest.mark.parametrize(("config", "everywhere", "attention", "together"), ADAPTED.values(), ids=ADAPTED)
def test_adapters_are_those_of_peft(config, everywhere, attention, together):
    """With rank 16 on all linear layers, and on those of attention alone."""
    result = totals(config, lora_rank=16)
    assert (result["parameters_trained"], result["parameters"]) == (everywhere, together)
    assert totals(config, lora_attention=16)["parameters_trained"] == attention
    assert totals(config, lora_rank=16, lora_mlp=0)["parameters_trained"] == attention


MOE = {"model_type": "mixtral", "num_hidden_layers": 4}
LATENT = {"model_type": "deepseek_v3", "num_hidden_layers": 4, "first_k_dense_replace": 2, "n_routed_experts": 32}


@pytest.mark.parametrize(("config", "attention"), [(MOE, 1_703_936), (LATENT, 6_361_088)], ids=["mixtral", "latent"])
def test_adapters_of_attention_in_mixtures_of_experts(config, attention):
    """Grouped and latent attention of rank 16, as PEFT counts them."""
    assert totals(config, lora_attention=16)["parameters_trained"] == attention


def test_routed_experts_have_no_adapters():
    """A rank for all groups leaves routers and routed experts alone, as a sum by hand shows."""
    layers, d, dense, expert = 4, 7168, 18432, 2048
    mlp = 2 * 3 * (d + dense) * 16
    shared = (layers - 2) * 3 * (d + expert) * 16
    assert totals(LATENT, lora_rank=16)["parameters_trained"] == 6_361_088 + mlp + shared


@pytest.mark.parametrize(("name", "settings", "flops"), MEASURED.values(), ids=MEASURED)
def test_a_training_step_is_what_torch_counts(name, settings, flops):
    """Two sequences of 16 tokens: a frozen matrix is passed forward and by the gradient of its input, no more."""
    assert totals(SMALL[name], batch=2, seq_len=16, **settings)["flops_training_step"] == flops


def test_without_settings_nothing_is_frozen():
    """The contract: everything is trained, in three passes."""
    result = totals(LLAMA_8B)
    assert result["parameters_trained"] == result["parameters"]
    assert result["flops_training_step"] == 3 * result["flops_forward"]


def test_gradients_and_optimizer_follow_what_is_trained():
    """Weights are held whole; a quarter of them takes gradients and optimizer state."""
    result, parameters = totals(LLAMA_8B, frozen_share=0.75), 8_030_261_248
    assert result["parameters_trained"] == parameters / 4
    assert result["training_state_bytes"] == 2 * parameters + 14 * parameters / 4


def test_adapters_may_stand_beside_trained_weights():
    """Whoever says that nothing is frozen is believed."""
    result = totals(LLAMA_8B, lora_rank=16, frozen_share=0)
    assert result["parameters_trained"] == result["parameters"] == 8_072_204_288


def test_a_share_beyond_one_is_refused():
    """More than everything cannot be frozen."""
    model = flopsheet.evaluate(LLAMA_8B, frozen_share=1.5)
    assert model.problems == ["frozen_share = 1.5 is out of range; a number from 0 to 1 is expected"]


def test_adapters_do_not_contradict_what_is_stored():
    """What a checkpoint stores is the model without them."""
    model = replace(load_model(load(), LLAMA_8B), stored=Published(8_030_261_248))
    assert cost(load(), model, {"lora_rank": 16}).status == "ok"


def test_money_follows_the_training_step():
    """The plan's training FLOP are those of the tokens at the cost of a step."""
    (costed,) = cost_all(load(), [load_model(load(), LLAMA_8B)], {"lora_rank": 16})
    plan = make_plan(load(), [costed])
    numbers = plan.training(costed, "base")
    per_token = costed.totals["flops_training_step"] / 4096
    assert numbers["training_flops"] == pytest.approx(per_token * numbers["training_tokens"], rel=1e-15)


def test_a_decode_step_passes_the_adapters():
    """They are not merged: a token costs 2 FLOP for each of their weights too."""
    plain, adapted = totals(LLAMA_8B), totals(LLAMA_8B, lora_rank=16)
    assert adapted["flops_decode_step"] - plain["flops_decode_step"] == 2 * 41_943_040


def test_an_architecture_without_adapters_says_so():
    """Where the lines do not say what adapters take, a rank is a note and freezes nothing."""
    model = flopsheet.evaluate(CONFIGS / "mamba2-2.7b" / "config.json", lora_rank=16)
    assert "set but not used by this architecture: lora_rank" in model.notes
    assert model.totals["parameters_trained"] == model.totals["parameters"]


def test_attention_by_experts_has_no_known_adapters():
    """JetMoE's queries come from experts: an error is better than a guess."""
    model = flopsheet.evaluate({"model_type": "jetmoe"}, lora_rank=16)
    assert model.problems == ["adapters of attention by experts are unknown"]


def report(*arguments):
    """Write a report and return its one model."""
    assert CliRunner().invoke(main, ["report", *map(str, arguments)]).exit_code == 0
    (model,) = tomllib.loads(arguments[arguments.index("-o") + 1].read_text("utf-8"))["models"]
    return model


def test_a_report_reads_again_as_it_was(tmp_path):
    """Ranks and the frozen share survive the round trip."""
    first = report(LLAMA_8B, "-o", tmp_path / "first.toml", "--set", "lora_rank=16", "--set", "frozen_share=0.5")
    second = report(tmp_path / "first.toml", "-o", tmp_path / "second.toml")
    assert first["dimensions"]["lora_attention"] == 16
    assert (first["dimensions"], first["totals"]) == (second["dimensions"], second["totals"])


def test_adapters_over_a_report_freeze_its_weights(tmp_path):
    """The report says that nothing was frozen; who adds adapters means them alone to be trained."""
    report(LLAMA_8B, "-o", tmp_path / "first.toml")
    model = report(tmp_path / "first.toml", "-o", tmp_path / "second.toml", "--set", "lora_rank=16")
    assert model["totals"]["parameters_trained"] == 41_943_040


@pytest.mark.parametrize(("settings", "stand"), [({}, False), ({"lora_rank": 8}, True)], ids=["without", "with"])
def test_columns_stand_where_there_are_adapters(settings, stand):
    """A workbook of whole trainings has no columns for adapters, nor for what they alone would ask."""
    (shape,) = architecture_tables(cost_all(load(), [load_model(load(), LLAMA_8B)], settings))
    own = {"lora_attention", "lora_mlp", "fused_qkv", "frozen_share", "sides_attention", "parameters_frozen"}
    assert shape.names & own == (own if stand else set())


def test_a_matrix_without_sides_is_refused():
    """What adapters take cannot be guessed from a product."""
    lines = blocks.linear("up", "width * width", group="mlp", copies="1")
    toy = Architecture("toy", "Toy", "One matrix", (Dimension("width", "Width"),), adapters=("mlp",))
    with pytest.raises(PluginError, match=r"line up: its group has adapters; give it sides"):
        build(toy, lines.parameters, lines.flops, ())


ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
BASES = {
    "experts": ("DeepSeek-V3", "all-linear", "next to experts_in, experts_out, router are not counted"),
    "a tied head": ("gpt2-xl", ["c_attn", "c_proj", "c_fc", "lm_head"], "next to lm_head are not counted"),
    "latents": ("DeepSeek-V3", ALL, "which matrices the adapter is next to is not known: k_proj"),
    "other names": ("gpt2-xl", ALL, "which matrices the adapter is next to is not known: q_proj"),
    "no adapters": ("bart-large", ALL, "the architecture encdec has no adapters"),
}


@pytest.mark.parametrize(("base", "targets", "said"), BASES.values(), ids=BASES)
def test_what_an_adapter_is_next_to_is_asked_of_its_base(tmp_path, base, targets, said):
    """PEFT goes by the names of modules: those of one class are not another's."""
    fields = {"peft_type": "LORA", "r": 16, "base_model_name_or_path": str(CONFIGS / base), "target_modules": targets}
    (tmp_path / "adapter_config.json").write_text(json.dumps(fields), "utf-8")
    model = flopsheet.evaluate(tmp_path / "adapter_config.json")
    assert (model.status, said in " ".join(model.problems)) == ("approximate", True)


def test_an_adapter_is_next_to_matrices_of_any_name(tmp_path):
    """GPT-2's attention has two matrices: c_attn and c_proj, as the MLP has one of that name."""
    targets = ["c_attn", "c_proj", "c_fc"]
    base = str(CONFIGS / "gpt2-xl")
    fields = {"peft_type": "LORA", "r": 4, "base_model_name_or_path": base, "target_modules": targets}
    (tmp_path / "adapter_config.json").write_text(json.dumps(fields), "utf-8")
    model = flopsheet.evaluate(tmp_path / "adapter_config.json")
    assert (model.status, model.totals["parameters_trained"]) == ("ok", 4 * 48 * 1600 * (4 + 2 + 5 + 5))
