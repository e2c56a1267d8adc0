"""Plans that cannot be right: the plan, the report and the workbook say so, with what to change."""

import dataclasses

import openpyxl
import pytest
from msgspec.structs import replace
from planner import run
from samples import CONFIGS, write_portfolio

from flopsheet.configs.sizes import model_of_size
from flopsheet.export.workbook.question_sheets import question_sheets
from flopsheet.host.loading import load
from flopsheet.planning.costing import cost_all
from flopsheet.planning.making import make_plan
from flopsheet.units.numbers import number_of

PLAN = f"""
questions = ["budget", "training", "scaling"]
[inputs]
accelerators = 64
tokens = 1e12
{{inputs}}
[[models]]
config = "{CONFIGS / "Llama-3.1-70B" / "config.json"}"
"""
FAILS = {
    "MFU beyond any run": ("mfu = 0.8", "mfu is above what published runs of this generation reached", "mfu_most"),
    "speed beyond any run": ("achieved_tflops = 900", "above the MFU that published runs", "achieved_tflops"),
    "type that the accelerator lacks": ('precision = "fp4"', "does not compute in this precision", "precision"),
    "memory": (
        "tensor_parallel = 1",
        "A model does not fit: its weights, optimizer and activations",
        "note of the report",
    ),
    "heads": ("tensor_parallel = 3", "tensor_parallel does not divide the model's attention heads", "tensor_parallel"),
    "more stages than layers": ("pipeline_parallel = 96", "is more than the model's layers", "pipeline_parallel"),
    "virtual stages": (
        "pipeline_parallel = 8\nvirtual_stages = 64",
        "fewer virtual stages are counted",
        "virtual_stages",
    ),
    "accelerators": ("context_parallel = 5", "does not divide accelerators", "accelerators"),
    "batch": (
        "tensor_parallel = 8\nglobal_batch = 63",
        "global_batch is not a multiple of data parallelism",
        "global_batch",
    ),
    "experts of a dense model": ("expert_parallel = 2", "expert_parallel does not divide", "expert_parallel"),
    "data that repeats": ("unique_tokens = 1e11", "trains on more tokens than unique_tokens", "unique_tokens"),
    "no price": ("price_per_hour = 0", "price_per_hour is 0, and so is every cost of computing", "price_per_hour"),
}
"""What is wrong, the input that makes it so, what is said, and the key that is named."""
WARNS = {
    "layers": ("pipeline_parallel = 8\nvirtual_stages = 3", "does not divide the model's layers", "pipeline_parallel"),
    "stale price": (
        'price_per_hour = { base = 2, source = "Quote", date = "2025-01-31" }',
        "price_per_hour is older than price_max_age days",
        "price_per_hour",
    ),
    "MFU below any run": ("mfu = 0.05", "mfu is below what published runs of this generation reached", "mfu_least"),
    "MFU of mixtures below any run": (
        "mfu_sparse = 0.05",
        "mfu_sparse is below what published runs of this generation reached",
        "mfu_sparse_least",
    ),
}
"""The same of what may be meant."""
TOGETHER = {
    "MFU beyond any run": "“MFU, dense models” is above what published runs of this generation reached",
    "type that the accelerator lacks": "does not compute in this precision",
    "heads": "“Tensor parallelism” does not divide the model's attention heads",
    "data that repeats": "trains on more tokens than “Unique tokens”",
    "no price": "“GPU-hour price” is 0, and so is every cost of computing",
}
"""What one plan can have wrong at the same time, as its workbook says it, by the titles on Assumptions."""


def wrong(folder, *inputs):
    """Write a portfolio with inputs that cannot be right."""
    return write_portfolio(folder, PLAN.format(inputs="\n".join(inputs)))


@pytest.mark.parametrize("fault", FAILS)
def test_a_bad_plan_fails_a_check_that_names_the_input(fault, tmp_path):
    """`flopsheet plan` prints what is wrong, where, and which input to change."""
    given, message, key = FAILS[fault]
    status, out, errors = run("plan", wrong(tmp_path, given))
    assert status == 0, errors
    (line,) = (line for line in unwrapped(out) if line.startswith("FAIL") and message in line)
    assert key in line


def unwrapped(out):
    """Return the lines of the terminal, those of a message as one."""
    return out.replace("\n      ", " ").splitlines()


@pytest.mark.parametrize("doubt", WARNS)
def test_what_may_be_meant_warns_and_fails_nothing(doubt, tmp_path):
    """`flopsheet plan` prints the warning and counts it apart; every check that could fail the plan passes."""
    given, message, key = WARNS[doubt]
    status, out, errors = run("plan", wrong(tmp_path, given, "tensor_parallel = 8\nzero_stage = 3"))
    assert status == 0, errors
    warned = [line for line in unwrapped(out) if line.startswith("Warning")]
    (line,) = (line for line in warned if message in line)
    assert key in line
    assert f"All checks pass; {number_of(len(warned), 'warning')}\n" in out


def test_a_sheet_says_which_other_cases_fail(tmp_path):
    """A check that fails in High cost alone is a warning of the workbook in Base, on About and by name on Checks."""
    path = wrong(
        tmp_path,
        "tensor_parallel = 4\nzero_stage = 3\nspeed_gap = 1\nunique_tokens = { low = 5e11, base = 2e12, high = 2e12 }",
    )
    status, _, errors = run("report", path, "-o", tmp_path / "plan.xlsx")
    assert status == 0, errors
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    rows = {row[0]: row for row in book["Checks"].iter_rows(values_only=True)}
    title, off, verdict, why = rows["High cost: checks that fail or warn, as delivered"][:4]
    assert (off, verdict) == (1, -1), title
    assert "No model trains on repeated data" in why
    assert rows["Low cost: checks that fail or warn, as delivered"][1:3] == (0, 1)
    assert book["About"]["G2"].value == "All checks pass in Base; 1 warning"
    assert "warning: High cost: checks that fail or warn" in errors


def test_report_and_workbook_say_the_same(tmp_path):
    """The report prints each failing check, and the workbook's Checks has its row, its master failing too."""
    path = wrong(tmp_path, *(FAILS[fault][0] for fault in TOGETHER))
    status, _, errors = run("report", path, "-o", tmp_path / "plan.xlsx")
    assert status == 0, errors
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    rows = [" ".join(map(str, row)) for row in book["Checks"].iter_rows(values_only=True) if 0 in row]
    for message in TOGETHER.values():
        for said in (errors.splitlines(), rows):
            assert any(message in line for line in said), (message, said)
    assert str(book["About"]["G2"].value).startswith("FAIL")


def test_strict_makes_a_failing_check_an_error(tmp_path):
    """Exit status 1 says it to scripts."""
    path = wrong(tmp_path, FAILS["heads"][0])
    assert run("plan", path, "--strict")[0] == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ('start = "2027-04-01"\nend = "2027-01-01"', "the window ends before it starts"),
        ("mfu = 1.2", "mfu"),
        ("days = 0", "days"),
        ("accelerators = -4", "accelerators"),
        ('precision = "fp6"', "precision"),
        ("mfu = { low = 0.4, base = 0.3, high = 0.2 }", "mfu"),
    ],
)
def test_what_cannot_be_planned_is_refused_by_its_key(given, message, tmp_path):
    """A value that no plan can have is an error of usage, with the key."""
    text = (
        PLAN.format(inputs=given)
        if "accelerators" not in given
        else PLAN.replace("accelerators = 64\n", "").format(inputs=given)
    )
    status, _, errors = run("plan", write_portfolio(tmp_path, text))
    assert status == 2
    assert message in errors


@pytest.mark.parametrize(("warning", "look"), [(True, "warned"), (False, "pass")])
def test_the_column_of_a_check_shows_its_kind(warning, look):
    """In the table of a question, what warns reads "Warning" where what must hold reads "FAIL"."""
    plan = make_plan(load(), cost_all(load(), [model_of_size(load(), "7B")]), questions=["comparison"])
    changed = [
        dataclasses.replace(q, checks=tuple(c._replace(warning=warning) for c in q.checks))
        for q in plan.program.questions
    ]
    plan = replace(plan, program=replace(plan.program, questions=tuple(changed)))
    columns = [one for sheet in question_sheets(plan) for table in sheet.tables for one in table.columns]
    assert {one.look for one in columns if one.header == "check_quality_given"} == {look}
