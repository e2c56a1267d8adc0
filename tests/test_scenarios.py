"""Named scenarios: cases of a portfolio's own, in every answer, in the workbook, and on their way back."""

import json
import tomllib

import openpyxl
import pytest
from judges import calculated, cells, needs_soffice, shows
from planner import Planner, bring, run
from samples import write_portfolio

PLAN = """\
[inputs]
accelerator = "h100-sxm"
accelerators = 1024
days = 60
mfu = { low = 0.3, base = 0.38, high = 0.42 }

[scenarios."B200 in 2027"]
about = "Half as many of the next generation"
accelerator = "b200-sxm"
accelerators = 512  # half

[scenarios.Slow]
mfu = 0.25

[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 40, d_model = 5120, n_heads = 40, d_ff = 13824, mlp_matrices = 3, vocab_size = 128256 }
"""
NEXT = "B200 in 2027"


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a portfolio of two named scenarios."""
    write_portfolio(tmp_path, PLAN)
    return tmp_path


def told(path, *options):
    """Return a plan as a program reads it."""
    status, out, errors = run("plan", path, "--format", "json", *options)
    assert status == 0, errors
    return json.loads(out)


def test_a_scenario_is_the_base_case_of_a_plan_with_its_inputs(folder, tmp_path_factory):
    """The catalog's peak, memory, power and price of its accelerator come along."""
    own = PLAN.replace("h100-sxm", "b200-sxm").replace("1024", "512")
    other = told(write_portfolio(tmp_path_factory.mktemp("own"), own))
    plan = told(folder / "portfolio.toml")
    assert plan["models"][0][NEXT] == other["models"][0]["base"] != plan["models"][0]["base"]
    figures = [(one[NEXT], other["answers"]["budget"][name]["base"]) for name, one in plan["answers"]["budget"].items()]
    assert [one for one, _ in figures] == [one for _, one in figures]


def test_scenarios_stand_beside_the_cases_on_the_terminal(folder):
    """Each has a column of answers; --case shows its models."""
    status, out, _ = run("plan", folder / "portfolio.toml", "--case", "b200 in 2027")
    assert status == 0
    results = [part.strip() for part in out.splitlines()[3].split("  ") if part]
    assert results == ["Low cost", "Base", "High cost", NEXT, "Slow"]
    assert "Models, B200 in 2027 case" in out


def test_scenarios_are_rows_of_csv(folder):
    """A row per model and case."""
    rows = run("plan", folder / "portfolio.toml", "--format", "csv")[1].splitlines()
    assert [row.split(",")[2] for row in rows[1:]] == ["low", "base", "high", NEXT, "Slow"]


def test_a_report_restates_its_scenarios(folder):
    """A TOML report read again gives the same plan, scenario by scenario."""
    assert run("report", folder / "portfolio.toml", "-o", folder / "report.toml")[0] == 0
    assert told(folder / "report.toml")["models"] == told(folder / "portfolio.toml")["models"]
    assert tomllib.loads((folder / "report.toml").read_text("utf-8"))["scenarios"]["Slow"]["inputs"] == {"mfu": 0.25}


BAD = {
    "[scenarios.Slow]\nmfu = { base = 0.25 }": "scenarios.Slow.mfu: a scenario takes one value, not a range",
    "[scenarios.Slow]\nseq_len = 4096": "list the model twice, each with its own seq_len",
    "[scenarios.Slow]\ngoodputt = 0.25": "scenarios.Slow.goodputt: unknown; did you mean 'goodput'",
    "[scenarios.Slow]": "scenarios.Slow: no input is given",
    "[scenarios.Base]\nmfu = 0.25": "'Base' is a name that reports use",
    '[scenarios."a[b]"]\nmfu = 0.25': "a name of at most 40 letters",
    "[scenarios]\nSlow = 3": "scenarios.Slow: a table of inputs is expected",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_scenario_is_refused(tmp_path, text):
    """Each problem says its place and what is expected."""
    path = write_portfolio(tmp_path, PLAN.replace("[scenarios.Slow]\nmfu = 0.25", text))
    status, _, errors = run("plan", path)
    assert status == 2
    assert BAD[text] in errors


def test_an_unknown_scenario_is_refused(folder):
    """Of the command line and of the portfolio, with those that there are."""
    assert (
        "expected one of low, base, high, B200 in 2027, Slow"
        in run("plan", folder / "portfolio.toml", "--case", "Fast")[2]
    )
    (folder / "portfolio.toml").write_text('scenario = "Fast"\n' + PLAN, "utf-8")
    assert "scenario: 'Fast'; one of low, base, high, B200 in 2027, Slow" in run("plan", folder / "portfolio.toml")[2]


def test_a_price_of_the_plan_that_also_counts_for_another_accelerator_is_told(folder):
    """A planner's own price stays in every scenario, which a note says."""
    (folder / "portfolio.toml").write_text(PLAN.replace("days = 60", "days = 60\nprice_per_hour = 3"), "utf-8")
    said = run("plan", folder / "portfolio.toml")[2]
    assert "scenario B200 in 2027: mfu, price_per_hour of this plan also count for its b200-sxm" in said


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Return a folder with the workbook, and the one that shows a scenario."""
    folder = tmp_path_factory.mktemp("delivered")
    path = write_portfolio(folder, PLAN)
    assert run("report", path, "-o", folder / "plan.xlsx")[0] == 0
    assert run("report", path, "-o", folder / "next.xlsx", "--case", NEXT)[0] == 0
    return folder


@needs_soffice
def test_the_workbook_follows_the_scenario_that_is_chosen(delivered, tmp_path):
    """Choosing it on About gives what a workbook delivered in it shows, cell by cell."""
    book = openpyxl.load_workbook(delivered / "plan.xlsx")
    ((sheet, place),) = book.defined_names["in_scenario_label"].destinations
    book[sheet][place.replace("$", "")].value = NEXT
    book.save(tmp_path / "chosen.xlsx")
    (result,) = calculated([tmp_path / "chosen.xlsx"], tmp_path / "again")
    wanted = cells(delivered / "next.xlsx")
    live = [at for at in wanted if at[0] in ("About", "Budget", "Models", "Assumptions")]
    assert len(live) > 300
    assert [(at, wanted[at], result.get(at)) for at in live if not shows(wanted[at], result.get(at, ""))] == []


@pytest.fixture
def planner(delivered, tmp_path):
    """Return somebody who edits a copy of the delivered workbook."""
    for name in ("portfolio.toml", "plan.xlsx"):
        (tmp_path / name).write_bytes((delivered / name).read_bytes())
    return Planner(tmp_path)


def test_an_edited_scenario_comes_back(planner, tmp_path):
    """What was typed in its column is an input of the scenario; comments stay."""
    planner.cell("drivers", "accelerators", NEXT).value = 768
    planner.cell("drivers", "goodput", "Slow").value = 0.7
    planner.save()
    assert bring(tmp_path, "--yes")[0] == 0
    text = (tmp_path / "portfolio.toml").read_text("utf-8")
    assert "accelerators = 768  # half" in text
    assert tomllib.loads(text)["scenarios"]["Slow"] == {"mfu": 0.25, "goodput": 0.7}


def test_a_scenario_follows_where_the_base_case_was_edited(planner, tmp_path):
    """Cells that nobody set are Base's by formula, in black: those of Low cost and of scenarios."""
    cell, base = (planner.cell("drivers", "days", header) for header in ("Slow", "Base"))
    assert cell.value == "=drivers[[#This Row],[Base]]"
    assert (cell.font.color.rgb[2:], base.font.color.rgb[2:]) == ("000000", "0000FF")
    base.value = 70
    planner.cell("drivers", "days", "High cost").value = 80
    planner.save()
    _, out, _ = bring(tmp_path, "--yes")
    assert "written out" not in out
    portfolio = tomllib.loads((tmp_path / "portfolio.toml").read_text("utf-8"))
    assert portfolio["inputs"]["days"] == {"low": 70, "base": 70, "high": 80}
    assert all("days" not in portfolio["scenarios"][name] for name in (NEXT, "Slow"))


def test_a_number_typed_into_a_scenario_is_its_own(planner, tmp_path):
    """Base does not move it then."""
    planner.cell("drivers", "days", "Slow").value = 90
    planner.cell("drivers", "days", "Base").value = 70
    planner.save()
    assert bring(tmp_path, "--yes")[0] == 0
    portfolio = tomllib.loads((tmp_path / "portfolio.toml").read_text("utf-8"))
    assert (portfolio["inputs"]["days"], portfolio["scenarios"]["Slow"]["days"]) == (70, 90)


@pytest.mark.usefixtures("planner")
def test_a_new_portfolio_has_the_scenarios(tmp_path):
    """Without the old one, import finds them between the cases and the live column."""
    (tmp_path / "portfolio.toml").unlink()
    assert bring(tmp_path, "--yes")[0] == 0
    assert tomllib.loads((tmp_path / "portfolio.toml").read_text("utf-8"))["scenarios"]["Slow"] == {"mfu": 0.25}


def test_a_template_without_columns_for_scenarios_leaves_them_out(folder):
    """The report says so, and the three cases are filled."""
    assert run("templates", "copy", "plan", folder / "mine.xlsx")[0] == 0
    options = ("--template", folder / "mine.xlsx", "--case", "Slow", "-o", folder / "plan.xlsx")
    status, _, errors = run("report", folder / "portfolio.toml", *options)
    assert status == 0
    assert "has no column 'B200 in 2027': the portfolio's named scenarios are left out; Base is shown" in errors


def test_a_sweep_may_take_a_scenario(folder):
    """Its inputs are those of every design."""
    text = "\n[sweep.axes]\ndays = [30, 60]\n"
    (folder / "portfolio.toml").write_text(PLAN + text, "utf-8")
    status, _, errors = run("sweep", folder / "portfolio.toml", "--case", "slow")
    assert status == 0, errors
    assert "the case 'fast' is unknown" in run("sweep", folder / "portfolio.toml", "--case", "fast")[2]
