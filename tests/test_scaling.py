"""The question "scaling": optima and losses of published laws, exact, as columns and against published numbers."""

import json
import re
import tomllib
from pathlib import Path

import judges
import numpy as np
import openpyxl
import pytest
from planner import run
from samples import write_portfolio

import flopsheet
from flopsheet.host.loading import load
from flopsheet.planning import registry
from flopsheet.planning.making import make_plan
from flopsheet.planning.questions.scaling.laws import ScalingLaw, bundled_laws
from flopsheet.planning.registry import all_inputs, program
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


def planned(folder, text, *further):
    """Return the answers of the question "scaling" as a program reads them."""
    path = write_portfolio(folder, text)
    status, out, errors = run("plan", path, "--question", "scaling", *further, "--format", "json")
    assert status == 0, errors
    return json.loads(out)


@pytest.fixture(scope="module")
def walkthrough(tmp_path_factory):
    """Return the walkthrough's cluster: 400 TFLOP/s × 64 × 60 days are 1.3271e23 FLOP."""
    return planned(tmp_path_factory.mktemp("scaling"), WALKTHROUGH + MODEL)


def test_a_money_cap_buys_fewer_flop(tmp_path):
    """At 2 dollars an hour the cluster costs 184,320 dollars: half of them leave the laws half of its FLOP."""
    result = planned(tmp_path, f"{WALKTHROUGH}price_per_hour = 2\nbudget_usd = 92_160\n{MODEL}")
    assert result["tables"]["laws"][0]["law_flop"] == pytest.approx(1.3271e23 / 2, rel=1e-4)
    ample = planned(tmp_path, f"{WALKTHROUGH}price_per_hour = 2\nbudget_usd = 200_000\n{MODEL}")
    assert ample["tables"]["laws"][0]["law_flop"] == pytest.approx(1.3271e23, rel=1e-4)


def test_the_optimum_is_named_as_a_model_to_plan(tmp_path):
    """A note gives the size to write and the shape that it takes."""
    _, _, errors = run("plan", write_portfolio(tmp_path, WALKTHROUGH), "--question", "scaling")
    assert re.search(r'size = "3[34](\.\d)?B" under \[\[models\]\]; it takes n_layers = \d+, d_model = ', errors)


def test_tokens_at_which_a_size_is_optimal(walkthrough, tmp_path):
    """With the budget that those tokens take, the optimum is the model's own size."""
    row = next(row for row in walkthrough["tables"]["model_laws"] if row["law"] == "Chinchilla, Epoch refit")
    flop = 6 * row["law_parameters"] * row["balanced_tokens"]
    law = planned(tmp_path, f"{WALKTHROUGH}flop_budget = {flop}\n{MODEL}")["tables"]["laws"][0]
    assert law["optimal_parameters"] == pytest.approx(row["law_parameters"])
    assert row["over_balance"] == pytest.approx(15e12 / row["balanced_tokens"])


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


@judges.needs_soffice
def test_python_report_and_recalculated_workbook_agree_on_the_walkthrough(tmp_path):
    """34.0B under the refit, 33.3B at 20 tokens per parameter, 16.6B as printed: the same wherever it is read."""
    path = write_portfolio(tmp_path, f'questions = ["scaling"]\n{WALKTHROUGH}')
    book, report = tmp_path / "plan.xlsx", tmp_path / "plan.toml"
    assert run("report", path, "-o", book, "-o", report)[0] == 0
    laws = {row["law"]: row for row in flopsheet.plan(str(path)).plan.table("laws")}
    (fresh,) = judges.calculated([book], tmp_path)
    area = openpyxl.load_workbook(book)["Scaling"].tables["laws"]
    (first, top, _, bottom), headers = openpyxl.utils.range_boundaries(area.ref), area.column_names
    for row in range(top + 1, bottom + 1):
        letters = [openpyxl.utils.get_column_letter(first + place) for place in range(len(headers))]
        seen = dict(zip(headers, (fresh.get(("Scaling", f"{one}{row}")) for one in letters), strict=True))
        law = laws[seen["law_label"]]
        for name in ("law_flop", "optimal_parameters", "optimal_tokens"):
            assert judges.shows(law[name], seen[name]), (seen["law_label"], name)
        if seen["law_label"] in PUBLISHED:
            assert float(seen["optimal_parameters"]) == pytest.approx(PUBLISHED[seen["law_label"]][0], rel=3e-3)
    size = tomllib.loads(report.read_text("utf-8"))["answers"]["scaling"]["size"]["base"]
    assert size == pytest.approx(laws["Chinchilla, Epoch refit"]["optimal_parameters"], rel=1e-12)


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


NEW_LAW = ScalingLaw(
    name="newest",
    title="Newest",
    form="power",
    exponent=0.5,
    anchor_flop=1e20,
    anchor_parameters=1e9,
    source="Note",
    confidence="read",
)


def forget_questions():
    """Have the questions made again: a run makes them once, of data that stay."""
    for name in ("_questions", "_heads", "_load", "_program", "all_inputs"):
        getattr(registry, name).cache_clear()


@pytest.fixture
def new_questions():
    """Make the questions again in a test, and once more behind it."""
    yield forget_questions
    forget_questions()


@pytest.mark.parametrize(
    "place", [0, len(bundled_laws()) - 1, len(bundled_laws())], ids=["first", "before own", "last"]
)
def test_a_law_may_be_inserted_anywhere(monkeypatch, new_questions, place):
    """It is chosen by its name; what other names choose, the default and one's own law stay what they were."""
    laws = (*bundled_laws()[:place], NEW_LAW, *bundled_laws()[place:])
    own = {"own_law_a": 482.01, "own_law_b": 2085.43, "own_law_e": 1.8172, "own_alpha": 0.34781, "own_beta": 0.36585}
    choices = ({}, {"scaling_law": "epoch_refit"}, {"scaling_law": "own", **own}, {"scaling_law": "kaplan_joint"})
    before = [optimal_size(one) for one in choices]
    monkeypatch.setattr("flopsheet.planning.questions.scaling.laws.bundled_laws", lambda: laws)
    new_questions()
    assert [optimal_size(one) for one in choices] == before
    assert optimal_size({"scaling_law": "newest"}) == pytest.approx(1e9 * 1e2)
    assert all_inputs(load())["scaling_law"].labels == tuple(law.name for law in laws)


def optimal_size(inputs):
    """Return the headline size for 1e24 FLOP under some inputs."""
    plan = make_plan(load(), [], inputs={"flop_budget": 1e24, **inputs}, questions=["scaling"])
    answers = {(one.question.name, one.figure.name): one for one in plan.answers()}
    return answers["scaling", "size"].numbers["base"]


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
    result = Sweep(asked, (("laws", "optimal_parameters"),)).columns({**given, "flop_budget": budgets})
    sizes = result["laws", "optimal_parameters"]
    published = [place for place, law in enumerate(bundled_laws()) if law.name != "own"]
    assert sizes.shape == (1000, len(bundled_laws()))
    assert np.all(np.diff(sizes[:, published], axis=0) > 0)


@pytest.mark.parametrize(
    ("asked", "tables"), [("flop_budget = 1e24", {"laws", "model_laws", "isoflop", "scaling_lifetime"}), ("", None)]
)
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
        assert len(book["Scaling"]._charts) == 3  # noqa: SLF001 - openpyxl has no other way to ask


SERVED = 2e12


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Return the walkthrough's cluster at an MFU of 0.4 and a goodput of 0.8, with a model that serves 2T tokens."""
    tokens = f"inference_input_tokens = {SERVED / 2}\ninference_output_tokens = {SERVED / 2}\n"
    mfu = "input_mfu = 0.4\noutput_mfu = 0.1\nprice_per_hour = 2\n"
    speed = WALKTHROUGH.replace("= 400", "= 395.8").replace("goodput = 1", "goodput = 0.8")
    return planned(tmp_path_factory.mktemp("served"), speed + tokens + mfu + MODEL)


SERVING = {"FLOP": SERVED, "Cost": SERVED / 2 * (1 + 4) * 0.8}
"""Tokens as they count: for cost, output at a quarter of the training MFU four times, and all at its goodput."""


@pytest.mark.parametrize("goal", SERVING)
def test_the_lifetime_optimum(served, goal):
    """Equal loss, the first-order condition, and less in all than a model slightly smaller or larger."""
    a, alpha, b, beta, e = 482.01, 0.34781, 2085.43, 0.36585, 1.8172
    rows = served["tables"]["scaling_lifetime"]
    row = next(r for r in rows if r["law"] == "Chinchilla, Epoch refit" and r["goal"] == goal)
    law = next(r for r in served["tables"]["laws"] if r["law"] == row["law"])
    n, d = row["lifetime_parameters"], row["lifetime_tokens"]
    assert e + a / n**alpha + b / d**beta == pytest.approx(law["loss_at_budget"], rel=1e-12)
    assert alpha * a / n**alpha == pytest.approx(beta * b / d**beta * (1 + SERVING[goal] / (3 * d)), rel=1e-9)
    assert n < law["optimal_parameters"]
    for other in (0.99 * n, 1.01 * n):
        tokens = (b / (law["loss_at_budget"] - e - a / other**alpha)) ** (1 / beta)
        assert 3 * other * tokens + other * SERVING[goal] > 3 * n * d + n * SERVING[goal]


def test_the_lifetime_cost(served):
    """FLOP of each kind over what an hour gives, training at its goodput, at 2 dollars."""
    row = next(r for r in served["tables"]["scaling_lifetime"] if r["goal"] == "Cost" and r["lifetime_parameters"])
    n, d = row["lifetime_parameters"], row["lifetime_tokens"]
    hours = (6 * n * d / (0.4 * 0.8) + 2 * n * (SERVED / 2 / 0.4 + SERVED / 2 / 0.1)) / (989.5e12 * 3600)
    assert row["lifetime_cost"] == pytest.approx(2 * hours)


def test_without_serving_the_lifetime_optimum_is_that_of_training(walkthrough):
    """Newton's method stays at the closed form."""
    for row in walkthrough["tables"]["scaling_lifetime"]:
        assert row["size_of_training"] in (0, pytest.approx(1))


def test_the_law_of_mixtures(walkthrough):
    """Active parameters; the constants depend on the experts as in the paper's equation 6, here by hand."""
    row = next(r for r in walkthrough["tables"]["laws"] if r["law"] == "Mixture of experts, joint law")
    effect = 1 / (1 / (16 - 1 + 1 / (1 / 2.0732 - 1 / 290.4521)) + 1 / 290.4521)
    a, b = 35.91 * effect**0.2285, 35.98 * effect**-0.5529
    alpha, beta = 0.1889 + 0.0098 * np.log(effect), 0.1775 - 0.0259 * np.log(effect)
    size = (alpha * a / (beta * b)) ** (1 / (alpha + beta)) * (row["law_flop"] / 6) ** (beta / (alpha + beta))
    assert row["optimal_parameters"] == pytest.approx(size)
    loss = 1.3637 + a / size**alpha + b / row["optimal_tokens"] ** beta
    assert row["loss_at_budget"] == pytest.approx(loss)
    dense = next(r for r in walkthrough["tables"]["model_laws"] if r["law"] == row["law"])
    start = 2.0732
    n, d = 8_030_261_248, 15e12
    loss = 1.3637 + 35.91 * start**0.2285 / n ** (0.1889 + 0.0098 * np.log(start))
    loss += 35.98 * start**-0.5529 / d ** (0.1775 - 0.0259 * np.log(start))
    assert dense["predicted_loss"] == pytest.approx(loss)


def test_other_sizes_reach_the_same_loss(walkthrough):
    """Tokens for the optimum's loss: the optimum's at its size, more FLOP at every other size, 0 for never."""
    rows = walkthrough["tables"]["isoflop"]
    best = next(row for row in rows if row["size_factor"] == 1)
    assert best["isoloss_tokens"] == pytest.approx(best["isoflop_tokens"])
    assert all(row["isoloss_flop"] >= best["isoloss_flop"] * (1 - 1e-9) for row in rows if row["isoloss_tokens"])
    assert rows[0]["isoloss_tokens"] == 0
    assert best["isoflop_loss"] == min(row["isoflop_loss"] for row in rows)


def test_a_published_interval(walkthrough):
    """Percentiles of the exponent, turned around the middle of the fitted runs; 0 where none is published."""
    rows = {row["law"]: row for row in walkthrough["tables"]["laws"]}
    one = rows["Chinchilla, approach 2"]
    growth = one["law_flop"] / 1.3e20
    assert one["smallest_parameters"] == pytest.approx(one["optimal_parameters"] * growth ** (0.462 - 0.49))
    assert one["largest_parameters"] == pytest.approx(one["optimal_parameters"] * growth ** (0.534 - 0.49))
    assert rows["20 tokens per parameter"]["largest_parameters"] == 0


def test_the_nearest_listed_model(tmp_path):
    """Of two models the one nearer to the optimum of each law; of 34B, 8B is nearer than a tenth of a billion."""
    small = """
[[models]]
name = "tiny"
architecture = "dense"
dimensions = { n_layers = 8, d_model = 1024, n_heads = 8, d_ff = 4096, mlp_matrices = 3, vocab_size = 32000 }
"""
    rows = planned(tmp_path, WALKTHROUGH + MODEL + small)["tables"]["model_laws"]
    nearest = {row["model"] for row in rows if row["law"] == "Chinchilla, Epoch refit" and row["is_nearest"]}
    assert nearest == {"8B"}


@pytest.mark.parametrize(("unique", "holds"), [("unique_tokens = 15e12\n", True), ("unique_tokens = 14e12\n", False)])
def test_tokens_beyond_unique_data_fail_a_check(tmp_path, unique, holds):
    """8B trains on 15 trillion tokens: with fewer unique ones its data repeats, and the check names the model."""
    result = planned(tmp_path, WALKTHROUGH + unique + MODEL)["checks"]
    check = next(one for one in result if one["name"] == "unique_data")
    assert (check["state"] == "pass") == holds
    assert ("8B" in check["message"]) != holds
