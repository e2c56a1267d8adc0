"""The training step: three passes of the model's, and what is recomputed."""

import pytest
from samples import CONFIGS, costed

import flopsheet

GPT2 = {"model_type": "gpt2"}
HEAD = 2 * 1024 * 768 * 50257
CORE = 4 * 12 * 1024 * 1024 * 768


@pytest.mark.parametrize(
    ("recompute", "again"),
    [("none", 0), ("selective", CORE), ("full", 24 * 12 * 1024 * 768 * 768 + CORE)],
)
def test_gpt2_recomputes(recompute, again):
    """Nothing, the attention cores, or the layers without the head; the model's own FLOP do not change."""
    totals = flopsheet.evaluate(GPT2, recompute=recompute).totals
    assert totals["flops_recompute"] == again
    assert totals["flops_training_step"] == 3 * totals["flops_forward"] == 3 * 291_648_307_200
    assert totals["flops_training_hardware"] == totals["flops_training_step"] + again


def test_full_recompute_is_a_fourth_pass_without_the_head():
    """The head's activations are needed at once."""
    totals = flopsheet.evaluate(GPT2, recompute="full").totals
    assert totals["flops_training_hardware"] == 4 * totals["flops_forward"] - HEAD


@pytest.mark.parametrize(("mask", "pairs"), [("full", 1024 * 1024), ("causal", 1024 * 1025 // 2)])
def test_attention_is_recomputed_under_the_mask_that_is_counted(mask, pairs):
    """The second pass costs what the first did."""
    assert flopsheet.evaluate(GPT2, recompute="selective", mask=mask).totals["flops_recompute"] == 4 * 12 * pairs * 768


def test_both_sides_and_cross_attention_have_cores():
    """An encoder-decoder recomputes all three."""
    sizes = {"d_model": 8, "d_kv": 4, "num_heads": 2, "num_layers": 4, "num_decoder_layers": 2, "d_ff": 12}
    model = flopsheet.evaluate({"model_type": "t5", **sizes}, seq_len=6, target_len=3, recompute="selective")
    assert model.totals["flops_recompute"] == 4 * 8 * (4 * 6 * 6 + 2 * 3 * 3 + 2 * 3 * 6)


def test_a_model_without_attention_recomputes_no_core():
    """Nor does a model without a head leave one out."""
    mamba = {"model_type": "mamba", "architectures": ["MambaModel"]}
    found = [flopsheet.evaluate(mamba, recompute=choice).totals for choice in ("selective", "full")]
    assert [totals["flops_recompute"] for totals in found] == [0, found[1]["flops_forward"]]


def test_every_example_can_recompute():
    """The choice stands for every architecture."""
    for model in costed(CONFIGS, recompute="full"):
        if model.status == "ok":
            assert model.totals["flops_recompute"] > 0.5 * model.totals["flops_forward"]
