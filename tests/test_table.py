import csv
import io
import json
import tomllib

import pytest
from samples import CONFIGS, FRONTIER, planned, write_config, write_portfolio

from flopsheet.export.markdown import as_markdown
from flopsheet.export.table import as_csv, as_json
from flopsheet.export.toml import report_document


def _rows(plan):
    return list(csv.DictReader(io.StringIO(as_csv(plan))))


def _named(tmp_path, name):
    write_config(tmp_path)
    return planned(write_portfolio(tmp_path, f'[[models]]\nconfig = "config.json"\nname = "{name}"\n'))


def test_json_holds_what_toml_holds():
    """Both reports say the same of the same plan."""
    plan = planned(FRONTIER)
    assert json.loads(as_json(plan)) == tomllib.loads("".join(report_document(plan)))


def test_csv_has_a_row_a_model_with_totals_and_plan():
    """A row says what a model is, what it costs, and what the selected scenario makes of it."""
    plan = planned(FRONTIER)
    rows = _rows(plan)
    llama = rows[1]
    assert [row["name"] for row in rows] == [model.name for model in plan.models]
    assert (llama["status"], llama["architecture"], llama["parameters"]) == ("ok", "dense", "8030261248")
    assert float(llama["training_cost"]) == float(plan.training(plan.models[1], "base")["training_cost"])


def test_csv_leaves_numbers_of_a_model_in_error_empty():
    """A model in error has a row with its problem and no number."""
    (row,) = _rows(planned(CONFIGS / "broken"))
    assert row["problems"].startswith("hidden_size = 'four thousand' has a wrong type")
    assert (row["parameters"], row["training_cost"]) == ("", "")


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\\t", "\\r", "\\n", "\uff1d", "\uff20"])
def test_csv_text_never_becomes_a_formula(tmp_path, sign):
    """A name that a spreadsheet would take for a formula gets an apostrophe in front."""
    (row,) = _rows(_named(tmp_path, f"{sign}1+1"))
    assert row["name"][0] == "'"
    assert row["name"].endswith("1+1")


def test_csv_keeps_other_text_as_it_is(tmp_path):
    """Commas, quotes and other scripts come back from a CSV reader unchanged."""
    (row,) = _rows(_named(tmp_path, "模型, the 2nd = 🎉"))
    assert row["name"] == "模型, the 2nd = 🎉"


@pytest.mark.usefixtures("few_prices")
def test_markdown_has_the_budget_in_three_cases():
    """The cluster's cost, at reserved prices, stands there under low, base and high."""
    page = as_markdown(planned(FRONTIER))
    assert "| Cost of the cluster | USD | 17,517,772.8 | 23,887,872 | 39,813,120 |" in page


def test_markdown_begins_with_the_answers_and_the_checks(tmp_path):
    """What the portfolio asks comes first in every case; a check that fails says what to change."""
    path = tmp_path / "portfolio.toml"
    config = CONFIGS / "Llama-3.1-8B" / "config.json"
    path.write_text(f'questions = ["serving"]\n[inputs]\nmfu = 0.8\n[[models]]\nconfig = "{config}"\n', "utf-8")
    page = as_markdown(planned(path))
    assert page.index("## What does it cost to serve?") < page.index("## Checks") < page.index("## Cluster")
    assert "| Models that can be served | 1 | 1 | 1 |" in page
    checks = page.split("## Checks")[1].split("## ")[0]
    assert checks.lstrip().startswith("FAIL: ")
    assert "- FAIL: mfu is above what published runs" in checks
    header = next(line for line in page.splitlines() if line.startswith("| Model |"))
    assert "Cost per month (USD)" in header


def test_markdown_has_headline_numbers_of_each_model():
    """Parameters, weights, time and money of a model stand in one row."""
    (row,) = [row for row in as_markdown(planned(FRONTIER)).splitlines() if row.startswith("| Llama 3.1 8B ")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:5] == ["Llama 3.1 8B", "ok", "dense", "8.03 B", "8.03 B"]
    assert "15.0 GiB" in cells


def test_markdown_lists_problems_with_their_model():
    """What is wrong stands under Problems with the model's name and status."""
    page = as_markdown(planned(CONFIGS / "broken", CONFIGS / "llama-with-extra-field"))
    problems = page.split("## Problems")[1].split("## ")[0]
    assert (
        "- **broken** (error): hidden\\_size = 'four thousand' has a wrong type: a whole number is expected" in problems
    )
    assert "- **llama-with-extra-field** (approximate): field residual\\_gate\\_rank" in problems


def test_markdown_without_problems_has_no_such_heading():
    """Where all is ok, nothing is listed."""
    assert "## Problems" not in as_markdown(planned(CONFIGS / "gpt2-xl"))


def test_markdown_holds_nothing_that_a_terminal_obeys(tmp_path):
    """A page that is printed cannot change colors, or the direction of text."""
    page = as_markdown(_named(tmp_path, "a\\u001b[31mb\\u202ec\\u0000d"))
    assert "| a�\\[31mb�c�d | ok |" in page


def test_markdown_shows_names_as_they_are(tmp_path):
    """Signs that Markdown or HTML would obey are escaped, so that a name cannot break a table."""
    page = as_markdown(_named(tmp_path, "a|b <b>x</b> [l](u)\\nc"))
    assert "| a\\|b \\<b\\>x\\</b\\> \\[l\\](u) c | ok |" in page


def test_markdown_shows_the_name_of_a_sign_as_it_is(tmp_path):
    """An entity of HTML stays text, and a lone & stays what it is."""
    page = as_markdown(_named(tmp_path, "A&B &lt;b &#60;"))
    assert "| A&B \\&lt;b \\&\\#60; | ok |" in page
