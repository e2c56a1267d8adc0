"""What reinforcement learning costs: rollouts, updates, new weights, and how far that is from published steps."""

from statistics import median

import pytest
from pages.reinforcement import in_fit, learned
from pages.training import published

from flopsheet.configs.source import load_model
from flopsheet.host.loading import load
from flopsheet.planning.calibration_fit import ROLLOUTS, TimedStep, fit_efficiencies
from flopsheet.planning.costing import cost
from flopsheet.planning.making import make_plan
from flopsheet.planning.plan_checks import check_results
from flopsheet.planning.registry import all_inputs

FITTED = ("rollout_efficiency", "learning_efficiency", "rl_fixed_seconds", "refit_gbs")
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}


@pytest.fixture(scope="module")
def steps():
    """Return every published step of reinforcement learning with its predictions."""
    return learned()


def test_published_steps_are_met(steps):
    """Nine steps under four shared numbers: half within 10%, all within a factor of 1.4."""
    off = [one.factor(one.predicted) for one in in_fit(steps)]
    assert len(off) == 9
    assert median(off) <= 1.1
    assert max(off) <= 1.4


def test_steps_of_a_model_that_the_fit_never_saw_are_met(steps):
    """Each model left out of the fit in turn: half within a factor of 1.2, all within 1.5."""
    off = [one.factor(one.left_out) for one in in_fit(steps)]
    assert median(off) <= 1.2
    assert max(off) <= 1.5


def test_the_fit_has_four_numbers_and_no_row_states_one(steps):
    """The constants are inputs of the question, alike for every row."""
    assert set(FITTED) <= all_inputs(load()).keys()
    assert not any(name in one.row for one in steps for name in FITTED)


def test_the_inputs_are_the_fit_rounded():
    """Fitted again on all rows without a note: within a hundredth."""
    pytest.importorskip("scipy")
    rows = [row for row in published("rl") if "note" not in row]
    start = {"rollout_efficiency": 0.6, "learning_efficiency": 0.6, "rl_fixed_seconds": 25.0, "refit_gbs": 25.0}
    again, known = fit_efficiencies([TimedStep(row, ROLLOUTS) for row in rows], start), all_inputs(load())
    assert {name: float(known[name].default) for name in again} == pytest.approx(again, rel=0.01)


def of_step(**inputs):
    """Return the lines of a step of an 8B model on 16 accelerators."""
    host = load()
    given = {"accelerators": 16, "global_batch": 512, **inputs}
    return make_plan(host, [cost(host, load_model(host, LLAMA))], inputs=given, questions=["reinforcement"]).table(
        "reinforcement"
    )[0]


@pytest.mark.parametrize(("ranks", "fails"), [(8, False), (128, True)])
def test_a_replica_of_rollouts_is_within_the_cluster(ranks, fails):
    """16 accelerators hold no replica of 128."""
    host = load()
    given = {"accelerators": 16, "rollout_tensor_parallel": ranks}
    plan = make_plan(host, [cost(host, load_model(host, LLAMA))], inputs=given, questions=["reinforcement"])
    failing = {one.check.name for one in check_results(plan) if not one.holds}
    assert ("rollouts_have_accelerators" in failing) == fails


def test_on_policy_a_step_is_the_sum_of_its_parts():
    """Rollouts, log-probabilities, updates, new weights and the fixed time, one after the other."""
    step = of_step()
    parts = ("rollout_seconds", "logprob_seconds", "update_seconds", "refit_seconds")
    assert step["rl_step_seconds"] == pytest.approx(26.9 + sum(step[name] for name in parts))


def test_off_policy_the_longer_of_rollouts_and_training_counts():
    """With each on half of the accelerators, nothing waits but the shorter of the two."""
    apart = of_step(policy_lag=1, rollout_share=0.5)
    assert apart["rl_step_seconds"] == pytest.approx(26.9 + max(apart["rollout_seconds"], apart["learning_seconds"]))
    assert apart["update_seconds"] == pytest.approx(2 * of_step()["update_seconds"])


def test_a_critic_doubles_the_updates():
    """PPO updates a second model of the same size, and reads its values in one more forward pass."""
    grpo, ppo = of_step(), of_step(critic=1)
    assert ppo["update_seconds"] == pytest.approx(2 * grpo["update_seconds"])
    assert ppo["logprob_seconds"] == pytest.approx(1.5 * grpo["logprob_seconds"])


def test_rollouts_wait_for_the_longest_response():
    """A step whose longest response is twice as long takes nearly as much longer."""
    short, long = of_step(longest_response=16384), of_step(longest_response=32768)
    assert 1.5 < long["rollout_seconds"] / short["rollout_seconds"] < 2


def test_replicas_are_the_fewest_that_hold_the_weights():
    """An 8B model writes on one accelerator each; with a tenth of the memory for weights, on four."""
    assert of_step()["served_tensor"] == 1
    assert of_step(rollout_weights_share=0.1)["served_tensor"] == 2
