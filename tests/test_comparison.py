"""The question comparison: cost over life, ranks in every case, and quality."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planner import run

from flopsheet.planning.inputs import CASES, TITLES

EXAMPLE = Path(__file__).parents[1] / "examples" / "portfolios" / "comparison.toml"
QUESTIONS = 'questions = ["comparison"]\n'
CONFIGS = EXAMPLE.parents[1] / "configs"


def example(folder, *changes):
    """Return the path of the example with passages replaced."""
    text = EXAMPLE.read_text("utf-8").replace("../configs", str(CONFIGS))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "comparison.toml"
    path.write_text(text, "utf-8")
    return path


def planned(folder, *changes):
    """Return the example's plan as JSON."""
    status, out, errors = run("plan", example(folder, *changes), "--format", "json")
    assert status == 0, errors
    return json.loads(out)


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Give the example's plan."""
    return planned(tmp_path_factory.mktemp("plan"))


def test_the_answer_is_the_model_that_is_cheapest_over_its_lifetime(plan, tmp_path):
    """The question that was asked answers, not serving, which it needs and which puts another model first."""
    first = min(plan["tables"]["comparison_candidates"], key=lambda row: row["total_cost"])
    status, out, _ = run("plan", example(tmp_path))
    assert status == 0
    assert f"Train and serve {first['model']}: USD {first['total_cost'] / 1e6:.1f}m over its lifetime" in out
    assert "Serve 8B on 40T tokens" not in out


def test_cost_over_life_is_training_and_months_of_serving(plan):
    """Twice the final run, as the program ratio says, and 24 months."""
    for model, row in zip(plan["models"], plan["tables"]["comparison_candidates"], strict=True):
        base = model["base"]
        expected = 2 * base["training_cost"] + 24 * base["serving_cost_per_month"]
        assert row["total_cost"] == pytest.approx(expected, rel=1e-12)


def test_the_present_value_is_training_and_each_month_discounted(plan):
    """Months count at their middle, at the monthly rate of the yearly one."""
    rate = 1.1 ** (1 / 12)
    for model in plan["models"]:
        base = model["base"]
        months = sum(base["serving_cost_per_month"] / rate ** (month - 0.5) for month in range(1, 25))
        assert base["life_present_value"] == pytest.approx(base["life_training"] + months, rel=1e-9)


def test_ranks_follow_the_cost_in_every_case(plan):
    """The models of each case in the order of their cost there: they serve the same demand."""
    for case in CASES:
        costs = [model[case]["life_cost"] for model in plan["models"]]
        rows = [row for row in plan["tables"]["comparison_cases"] if row["ranked_in"] == TITLES[case]]
        assert [row["case_rank"] for row in rows] == [1 + sum(other < cost for other in costs) for cost in costs]


def test_stability_counts_the_cases_with_the_live_rank(plan):
    """With high demand the small model is the cheapest, otherwise the large one: two of three cases."""
    rows = plan["tables"]["comparison_candidates"]
    assert [(row["rank"], row["rank_kept"]) for row in rows] == [(3, 2), (2, 3), (1, 2)]


def test_another_live_case_has_its_own_ranks(tmp_path):
    """In High cost the ranks are those of that case, which holds in it alone but for the model in the middle."""
    rows = planned(tmp_path, (QUESTIONS, f'{QUESTIONS}scenario = "high"\n'))["tables"]["comparison_candidates"]
    assert [(row["rank"], row["rank_kept"]) for row in rows] == [(1, 1), (2, 3), (3, 1)]


def test_a_point_of_quality_costs_the_life_over_the_points(plan):
    """As typed under the models' inputs."""
    rows = plan["tables"]["comparison_candidates"]
    assert [row["points"] for row in rows] == [68, 71, 72]
    assert [row["point_cost"] for row in rows] == [row["total_cost"] / row["points"] for row in rows]


NO_QUALITY = (
    ("{ quality = 68 }", "{}"),
    ("quality = 71, ", ""),
    ("quality = 72, ", ""),
)


def test_without_qualities_the_predicted_loss_counts(tmp_path):
    """A dollar per point is then cost times loss, and no check fails."""
    plan = planned(tmp_path, *NO_QUALITY)
    for row in plan["tables"]["comparison_candidates"]:
        assert row["point_cost"] == pytest.approx(row["total_cost"] * row["loss"], rel=1e-12)
    assert [check["state"] for check in plan["checks"] if check["name"] == "quality_given"] == ["pass"]


def test_a_quality_for_some_models_alone_fails_the_check(tmp_path):
    """The model without one has no rank by it, and is named."""
    plan = planned(tmp_path, NO_QUALITY[0])
    row = plan["tables"]["comparison_candidates"][0]
    assert (row["points"], row["point_cost"], row["point_rank"]) == (0, 0, 0)
    assert [check["message"][:75] for check in plan["checks"] if check["name"] == "quality_given"] == [
        "Some models have a quality and this one has none (case low, 8B on 40T token"
    ]


def test_a_model_that_cannot_be_served_has_no_rank(tmp_path):
    """Its serving would cost nothing: it must not win."""
    large = (f"{CONFIGS}/Llama-3.1-70B", f"{CONFIGS}/Llama-3.1-405B")
    plan = planned(tmp_path, large, ("tokens = 3e12", "tokens = 1e11"), ("tensor_parallel = 4", "tensor_parallel = 2"))
    rows = plan["tables"]["comparison_candidates"]
    assert (rows[2]["serve_cost"], rows[2]["rank"], rows[2]["is_cheapest"]) == (0, 0, 0)
    assert sorted(row["rank"] for row in rows) == [0, 1, 2]


def test_its_own_inputs_ask_it(tmp_path):
    """A plan that names no question and gives the months in service is asked for it."""
    plan = planned(tmp_path, (QUESTIONS, ""))
    assert "comparison_candidates" in plan["tables"]


def test_at_the_break_even_both_models_cost_the_same(tmp_path, plan):
    """Months in service at which the small model has paid for its longer training against the cheapest one."""
    months = plan["tables"]["comparison_candidates"][0]["break_even_months"]
    moved = planned(tmp_path, ("lifetime_months = 24", f"lifetime_months = {months}"))
    costs = [row["total_cost"] for row in moved["tables"]["comparison_candidates"]]
    assert costs[0] == pytest.approx(costs[2], rel=1e-9)
    assert months > 24


def test_a_model_that_costs_more_to_train_and_to_serve_never_breaks_even(tmp_path):
    """On as many tokens the large model is dearer in both."""
    rows = planned(tmp_path, ("tokens = 3e12", "tokens = 40e12"))["tables"]["comparison_candidates"]
    assert rows[2]["rank"] == 3
    assert (rows[2]["break_even_tokens"], rows[2]["break_even_months"]) == (0, 0)


def test_what_never_breaks_even_says_so_in_tokens_and_in_months(tmp_path):
    """In months too a reader sees never, where 0 months would be at once."""
    status, out, _ = run("plan", example(tmp_path), "--table", "comparison_candidates")
    row = next(line for line in out.splitlines() if line.startswith("70B") and "never" in line)
    assert (status, row.count("never")) == (0, 2)


def test_at_the_demand_itself_the_volumes_say_the_same(plan):
    """Cost and rank at once the demand are those of the candidates."""
    rows = [row for row in plan["tables"]["comparison_volumes"] if row["volume_factor"] == 1]
    candidates = plan["tables"]["comparison_candidates"]
    assert [row["volume_cost"] for row in rows] == pytest.approx([one["total_cost"] for one in candidates], rel=1e-12)
    assert [row["volume_rank"] for row in rows] == [one["rank"] for one in candidates]


def test_the_choice_for_the_demand_costs_too_much_beyond_the_break_even(plan):
    """The large model breaks even at 31 of 24 months: at twice the demand it is no longer the cheapest."""
    lost = {row["volume_factor"]: row["choice_loss"] for row in plan["tables"]["comparison_crossings"]}
    assert {factor: loss > 0 for factor, loss in lost.items()} == {factor: factor >= 2 for factor in lost}
