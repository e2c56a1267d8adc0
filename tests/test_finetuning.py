"""What fine-tuning costs, by method: all weights, adapters, or adapters on a base of 4 bits."""

import json

import pytest
from planner import run
from test_training import LLAMA_70B

from flopsheet.configs.portfolio_reading import read_portfolio
from flopsheet.errors import PortfolioError
from flopsheet.host.loading import load

PORTFOLIO = """
questions = ["finetuning"]
[cluster]
accelerator = "h100-sxm"
accelerators = 1
[layout]
global_batch = 16
recompute = "full"
[finetuning]
finetuning_examples = 8000
example_tokens = 512
finetuning_epochs = 2
finetuned_models = 100
[[models]]
name = "70B"
config = "config.json"
method = METHOD
"""


def written(folder, method):
    """Write a portfolio that fine-tunes a 70B model on one accelerator, and return its path."""
    (folder / "config.json").write_text(json.dumps(LLAMA_70B), "utf-8")
    path = folder / "plan.toml"
    path.write_text(PORTFOLIO.replace("METHOD", json.dumps(method)), "utf-8")
    return path


@pytest.fixture
def tuned(tmp_path):
    """Return the tables of a plan with each method."""
    path = written(tmp_path, ["full", "lora", "qlora"])
    _, out, errors = run("plan", path, "--format", "json")
    assert out, errors
    return json.loads(out)


def test_a_list_of_methods_makes_a_model_of_each(tuned):
    """Each is called after its method, in the order of the list."""
    names = [row["model"] for row in tuned["tables"]["finetuning"]]
    assert names == ["70B, full fine-tuning", "70B, LoRA", "70B, QLoRA"]


def test_only_qlora_of_a_70b_fits_on_one_80_gb_card(tuned):
    """Dettmers et al. 2305.14314 tune 65B on one card of 48 GB; a base of 16 bits alone takes 141 GB."""
    assert [row["tuning_fits"] for row in tuned["tables"]["finetuning"]] == [0, 0, 1]


def test_a_fine_tuning_costs_its_steps(tuned):
    """8,000 examples of 512 tokens, twice, in steps of 16 sequences of 2,048 tokens: 250 steps."""
    row = tuned["tables"]["finetuning"][2]
    step = tuned["models"][2]["base"]["step_seconds"]
    assert row["finetuning_tokens"] == 8_192_000
    assert row["finetuning_steps"] == 250
    assert row["finetuning_hours"] == pytest.approx(250 * step / 3600 / 0.9)


def test_adapters_share_one_base(tuned):
    """A hundred copies of all weights take a hundred times their bytes; of adapters, one base and little more."""
    full, lora, qlora = (row["fleet_bytes"] for row in tuned["tables"]["finetuning"])
    assert full == pytest.approx(100 * 141e9, rel=0.01)
    assert lora == pytest.approx(141e9 + 100 * 0.41e9, rel=0.02)
    assert qlora < lora - 90e9


def test_the_rank_of_the_workload_counts(tmp_path):
    """A method brings rank 16 only where neither workload nor entry states one."""
    path = written(tmp_path, "lora")
    path.write_text(path.read_text("utf-8") + "lora_rank = 64\n", "utf-8")
    (model,) = read_portfolio(load(), path).models
    assert model.given["lora_attention"] == 64


def test_full_fine_tuning_has_no_adapters_whatever_the_workload_says(tmp_path):
    """The method of an entry goes before the workload of the plan."""
    path = written(tmp_path, "full")
    path.write_text(path.read_text("utf-8") + "[workload]\nlora_rank = 8\n", "utf-8")
    (model,) = read_portfolio(load(), path).models
    assert model.given["lora_mlp"] == 0


def test_an_unknown_method_is_refused(tmp_path):
    """The message names the methods that there are."""
    with pytest.raises(PortfolioError, match="'dora'; one of full, lora, qlora is expected"):
        read_portfolio(load(), written(tmp_path, "dora"))


def test_a_base_that_is_quantized_already_stays_as_it_is(tmp_path):
    """QLoRA of a checkpoint in fp8 trains adapters on fp8 weights."""
    path = written(tmp_path, ["lora", "qlora"])
    fp8 = {
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic"}
    }
    (tmp_path / "config.json").write_text(json.dumps(LLAMA_70B | fp8), "utf-8")
    lora, qlora = read_portfolio(load(), path).models
    assert lora.given == qlora.given


def test_what_an_entry_states_of_the_storage_wins(tmp_path):
    """QLoRA stores every matrix of layers in 4 bits, but those of a group that the entry says is plain."""
    path = written(tmp_path, ["qlora"])
    path.write_text(path.read_text("utf-8") + "quantized_mlp = 0\n", "utf-8")
    (qlora,) = read_portfolio(load(), path).models
    assert (qlora.given["quantized_mlp"], qlora.given["quantized_attention"]) == (0, 1)


SHAPE = "n_layers = 80, d_model = 8192, n_heads = 64, n_kv_heads = 8, d_head = 128, d_ff = 28672"


@pytest.mark.parametrize(
    "described",
    ['size = "70B"', f'architecture = "dense"\ndimensions = {{ {SHAPE}, mlp_matrices = 3, vocab_size = 128256 }}'],
    ids=["by size", "by dimensions"],
)
def test_a_model_without_a_config_can_be_tuned_in_every_way(tmp_path, described):
    """QLoRA of one that is described by hand stores its matrices in 4 bits, as one from a config does."""
    path = written(tmp_path, ["lora", "qlora"])
    path.write_text(path.read_text("utf-8").replace('config = "config.json"', described), "utf-8")
    lora, qlora = read_portfolio(load(), path).models
    assert not qlora.errors
    assert qlora.given["quantized_bytes"] == pytest.approx(0.516, abs=0.001)
    assert "quantized_bytes" not in lora.given


def test_a_model_without_adapters_is_in_error_under_lora(tmp_path):
    """Mamba has none here: counted as if it had been tuned whole, its LoRA would be quietly wrong."""
    path = written(tmp_path, ["full", "lora", "qlora"])
    (tmp_path / "config.json").write_text('{"model_type": "mamba2"}', "utf-8")
    full, *others = read_portfolio(load(), path).models
    assert not full.errors
    for model in others:
        assert model.errors == ('the architecture mamba2 has no adapters: method = "full" is what can be counted',)
