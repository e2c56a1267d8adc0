"""docs/tuning.md has the numbers of its example."""

import json
from pathlib import Path

import pytest
from planner import run

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "tuning.md").read_text("utf-8")
PORTFOLIO = ROOT / "examples" / "portfolios" / "tuning.toml"


def tables(*more):
    """Return the tables of the example's plan in the Base case."""
    status, out, errors = run("plan", PORTFOLIO, "--format", "json", *more)
    assert status == 0, errors
    return json.loads(out)["tables"]


@pytest.fixture(scope="module")
def answered():
    """Return the tables of the example as it is."""
    return tables()


def test_the_page_has_what_fine_tunings_cost(answered):
    """Hours, cost, and memory of a fleet, by method."""
    for row in answered["finetuning"]:
        costs = (row["finetuning_cost"], row["fleet_cost"], row["fleet_bytes"], row["fleet_accelerators"])
        cells = [row["model"], f"{row['finetuning_duration']:.2f}", *(f"{number:,.0f}" for number in costs)]
        assert f"| {' | '.join(cells)} |" in PAGE


def test_the_page_has_the_parts_of_a_step(answered):
    """Seconds of each part, and what a step and the run cost."""
    row = answered["reinforcement"][0]
    parts = ("rollout_seconds", "logprob_seconds", "update_seconds", "refit_seconds", "rl_step_seconds")
    seconds = [f"{row[name]:.0f}" for name in parts]
    cells = [row["model"], *seconds, f"{row['rl_step_cost']:.2f}", f"{row['rl_cost']:,.0f}"]
    assert f"| {' | '.join(cells)} |" in PAGE


def test_the_page_has_what_a_shorter_limit_saves():
    """With half the longest response."""
    row = tables("--input", "longest_response=8192")["reinforcement"][0]
    assert f"a step takes {row['rl_step_seconds']:.0f} s" in PAGE
