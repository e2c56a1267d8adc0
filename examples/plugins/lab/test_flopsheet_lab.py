"""Optimizer, format and law are used where they are named."""

import pytest

import flopsheet

LLAMA = {
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "vocab_size": 100,
}


def test_the_optimizer_sets_bytes():
    """16 bytes per parameter in all."""
    model = flopsheet.evaluate(LLAMA, optimizer="our_shampoo")
    assert model.totals["training_state_bytes"] == 16 * model.totals["parameters"]


def test_the_format_sets_bits():
    """1.6 bits, and a scale for each 128 weights; the head keeps its type."""
    model = flopsheet.evaluate({**LLAMA, "quantization_config": {"quant_method": "our_ternary"}})
    assert model.dimensions["quantized_bytes"] == pytest.approx((1.6 + 16 / 128) / 8)
    assert model.status == "ok"


def test_the_law_can_be_chosen(tmp_path):
    """It has a row next to the published ones, and gives the headline size where it is named."""
    text = '[inputs]\nscaling_law = "our_data"\nflop_budget = 1e21\n'
    (tmp_path / "portfolio.toml").write_text(text, "utf-8")
    plan = flopsheet.plan(tmp_path / "portfolio.toml")
    (law,) = [row for row in plan.rows("laws") if row["law"] == "Our data mix"]
    assert law["is_chosen"] == 1
    assert plan.answers["scaling"]["size"]["base"] == pytest.approx(law["optimal_parameters"])
