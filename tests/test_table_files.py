"""Tables over models and months, or anything else: in every file that a program reads, and on a page for people."""

import csv
import json
import tomllib

import pytest
from planner import run
from samples import planned, write_portfolio

from flopsheet.export.markdown import as_markdown
from flopsheet.export.table import as_json, table_csv
from flopsheet.export.toml import report_document
from flopsheet.planning.question_set import SHARED

MODEL = """
[[models]]
name = "{name}"
architecture = "dense"
tokens = 1e12
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }}
"""
TWO = f"[inputs]\ndays = 90\n{MODEL.format(name='=Ours')}{MODEL.format(name='Theirs')}"
PLUGIN = """
from flopsheet import Input, Line, Question, Rows, Table, hookimpl, plan

MONTHS = Input("kept_months", "Months", kind="count", default=3, minimum=1)
KEPT = Table(
    "kept_monthly",
    "Kept by month",
    (Line("kept", "parameters * month", "parameters"),),
    (Rows("model", "Model"), Rows("month", "Month", until="kept_months")),
)
ROWS = (Rows("model", "Model"),)
OWN = Table("kept_models", "Kept of models", (Line("kept_twice", "parameters * 2", "bytes"),), ROWS)
MODELS = Table("models", "Models", (Line("kept_in_all", "parameters * 3", "bytes"),), ROWS)
TABLES = (KEPT, OWN, MODELS)
SHEET = {"tables": {"kept_monthly": {"title": "Kept, month by month"}}}
flopsheet_questions = hookimpl(
    lambda: [Question("kept", "What is kept?", "By month.", (MONTHS,), TABLES, sheet=SHEET)]
)
"""


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Return the plan of two models under every question that has tables over models and something else."""
    path = write_portfolio(tmp_path_factory.mktemp("tables"), TWO)
    return planned(path, questions=("scaling", "money", "phases", "serving", "comparison", "feasible", "training"))


@pytest.fixture
def third_party(tmp_path):
    """Return a folder with a portfolio, and the options that ask a question of somebody else's."""
    (tmp_path / "kept.py").write_text(PLUGIN, "utf-8")
    write_portfolio(tmp_path, f'questions = ["kept"]\n{TWO}')
    return tmp_path, ("--plugin", tmp_path / "kept.py")


def rows_of(lines):
    """Return the rows of a CSV, numbers as numbers."""
    return [{name: number(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def by_text(rows):
    """Return rows in an order of their own."""
    return sorted(rows, key=repr)


def number(text):
    """Return a cell of a CSV as JSON has it."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_every_table_is_in_toml_and_json(plan):
    """What has a row per model and month, law, layout or other model has the rows of the plan."""
    toml, wanted = tomllib.loads("".join(report_document(plan))), {*plan.program.tables} - {*SHARED}
    assert {"programme_monthly", "model_laws", "layouts", "comparison_pairs", "comparison_points"} <= wanted
    assert toml["tables"].keys() == wanted
    assert toml["tables"]["programme_monthly"][1]["model"] == "=Ours"
    assert toml["tables"]["programme_monthly"][1]["month"] == 2
    assert json.loads(as_json(plan))["tables"] == toml["tables"]


def test_a_table_as_csv_has_each_case(plan):
    """A row per case, model and month, and the numbers of the shown case are those of the JSON report."""
    table = json.loads(as_json(plan))["tables"]["programme_monthly"]
    rows = rows_of(table_csv(plan, "programme_monthly"))
    assert [row["case"] for row in rows[:: len(table)]] == ["low", "base", "high"]
    assert rows[len(table)].pop("model") == "'=Ours"
    base = [{name: cell for name, cell in row.items() if name != "case"} for row in rows if row["case"] == "base"]
    assert base[1:] == [row | {"model": row["model"].replace("=", "'=")} for row in table][1:]


def test_a_report_with_tables_is_a_portfolio_again(plan, tmp_path):
    """Fed back, it gives the same rows; those of a search begin with the layout that a model has by then."""
    first = "".join(report_document(plan))
    again = tomllib.loads("".join(report_document(planned(write_portfolio(tmp_path, first)))))["tables"]
    assert {name: by_text(rows) for name, rows in again.items()} == {
        name: by_text(rows) for name, rows in tomllib.loads(first)["tables"].items()
    }


def test_markdown_has_tables_of_questions(plan):
    """Each has the heading of the terminal, at most fifty rows, and says how many more there are."""
    page = as_markdown(plan)
    months = page.partition("## Serving month by month: =Ours")[2].partition("##")[0]
    assert months.count("\n| ") == 2 + 12
    layouts = page.partition("## Parallel layouts")[2].partition("\n## Serving")[0]
    assert len([line for line in layouts.splitlines() if line.startswith("| ")]) <= 60
    assert "more rows; TOML and JSON reports have all" in page


def test_files_of_tables_are_written_with_the_others(third_party):
    """`--tables` names a folder: each table of any plugin's question is a file there."""
    folder, plugin = third_party
    (folder / "tables").mkdir()
    arguments = ("-o", folder / "plan.csv", "-o", folder / "plan.json", "--tables", folder / "tables")
    status, out, _ = run("report", folder / "portfolio.toml", *arguments, *plugin)
    assert (status, str(folder / "tables") in out) == (0, True)
    assert sorted(path.name for path in (folder / "tables").iterdir()) == ["kept_models.csv", "kept_monthly.csv"]
    with (folder / "tables" / "kept_monthly.csv").open(encoding="utf-8", newline="") as file:
        rows = rows_of(file)
    assert [(row["model"], row["month"]) for row in rows if row["case"] == "base"] == [
        (name, month) for name in ("'=Ours", "Theirs") for month in (1, 2, 3)
    ]
    table = json.loads((folder / "plan.json").read_text("utf-8"))["tables"]["kept_monthly"]
    assert [row["kept"] for row in rows if row["case"] == "base"] == [row["kept"] for row in table]
    with (folder / "plan.csv").open(encoding="utf-8", newline="") as file:
        assert [row["name"] for row in csv.DictReader(file)] == ["'=Ours", "Theirs"]


@pytest.mark.parametrize("options", [(), ("--jobs", "2")])
def test_a_table_over_models_alone_is_whole(third_party, options):
    """A batch that could be written in parts is not where a table of a question has a row per model."""
    folder, plugin = third_party
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.toml", *plugin, *options)[0] == 0
    rows = tomllib.loads((folder / "plan.toml").read_text("utf-8"))["tables"]["kept_models"]
    assert [row["model"] for row in rows] == ["=Ours", "Theirs"]


def test_one_table_is_printed_as_csv(third_party):
    """`plan --format csv --table` has the rows of a table; other formats have every table."""
    folder, plugin = third_party
    portfolio = folder / "portfolio.toml"
    status, out, _ = run("plan", portfolio, "--format", "csv", "--table", "kept_monthly", *plugin)
    assert (status, len(rows_of(out.splitlines()))) == (0, 3 * 2 * 3)
    status, _, said = run("plan", portfolio, "--format", "csv", "--table", "kept_month", *plugin)
    assert (status, "did you mean 'kept_monthly'" in said) == (2, True)
    status, _, said = run("plan", portfolio, "--format", "json", "--table", "kept_monthly", *plugin)
    assert (status, "add --format csv" in said) == (2, True)


def test_a_folder_of_tables_is_checked_first(third_party):
    """One that is not there is said, and nothing is written; so is an input that would be replaced."""
    folder, plugin = third_party
    arguments = ("report", folder / "portfolio.toml", "-o", folder / "plan.csv", *plugin, "--tables")
    status, _, said = run(*arguments, folder / "nowhere")
    assert (status, "does not exist; make it first" in said, (folder / "plan.csv").exists()) == (2, True, False)
    (folder / "kept_models.csv").write_text("name,architecture\nOther,dense\n", "utf-8")
    status, _, said = run(*arguments, folder, "--", folder / "kept_models.csv")
    assert (status, "kept_models.csv is an input" in said) == (2, True)


def test_lines_that_a_question_adds_to_models_are_shown(third_party):
    """Where it does not say which, all of them are, on the terminal and in Markdown, next to those of the budget."""
    folder, plugin = third_party
    _, out, _ = run("plan", folder / "portfolio.toml", *plugin)
    assert "Kept in all" in out
    assert "schedule and" in out
    _, out, _ = run("plan", folder / "portfolio.toml", "--format", "md", *plugin)
    assert "| Kept in all |" in out


def test_the_title_of_a_sheet_is_the_terminals(third_party):
    """What `sheet.toml` calls a table is above its rows."""
    folder, plugin = third_party
    _, out, _ = run("plan", folder / "portfolio.toml", *plugin)
    assert "Kept, month by month: =Ours" in out


def test_a_plan_without_tables_of_its_own_says_that_none_is_written(tmp_path):
    """The folder stays empty, which a note explains."""
    (tmp_path / "plan.toml").write_text('[[models]]\nsize = "8B"\n', "utf-8")
    _, _, errors = run("report", tmp_path / "plan.toml", "-o", tmp_path / "plan.csv", "--tables", tmp_path)
    assert "nothing to write, since no question that is asked has a table of its own" in errors
