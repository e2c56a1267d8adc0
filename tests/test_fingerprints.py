"""Fingerprints of lines: what moves them, and what `diff` says of a number's cause."""

import json
from pathlib import Path

import pytest
from pages.formulas import page
from planner import run
from toy_plugins import MATRIX, Point, toy

from flopsheet import Line
from flopsheet.host.loading import load, load_from
from flopsheet.planning.fingerprints import of_ledger, of_program, own_of
from flopsheet.planning.registry import base_program, program

ROOT = Path(__file__).parent.parent
AFT = (ROOT / "examples" / "plugins" / "aft" / "aft.toml").read_text("utf-8")
CONFIG = json.loads((ROOT / "examples" / "plugins" / "aft" / "aft-small" / "config.json").read_text("utf-8"))
ONE_FACTOR = AFT.replace("n_layers * 2 * max_positions * d_bias", "n_layers * max_positions * d_bias")


def prints(**answers):
    """Return the fingerprints of a toy architecture."""
    return of_ledger(load_from([Point("toys", toy(**answers))]).ledger("toy"))


def test_a_formula_moves_what_reads_it():
    """The line itself with both digests, totals that read it with the second; nothing else moves."""
    before, after = prints(), prints(parameters=[MATRIX._replace(formula="width * width * 2")])
    moved = {name for name in before if before[name] != after[name]}
    assert {"matrix", "sum_parameters_mlp", "parameters"} <= moved
    assert not moved & {"product", "flops_forward"}
    assert [name for name in moved if own_of(before[name]) != own_of(after[name])] == ["matrix"]


def test_words_move_nothing():
    """Title, about and source are no formula."""
    assert prints() == prints(parameters=[MATRIX._replace(title="A title", about="About", source="Somebody")])


def test_a_new_line_has_its_own():
    """Unit and name belong to it."""
    lines = [MATRIX, Line("other", "width * width", "parameters", "mlp")]
    result = prints(parameters=lines)
    assert result["other"] != result["matrix"]


def test_every_line_of_a_plan_has_one():
    """In every table, the same for the same question alone."""
    every, alone = of_program(program(load())), of_program(base_program())
    assert all(one.keys() == {line.name for line in program(load()).lines(name)} for name, one in every.items())
    assert {name: every["cases"][name] for name in alone["cases"]} == alone["cases"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return a function that reports a model under a plugin file, a width and a number of days, each once."""
    folder, made = tmp_path_factory.mktemp("moved"), {}

    def report(text, width, days):
        key = text, width, days
        if key not in made:
            place = folder / str(len(made))
            place.mkdir()
            (place / "aft.toml").write_text(text, "utf-8")
            (place / "config.json").write_text(json.dumps(CONFIG | {"bias_dim": width}), "utf-8")
            models = 'plugins = ["aft.toml"]\n[[models]]\nname = "A"\nconfig = "config.json"\n'
            (place / "p.toml").write_text(f"{models}\n[inputs]\ndays = {days}\naccelerators = 8\n", "utf-8")
            made[key] = place / "report.json"
            assert run("report", place / "p.toml", "-o", made[key])[0] == 0
        return made[key]

    return report


CAUSES = {
    "formula": ((AFT, 16, 30), (ONE_FACTOR, 16, 30), {"totals.parameters": "formula"}, ["aft.position_factors"]),
    "dimension": ((AFT, 16, 30), (AFT, 32, 30), {"totals.parameters": "input", "dimensions.d_bias": ""}, []),
    "both": (
        (AFT, 16, 30),
        (ONE_FACTOR, 64, 30),
        {"totals.parameters": "formula and input", "totals.flops_forward": "input"},
        ["aft.position_factors"],
    ),
    "input": ((AFT, 16, 30), (AFT, 16, 60), {"scenarios.base.budget_cost": "input", "inputs.days.base": ""}, []),
}


@pytest.mark.parametrize(("old", "new", "expected", "formulas"), CAUSES.values(), ids=CAUSES)
def test_a_move_has_its_cause(reports, old, new, expected, formulas):
    """What a formula moved is told apart from what an input moved, as JSON for programs."""
    status, out, _ = run("diff", reports(*old), reports(*new), "--format", "json")
    document = json.loads(out)
    assert status == 1
    assert document["formulas"] == formulas
    result = {move["path"]: move["cause"] for move in (*document["plan"], *document["models"].get("A", ()))}
    assert {path: result.get(path) for path in expected} == expected
    assert {path.split(".")[0] for path, cause in result.items() if not cause} <= {"dimensions", "inputs"}


def test_a_pull_request_shows_a_table(reports):
    """Markdown: what moved in all, which formula changed, and a row a number."""
    _, out, _ = run("diff", reports(AFT, 16, 30), reports(ONE_FACTOR, 16, 30), "--format", "md")
    assert out.startswith("**")
    assert "of them by a formula**" in out
    assert "- formula changed: `aft.position_factors`" in out
    assert "| number | old | new | change | cause |" in out
    assert "| `totals.parameters` | 224,640 | 218,496 | -2.735% | formula |" in out


def test_the_page_of_formulas_is_current():
    """`make docs` writes it."""
    text = "".join(page(load(), program(load())))
    assert (ROOT / "docs" / "formulas.md").read_text("utf-8") == text
    assert "| `attention_q` |" in text
