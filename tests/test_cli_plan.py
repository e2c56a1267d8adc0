"""`flopsheet plan`, `inputs` and `new`: answers for people and programs, and what a portfolio may set."""

import csv
import io
import json
import re
import tomllib
from pathlib import Path

import pytest
from planner import run
from samples import write_portfolio

from flopsheet.export.plan_tables import show_number
from flopsheet.export.text import WIDTH

FRONTIER = Path(__file__).parent.parent / "examples" / "portfolios" / "frontier.toml"
DENSE = """
[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }
"""


@pytest.fixture(scope="module")
def document():
    """Return the frontier portfolio's answers as JSON; it has a model in error."""
    status, out, _ = run("plan", FRONTIER, "--format", "json")
    assert status == 1
    return json.loads(out)


def test_answers_have_three_cases_and_a_unit(document):
    """A figure is read by question and name; the case of low cost costs least."""
    cost = document["answers"]["budget"]["cost"]
    assert cost["low"] < cost["base"] < cost["high"]
    assert cost["unit"] == "USD"


def test_models_have_every_planning_line_per_case(document):
    """Low, base and high stand side by side; a model in error has its status and no numbers."""
    llama = next(model for model in document["models"] if model["name"] == "Llama 3.1 70B")
    assert llama["low"]["training_cost"] < llama["base"]["training_cost"] < llama["high"]["training_cost"]
    broken = next(model for model in document["models"] if model["status"] == "error")
    assert "base" not in broken
    assert broken["problems"]


def test_tables_are_there(document):
    """The table of the case has its lines; the checks of the budget hold."""
    assert document["tables"]["cases"][0]["accelerator_hours"] == 4096 * 90 * 24
    assert document["checks"]
    assert all(check["state"] == "pass" for check in document["checks"])


def test_every_format_has_the_same_numbers(document):
    """TOML, CSV and Markdown walk the same plan."""
    _, text, _ = run("plan", FRONTIER, "--format", "toml")
    assert tomllib.loads(text)["answers"] == document["answers"]
    _, text, _ = run("plan", FRONTIER, "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["name"] == "Llama 3.1 70B"]
    llama = next(model for model in document["models"] if model["name"] == "Llama 3.1 70B")
    assert {row["case"]: float(row["training_cost"]) for row in rows} == {
        case: llama[case]["training_cost"] for case in ("low", "base", "high")
    }
    _, text, _ = run("plan", FRONTIER, "--format", "md")
    assert "## What can we train on this cluster?" in text


@pytest.mark.usefixtures("few_prices")
def test_the_terminal_shows_figures_models_and_checks():
    """People read answers first, with units."""
    _, out, _ = run("plan", FRONTIER)
    assert out.index("What can we train on this cluster?") < out.index("Models, Base case")
    assert "USD 23.9m" in out


@pytest.mark.parametrize(
    ("options", "leads"), [((), "What does it cost to serve?"), (("--question", "comparison"), "Which")]
)
def test_what_was_asked_is_answered_first(tmp_path, options, leads):
    """Its figures come before those of every plan, whether an input asks the question or its name."""
    path = write_portfolio(tmp_path, f"[serving]\nrequests_per_second = 20\n{DENSE}")
    _, out, _ = run("plan", path, *options)
    titles = [line for line in out.splitlines() if line.endswith("?")]
    assert titles[0].startswith(leads)
    assert titles[1] == "What can we train on this cluster?"


def test_the_case_of_the_tables_is_chosen():
    """`--case` says which case tables and models show."""
    _, out, _ = run("plan", FRONTIER, "--case", "high", "--format", "json")
    assert json.loads(out)["case"] == "high"


def test_an_input_wins_over_the_portfolio(tmp_path):
    """`--input` sets an input in every case, the workload too."""
    path = write_portfolio(tmp_path, f"[inputs]\ndays = 30\n{DENSE}")
    _, out, _ = run("plan", path, "--input", "days=60", "--input", "accelerators=10", "--format", "json")
    assert json.loads(out)["tables"]["cases"][0]["accelerator_hours"] == 10 * 60 * 24
    _, out, _ = run("plan", path, "--input", "seq_len=8192", "--format", "json")
    longer = json.loads(out)["models"][0]["base"]["training_flops"]
    _, out, _ = run("plan", path, "--format", "json")
    assert longer > json.loads(out)["models"][0]["base"]["training_flops"]


WRONG = {
    "unknown": (
        "mfuu=0.3",
        "--input mfuu: unknown; did you mean 'mfu' (under [inputs]; efficiency: MFU",
    ),
    "share": ("mfu=45", "write shares as numbers (45% is 0.45)"),
    "text": ("days=soon", "--input days: 'soon' is not a number; a number greater than 0 is expected"),
}


@pytest.mark.parametrize(("given", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_input_is_exit_2(given, message):
    """One line says the input, what was found and what was expected."""
    status, out, errors = run("plan", FRONTIER, "--input", given)
    assert (status, out) == (2, "")
    assert message in errors


def test_all_problems_of_a_portfolio_are_listed_at_once(tmp_path):
    """Inputs, models and headings in one list, each with its file and key."""
    text = "[cluster]\nbudget = 3\n[inputs]\nmfu = '45 GB'\ndays = { low = 5, base = 3 }\n[[models]]\nconfg = 'x'\n"
    status, _, errors = run("plan", write_portfolio(tmp_path, text))
    assert status == 2
    assert "portfolio.toml: 5 problems" in errors
    assert "cluster.budget: unknown" in errors
    assert "inputs.mfu: '45 GB' is not a number" in errors
    assert "inputs.days: low = 5, base = 3, high = 3; values in rising order are expected" in errors


def test_a_planning_input_under_set_is_explained():
    """Somebody who looks for an input among the dimensions learns where it belongs."""
    status, _, errors = run("show", FRONTIER, "--set", "accelerators=4096")
    assert status == 2
    assert "'accelerators' is a planning input; set it in the portfolio or with --input accelerators=4096" in errors


def test_a_model_has_inputs_of_its_own(tmp_path):
    """`[models.inputs]` overrides an input for that model only."""
    text = f"[inputs]\nmfu = 0.4\n{DENSE}[models.inputs]\nmfu = 0.2\n{DENSE.replace('Ours', 'Theirs')}"
    _, out, _ = run("plan", write_portfolio(tmp_path, text), "--format", "json")
    ours, theirs = (model["base"] for model in json.loads(out)["models"])
    assert (ours["model_mfu"], theirs["model_mfu"]) == (0.2, 0.4)
    assert ours["training_hours"] == pytest.approx(2 * theirs["training_hours"])


def test_each_section_of_inputs_has_one_heading():
    """Inputs of a section stand together, in whatever order the questions declare them."""
    _, out, _ = run("inputs", "serving")
    headings = [line for line in out.splitlines() if line and not line.startswith(" ")]
    assert headings[0] == "serving"
    assert len(headings) == len({*headings})


def test_inputs_are_listed_with_unit_and_question():
    """A filter keeps those whose name, title, question or section contains it."""
    _, out, _ = run("inputs", "price")
    assert "price_per_hour" in out
    assert "USD/GPU-h" in out
    assert "goodput" not in out
    _, out, _ = run("inputs", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert rows["mfu"]["better"] == "high"
    assert rows["batch"]["section"] == "workload"


def test_a_new_portfolio_can_be_planned(tmp_path):
    """What `new` writes reads as it is, names every input, and is not overwritten by chance."""
    path = tmp_path / "next.toml"
    assert run("new", path)[0] == 0
    status, _, notes = run("plan", path)
    assert (status, "assumed" in notes) == (0, False)
    _, out, _ = run("inputs", "--json")
    text = path.read_text("utf-8")
    assert all(f"{row['name']} = " in text for row in json.loads(out))
    status, _, errors = run("new", path)
    assert (status, "--force replaces it" in errors) == (2, True)


def test_a_short_portfolio_asks_one_question(tmp_path):
    """40 lines at most, with the question's first inputs and the models that are named; it can be planned."""
    path = tmp_path / "money.toml"
    assert run("new", path, "--question", "money", "--model", "70B", "--model", "8B")[0] == 0
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 45
    assert "# budget_usd = 0   # Money cap [USD]" in text
    status, out, _ = run("plan", path)
    assert (status, "What does the program cost" in out) == (0, True)
    status, _, errors = run("new", tmp_path / "other.toml", "--question", "mony")
    assert (status, "--question mony: no such question; did you mean 'money'?" in errors) == (2, True)


def test_the_terminal_shows_what_there_is(tmp_path):
    """A law without a loss says so; rows of zeros and empty tables are left out."""
    path = write_portfolio(tmp_path, "[inputs]\nflop_budget = 1e24\n")
    _, out, _ = run("plan", path, "--all")
    lines = out.splitlines()
    assert next(line for line in lines if line.startswith("20 tokens per parameter")).split()[-1] == "none"
    assert "Predicted loss of each model, by law" not in out
    rows = out.partition("Size and tokens with the lowest cost of training and serving")[2]
    assert "Chinchilla, Epoch refit" in rows
    assert "20 tokens per parameter" not in rows


def test_a_title_that_names_the_unit_has_none_in_its_column(tmp_path):
    """Tokens under "Training tokens", USD per million tokens under their title; hours keep their unit."""
    path = write_portfolio(tmp_path, f'questions = ["budget", "serving"]\n{DENSE}')
    _, out, _ = run("plan", path)
    assert re.search(r"^USD per million tokens +[\d.]+ +[\d.]+ +[\d.]+$", out, re.MULTILINE)
    assert re.search(r"^Accelerators to serve +[\d,]+ +[\d,]+ +[\d,]+$", out, re.MULTILINE)
    assert re.search(r"^Accelerator-hours .* GPU-h$", out, re.MULTILINE)
    assert " T tokens" not in out


def test_a_table_of_several_keys_is_one_table_per_first_key(tmp_path):
    """Months of each model stand under its name, no line is wider than a page, and charts' tables are left out."""
    second = DENSE.replace('"Ours"', '"Second"')
    _, out, _ = run("plan", write_portfolio(tmp_path, f'questions = ["serving"]\n{DENSE}\n{second}'), "--all")
    titles = [line for line in out.splitlines() if line.startswith("Serving month by month: ")]
    assert len(titles) == 2
    assert titles[1] == "Serving month by month: Second"
    assert "place 1" not in out
    assert max(map(len, out.splitlines())) <= WIDTH


def test_a_cluster_alone_is_told_how_to_get_a_size(tmp_path):
    """A plan without models and without the question says what to add; asking it ends the note."""
    path = write_portfolio(tmp_path, '[inputs]\naccelerator = "h200-sxm"\naccelerators = 2000\ndays = 182\n')
    assert 'questions = ["scaling"] for the best size' in run("plan", path)[2]
    status, out, errors = run("plan", path, "--question", "scaling")
    assert status == 0
    assert "Optimal size" in out
    assert "no model is given" not in errors


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (0.00407, "s", "4.07 ms"),
        (1.56, "s", "1.56 s"),
        (172.66, "days", "173 days"),
        (62752.88, "GPU-h", "62,753 GPU-h"),
        (0.0508, "days", "0.0508 days"),
        (1017080, "kg CO2e", "1,017 t CO2e"),
        (12_345.6, "USD", "USD 12.3k"),
        (999_700, "USD", "USD 1m"),
        (-4_200_000, "USD", "USD -4.20m"),
        (1, "replicas", "1 replica"),
    ],
)
def test_amounts_have_the_digits_that_say_enough(number, unit, text):
    """The terminal shows three digits, those before the point up to 100,000, and short times in ms."""
    assert show_number(number, unit) == text


def test_a_model_that_the_plan_cannot_count_is_told_with_its_reason(tmp_path):
    """As `report` tells it, and exit status 1: a plugin that says nothing of what training keeps."""
    folder = Path(__file__).parent.parent / "examples" / "plugins" / "aft"
    (tmp_path / "plan.toml").write_text(
        f'questions = ["training"]\nplugins = ["{folder / "aft.toml"}"]\n'
        f'[[models]]\nname = "Small"\nconfig = "{folder / "aft-small" / "config.json"}"\n',
        "utf-8",
    )
    status, out, errors = run("plan", tmp_path / "plan.toml")
    assert status == 1
    assert "error: Small: what the plan asks of it cannot be counted: no plugin says" in errors
    assert "Not counted: Small: what the plan asks" in out


def test_an_unknown_command_names_the_one_that_may_be_meant():
    """As for every other name."""
    status, _, errors = run("plann", FRONTIER)
    assert (status, "no command 'plann'; did you mean 'plan'?" in errors) == (2, True)


def test_a_setting_of_the_workload_is_no_unread_input(tmp_path):
    """`--input batch=4` changes how models are counted, whatever is asked."""
    given = ("--question", "budget", "--input", "batch=4", "--input", "wacc=0.1")
    status, _, errors = run("plan", write_portfolio(tmp_path, DENSE), *given)
    assert (status, "no effect on the questions asked: wacc (money, comparison); ask" in errors) == (0, True)
