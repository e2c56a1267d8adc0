"""The question "phases": training at two sequence lengths is what each of them costs, and phases add up."""

import json

import pytest
from planner import run
from samples import CONFIGS, write_portfolio

PLAN = """
questions = {questions}
[workload]
mask = "{mask}"
seq_len = {length}
[inputs]
tokens = 1e12
{inputs}
[[models]]
config = "{config}"
"""
PHASES = "mid_tokens = 2e11\nlong_tokens = 1e11\nlong_seq_len = 32768"


def planned(folder, name, *, mask="causal", length=4096, inputs="", questions='["phases"]'):
    """Return the plan of a config under a mask."""
    config = CONFIGS / name / "config.json"
    text = PLAN.format(questions=questions, mask=mask, length=length, inputs=inputs, config=config)
    status, out, errors = run("plan", write_portfolio(folder, text), "--format", "json")
    assert status == 0, errors
    return json.loads(out)


@pytest.mark.parametrize(
    ("name", "mask"),
    [
        *((name, "causal") for name in ("Llama-3.1-8B", "DeepSeek-V3", "Nemotron-H-56B", "mamba2-2.7b")),
        *(("gemma-2-27b", mask) for mask in ("full", "causal", "window")),
    ],
)
def test_long_context_costs_what_the_model_costs_at_that_length(name, mask, tmp_path):
    """Full attention, windows, latent attention, hybrids and states: as counted by a plan at the longer length."""
    plan = planned(tmp_path, name, mask=mask, inputs=PHASES)
    longer = planned(tmp_path, name, mask=mask, length=32768, questions='["budget"]')["models"][0]["base"]
    base = plan["models"][0]["base"]
    assert base["long_flops_per_token"] * 1e12 == pytest.approx(longer["training_flops"], rel=1e-9)
    rows = plan["tables"]["training_phases"]
    assert [row["phase_tokens"] for row in rows] == [7e11, 2e11, 1e11]
    assert sum(row["phase_hours"] for row in rows) == pytest.approx(base["training_hours"])
    assert base["affordable_tokens"] * base["training_days"] == pytest.approx(1e12 * 90)


def test_without_phases_a_plan_is_as_it_was(tmp_path):
    """The question alone changes no number of the model."""
    asked, usual = (
        planned(tmp_path, "Llama-3.1-8B", questions=questions)["models"][0]["base"]
        for questions in ('["phases"]', '["budget"]')
    )
    assert {name: asked[name] for name in usual} == pytest.approx(usual)


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("DeepSeek-V4-Flash", PHASES, "grows in another way"),
        ("t5-11b", PHASES, "grows in another way with the length"),
        ("Llama-3.1-8B", "mid_tokens = 2e12", "more than the model's"),
    ],
)
def test_phases_that_cannot_be_fail_a_check(name, inputs, message, tmp_path):
    """More tokens than there are, and attention over two sequences."""
    failing = [one["message"] for one in planned(tmp_path, name, inputs=inputs)["checks"] if one["state"] != "pass"]
    assert any(message in text for text in failing)
