"""Rules of thumb of the walkthroughs: what errs in them, and their corrected forms."""

import pytest
from rule_samples import (
    BART,
    GATED_T5,
    GPT2,
    LLAMA2,
    MAMBA1,
    MAMBA2,
    OPT,
    PYTHIA,
    RULES,
    SHARED_HEADS,
    T5,
    TRUTH,
    corrected,
    costed,
    outcome,
    published,
)

from flopsheet.host.loading import load
from flopsheet.planning.question import CASES_TABLE
from flopsheet.planning.registry import program
from flopsheet.planning.run import Run

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
    result = outcome("walkthrough_norms", model)
    assert (result.difference, result.corrected_difference) == (1, 0)


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
    result = outcome("walkthrough_core_step", "gpt2/gpt2-xl")
    assert 48 * result.published == result.exact


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
        result = outcome(name, model)
        assert 0 <= result.corrected_difference < 0.002 < abs(result.difference)


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
    result = outcome("walkthrough_parameters", "moe/Mixtral-8x7B")
    assert result.corrected == result.exact == 46_702_792_704
    assert result.difference < -0.25


@pytest.mark.parametrize("model", ["moe/Mixtral-8x7B", "moe/DeepSeek-V3"])
def test_the_corrected_experts_are_exact(model):
    """Three matrices of the expert's width for each expert of each layer that has experts."""
    assert outcome("walkthrough_experts", model).corrected_difference == 0


def test_the_router_is_exact_for_mixtral():
    """E·h·l needs no correction where every layer has experts."""
    assert outcome("walkthrough_router", "moe/Mixtral-8x7B").difference == 0


def test_experts_are_more_than_half_of_the_weights():
    """Erratum: eight experts of 8h² next to 4h² of attention are 94% of a block, not a half."""
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
    result = outcome("walkthrough_step", "moe/Mixtral-8x7B", batch=2)
    assert result.difference < -0.5
    assert result.corrected_difference == 0


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
    result = outcome("walkthrough_training", model, seq_len=384, target_len=128, batch=2)
    assert result.difference > 0.4
    assert result.corrected_difference == 0


# Parameter and FLOP calculation walkthroughs: budgets


def test_the_walkthroughs_budget():
    """400 TFLOP/s on 64 H100s for 60 days are 132,710,400,000 TFLOP, 1.3271e23 FLOP; '132M' is 1,000 times too low."""
    given = {"achieved_tflops": 400, "accelerators": 64, "days": 60, "goodput": 1}
    asked = program(load())
    base = {one.name: one.default for one in asked.inputs.values()}
    budget = Run(asked, base | given, ()).single(CASES_TABLE)["budget_flop"]
    assert budget == 132_710_400_000 * 10**12
    assert f"{budget:.4e}" == "1.3271e+23"


def test_the_budgets_example_is_a_thousand_times_larger():
    """Walkthrough: 400 TFLOP/s · 64 · 60 days is 132,710,400,000 TFLOP, not the printed 132M."""
    assert published("walkthrough_budget") == 132_000_000
    assert corrected("walkthrough_budget") == 400 * 64 * 60 * 86_400 == 132_710_400_000


@pytest.mark.parametrize("name", ["walkthrough_convolution", "walkthrough_in"])
@pytest.mark.parametrize("model", MAMBA2)
def test_the_text_on_mamba2_leaves_out_brackets_and_a_width(name, model):
    """Mended, (I + 2GS) × C and D × S × G are exact; as printed they miss most of B, C and the convolution."""
    result = outcome(name, model)
    assert result.corrected_difference == 0
    assert result.difference < 0
