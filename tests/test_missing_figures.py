"""Accelerators of which the catalog lacks a figure: what does not need it is answered, what does names the input."""

import json
import tomllib

import openpyxl
import pytest
from judges import calculated, differing_or_wrong, needs_soffice, recalculate
from planner import Planner, bring, run
from samples import write_portfolio

PORTFOLIO = """\
name = "Without a price"
questions = ["budget", "training"]

[inputs]
accelerator = "{accelerator}"
accelerators = 64
days = 60

[[models]]
name = "Seven"
architecture = "dense"
tokens = 1e12
dimensions = {{ n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 11008, mlp_matrices = 3, vocab_size = 32000 }}
"""
UNPRICED = ("gb300", "mi355x")
NO_PRICE = "no price: give price_per_hour"


def answers(path, *options):
    """Return the document of a plan."""
    status, out, errors = run("plan", path, "--format", "json", *options)
    assert status == 0, errors
    return json.loads(out)


@pytest.mark.parametrize("name", UNPRICED)
def test_a_price_that_is_missing_stops_only_money(name, tmp_path):
    """Memory, step time, days and energy are those of a plan with a price; costs are null and never 0."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(accelerator=name))
    without, with_price = answers(path), answers(path, "--input", "price_per_hour=3")
    money = {"cost"}
    for question, figures in without["answers"].items():
        for figure, cases in figures.items():
            if figure in money:
                assert cases["base"] is None
            else:
                assert cases == with_price["answers"][question][figure], figure
    model, priced = (document["models"][0]["base"] for document in (without, with_price))
    lost = {line for line, number in model.items() if number is None}
    assert lost
    assert all("cost" in line or "price" in line for line in lost), lost
    assert {line: number for line, number in priced.items() if line not in lost} == {
        line: number for line, number in model.items() if line not in lost
    }
    assert without["missing"] == [{"input": "price_per_hour", "message": NO_PRICE}]


def test_a_plan_says_which_input_to_give(tmp_path):
    """The terminal has it in the figure's place and once on stderr; the exit status is 0, and no check fails for it."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(accelerator="gb300"))
    status, out, errors = run("plan", path)
    assert status == 0
    (line,) = (line for line in out.splitlines() if line.startswith("Cost "))
    assert NO_PRICE in line
    assert errors.count(NO_PRICE) == 1
    assert f"Not checked  There is a GPU-hour price: {NO_PRICE}" in out
    assert "\nFAIL  " not in out
    markdown = run("plan", path, "--format", "md")[1]
    assert f"Missing: {NO_PRICE}".replace("_", "\\_") in markdown


def test_a_report_in_toml_leaves_the_key_out_and_is_a_portfolio_again(tmp_path):
    """TOML has no null: the keys of costs are absent, the reason is listed, and the report gives the same report."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(accelerator="gb300"))
    status, _, errors = run("report", path, "-o", tmp_path / "a.toml", "-o", tmp_path / "a.csv")
    assert status == 0, errors
    report = tomllib.loads((tmp_path / "a.toml").read_text("utf-8"))
    assert "base" not in report["answers"]["budget"]["cost"]
    assert "price_per_hour" not in report["inputs"]
    assert report["missing"] == [{"input": "price_per_hour", "message": NO_PRICE}]
    assert run("report", tmp_path / "a.toml", "-o", tmp_path / "b.toml")[0] == 0
    again = tomllib.loads((tmp_path / "b.toml").read_text("utf-8"))
    assert again["answers"] == report["answers"]


def test_every_figure_of_the_catalog_may_be_missing(tmp_path):
    """An accelerator whose power nobody publishes answers all but energy."""
    path = write_portfolio(tmp_path, PORTFOLIO.format(accelerator="trainium3"))
    document = answers(path)
    assert {one["input"] for one in document["missing"]} >= {"tdp_w", "price_per_hour"}
    assert document["answers"]["budget"]["energy"]["base"] is None
    assert document["answers"]["budget"]["budget"]["base"] > 0


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Return a folder with the workbooks of accelerators without a price."""
    folder = tmp_path_factory.mktemp("delivered")
    for name in UNPRICED:
        path = write_portfolio(folder, PORTFOLIO.format(accelerator=name), f"{name}.toml")
        assert run("report", path, "-o", folder / f"{name}.xlsx")[0] == 0
    return folder


@needs_soffice
def test_a_workbook_without_a_price_recalculates_to_what_it_holds(delivered, tmp_path):
    """LibreOffice computes every number and every error value that was delivered."""
    books = [delivered / f"{name}.xlsx" for name in UNPRICED]
    for book, found in zip(books, calculated(books, tmp_path), strict=True):
        assert differing_or_wrong(book, found) == []


def test_a_workbook_without_a_price_fails_no_check(delivered):
    """Its checks say that they were not made; the master counts them apart."""
    book = openpyxl.load_workbook(delivered / "gb300.xlsx", data_only=True, read_only=True)
    assert str(book["About"]["G2"].value).startswith("All checks pass in Base")
    assert "not checked" in str(book["About"]["G2"].value)
    assert any("no cost" in str(cell.value) for row in book["About"] for cell in row)


def typed(delivered, folder, price):
    """Return a folder with a workbook in whose blue cell a planner typed a price, and its portfolio."""
    for suffix, name in (("xlsx", "plan.xlsx"), ("toml", "portfolio.toml")):
        (folder / name).write_bytes((delivered / f"gb300.{suffix}").read_bytes())
    planner = Planner(folder)
    planner.cell("drivers", "price_per_hour", "Base").value = price
    planner.save()
    return folder


@needs_soffice
def test_a_price_that_is_typed_brings_everything_alive(delivered, tmp_path):
    """One number in Base counts in all cases: no cell is an error then, and costs are those of a plan with it."""
    folder = typed(delivered, tmp_path, 4)
    expected = answers(folder / "portfolio.toml", "--input", "price_per_hour=4")
    book = openpyxl.load_workbook(recalculate(folder / "plan.xlsx", tmp_path / "out"), data_only=True)
    errors = [f"{s.title}!{c.coordinate}" for s in book for row in s for c in row if str(c.value).startswith("#")]
    assert errors == []
    models = next(sheet for sheet in book if "models" in sheet.tables)
    table = models.tables["models"]
    headers = [column.name for column in table.tableColumns]
    first = int("".join(filter(str.isdigit, table.ref.split(":")[0]))) + 1
    result = {name: models.cell(first, place).value for place, name in enumerate(headers, 1)}
    for case in ("low", "base", "high"):
        assert result[f"training_cost_{case}"] == pytest.approx(expected["models"][0][case]["training_cost"])


def test_a_price_that_is_typed_is_imported(delivered, tmp_path):
    """The portfolio gets one value for all cases, and nothing else changes."""
    folder = typed(delivered, tmp_path, 4)
    status, out, errors = bring(folder, "--yes")
    assert status == 0, errors
    stated = tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["inputs"]["price_per_hour"]
    assert (stated["base"], stated["source"], {*stated}) == (4, "Edited in the workbook", {"base", "source", "date"}), (
        out
    )


def test_an_untouched_workbook_without_a_price_changes_nothing(delivered, tmp_path):
    """What has no value is no edit."""
    (tmp_path / "plan.xlsx").write_bytes((delivered / "gb300.xlsx").read_bytes())
    (tmp_path / "portfolio.toml").write_bytes((delivered / "gb300.toml").read_bytes())
    status, out, errors = bring(tmp_path, "--yes")
    assert (status, errors) == (0, "")
    assert "no input was changed" in out


def test_a_workbook_without_a_price_becomes_a_new_portfolio(tmp_path):
    """It states no price, as nobody gave one."""
    text = PORTFOLIO.format(accelerator="gb300").replace(', "training"', "")
    assert run("report", write_portfolio(tmp_path, text), "-o", tmp_path / "plan.xlsx")[0] == 0
    status, _, errors = run("import", tmp_path / "plan.xlsx", "-o", tmp_path / "new.toml", "--yes")
    assert status == 0, errors
    assert "price_per_hour" not in (tmp_path / "new.toml").read_text("utf-8")


def test_a_figure_without_a_price_is_not_out_of_date(tmp_path):
    """In a large batch, figures say when cases are out of date: where neither case has a value, nothing is."""
    head, _, model = PORTFOLIO.replace('"training"', '"money"').partition("[[models]]")
    models = "".join(f"[[models]]{model.replace('Seven', f'Model {number}')}\n" for number in range(61))
    path = write_portfolio(tmp_path, (head + models).format(accelerator="gb300"))
    assert run("report", path, "-o", tmp_path / "plan.xlsx")[0] == 0
    book = openpyxl.load_workbook(tmp_path / "plan.xlsx", data_only=True, read_only=True)
    places = [one.attr_text for name, one in book.defined_names.items() if name.startswith("since_money")]
    cells = [book[place.split("!")[0].strip("'")][place.split("!")[1].replace("$", "")] for place in places]
    assert cells
    assert not [cell for cell in cells if cell.value]
