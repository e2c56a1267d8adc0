"""What is no edit of an input is refused by its cell or told, and then nothing is written."""

import shutil
from datetime import date

import openpyxl
import pytest
from planner import PORTFOLIO, Planner, bring, edit, run

REFUSED = {
    "text": (
        "drivers",
        "mfu",
        "Base",
        "0,45",
        "(mfu (Base)): '0,45' is not a number; a number above 0",
    ),
    "formula": ("drivers", "mfu", "Low cost", "=0.2*2", "the formula =0.2*2; type its value"),
    "negative": ("drivers", "days", "Low cost", -1, "-1 is out of range; a number greater than 0 is expected"),
    "percent as a whole number": (
        "drivers",
        "mfu_sparse",
        "Base",
        45,
        "write shares as numbers (45% is 0.45)",
    ),
    "fraction of a count": ("drivers", "accelerators", "Base", 1.5, "a whole number greater than 0 is expected"),
    "nothing": ("drivers", "mfu", "High cost", None, "(mfu (High cost)): is empty"),
    "divisor of 0": ("drivers", "goodput", "Base", 0, "a number above 0 and at most 1 is expected"),
    "dimension out of range": ("dense", 1, "n_layers", 0, "a whole number of at least 1 is expected"),
    "fraction of a dimension": ("dense", 2, "n_layers", 1.5, "a whole number of at least 1 is expected"),
    "text in a dimension": ("dense", 1, "d_ff", "many", "'many' is not a number"),
    "formula in a dimension": ("dense", 2, "d_ff", "=30+2", "found the formula =30+2; type its value"),
    "flag": ("dense", 1, "tied_head", 2, "0 or 1 is expected"),
    "choice": ("dense", 1, "mask", "half", "'half' is not one of full, causal, window"),
    "own tokens": ("models", 1, "Token override (T)", "lots", "expected a number above 0, in trillions of tokens"),
    "less than a token": ("models", 2, "Token override (T)", 1e-13, "1e-13 trillion is less than one token"),
    "published": ("models", 1, "Published (B)", "8B", "expected a number above 0, in billions of parameters"),
    "date": ("drivers", "days", "High cost", date(2026, 3, 1), "found the date 2026-03-01; expected a number"),
}


@pytest.fixture(scope="module")
def refused(delivered, tmp_path_factory):
    """Return the errors of an import of all bad cells beside a good one, and the cells by case."""
    folder = shutil.copytree(delivered, tmp_path_factory.mktemp("refused") / "plan")
    planner, addresses = Planner(folder), {}
    planner.cell("drivers", "pue", "Base").value = 1.3
    for what, (table, key, header, value, _) in REFUSED.items():
        cell = planner.cell(table, key, header)
        cell.value, addresses[what] = value, f"!{cell.coordinate} "
    planner.save()
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO, "good cells are kept back too"
    return errors.splitlines(), addresses


@pytest.mark.parametrize("what", REFUSED)
def test_a_bad_cell_is_refused(refused, what):
    """One line says the cell, what stands there, and what is expected."""
    lines, addresses = refused
    assert any(addresses[what] in line and REFUSED[what][-1] in line for line in lines)


NUMBERS = {
    "twice": (1, "1 appears twice; give each row its own number"),
    "text": ("two", "'two' is not a number; a whole one of its own is expected"),
    "nothing": (None, "this row has no number; give it one, or clear the row"),
}


@pytest.mark.parametrize(("number", "message"), NUMBERS.values(), ids=NUMBERS)
def test_a_row_needs_a_number_of_its_own(folder, number, message):
    """Rows are known by their numbers."""
    address = edit(folder, "dense", 2, "no", number)
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert f"!{address}: {message}" in errors


ADDED = {
    "without workings": ("models", 9, 1, {}, "model 9 has no row of workings"),
    "with a required dimension empty": ("dense", 9, 2, {"n_layers": None}, "n_layers is missing"),
    "with a number of another model": ("dense", 1.0, 2, {}, "1 appears twice"),
    "with a text": ("dense", 9, 2, {"n_layers": "ten"}, "'ten' is not a number"),
}


@pytest.mark.parametrize(("table", "key", "like", "changes", "message"), ADDED.values(), ids=ADDED)
def test_a_bad_row_is_refused(folder, table, key, like, changes, message):
    """A row that makes no model is told by its cell."""
    planner = Planner(folder)
    planner.add(table, key, like, **changes)
    planner.save()
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert message in errors


def test_the_number_of_a_model_in_error_is_taken(folder):
    """It stands on no sheet, so the message names its model and the number that is free."""
    (folder / "config.json").write_text('{"model_type": "no-such-type"}', "utf-8")
    broken = '\n[[models]]\nconfig = "config.json"\nname = "Broken"\n'
    (folder / "portfolio.toml").write_text(PORTFOLIO + broken, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 1
    planner = Planner(folder)
    planner.add("dense", 3, 2)
    planner.save()
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert "the number 3 is that of Broken; give this row 4 here and on Models" in errors


def test_without_a_terminal_nothing_is_written(folder):
    """A script has to say --yes; the changes are told all the same."""
    edit(folder, "drivers", "mfu", "Base", 0.4)
    status, out, errors = bring(folder)
    assert status == 2
    assert "mfu (Base)  0.35 → 0.4" in out
    assert "add --yes to change" in errors
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO


def test_a_dry_run_writes_nothing(folder):
    """The changes are told, and that is all."""
    edit(folder, "drivers", "mfu", "Base", 0.4)
    assert bring(folder, "--dry-run")[::2] == (0, "")
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO


def test_another_portfolio_is_refused(folder):
    """The workbook names what it was made from by its SHA-256, so that a changed portfolio is another one."""
    portfolio = folder / "portfolio.toml"
    portfolio.write_text(PORTFOLIO + "# a thought\n", "utf-8")
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert "is not the portfolio of" in errors
    assert "report again and edit that workbook" in errors
    assert portfolio.read_text("utf-8") == PORTFOLIO + "# a thought\n"


def test_a_config_that_changed_since_is_refused(folder):
    """Its dimensions would look like edits."""
    config = folder / "llama" / "config.json"
    config.write_text(config.read_text("utf-8").replace("4096", "2048"), "utf-8")
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert "changed since" in errors


def test_a_workbook_of_something_else_is_refused(folder):
    """A workbook that says not what it was made from cannot be imported."""
    openpyxl.Workbook().save(folder / "plan.xlsx")
    status, _, errors = bring(folder, "--yes")
    assert status == 2
    assert "has no table 'provenance'" in errors


def test_a_report_is_no_target(folder):
    """Its results would no longer fit its inputs."""
    report = folder / "report.toml"
    run("report", folder / "portfolio.toml", "-o", report)
    run("report", report, "-o", folder / "plan.xlsx")
    status, _, errors = run("import", folder / "plan.xlsx", "-o", report)
    assert status == 2
    assert "is a report" in errors


def test_import_writes_toml(folder):
    """A slip of the keyboard overwrites no workbook."""
    assert "import writes a portfolio" in run("import", folder / "plan.xlsx", "-o", folder / "plan.xlsx")[2]
