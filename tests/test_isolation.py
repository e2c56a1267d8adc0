"""What fails in one question while a plan is made: that question is in error, and everything else is answered."""

import json
import tomllib

import openpyxl
import pytest
from judges import calculated, differing_or_wrong, needs_soffice
from planner import run
from samples import write_portfolio

from flopsheet.accounting import formula
from flopsheet.accounting.nonumber import NoNumber, NoNumberError

PORTFOLIO = """
name = "Isolated"
questions = ["budget", {asked}]
[inputs]
accelerators = 64
tokens = 1e12
{given}
[[models]]
name = "Seven"
size = "7B"
"""


def asking(*questions, given=""):
    """Return a portfolio that asks some questions and gives inputs."""
    return PORTFOLIO.format(asked=", ".join(map(repr, questions)), given=given)


PLUGIN = """
from flopsheet import MODELS, Check, Figure, Input, Line, Link, Question, Rows, RowSearch, Table, hookimpl

def broken(program, scope, model):
    return [][0]

TABLES, FIGURES, CHECKS = (), (), ()
DIVIDED, MILLIONS = "days / wrong_zero", "days / max(wrong_zero, 0.0001)"
{parts}

@hookimpl
def flopsheet_questions():
    given = (Input("wrong_zero", "Zero", kind="ratio", default=1, minimum=0),)
    return [Question("wrong", "What is wrong?", "It fails", given, TABLES, figures=FIGURES, checks=CHECKS)]
"""
LINE = """
SHARE = Line("wrong_share", {text!r}, "ratio")
TABLES = (Table("cases", "C", (SHARE, Line("wrong_twice", "2 * wrong_share", "ratio"))),)
"""
FIGURE = 'FIGURES = (Figure("f", "F", {table!r}, {line!r}, "It fails"),)\n'


def months(text, rows):
    """Return a table with a line over some rows."""
    line = f'Line("wrong_month", {text!r}, "ratio")'
    return f'Table("wrong_months", "Months", ({line},), (Rows("month", "Month", {rows}),)),'


CASES = {
    "a line divides by zero": (
        LINE.format(text="days / wrong_zero") + FIGURE.format(table="cases", line="wrong_twice"),
        "line wrong_share of cases: days / wrong_zero divides by zero (case low",
    ),
    "a line takes the logarithm of 0": (
        LINE.format(text="log(wrong_zero)") + FIGURE.format(table="cases", line="wrong_share"),
        "line wrong_share of cases: log(wrong_zero) has no value: log of a number that is not above zero",
    ),
    "one row of a table overflows": (
        f"TABLES = ({months('exp(400 * month)', 'until=str(3)')})\n"
        + FIGURE.format(table="wrong_months", line="wrong_month"),
        "exp(400 * month) gives a number that no cell can hold (2**1024 or more) (case low, month 2",
    ),
    "a line of each model": (
        'SHARE = Line("wrong_share", "training_days / wrong_zero", "days")\n'
        'TABLES = (Table("models", "M", (SHARE,), (MODELS,)),)\n' + FIGURE.format(table="models", line="wrong_share"),
        "line wrong_share of models: training_days / wrong_zero divides by zero (case low, model Seven",
    ),
    "a check divides by zero": (
        LINE.format(text="days") + 'CHECKS = (Check("k", "K", "cases", "1 if days / wrong_zero > 1 else 0", "Bad"),)\n',
        "check k of cases: 1 if days / wrong_zero > 1 else 0 divides by zero",
    ),
    "a count of rows divides by zero": (
        f"TABLES = ({months('month', 'until=DIVIDED')})\n" + FIGURE.format(table="wrong_months", line="wrong_month"),
        "month of wrong_months: days / wrong_zero divides by zero",
    ),
    "more rows than a table has": (
        f"TABLES = ({months('month', 'until=MILLIONS')})\n" + FIGURE.format(table="wrong_months", line="wrong_month"),
        "900,000 rows of month by until =",
    ),
    "a link reads a table that fails": (
        'ADDED = Link("added", "wrong_months", "wrong_month", "sum")\n'
        f"TABLES = ({months('1 / (month - 2)', 'until=str(3)')}"
        ' Table("cases", "C", (Line("wrong_share", "added", "ratio"),), (), (ADDED,)))\n'
        + FIGURE.format(table="cases", line="wrong_share"),
        "line wrong_month of wrong_months: 1 / (month - 2) divides by zero (case low, month 2",
    ),
    "a search raises": (
        'TABLES = (Table("wrong_found", "Found", (Line("wrong_share", "2 * size_found", "ratio"),),'
        ' (MODELS, Rows("found", "Found", search=RowSearch(broken, ("size_found",))))),)\n'
        + FIGURE.format(table="wrong_found", line="wrong_share"),
        "found of wrong_found: the search fails: IndexError",
    ),
}
"""What fails, the parts of a question that does, and what is said of it."""
OUTPUTS = ("xlsx", "toml", "csv", "md", "json", "parquet")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Return what a plan of the other questions answers without the plugin."""
    path = write_portfolio(tmp_path_factory.mktemp("sound"), asking("budget"))
    return json.loads(run("plan", path, "--format", "json")[1])


@pytest.fixture
def failing(request, tmp_path):
    """Return the arguments for a plan with a question that fails, and what is said of it."""
    parts, said = CASES[request.param]
    plugin = tmp_path / "wrongs.py"
    plugin.write_text(PLUGIN.format(parts=parts), "utf-8")
    path = write_portfolio(tmp_path, asking("wrong", given="wrong_zero = 0"))
    return [path, "--plugin", plugin], said


@pytest.mark.parametrize("failing", CASES, indirect=True)
def test_a_plan_answers_everything_else(failing, sound):
    """Every format is printed, the question is said to be in error with its plugin, and the exit status is 1."""
    arguments, said = failing
    for form in ("table", "json", "toml", "csv", "md"):
        status, out, errors = run("plan", *arguments, "--format", form)
        assert status == 1, form
        assert f"error: question wrong of plugin wrongs ({arguments[2]}" in errors
        assert said in errors, errors
        if form == "table":
            assert "ERROR  question wrong" in out.splitlines()[1]
        if form in ("json", "toml"):
            document = json.loads(out) if form == "json" else tomllib.loads(out)
            assert document["answers"]["budget"] == sound["answers"]["budget"]
            assert document["errors"][0]["question"] == "wrong"


@pytest.mark.parametrize("failing", CASES, indirect=True)
def test_a_report_has_every_output(failing, sound, tmp_path):
    """A workbook, TOML, CSV, Markdown, JSON and Parquet are written, with the other questions' numbers."""
    arguments, said = failing
    outputs = [option for suffix in OUTPUTS for option in ("-o", tmp_path / f"out.{suffix}")]
    status, _, errors = run("report", *arguments, *outputs)
    assert status == 1, errors
    assert said in errors
    assert all((tmp_path / f"out.{suffix}").exists() for suffix in OUTPUTS)
    report = tomllib.loads((tmp_path / "out.toml").read_text("utf-8"))
    assert report["answers"]["budget"] == sound["answers"]["budget"]
    assert report["errors"][0]["question"] == "wrong"
    book = openpyxl.load_workbook(tmp_path / "out.xlsx", data_only=True, read_only=True)
    assert str(book["About"]["G2"].value).startswith("FAIL")


def test_a_question_that_is_left_out_stops_no_plan(sound, tmp_path):
    """A plan that names it and gives one of its inputs is answered without it, which is said with the reason."""
    plugin = tmp_path / "wrongs.py"
    labels = "TABLES = (" + months("month", "values=(1, 2, 3), labels=tuple(str(1))") + ")\n"
    plugin.write_text(PLUGIN.format(parts=labels), "utf-8")
    path = write_portfolio(tmp_path, asking("wrong", given="wrong_zero = 0"))
    status, out, errors = run("plan", path, "--plugin", plugin, "--format", "json")
    assert status == 1, errors
    assert json.loads(out)["answers"] == sound["answers"]
    assert "question wrong of plugin wrongs" in errors
    assert "3 values and 1 labels; a label for each value is expected" in errors


@needs_soffice
def test_a_workbook_with_errors_recalculates_to_what_it_holds(tmp_path):
    """LibreOffice finds the same numbers, and an error wherever one was delivered."""
    books = []
    for name in ("one row of a table overflows", "a check divides by zero", "a search raises"):
        plugin = tmp_path / f"p{len(books)}.py"
        plugin.write_text(PLUGIN.format(parts=CASES[name][0]), "utf-8")
        path = write_portfolio(tmp_path, asking("wrong", given="wrong_zero = 0"))
        books.append(tmp_path / f"book{len(books)}.xlsx")
        run("report", path, "--plugin", plugin, "-o", books[-1])
    for book, found in zip(books, calculated(books, tmp_path / "calculated"), strict=True):
        assert differing_or_wrong(book, found) == []


def test_a_check_that_cannot_be_evaluated_fails(tmp_path):
    """It is not passed: the plan says that it could not be evaluated, and why."""
    plugin = tmp_path / "wrongs.py"
    plugin.write_text(PLUGIN.format(parts=CASES["a check divides by zero"][0]), "utf-8")
    path = write_portfolio(tmp_path, asking("wrong", given="wrong_zero = 0"))
    out = run("plan", path, "--plugin", plugin)[1]
    assert "FAIL  K: could not be evaluated: 1 if days / wrong_zero > 1 else 0 divides by zero (case low" in out


WITHIN = {
    "an accelerator without memory": "memory_gb = 0",
    "no usable memory": "memory_usable = 0",
    "no power": "tdp_w = 0",
    "a program of ten years": "program_months = 120",
}
"""Inputs within their bounds that divided by zero."""


@pytest.mark.parametrize("given", WITHIN.values(), ids=WITHIN)
def test_inputs_within_their_bounds_refuse_no_plan(given, tmp_path, sound):
    """The lines that read them may have no number; all others do."""
    text = asking("training", "scaling", "money", "serving", given=given)
    status, out, errors = run("plan", write_portfolio(tmp_path, text), "--format", "json")
    assert status in (0, 1), errors
    answers = json.loads(out)["answers"]
    assert answers["budget"]["budget"] == sound["answers"]["budget"]["budget"]
    assert {"training", "scaling", "money", "serving"} <= answers.keys()


@pytest.mark.parametrize(
    "text",
    [
        *("x", "x + 1", "1 - x", "x * 0", "0 / x", "x / 2", "-x", "min(1, x)", "max(x, 1)", "ceil(x)", "floor(x)"),
        *("log(x)", "exp(x)", "power(x, 2)", "power(2, x)", "round_up(x, 2)", "1 if x else 0"),
        *("1 if x == 1 else 0", "1 if x < 1 else 0", "1 if 2 >= x else 0"),
    ],
)
def test_what_is_no_number_makes_no_number(text):
    """No operation, function, comparison or test takes it for one."""
    with pytest.raises(NoNumberError, match="nobody knows"):
        formula.read(text).evaluate({"x": NoNumber("nobody knows")})


def test_a_branch_that_is_not_taken_does_no_harm():
    """A choice needs a number only for what it chooses, and for its test."""
    assert formula.read("2 if y else x").evaluate({"x": NoNumber("nobody knows"), "y": 1}) == 2
