"""Checks of a workbook: each can fail, and says so as delivered, in LibreOffice, and to whoever runs the program."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import evaluating
import judges
import pytest
from msgspec.structs import replace
from planner import Planner, run

from flopsheet.accounting.line import Line
from flopsheet.configs.inputs import read_inputs
from flopsheet.errors import TemplateError
from flopsheet.export.workbook import models, write_workbook
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.planning.question import MODELS, Question, Table

CONFIGS = Path(__file__).parent.parent / "examples" / "configs"
NAMES = ("gpt2-xl", "Llama-3.1-8B", "Mixtral-8x7B")
MODEL_ORDER = "Every model is cheapest in Low cost and most expensive in High cost"
CASE_ORDER = "Low cost is the cheapest case and High cost the most expensive"
FIRST_CHECK = 8
"""The row of the first check on its sheet."""
SAME_PARAMETERS = "Models and workings have the same parameters"


@cache
def plan_of(names=NAMES):
    """Return the plan of some of the example configs."""
    host = load()
    result, portfolios = read_inputs(host, [str(CONFIGS / name) for name in names])
    return make_plan(host, cost_all(host, result), portfolios)


def reversed_prices(plan):
    """Return a plan whose hours cost more in the Low case than in the High case."""
    drivers = [replace(d, low=d.high, high=d.low) if d.name == "price_per_hour" else d for d in plan.drivers]
    return replace(plan, drivers=tuple(drivers))


def verdicts(cells):
    """Return the checks that a workbook's cells show to fail, and what its sheets show of all."""
    titles = {
        int(at[1:]): title for (sheet, at), title in cells.items() if sheet == "Checks" and re.match("A[0-9]", at)
    }
    passed = {row: judges.number(str(cells.get(("Checks", f"C{row}"), ""))) == 1 for row in titles}
    failing = {title for row, title in titles.items() if row >= FIRST_CHECK and not passed[row]}
    shown = {str(text) for (_, at), text in cells.items() if re.fullmatch("[A-H][12]", at)}
    return failing, {text for text in shown if "check" in text and ("FAIL" in text or "pass" in text)}


def test_errors_are_looked_for_in_every_table_of_a_question(tmp_path):
    """Each table on the sheet of a question is in one of the checks that find error values."""
    result, _ = read_inputs(load(), [str(CONFIGS / "gpt2-xl")])
    plan = make_plan(load(), cost_all(load(), result), questions=["serving", "money", "scaling"])
    write_workbook(plan, tmp_path / "plan.xlsx")
    formulas = " ".join(
        str(one) for (sheet, _), one in judges.cells(tmp_path / "plan.xlsx", values=False).items() if sheet == "Checks"
    )
    tables = [one for sheet in question_sheets(plan) for one in sheet.tables]
    spans = [f"{one.name}[[{one.columns[0].header}]:[{one.columns[-1].header}]]" for one in tables]
    assert len(spans) > 10
    assert [span for span in spans if span not in formulas] == []


def test_a_workbook_whose_checks_pass_says_so(tmp_path):
    """Every sheet shows that all checks pass, and the report has nothing to say."""
    report = write_workbook(plan_of(), tmp_path / "plan.xlsx")
    assert verdicts(judges.cells(tmp_path / "plan.xlsx")) == (set(), {"All checks pass in Base"})
    assert report.failing == ()


def test_a_check_that_fails_is_delivered_as_failing(tmp_path):
    """The check, the master check and every sheet say so before anybody recalculates."""
    report = write_workbook(reversed_prices(plan_of()), tmp_path / "plan.xlsx")
    failing, shown = verdicts(judges.cells(tmp_path / "plan.xlsx"))
    assert {CASE_ORDER, MODEL_ORDER} <= failing
    assert len(shown) == 1
    assert shown.pop().startswith(f"FAIL: {len(failing)} of ")
    assert any(line.startswith(f"{CASE_ORDER}: difference 1. ") for line in report.failing)


@judges.needs_soffice
def test_a_delivered_failure_is_what_libreoffice_finds(tmp_path, monkeypatch):
    """Where prices fall from Low to High and Models brings other parameters, both programs find the same failures."""
    monkeypatch.setattr(models, "READ", {**models.READ, "parameters": ("parameters_active",)})
    path = tmp_path / "plan.xlsx"
    write_workbook(reversed_prices(plan_of()), path)
    (recalculated,) = judges.calculated([path], tmp_path / "out")
    failing, shown = verdicts(judges.cells(path))
    assert {CASE_ORDER, SAME_PARAMETERS} <= failing
    assert verdicts(recalculated) == (failing, shown)
    assert evaluating.differing(path, recalculated) == []


@pytest.mark.parametrize(("strict", "status"), [((), 0), (("--strict",), 1)])
def test_a_run_prints_failing_checks(strict, status, tmp_path, monkeypatch):
    """They stand on stderr, and under --strict the exit status is 1."""
    monkeypatch.setattr("flopsheet.export.batch.work.make_plan", lambda *inputs: reversed_prices(make_plan(*inputs)))
    code, _, errors = run("report", CONFIGS / "gpt2-xl", "-o", tmp_path / "plan.xlsx", *strict)
    assert code == status
    assert f"check failed: {CASE_ORDER}: difference 1." in errors


def test_a_passing_run_is_quiet_under_strict(tmp_path):
    """No check is printed and the exit status is 0."""
    code, _, errors = run("report", CONFIGS / "gpt2-xl", "-o", tmp_path / "plan.xlsx", "--strict")
    assert code == 0
    assert "check" not in errors


@judges.needs_soffice
def test_a_planning_line_over_any_total_has_its_column(tmp_path):
    """A question's line reads a total of the ledgers that no other line reads: Models brings it."""
    line = Line("gradient_share", "gradients_bytes / training_state_bytes", "ratio")
    share = Question(
        "share", "Gradients", "How much of the state they are.", tables=(Table("models", "", (line,), (MODELS,)),)
    )
    plan = plan_of()
    program = replace(plan.program, questions=(*plan.program.questions, share))
    write_workbook(replace(plan, program=program), tmp_path / "plan.xlsx")
    (recalculated,) = judges.calculated([tmp_path / "plan.xlsx"], tmp_path / "out")
    header = next(at for (sheet, at), text in recalculated.items() if (sheet, text) == ("Models", "gradient_share"))
    assert judges.number(recalculated["Models", header.replace("5", "6")]) == pytest.approx(
        float(plan.costed[0].numbers["gradients_bytes"] / plan.costed[0].numbers["training_state_bytes"])
    )
    assert evaluating.differing(tmp_path / "plan.xlsx", recalculated) == []


def test_a_formula_over_a_column_that_models_lacks_is_refused(tmp_path, monkeypatch):
    """It would be a broken reference in every row."""
    monkeypatch.setattr(models, "ORDERS", {**models.ORDERS, "cost": "no_such_line"})
    with pytest.raises(TemplateError, match=r"models\[order_cost\]: the column no_such_line of models"):
        write_workbook(plan_of(), tmp_path / "plan.xlsx")
    assert not (tmp_path / "plan.xlsx").exists()


def _low_price_up(book):
    book.cell("drivers", "price_per_hour", "Low cost").value = 999


def _live_case(book):
    book.cell("cases", 4, "goodput").value = 0.01


def _typed_total(book):
    book.cell("dense", 1, "parameters").value = 5


def _typed_step(book):
    book.cell("bridge", 1, "Amount").value = 7
    book.cell("bridge_training", 1, "Amount").value = 7


def _rows_below(book):
    for name in ("models", "dense"):
        sheet, columns, top = book.table(name)
        sheet.cell(top + 20, next(iter(columns.values()))).value = 44


def _no_number(book):
    book.cell("moe", 3, "no").value = None


def _wrong_scenario(book):
    book.book["About"]["B8"].value = "Live"


def _division(book):
    book.cell("models", 2, "training_days").value = "=1/0"


EDITS = {
    "no errors": (
        (_low_price_up, _live_case, _typed_total, _typed_step, _rows_below),
        {
            CASE_ORDER,
            MODEL_ORDER,
            "Sensitivity starts from the live result",
            "Table dense: line items and subtotals reconcile to the total",
            "Bridge: the steps add up to the parameters",
            "Bridge: the steps add up to the training compute",
            "Table models: no row is below it",
            "Table dense: no row is below it",
        },
    ),
    "a model without workings": (
        (_no_number,),
        {
            SAME_PARAMETERS,
            "Every row of Models finds its workings",
            "Models and workings have the same number of rows",
            "No error values in the budget or in Models",
        },
    ),
    "no such scenario": ((_wrong_scenario,), {"The scenario is Low cost, Base or High cost"}),
    "an error": ((_division,), {"No error values in the budget or in Models"}),
}
"""What a planner does to a workbook, and the checks that fail then."""


@judges.needs_soffice
def test_what_a_planner_breaks_fails_its_check(tmp_path):
    """LibreOffice and the evaluator find the same, in every cell of each workbook."""
    write_workbook(plan_of(), tmp_path / "plan.xlsx")
    delivered = (tmp_path / "plan.xlsx").read_bytes()
    broken = []
    for edit, (changes, _) in EDITS.items():
        (tmp_path / "plan.xlsx").write_bytes(delivered)
        planner = Planner(tmp_path)
        for change in changes:
            change(planner)
        planner.save()
        broken.append((tmp_path / "plan.xlsx").rename(tmp_path / f"{edit}.xlsx"))
    recalculated = judges.calculated(broken, tmp_path / "out")
    for path, fresh in zip(broken, recalculated, strict=True):
        assert EDITS[path.stem][1] <= verdicts(fresh)[0], path.stem
        assert evaluating.differing(path, fresh) == [], path.stem


@judges.needs_soffice
def test_checks_of_models_hold_where_no_model_is_costed(tmp_path):
    """A batch without a costed model breaks no check of a question, as delivered and recalculated."""
    host = load()
    result, portfolios = read_inputs(host, [str(CONFIGS / "broken")])
    plan = make_plan(host, cost_all(host, result), portfolios, questions=["training", "money"])
    assert write_workbook(plan, tmp_path / "plan.xlsx").failing == ()
    (recalculated,) = judges.calculated([tmp_path / "plan.xlsx"], tmp_path)
    assert verdicts(recalculated) == (set(), {"All checks pass in Base"})
