"""The published rules of thumb: the numbers that their authors print, what errs in them, and their corrected forms.

Every number that a source prints is computed from the text of the rule that flopsheet ships.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import flopsheet
from flopsheet import Rule
from flopsheet.accounting import formula
from flopsheet.configs.model import Model
from flopsheet.errors import ConfigError, PluginError
from flopsheet.host.asking import Answer, Plugin
from flopsheet.host.host import Host, load
from flopsheet.planning.budget import CLUSTER_LINES
from flopsheet.planning.catalogue import drivers
from flopsheet.planning.costing import cost
from flopsheet.planning.plan import evaluate
from flopsheet.planning.rules import ruled
from flopsheet.planning.rules_page import page

ROOT = Path(__file__).parent.parent
HOST = load()
RULES = {name: {rule.name: rule for rule in HOST.rules(name)} for name in HOST.architectures}
TRUTH = {record["id"]: record for record in json.loads((ROOT / "tests/data/truth.json").read_text("utf-8"))}
SOMEBODY = Plugin("somebody", "somebodys-rules", "2.0")

GPT2 = ["gpt2/gpt2", "gpt2/gpt2-medium", "gpt2/gpt2-large", "gpt2/gpt2-xl"]
PYTHIA = ["gpt_neox/pythia-70m", "gpt_neox/pythia-1b", "gpt_neox/pythia-12b"]
OPT = ["opt/opt-1.3b", "opt/opt-66b"]
LLAMA2 = ["llama/Llama-2-7b", "llama/Llama-2-13b"]
SHARED_HEADS = ["llama/Llama-2-70b", "llama/Llama-3.1-70B", "qwen3/Qwen3-32B", "gemma/gemma-2-27b"]
MAMBA1 = [f"mamba1/mamba-{size}" for size in ("130m", "370m", "790m", "1.4b", "2.8b")]
MAMBA2 = [f"mamba2/mamba2-{size}" for size in ("130m", "370m", "780m", "1.3b", "2.7b")]
T5 = [f"t5/t5-{size}" for size in ("small", "base", "large", "3b", "11b")]
GATED_T5 = ["t5/flan-t5-xl", "t5/mt5-xxl"]
BART = ["bart/bart-base", "bart/bart-large-cnn"]

ANTHROPIC = {"n_layers": 64, "d_model": 8192, "vocab_size": 65536}
GOPHER = {"n_layers": 80, "d_model": 16384}
LLAMA_3_70B = {"d_model": 8192, "d_head": 128, "n_heads": 64, "d_ff": 28672, "batch": 1}
VANILLA = {
    "d_model": 512,
    "encoder_layers": 6,
    "encoder_heads": 8,
    "encoder_d_head": 64,
    "encoder_d_ff": 2048,
    "decoder_layers": 6,
    "decoder_heads": 8,
    "decoder_d_head": 64,
    "decoder_d_ff": 2048,
    "vocab_size": 37000,
}
XL = {"vocab_size": 50257, "seq_len": 1024, "n_layers": 48, "d_model": 1600, "n_heads": 25, "d_ff": 6400}
NOTEBOOK = {
    "GPT-2 XL": XL,
    "GPT-2 Small": XL | {"n_layers": 12, "d_model": 768, "n_heads": 12, "d_ff": 3072},
    "GPT-2 Large": XL | {"n_layers": 24, "d_model": 1024, "n_heads": 16, "d_ff": 5120},
    "GPT-2 XL at 16,384": XL | {"seq_len": 16384},
}
PRINTED = {
    "GPT-2 XL": {
        "notebook_parameters_printed": 5_906_384_000,
        "notebook_parameters": 2_127_057_600,
        "notebook_memory": 23_625_536_000,
        "notebook_flops": 4_513_336_524_800,
        "notebook_mha": 1_328_755_507_200,
        "notebook_ffn": 3_019_898_880_000,
        "notebook_output": 164_682_137_600,
    },
    "GPT-2 Small": {
        "notebook_parameters_printed": 615_031_296,
        "notebook_parameters": 190_460_160,
        "notebook_memory": 2_460_125_184,
        "notebook_flops": 349_630_365_696,
        "notebook_mha": 96_636_764_160,
        "notebook_ffn": 173_946_175_488,
        "notebook_output": 79_047_426_048,
    },
    "GPT-2 Large": {
        "notebook_parameters_printed": 1_764_780_032,
        "notebook_memory": 7_059_120_128,
        "notebook_flops": 1_187_728_326_656,
        "notebook_mha": 309_237_645_312,
        "notebook_ffn": 773_094_113_280,
        "notebook_output": 105_396_568_064,
    },
    "GPT-2 XL at 16,384": {
        "notebook_parameters_printed": 5_906_384_000,
        "notebook_memory": 23_625_536_000,
        "notebook_flops": 149_522_795_724_800,
        "notebook_mha": 98_569_499_443_200,
        "notebook_ffn": 48_318_382_080_000,
        "notebook_output": 2_634_914_201_600,
    },
}
RATIOS = {
    "GPT-2 XL": 2.272727272727273,
    "GPT-2 Small": 1.8,
    "GPT-2 Large": 2.5,
    "GPT-2 XL at 16,384": 0.49019607843137253,
}


def published(name, architecture="dense", **dimensions):
    """Compute a rule as it was published."""
    return formula.read(RULES[architecture][name].formula).evaluate(dimensions)


def corrected(name, architecture="dense", **dimensions):
    """Compute the corrected form of a rule."""
    return formula.read(RULES[architecture][name].corrected).evaluate(dimensions)


def costed(model, **workload):
    """Cost a model of the truth table."""
    return flopsheet.evaluate(TRUTH[model]["config"], **workload)


def outcome(name, model, **workload):
    """Give what one rule comes to for one model of the truth table."""
    return next(one for one in ruled(HOST, costed(model, **workload)) if one.rule.name == name)


def host_with(rule):
    """Give a host whose dense decoder has one rule, somebody's."""
    return replace(HOST, answers={"dense": [Answer(SOMEBODY, {}, lambda: [rule])]}, answered_rules={})


def rule(**parts):
    """Give a rule that is right: parameters are parameters."""
    whole = {"name": "somebodys", "title": "Somebody's", "formula": "parameters", "compares": "parameters"}
    return Rule(**{**whole, "unit": "parameters", "source": "Somebody", **parts})


# kipply, LLM Parameter Counting (2022-03-30)


def test_kipply_counts_the_layers_of_anthropics_model():
    """kipply, LLM Parameter Counting: 12 · 64 · 8192² is 51,539,607,552."""
    assert published("kipply_parameters", **ANTHROPIC) == 51_539_607_552


def test_kipply_adds_the_token_embedding():
    """kipply, LLM Parameter Counting: 65,536 tokens add 536,870,912 and make 52,076,478,464."""
    total = published("kipply_parameters_embedding", **ANTHROPIC)
    assert total == 52_076_478_464
    assert total - published("kipply_parameters", **ANTHROPIC) == 536_870_912


def test_kipply_adds_the_embedding_twice():
    """kipply, LLM Parameter Counting: with an unembedding it is about 52.5B, exactly 52,613,349,376 parameters."""
    assert published("kipply_parameters_head", **ANTHROPIC) == 52_613_349_376


def test_kipply_says_what_gophers_relative_positions_take():
    """kipply, LLM Parameter Counting: 21.5B weights, which is a matrix of width 16,384 in each of 80 layers."""
    weights = published("kipply_relative_positions", **GOPHER)
    assert weights == 21_474_836_480
    assert round(weights / 1e9, 1) == 21.5


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT])
def test_corrected_kipply_is_exact_for_blocks_as_in_gpt2(model):
    """Norms and biases of 13d a layer make 12·L·d² the parameters without tables."""
    assert outcome("kipply_parameters", model).difference < 0
    assert outcome("kipply_parameters", model).corrected_difference == 0
    assert outcome("kipply_parameters_embedding", model).corrected_difference == 0


@pytest.mark.parametrize("model", PYTHIA)
def test_corrected_kipply_is_exact_for_untied_heads(model):
    """The second embedding is the head of its own."""
    assert outcome("kipply_parameters_head", model).corrected_difference == 0


# Yao Lirong, Parameter and FLOP Count in Transformer Model (2024-02-22)


def test_yao_counts_the_vanilla_transformer():
    """Yao Lirong, Parameter and FLOP Count in Transformer Model: about 63 million, exactly 63,246,336."""
    assert published("yao_parameters", "encdec", **VANILLA, max_positions=512) == 63_246_336


def test_yaos_parts_make_the_total():
    """Yao Lirong, Parameter and FLOP Count in Transformer Model: encoder, decoder and embedding are the total."""
    sizes = VANILLA | {"max_positions": 512}
    parts = [published(name, "encdec", **sizes) for name in ("yao_encoder", "yao_decoder", "yao_embedding")]
    assert parts == [18_874_368, 25_165_824, 19_206_144]
    assert sum(parts) == published("yao_parameters", "encdec", **sizes)


def test_yaos_standard_shape_is_twelve_squares():
    """Yao Lirong, Parameter and FLOP Count in Transformer Model: N = 12·L·d² where d_attn = d = d_ff / 4."""
    standard = {"n_heads": 64, "d_head": 128, "d_ff": 4 * 8192}
    twelve = published("kipply_parameters", **ANTHROPIC)
    assert published("kaplan_parameters", **ANTHROPIC, **standard) == twelve


def test_kaplans_parts_make_the_total():
    """Yao Lirong, Parameter and FLOP Count in Transformer Model: the rows of the table add up to its total."""
    shape = XL | {"d_head": 64}
    rows = [published(name, **shape) for name in ("kaplan_qkv", "kaplan_attention_out", "kaplan_mlp")]
    assert sum(rows) == published("kaplan_parameters", **shape)


def test_the_vanilla_transformers_positions_have_no_parameters():
    """Erratum: its positions are sinusoidal, so 512 · 512 come off, and norms and MLP biases come on top."""
    flags = {"mlp_bias": 1, "norm_vectors": 2, "encoder_final_norms": 0, "decoder_final_norms": 0, "tied_head": 1}
    model = cost(HOST, Model("vanilla", architecture="encdec", given={**VANILLA, **flags, "max_positions": 512}))
    rule = {one.rule.name: one for one in ruled(HOST, model)}["yao_parameters"]
    small = model.numbers["sum_parameters_norm"] + 6 * (2048 + 512) * 2
    assert rule.exact == 63_246_336 - 512 * 512 + small
    assert (rule.published, rule.corrected_difference) == (63_246_336, 0)


@pytest.mark.parametrize("model", [*T5, *BART])
def test_corrected_yao_is_exact_for_plain_mlps(model):
    """Norms, biases and relative positions make the count that of T5 and BART."""
    assert outcome("yao_parameters", model).difference != 0
    assert outcome("yao_parameters", model).corrected_difference == 0
    assert outcome("yao_embedding", model).corrected_difference == 0


@pytest.mark.parametrize("model", [*T5, *BART])
def test_yaos_stacks_lack_only_norms_and_biases(model):
    """Each stack's matrices are nearly all of it."""
    for side in ("yao_encoder", "yao_decoder"):
        assert -0.002 < outcome(side, model).difference < 0


@pytest.mark.parametrize("model", [*GPT2, *OPT])
def test_kaplans_parts_are_exact_for_full_heads_and_plain_mlps(model):
    """The published rows are the ledger's lines."""
    for part in ("kaplan_qkv", "kaplan_attention_out", "kaplan_mlp"):
        assert outcome(part, model).difference == 0


@pytest.mark.parametrize("model", GPT2)
def test_kaplans_total_lacks_only_norms_and_biases(model):
    """The tables of GPT-2 are exact as published, and the matrices are nearly all of the rest."""
    assert outcome("kaplan_embedding", model).difference == 0
    assert -0.002 < outcome("kaplan_parameters", model).difference < 0


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT, *LLAMA2])
def test_kaplans_tables_are_exact_once_positions_are_learned_ones(model):
    """Erratum: n_ctx · d counts only where positions are learned."""
    assert outcome("kaplan_embedding", model).corrected_difference == 0


# Kaplan et al. 2001.08361


@pytest.mark.parametrize("model", GPT2)
def test_kaplans_forward_pass_is_that_of_a_causal_mask(model):
    """2·L·s·d_attn is the causal attention core; under the full square it is low by as much again."""
    causal = outcome("kaplan_forward", model, mask="causal")
    assert abs(causal.difference) < 0.002
    full = outcome("kaplan_forward", model)
    assert full.difference < -0.04
    assert abs(full.corrected_difference) < 0.002


def test_the_output_head_is_not_negligible():
    """Dropping it loses 27 % of the forward pass of GPT-2 small."""
    numbers = costed("gpt2/gpt2").numbers
    assert round(numbers["lm_head_flops"] / numbers["flops_forward"], 2) == 0.27


# Transformer Accounting notebook


@pytest.mark.parametrize(
    ("model", "name", "number"),
    [(model, name, number) for model, table in PRINTED.items() for name, number in table.items()],
    ids=[f"{model} {name}" for model, table in PRINTED.items() for name in table],
)
def test_the_notebook_prints(model, name, number):
    """Transformer Accounting notebook: its parameters, bytes and FLOP, and what its own formula gives."""
    assert published(name, **NOTEBOOK[model]) == number


@pytest.mark.parametrize(("model", "ratio"), RATIOS.items(), ids=list(RATIOS))
def test_the_notebook_prints_a_ratio(model, ratio):
    """Transformer Accounting notebook: FFN / MHA."""
    parts = NOTEBOOK[model]
    assert published("notebook_ffn", **parts) / published("notebook_mha", **parts) == ratio


@pytest.mark.parametrize("model", NOTEBOOK)
def test_the_notebooks_parts_make_the_total(model):
    """Transformer Accounting notebook: attention, feed-forward layers and output are all that it counts."""
    parts = [published(f"notebook_{part}", **NOTEBOOK[model]) for part in ("mha", "ffn", "output")]
    assert sum(parts) == published("notebook_flops", **NOTEBOOK[model])


@pytest.mark.parametrize("model", NOTEBOOK)
def test_the_notebook_repeats_the_embedding_in_every_layer(model):
    """Erratum: the printed parameters are the notebook's formula plus the embedding once more a further layer."""
    shape = NOTEBOOK[model]
    own = corrected("notebook_parameters_printed", **shape)
    extra = (shape["n_layers"] - 1) * shape["vocab_size"] * shape["d_model"]
    assert own == published("notebook_parameters", **shape)
    assert published("notebook_parameters_printed", **shape) == own + extra
    assert corrected("notebook_memory", **shape) == 4 * own


@pytest.mark.parametrize(
    ("model", "parameters"), [("gpt2/gpt2-xl", 1_557_611_200), ("gpt2/gpt2", 124_439_808)], ids=["XL", "Small"]
)
def test_the_notebooks_models_have_fewer_parameters(model, parameters):
    """Erratum: GPT-2 has neither a gated MLP nor a head of its own; corrected, the rule is exact."""
    found = outcome("notebook_parameters", model)
    assert (found.exact, found.corrected) == (parameters, parameters)


def test_what_the_notebook_prints_is_held_against_the_whole_model():
    """5.9 billion stands beside the 1,557,611,200 parameters of GPT-2 XL, and their fp32 bytes beside its memory."""
    assert outcome("notebook_parameters_printed", "gpt2/gpt2-xl").exact == 1_557_611_200
    assert outcome("notebook_memory", "gpt2/gpt2-xl").exact == 4 * 1_557_611_200


def test_the_notebooks_large_model_is_not_gpt2_large():
    """Erratum: it has the layers and the width of GPT-2 Medium, and the MLP width of GPT-2 Large."""
    medium, large = costed("gpt2/gpt2-medium").numbers, costed("gpt2/gpt2-large").numbers
    shape = NOTEBOOK["GPT-2 Large"]
    assert [shape[name] for name in ("n_layers", "d_model")] == [medium[name] for name in ("n_layers", "d_model")]
    assert shape["d_ff"] == large["d_ff"] != medium["d_ff"]


@pytest.mark.parametrize("model", LLAMA2)
def test_the_notebooks_formula_is_exact_for_llama_2(model):
    """A gated, untied, bias-free block with full heads and RMSNorm is what the notebook describes."""
    for name in ("notebook_parameters", "notebook_mha", "notebook_ffn", "notebook_output", "notebook_flops"):
        assert outcome(name, model).difference == 0


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT, *LLAMA2])
def test_the_corrected_notebook_is_exact_for_full_heads(model):
    """Two or three MLP matrices, a tied head, learned positions and biases make the notebook right."""
    for name in ("notebook_parameters", "notebook_ffn", "notebook_flops"):
        assert outcome(name, model).corrected_difference == 0


def test_the_notebook_counts_one_sequence():
    """A batch changes neither its FLOP nor what they are compared with."""
    for name in ("notebook_mha", "notebook_ffn", "notebook_output", "notebook_flops"):
        assert outcome(name, "gpt2/gpt2", batch=3) == outcome(name, "gpt2/gpt2")


# MLPs Are All You Need... For FLOP calculations (2025-02-20)


def test_short_sequences_of_llama_3_70b_are_not_projections_alone():
    """MLPs Are All You Need: at d = 8192 and 4k tokens the kept term is 80 % of attention; the dropped one 20 %."""
    kept = published("mlps_short", **LLAMA_3_70B, seq_len=4096)
    assert kept == 2_199_023_255_552
    assert 5 * kept == 4 * published("mlps_attention", **LLAMA_3_70B, seq_len=4096)


def test_the_terms_of_attention_meet_at_twice_the_width():
    """MLPs Are All You Need: 4NTd_hH(2d + T), so the two terms are equal at T = 2d."""
    shape = LLAMA_3_70B | {"seq_len": 2 * 8192}
    assert published("mlps_attention", **shape) == 2 * published("mlps_short", **shape)


def test_training_is_three_times_the_forward_pass():
    """MLPs Are All You Need: the backward pass has two more computations, a factor of 3 in all."""
    shape = LLAMA_3_70B | {"seq_len": 4096}
    forward = published("mlps_feed_forward", **shape) + published("mlps_attention", **shape)
    assert published("mlps_training", **shape) == 3 * forward


@pytest.mark.parametrize("model", LLAMA2)
def test_a_gated_block_with_full_heads_costs_what_the_text_says(model):
    """6NTd·d_hidden and 8NTd·d_h·H + 4NT²·d_h·H are exact for Llama 2."""
    for name in ("mlps_feed_forward", "mlps_attention", "mlps_training"):
        assert outcome(name, model, batch=2).difference == 0


def test_the_eight_is_the_projections_of_attention():
    """Erratum: the term that the text gives to the MLP is Q, K, V and O; the MLP costs 6NTd·d_hidden on top."""
    model = costed("llama/Llama-2-7b")
    found = {one.rule.name: one for one in ruled(HOST, model)}
    projections = sum(model.numbers[f"attention_{part}_flops"] for part in ("q", "k", "v", "out"))
    assert found["mlps_short"].published == projections / 32
    assert 3 * found["mlps_short"].exact == found["mlps_training"].exact
    assert found["mlps_short"].corrected == found["mlps_short"].published + found["mlps_feed_forward"].published


@pytest.mark.parametrize("model", [*GPT2, *LLAMA2, *SHARED_HEADS])
def test_the_corrected_block_is_exact_for_all_heads_and_mlps(model):
    """Grouped heads and plain MLPs are what the corrected forms add."""
    for name in ("mlps_attention", "mlps_training"):
        assert outcome(name, model).corrected_difference == 0


# Parameter and FLOP calculation walkthroughs: dense


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT])
def test_the_corrected_walkthrough_is_exact_for_blocks_as_in_gpt2(model):
    """Erratum: a block has 4h of norms and 9h of biases, not 8h of norms."""
    assert outcome("walkthrough_parameters", model).difference != 0
    assert outcome("walkthrough_parameters", model).corrected_difference == 0


def test_a_block_of_gpt2_has_twelve_squares_and_thirteen_widths():
    """One more layer adds 12h² + 13h to the corrected form, 12h² + 8h to the published one."""
    values = costed("gpt2/gpt2").numbers
    longer = {**values, "n_layers": values["n_layers"] + 1}
    form = "walkthrough_parameters"
    assert corrected(form, **longer) - corrected(form, **values) == 12 * 768 * 768 + 13 * 768
    assert published(form, **longer) - published(form, **values) == 12 * 768 * 768 + 8 * 768


@pytest.mark.parametrize("model", GPT2)
def test_the_walkthroughs_norms_are_twice_too_many(model):
    """Erratum: Q, K and V share one norm."""
    found = outcome("walkthrough_norms", model)
    assert (found.difference, found.corrected_difference) == (1, 0)


@pytest.mark.parametrize("model", GPT2)
def test_the_walkthroughs_matrices_are_exact_for_gpt2(model):
    """4h² and 8h² a layer, and their 24bslh² and 48bslh² a step, need no correction."""
    for name in ("walkthrough_attention", "walkthrough_mlp", "walkthrough_qkvo_step", "walkthrough_mlp_step"):
        assert outcome(name, model, batch=2).difference == 0


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT])
def test_the_corrected_step_is_exact(model):
    """Erratum: with the layer count on attention and the output head the step is exact."""
    assert outcome("walkthrough_step", model, batch=2).difference < 0
    assert outcome("walkthrough_step", model, batch=2).corrected_difference == 0
    assert outcome("walkthrough_core_step", model, batch=2).corrected_difference == 0


def test_a_step_of_gpt2_small_is_three_forward_passes():
    """At 1,024 tokens that is three times 291,648,307,200."""
    assert outcome("walkthrough_step", "gpt2/gpt2").corrected == 3 * 291_648_307_200


def test_attention_lost_its_layer_count():
    """Erratum: the published attention core is that of one layer."""
    found = outcome("walkthrough_core_step", "gpt2/gpt2-xl")
    assert 48 * found.published == found.exact


def test_the_core_meets_the_weights_at_six_widths():
    """Erratum: the attention core costs as much as all weights of the blocks at s = 6h, not at s = h."""
    shape = {"n_layers": 12, "d_model": 768, "batch": 1}
    for length, share in ((768, 6), (6 * 768, 1)):
        weights = sum(published(f"walkthrough_{part}_step", **shape, seq_len=length) for part in ("mlp", "qkvo"))
        assert weights == share * corrected("walkthrough_core_step", **shape, seq_len=length)


@pytest.mark.parametrize("model", [*GPT2, *PYTHIA, *OPT, *LLAMA2, *SHARED_HEADS])
def test_corrected_six_n_d_is_close_for_dense_models(model):
    """Without lookups and with the attention core, 6ND is off by norms and biases alone."""
    for name in ("walkthrough_training", "kaplan_training"):
        found = outcome(name, model)
        assert 0 <= found.corrected_difference < 0.002 < abs(found.difference)


@pytest.mark.parametrize("architecture", RULES)
def test_six_n_d_is_six_times_parameters_and_tokens(architecture):
    """Parameter and FLOP calculation walkthroughs: 6 · N · D; an encoder-decoder's D is source and target."""
    billion = 10**9
    read = {"tokens": 100, "source_tokens": 100, "target_tokens": 100}
    flops = published("walkthrough_training", architecture, parameters=7 * billion, **read)
    assert flops == 42 * billion * (200 if architecture == "encdec" else 100)


def test_kaplans_six_n_d_leaves_tables_and_head_out():
    """Kaplan et al. 2001.08361: N is the parameters without embeddings."""
    tables = {"parameters_embedding": 2_000, "sum_parameters_lm_head": 1_000}
    assert published("kaplan_training", parameters=10_000, tokens=100, **tables) == 6 * 7_000 * 100


def test_six_n_d_counts_the_tokens_of_a_step():
    """A batch of two doubles both sides."""
    one, two = outcome("walkthrough_training", "gpt2/gpt2"), outcome("walkthrough_training", "gpt2/gpt2", batch=2)
    assert (two.published, two.exact, two.difference) == (2 * one.published, 2 * one.exact, one.difference)


# Parameter and FLOP calculation walkthroughs: mixtures of experts


def test_the_walkthroughs_attention_squares_the_wrong_letter():
    """Erratum: 4hl² stands where 4lh² is right; with one expert the rest is the dense formula and the router."""
    shape = {"n_layers": 24, "d_model": 1024, "vocab_size": 50257, "max_positions": 1024}
    moe, dense = (
        published("walkthrough_parameters", "moe", **shape, n_experts=1),
        published("walkthrough_parameters", **shape),
    )
    assert moe - dense == 4 * 1024 * 24 * 24 - 4 * 24 * 1024 * 1024 + 1024 * 24


def test_the_corrected_walkthrough_is_exact_for_mixtral():
    """With its own attention and its gated experts the count is Mixtral's 46,702,792,704."""
    found = outcome("walkthrough_parameters", "moe/Mixtral-8x7B")
    assert found.corrected == found.exact == 46_702_792_704
    assert found.difference < -0.25


@pytest.mark.parametrize("model", ["moe/Mixtral-8x7B", "moe/DeepSeek-V3"])
def test_the_corrected_experts_are_exact(model):
    """Three matrices of the expert's width for each expert of each layer that has experts."""
    assert outcome("walkthrough_experts", model).corrected_difference == 0


def test_the_router_is_exact_for_mixtral():
    """E·h·l needs no correction where every layer has experts."""
    assert outcome("walkthrough_router", "moe/Mixtral-8x7B").difference == 0


def test_experts_are_more_than_half_of_the_weights():
    """Erratum: eight experts of 8h² beside 4h² of attention are 94 % of a block, not a half."""
    shape = {"n_layers": 1, "d_model": 1024}
    experts = published("walkthrough_experts", "moe", **shape, n_experts=8)
    assert round(experts / (experts + published("walkthrough_attention", **shape)), 2) == 0.94


@pytest.mark.parametrize("model", ["moe/Mixtral-8x7B", "moe/DeepSeek-V3"])
def test_the_training_of_a_mixture_follows_its_active_parameters(model):
    """Erratum: N, and half of it, are both far too many; active parameters and the attention core are close."""
    dense, moe = outcome("walkthrough_training", model), outcome("walkthrough_moe_training", model)
    assert dense.difference > moe.difference > 0.9
    assert abs(moe.corrected_difference) < 0.001
    assert dense.corrected == moe.corrected


def test_the_corrected_step_is_exact_for_mixtral():
    """Two experts a token cost twice what the walkthrough's dense step counts, and the router costs too."""
    found = outcome("walkthrough_step", "moe/Mixtral-8x7B", batch=2)
    assert found.difference < -0.5
    assert found.corrected_difference == 0


# Parameter and FLOP calculation walkthroughs: Mamba and Mamba-2


@pytest.mark.parametrize("model", [*MAMBA1, *MAMBA2])
def test_the_corrected_block_is_exact_for_mamba(model):
    """The published block is off; the corrected one is that of every published size."""
    assert outcome("walkthrough_block", model).difference < 0
    assert outcome("walkthrough_block", model).corrected_difference == 0


@pytest.mark.parametrize("model", [*MAMBA1, *MAMBA2])
def test_corrected_blocks_make_the_whole_model(model):
    """Blocks, one table and the last norm are all parameters that transformers builds."""
    values, block = costed(model).numbers, outcome("walkthrough_block", model).corrected
    rest = (values["vocab_size"] + 1) * values["d_model"]
    assert values["n_layers"] * block + rest == TRUTH[model]["parameters"]


def test_what_the_mamba_equation_lost():
    """Erratum: one I·S and two vectors of width I are missing, and the norm is counted twice."""
    values = costed("mamba1/mamba-130m").numbers
    inner, state, width = values["d_inner"], values["d_state"], values["d_model"]
    form = ("walkthrough_block", "mamba1")
    assert corrected(*form, **values) - published(*form, **values) == inner * state + 2 * inner - width


def test_what_the_mamba2_equation_lost():
    """Erratum: one vector of the heads and the norm at the input are missing."""
    values = costed("mamba2/mamba2-130m").numbers
    form = ("walkthrough_block", "mamba2")
    assert corrected(*form, **values) - published(*form, **values) == values["n_ssm_heads"] + values["d_model"]


@pytest.mark.parametrize("model", [*MAMBA1, *MAMBA2])
def test_corrected_six_n_d_is_close_for_mamba(model):
    """The weights that are multiplied and the scan are nearly all of a step."""
    assert abs(outcome("walkthrough_training", model).corrected_difference) < 0.003


@pytest.mark.parametrize("model", [*T5, *GATED_T5, *BART])
def test_corrected_six_n_d_is_exact_for_encoder_decoders(model):
    """Erratum: a token passes only its own side, so 6ND is far too much."""
    found = outcome("walkthrough_training", model, seq_len=384, target_len=128, batch=2)
    assert found.difference > 0.4
    assert found.corrected_difference == 0


# Parameter and FLOP calculation walkthroughs: budgets


def test_the_walkthroughs_budget():
    """400 TFLOP/s on 64 H100s for 60 days are 132,710,400,000 TFLOP, 1.3271e23 FLOP; '132M' is 1,000 times too low."""
    given = {"achieved_tflops": 400, "accelerators": 64, "days": 60, "goodput": 1}
    base = {driver.name: driver.base for driver in drivers()}
    budget = evaluate(CLUSTER_LINES, base | given)["budget_flop"]
    assert budget == 132_710_400_000 * 10**12
    assert f"{budget:.4e}" == "1.3271e+23"


# The machinery


@pytest.mark.parametrize("architecture", RULES)
def test_every_rule_has_a_source_and_mends_what_errs(architecture):
    """An erratum and a corrected form come together."""
    assert RULES[architecture]
    for one in RULES[architecture].values():
        assert one.source
        assert bool(one.erratum) == bool(one.corrected)


def test_a_rule_that_does_not_apply_is_left_out():
    """The rule for untied heads is silent on a model whose head is tied."""
    for model, there in (("gpt2/gpt2", False), ("llama/Llama-2-7b", True)):
        names = [one.rule.name for one in ruled(HOST, costed(model))]
        assert ("kipply_parameters_head" in names) is there


def test_a_model_without_what_a_rule_counts_is_left_out():
    """A class without an output head has no FLOP of a head to compare with."""
    config = TRUTH["gpt2/gpt2"]["config"] | {"architectures": ["GPT2Model"]}
    names = [one.rule.name for one in ruled(HOST, flopsheet.evaluate(config))]
    assert "notebook_output" not in names
    assert "notebook_flops" in names


def test_a_model_in_error_has_no_rules():
    """There is no number to compare with."""
    broken = cost(HOST, Model("broken", architecture="dense", errors=("bad",)))
    assert ruled(HOST, broken) == []


def test_a_rule_without_a_corrected_form_has_no_corrected_number():
    """Nothing errs, so nothing is mended."""
    found = outcome("walkthrough_mlp", "gpt2/gpt2")
    assert (found.corrected, found.corrected_difference) == (None, None)


def test_differences_are_shares_of_the_exact_number():
    """Half of the parameters is -50 %, a quarter more +25 %."""
    somebodys = rule(formula="parameters / 2", erratum="Half", corrected="parameters * 5 / 4")
    (found,) = ruled(host_with(somebodys), costed("gpt2/gpt2"))
    assert (found.difference, found.corrected_difference) == (-0.5, 0.25)


@pytest.mark.parametrize("part", ["formula", "corrected", "compares", "applies"])
def test_an_unknown_name_is_told_with_rule_and_plugin(part):
    """Each formula of a rule may name only dimensions and lines of its architecture."""
    with pytest.raises(PluginError) as caught:
        ruled(host_with(rule(**{part: "d_modle * 2"})), costed("gpt2/gpt2"))
    assert "rule somebodys of somebody (somebodys-rules 2.0):" in str(caught.value)
    assert "d_model" in str(caught.value)


def test_a_rule_that_gives_no_number_is_told_with_rule_and_plugin():
    """Dividing by a dimension that is 0 is the rule's mistake."""
    with pytest.raises(PluginError, match=r"rule somebodys of somebody \(somebodys-rules 2\.0\)"):
        ruled(host_with(rule(formula="parameters / window")), costed("gpt2/gpt2"))


def test_plugins_are_asked_for_rules_once_and_when_needed():
    """Few commands show rules: none are asked for until somebody needs them."""
    asked = []

    def ask():
        asked.append(1)
        return [rule()]

    host = Host(answers={"dense": [Answer(SOMEBODY, {}, ask)]})
    assert asked == []
    assert host.rules("dense") == host.rules("dense") == [rule()]
    assert asked == [1]


def test_a_plugin_that_fails_at_its_rules_is_told_and_harms_no_other():
    """Its rules are left out with the reason; others keep theirs."""

    def fail():
        raise ValueError("no such table")

    other = Answer(Plugin("other", "others-rules", "1.0"), {}, lambda: [rule()])
    host = Host(answers={"dense": [Answer(SOMEBODY, {}, fail), other]})
    assert host.rules("dense") == host.rules("dense") == [rule()]
    (failure,) = host.failures
    assert failure.plugin == SOMEBODY
    assert failure.reason == "its rules are left out: ValueError: no such table"


def test_the_page_of_rules_is_up_to_date():
    """docs/rules.md is what the generator prints."""
    assert (ROOT / "docs/rules.md").read_text("utf-8") == page(ROOT / "examples/configs")


@pytest.mark.parametrize("architecture", RULES)
def test_the_page_holds_every_rule(architecture):
    """Each rule has its heading under its architecture."""
    text = (ROOT / "docs/rules.md").read_text("utf-8")
    section = text.split(f"## {HOST.architecture(architecture).title}\n")[1].split("\n## ")[0]
    for one in RULES[architecture].values():
        assert f"### {one.title}\n" in section


def test_the_page_rests_on_exact_examples_alone(tmp_path):
    """A model that is not counted exactly stops the page, and so does a missing one."""
    shutil.copytree(ROOT / "examples/configs", tmp_path, dirs_exist_ok=True)
    shutil.copy(tmp_path / "llama-with-extra-field/config.json", tmp_path / "gpt2-xl/config.json")
    with pytest.raises(ConfigError, match=r"an example must be exact: .*residual_gate_rank"):
        page(tmp_path)
    with pytest.raises(ConfigError, match="an example must be exact"):
        page(tmp_path / "gpt2-xl")
