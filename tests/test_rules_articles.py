"""Rules of thumb of articles: what their authors print, what errs in them, and their corrected forms.

Every number that a source prints is computed from the text of the rule that flopsheet ships.
"""

import pytest
from rule_samples import BART, GPT2, HOST, LLAMA2, OPT, PYTHIA, SHARED_HEADS, T5, XL, costed, outcome, published

from flopsheet.configs.model import Model
from flopsheet.planning.costing import cost
from flopsheet.planning.rules import apply_rules

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
    rule = {one.rule.name: one for one in apply_rules(HOST, model)}["yao_parameters"]
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
    """Dropping it loses 27% of the forward pass of GPT-2 small."""
    numbers = costed("gpt2/gpt2").numbers
    assert round(numbers["lm_head_flops"] / numbers["flops_forward"], 2) == 0.27


# MLPs Are All You Need... For FLOP calculations (2025-02-20)


def test_short_sequences_of_llama_3_70b_are_not_projections_alone():
    """MLPs Are All You Need: at d = 8192 and 4k tokens the kept term is 80% of attention; the dropped one 20%."""
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
    result = {one.rule.name: one for one in apply_rules(HOST, model)}
    projections = sum(model.numbers[f"attention_{part}_flops"] for part in ("q", "k", "v", "out"))
    assert result["mlps_short"].published == projections / 32
    assert 3 * result["mlps_short"].exact == result["mlps_training"].exact
    assert result["mlps_short"].corrected == result["mlps_short"].published + result["mlps_feed_forward"].published


@pytest.mark.parametrize("model", [*GPT2, *LLAMA2, *SHARED_HEADS])
def test_the_corrected_block_is_exact_for_all_heads_and_mlps(model):
    """Grouped heads and plain MLPs are what the corrected forms add."""
    for name in ("mlps_attention", "mlps_training"):
        assert outcome(name, model).corrected_difference == 0


def test_the_gates_product_is_one_for_each_hidden_channel():
    """MLPs Are All You Need: N·T·d_hidden beside the three products of a gated MLP; plain ones have none."""
    model = outcome("mlps_gate_product", "llama/Llama-2-7b", batch=2, seq_len=64)
    assert model.published == model.exact == 2 * 64 * 11008
    assert "mlps_gate_product" not in {one.rule.name for one in apply_rules(HOST, costed("gpt2/gpt2"))}


def test_gpt3_13b_is_as_wide_as_its_heads():
    """kipply: table 2.1 of GPT-3 is off by 20 for 13B; 12 · 40 · 5120² and its tables are the 12,850 million of D.1."""
    width = published("kipply_width", n_heads=40, d_head=128)
    assert (width, published("kipply_width_13b") - width) == (5120, 20)
    assert published("kipply_parameters", n_layers=40, d_model=width) + (50257 + 2048) * width == 12_850_713_600
