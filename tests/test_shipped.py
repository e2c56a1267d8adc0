"""The shipped templates: what they ask, several filled at once, the checklist, and LibreOffice in every case."""

from __future__ import annotations

from pathlib import Path

import judges
import openpyxl
import pytest
from asking import portfolio
from planner import run
from samples import CONFIGS

from flopsheet.audit.audit import audit
from flopsheet.errors import UsageError
from flopsheet.export.shipped_templates import workbook_templates
from flopsheet.host.loading import load

TEMPLATES = ("training-plan", "serving-plan", "model-comparison")
PORTFOLIOS = [CONFIGS.parent / "portfolios" / f"{name}.toml" for name in ("serving", "comparison")]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Give what writes the workbook of a plan for a template and a case, once; two of the plans are the examples."""
    folder, made = tmp_path_factory.mktemp("shipped"), {}
    plans = dict(zip(TEMPLATES, (portfolio(folder, "passes", "runs"), *PORTFOLIOS), strict=True))

    def written(template, case="base"):
        if (template, case) not in made:
            path = folder / f"{case}-{template}.xlsx"
            code, _, errors = run("report", plans[template], "--case", case, "--template", template, "-o", path)
            assert code == 0, errors
            made[template, case] = path
        return made[template, case]

    return written


@pytest.mark.slow
@judges.needs_soffice
def test_libreoffice_finds_every_cached_value(filled, tmp_path):
    """A hard recalculation of a comparison in High cost gives what stands beside each formula.

    All sheets of the templates are in test_all_questions too, and test_workbook chooses every case of one plan.
    """
    path = filled("model-comparison", "high")
    (result,) = judges.calculated([path], tmp_path)
    assert judges.differing(path, result) == []


@judges.needs_validator
def test_the_sdk_validator_finds_no_error(filled):
    """A workbook is valid Open XML; that of every question is in test_all_questions."""
    assert judges.validate(filled("model-comparison", "high")) == []


def test_a_shipped_template_passes_its_own_checklist():
    """With its sample, before a report fills it; the sheets of the others are in test_all_questions."""
    result = audit(load(), "serving-plan")
    assert result.passed, [one.name for one in result.verdicts if one.failures]


def test_the_cover_is_about_the_question_that_leads(filled):
    """A comparison begins with the name of the cheapest model, not with what a cluster trains."""
    cover = openpyxl.load_workbook(filled("model-comparison"), data_only=True, read_only=True)["About"]
    assert cover["A4"].value == "Which model is cheapest over its lifetime?"
    assert cover["A5"].value.startswith("Train and serve 70B on 3T tokens: USD ")


@pytest.mark.parametrize(
    ("template", "result"),
    [
        ("training-plan", "training cost"),
        ("serving-plan", "USD per million tokens"),
        ("model-comparison", "lifetime cost"),
    ],
)
def test_sensitivity_begins_with_what_the_template_is_about(filled, template, result):
    """A plan of serving shows what moves the price of tokens, not what moves the cost of training."""
    sheet = openpyxl.load_workbook(filled(template), data_only=True, read_only=True)["Sensitivity"]
    assert sheet["B4"].value == f"Chosen model: {result}"


def test_a_template_asks_its_own_questions(filled):
    """A comparison brings the questions that it needs, and no others."""
    sheets = openpyxl.load_workbook(filled("model-comparison"), read_only=True).sheetnames
    assert {"Scaling", "Serving", "Comparison"} < {*sheets}
    assert not {"Charts", "Money"} & {*sheets}


def test_a_copied_template_is_filled_like_the_shipped_one(tmp_path):
    """One report fills both; the copy has the names and units of the report, and none of its sample's."""
    portfolio = tmp_path / "p.toml"
    model = f'[[models]]\nname = "Ours"\nconfig = "{CONFIGS}/Llama-3.1-8B/config.json"\n'
    portfolio.write_text(f'questions = ["serving"]\n[cluster]\naccelerator = "h100-sxm"\n{model}', "utf-8")
    mine = tmp_path / "mine.xlsx"
    assert run("templates", "copy", "serving-plan", mine)[0] == 0
    both = ("--template", mine, "--template", "serving-plan")
    status, _, errors = run("report", portfolio, *both, "-o", tmp_path / "next.xlsx")
    assert (status, "also asks" in errors) == (0, False)
    copy, shipped = (judges.cells(tmp_path / name) for name in ("next-mine.xlsx", "next-serving-plan.xlsx"))
    about = {at: value for at, value in shipped.items() if at[0] in ("About", "Serving")}
    assert {at: copy.get(at) for at in about} == about


def test_a_template_that_asks_more_than_the_portfolio_says_so(tmp_path):
    """Its speed is that of a layout, and the terminal's is the MFU: the run says how to have both alike."""
    path = tmp_path / "portfolio.toml"
    path.write_text('[[models]]\nsize = "1B"\n', "utf-8")
    _, _, errors = run("report", path, "--template", "training-plan", "-o", tmp_path / "next.xlsx")
    assert "template training-plan also asks training, money, so its answers may differ" in errors


def test_a_copy_without_an_input_of_a_model_is_refused(tmp_path):
    """Its tables would keep the numbers of the sample."""
    mine = tmp_path / "mine.xlsx"
    assert run("templates", "copy", "serving-plan", mine)[0] == 0
    code, _, errors = run("report", PORTFOLIOS[0], "--template", mine, "-o", tmp_path / "next.xlsx")
    assert code
    assert "serving_profiles lacks the column 'used_disaggregated'" in errors
    assert not (tmp_path / "next.xlsx").exists()


def test_templates_and_workbooks_are_matched():
    """One for all, one each in their order, or one workbook that stands for one per template."""
    one, two = Path("a.xlsx"), Path("b.xlsx")
    assert workbook_templates([one, Path("a.toml"), two], ["plan"]) == {one: "plan", two: "plan"}
    assert workbook_templates([one, two], ["plan", "x.xlsx"]) == {one: "plan", two: "x.xlsx"}
    assert workbook_templates([one], ["plan", "x.xlsx"]) == {Path("a-plan.xlsx"): "plan", Path("a-x.xlsx"): "x.xlsx"}


@pytest.mark.parametrize(("outputs", "templates"), [(["a.xlsx", "b.xlsx"], ["1", "2", "3"]), (["a.xlsx"], ["1", "1"])])
def test_templates_that_do_not_fit_the_workbooks_are_refused(outputs, templates):
    """Neither a guess nor a workbook that overwrites another."""
    with pytest.raises(UsageError, match="templates"):
        workbook_templates([Path(name) for name in outputs], templates)
