"""flopsheet.report: plans as files, from Python."""

import subprocess
import sys
import tomllib

import pytest
from openpyxl import load_workbook
from samples import CONFIGS

import flopsheet

PORTFOLIO = "examples/portfolios/frontier.toml"


def test_a_plan_is_written_by_suffix(tmp_path):
    """A workbook, a report and a page of one plan; the report is the command's."""
    plan = flopsheet.plan(PORTFOLIO)
    paths = [tmp_path / f"plan{suffix}" for suffix in (".xlsx", ".toml", ".html")]
    flopsheet.report(plan, paths)
    assert "About" in load_workbook(paths[0], read_only=True).sheetnames
    assert tomllib.loads(paths[1].read_text("utf-8"))["models"]
    assert paths[2].read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_portfolio_is_planned_first(tmp_path):
    """What is asked goes to the plan; one output need not be a list."""
    flopsheet.report(PORTFOLIO, [tmp_path / "a.csv"], inputs={"mfu": 0.5})
    flopsheet.report(PORTFOLIO, str(tmp_path / "b.csv"))
    assert (tmp_path / "a.csv").read_text("utf-8") != (tmp_path / "b.csv").read_text("utf-8")


def test_a_plan_that_is_made_takes_no_inputs(tmp_path):
    """They would change nothing of what is written."""
    with pytest.raises(flopsheet.FlopsheetError, match="inputs: the plan is made already"):
        flopsheet.report(flopsheet.plan(), tmp_path / "plan.toml", inputs={"mfu": 0.5})


def test_what_nothing_writes_is_refused_and_nothing_is_lost(tmp_path):
    """Outputs are checked before any is written."""
    kept = tmp_path / "plan.toml"
    kept.write_text("mine")
    with pytest.raises(flopsheet.FlopsheetError, match="unsupported extension"):
        flopsheet.report(PORTFOLIO, [kept, tmp_path / "plan.docx"])
    assert kept.read_text() == "mine"


@pytest.mark.parametrize("planned", [str, flopsheet.plan], ids=["its path", "its plan"])
def test_an_input_is_never_an_output(tmp_path, planned):
    """A portfolio that is given as an output too stays as it was written, whether its path or its plan is given."""
    path = tmp_path / "portfolio.toml"
    path.write_text('# mine\n[[models]]\nsize = "8B"\n', "utf-8")
    with pytest.raises(flopsheet.FlopsheetError, match="is an input"):
        flopsheet.report(planned(path), [path])
    assert path.read_text("utf-8").startswith("# mine")


def test_a_portfolio_says_what_it_asks():
    """Its models, inputs and questions, before anything is planned; a config is none."""
    portfolio = flopsheet.load_portfolio(PORTFOLIO)
    assert len(portfolio.models) > 5
    assert [model.name for model in portfolio.models] == [model.name for model in flopsheet.plan(PORTFOLIO).plan.models]
    assert portfolio.inputs["accelerators"]
    with pytest.raises(flopsheet.FlopsheetError, match="is no portfolio"):
        flopsheet.load_portfolio("examples/configs/gpt2-xl/config.json")


def test_a_template_that_is_not_there_is_told_of_a_path_too(tmp_path):
    """As of a name: no other error is raised."""
    with pytest.raises(flopsheet.FlopsheetError, match="no such template"):
        flopsheet.report(CONFIGS / "gpt2-xl" / "config.json", tmp_path / "plan.xlsx", template=tmp_path / "mine.xlsx")


def test_a_template_is_planned_for_what_it_asks(tmp_path):
    """As the command does it for a portfolio; a plan that is made already says what it would have to ask."""
    flopsheet.report(PORTFOLIO, [tmp_path / "plan.xlsx"], template="serving-plan")
    assert "Serving" in load_workbook(tmp_path / "plan.xlsx", read_only=True).sheetnames
    with pytest.raises(flopsheet.FlopsheetError, match=r"plan with questions=.*'serving'"):
        flopsheet.report(flopsheet.plan(PORTFOLIO), [tmp_path / "plan.xlsx"], template="serving-plan")


def test_a_workbook_of_a_config_loads_no_question_that_it_does_not_ask(tmp_path):
    """Neither to bind its cells nor to say which plugins it rests on: loading all took a sixth of the time."""
    program = (
        "import sys\nfrom flopsheet.cli import main\n"
        "try:\n    main(['report', *sys.argv[1:]])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, sep='\\n')"
    )
    command = [sys.executable, "-c", program, CONFIGS / "gpt2-xl", "-o", tmp_path / "plan.xlsx"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8")
    start = "flopsheet.planning.questions."
    loaded = [name.removeprefix(start) for name in result.stdout.splitlines() if name.startswith(start)]
    assert {name.partition(".")[0] for name in loaded} == {"budget"}
    assert (tmp_path / "plan.xlsx").exists()
