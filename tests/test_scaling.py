"""The question "scaling": optima and losses of published laws, exact, as columns and against published numbers."""

import json
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from planner import run
from samples import write_portfolio

from flopsheet.host.host import load
from flopsheet.planning.registry import program
from flopsheet.planning.sweep import Sweep

WALKTHROUGH = """
[inputs]
accelerators = 64
days = 60
achieved_tflops = 400
goodput = 1
"""
MODEL = f"""
[[models]]
name = "8B"
config = "{Path(__file__).parent.parent / "examples" / "configs" / "Llama-3.1-8B" / "config.json"}"
tokens = 15e12
"""


def planned(folder, text):
    """Return the answers of the question "scaling" as a program reads them."""
    status, out, errors = run("plan", write_portfolio(folder, text), "--question", "scaling", "--format", "json")
    assert status == 0, errors
    return json.loads(out)


@pytest.fixture(scope="module")
def walkthrough(tmp_path_factory):
    """Return the walkthrough's cluster: 400 TFLOP/s × 64 × 60 days are 1.3271e23 FLOP."""
    return planned(tmp_path_factory.mktemp("scaling"), WALKTHROUGH + MODEL)


PUBLISHED = {
    "Chinchilla, Epoch refit": (34.0e9, 650e9),
    "Chinchilla, approach 3 as printed": (16.6e9, 1333e9),
    "20 tokens per parameter": (33.3e9, 665e9),
}


@pytest.mark.parametrize("law", PUBLISHED)
def test_optimal_sizes_of_the_walkthrough(walkthrough, law):
    """The optimum of 1.3271e23 FLOP under each law."""
    row = next(row for row in walkthrough["tables"]["laws"] if row["law"] == law)
    assert row["law_flop"] == pytest.approx(1.3271e23, rel=1e-4)
    assert (row["optimal_parameters"], row["optimal_tokens"]) == pytest.approx(PUBLISHED[law], rel=3e-3)
    assert 6 * row["optimal_parameters"] * row["optimal_tokens"] == pytest.approx(row["law_flop"])


def test_the_optimum_is_the_least_loss(walkthrough):
    """At the same FLOP every other size has a larger loss under the chosen law."""
    loss = walkthrough["answers"]["scaling"]["loss"]["base"]
    for row in walkthrough["tables"]["isoflop"]:
        n, d = row["isoflop_parameters"], row["isoflop_tokens"]
        assert 1.8172 + 482.01 / n**0.34781 + 2085.43 / d**0.36585 >= loss * (1 - 1e-12)


def test_each_model_has_a_loss_under_each_law(walkthrough):
    """Llama 3.1 8B on 15T tokens; laws without a loss give 0, and beyond the fit range a flag says so."""
    rows = {row["law"]: row for row in walkthrough["tables"]["model_laws"]}
    expected = 1.8172 + 482.01 / 8_030_261_248**0.34781 + 2085.43 / 15e12**0.36585
    assert rows["Chinchilla, Epoch refit"]["predicted_loss"] == pytest.approx(expected)
    assert rows["20 tokens per parameter"]["predicted_loss"] == 0
    assert rows["Chinchilla, Epoch refit"]["extrapolated"] == 1


def test_repeated_tokens_count_for_less(tmp_path):
    """Of 1T unique tokens, 15 passes are worth less than 15T unique ones under the data-constrained law alone."""
    text = "[inputs]\nscaling_law = 'data_constrained'\nunique_tokens = {}\n" + MODEL
    losses = []
    for unique in ("0", "1e12"):
        (tmp_path / unique).mkdir()
        rows = planned(tmp_path / unique, text.format(unique))["tables"]["model_laws"]
        losses.append({row["law"]: row["predicted_loss"] for row in rows})
    assert losses[1]["Data-constrained"] > losses[0]["Data-constrained"]
    assert losses[1]["Chinchilla, Epoch refit"] == losses[0]["Chinchilla, Epoch refit"]


def test_a_law_of_ones_own(tmp_path):
    """Constants under [inputs] make a law, which can be the chosen one."""
    text = "own_law_a = 482.01\nown_law_b = 2085.43\nown_law_e = 1.8172\nown_alpha = 0.34781\nown_beta = 0.36585\n"
    answers = planned(tmp_path, f"{WALKTHROUGH}{text}scaling_law = 'own'\n{MODEL}")["answers"]["scaling"]
    assert answers["size"]["base"] == pytest.approx(34.09e9, rel=1e-3)


def test_a_budget_given_wins_over_the_clusters(tmp_path):
    """The law's FLOP may be typed."""
    rows = planned(tmp_path, f"[inputs]\nflop_budget = 5.76e23\n{MODEL}")["tables"]["laws"]
    assert next(row for row in rows if row["law"] == "Chinchilla, approach 1")["optimal_parameters"] == pytest.approx(
        67e9
    )


def test_sizes_over_a_million_budgets():
    """The same formulas over columns: sizes grow with the budget, and equal the exact ones."""
    asked = program(load(), ["scaling"])
    given = {one.name: one.default for one in asked.inputs.values()}
    budgets = np.geomspace(1e20, 1e26, 1000)
    found = Sweep(asked, (("laws", "optimal_parameters"),)).columns({**given, "flop_budget": budgets})
    sizes = found["laws", "optimal_parameters"]
    assert sizes.shape == (1000, 9)
    assert np.all(np.diff(sizes[:, :8], axis=0) > 0)


@pytest.mark.parametrize(("asked", "tables"), [("flop_budget = 1e24", {"laws", "model_laws", "isoflop"}), ("", None)])
def test_its_sheet_is_there_where_it_is_asked(tmp_path, monkeypatch, asked, tables):
    """A plan has the sheet Scaling with its tables, charts and figures; one that does not ask it has none."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    portfolio = write_portfolio(tmp_path, f"{WALKTHROUGH}{asked}\n{MODEL}")
    assert run("report", portfolio, "-o", tmp_path / "plan.xlsx")[0] == 0
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True)
    assert ("Scaling" in book.sheetnames) is bool(tables)
    assert ("see_out_scaling_size" in book.defined_names) is bool(tables)
    if tables:
        assert set(book["Scaling"].tables) == tables
        assert len(book["Scaling"]._charts) == 2  # noqa: SLF001 - openpyxl has no other way to ask
