"""`flopsheet fit`: constants of a law from a csv file of runs, as inputs of a portfolio."""

import json
import tomllib

import pytest
from planner import run
from samples import write_portfolio

LAW = {"own_law_a": 482.01, "own_law_b": 2085.43, "own_law_e": 1.8172, "own_alpha": 0.34781, "own_beta": 0.36585}


def loss(n, d):
    """Return the loss of the Epoch refit of Chinchilla."""
    return LAW["own_law_e"] + LAW["own_law_a"] / n ** LAW["own_alpha"] + LAW["own_law_b"] / d ** LAW["own_beta"]


def written(folder, header="N,D,loss", rows=None):
    """Write a csv file of runs, those of a known law by default, and return its path."""
    exact = [(n, d, loss(n, d)) for n in (1e8, 4e8, 1e9, 4e9, 16e9) for d in (2e9, 2e10, 2e11)]
    text = "\n".join([header, *(",".join(map(str, row)) for row in (exact if rows is None else rows))])
    path = folder / "runs.csv"
    path.write_text(text + "\n", "utf-8")
    return path


def test_a_known_law_is_found_again(tmp_path):
    """From exact losses the constants come back, and the portfolio made of them predicts those losses."""
    pytest.importorskip("scipy")
    status, out, errors = run("fit", written(tmp_path))
    assert status == 0, errors
    inputs = tomllib.loads(out)["inputs"]
    assert {name: inputs[name] for name in LAW} == pytest.approx(LAW, rel=1e-3)
    assert (inputs["own_max_parameters"], inputs["own_max_tokens"]) == (16e9, 2e11)
    model = '\n[[models]]\nsize = "34B"\ntokens = 1e11\n'
    status, out, _ = run("plan", write_portfolio(tmp_path, out + model), "--format", "json")
    row = next(r for r in json.loads(out)["tables"]["model_laws"] if r["law"] == "Your own constants")
    assert row["predicted_loss"] == pytest.approx(loss(row["law_parameters"], 1e11), rel=1e-4)
    assert row["extrapolated"] == 1


BAD = {
    "no loss": ("N,D", None, "no column for loss (or final_loss"),
    "not a number": ("N,D,loss", [(1e9, "many", 2.5)], "line 2: D = 'many'; a number above 0 is expected"),
    "too few": (
        "N,D,loss",
        [(1e9, 1e10, 2.5)],
        "1 usable rows; at least 6 with 3 sizes",
    ),
}


@pytest.mark.parametrize(("header", "rows", "message"), BAD.values(), ids=BAD)
def test_a_bad_file_is_refused(tmp_path, header, rows, message):
    """With its line, and what is expected."""
    status, _, errors = run("fit", written(tmp_path, header, rows))
    assert status == 2
    assert message in errors
