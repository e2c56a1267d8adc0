"""The way back: a planner's edits of a workbook become changes of its portfolio, and nothing else does."""

import json
import shutil
import tomllib
from dataclasses import replace
from datetime import date

import openpyxl
import pytest
from click.testing import CliRunner
from judges import needs_soffice, recalculate
from samples import CONFIGS, with_macros

from flopsheet.cli import main
from flopsheet.configs.settings import laid_over
from flopsheet.configs.source import load_model
from flopsheet.configs.spreadsheet import open_spreadsheet
from flopsheet.export.roundtrip.changes import needed
from flopsheet.host.host import load
from flopsheet.planning.costing import cost

PORTFOLIO = """\
# What we plan for next year.
name = "Next year"  # shown on the cover

[cluster]
accelerator = "h100-sxm"
accelerators = 512
days = 90  # one quarter

[drivers]
# from the last run
goodput = 0.9  # measured
tokens = { low = 10e12, base = 15e12, high = 15e12, source = "Ours" }  # mostly crawled

# The small one.
[[models]]
config = "llama/config.json"
name = "Ours 8B"
tokens = 15e12  # as much as theirs

# Only on paper.
[[models]]
name = "Paper"
architecture = "dense"
tokens = 2_000_000_000_000
dimensions = { n_layers = 40, d_model = 5_120, n_heads = 40, d_ff = 13824, mlp_matrices = 3, vocab_size = 128256 }
# the end
"""


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Return a folder with a portfolio and the workbook of it."""
    folder = tmp_path_factory.mktemp("delivered")
    shutil.copytree(CONFIGS / "Llama-3.1-8B", folder / "llama")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    return folder


@pytest.fixture
def folder(delivered, tmp_path):
    """Return a folder of one's own with the portfolio and its workbook."""
    return shutil.copytree(delivered, tmp_path / "plan")


def run(*arguments):
    """Run the program, and return its status and outputs; a traceback fails the test."""
    result = CliRunner().invoke(main, [*map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def bring(folder, *options, workbook="plan.xlsx"):
    """Import the folder's workbook into its portfolio."""
    return run("import", folder / workbook, "-o", folder / "portfolio.toml", *options)


class Planner:
    """Somebody who edits a workbook, cell by cell."""

    def __init__(self, folder, name="plan.xlsx"):
        self.path = folder / name
        self.book = openpyxl.load_workbook(self.path)

    def table(self, name):
        """Return a table's sheet, its columns by header, and the number of its header row."""
        sheet = next(sheet for sheet in self.book if name in sheet.tables)
        top = sheet[sheet.tables[name].ref][0]
        return sheet, {cell.value: cell.column for cell in top}, top[0].row

    def cell(self, name, key, header):
        """Return a cell of a table by its row's key."""
        sheet, columns, top = self.table(name)
        keys = columns.get("Name") if name == "drivers" else columns.get("no") or columns["No"]
        row = next(row for row in range(top + 1, sheet.max_row + 1) if sheet.cell(row, keys).value == key)
        return sheet.cell(row, columns[header])

    def add(self, name, key, like, **changes):
        """Type a row right under a table, as a copy of another one but for some cells; the table does not grow."""
        sheet, columns, top = self.table(name)
        first = next(iter(columns))
        source = self.cell(name, like, first).row
        row = next(row for row in range(top + 1, sheet.max_row + 2) if sheet.cell(row, columns[first]).value is None)
        for header, column in columns.items():
            sheet.cell(row, column).value = changes.get(header, sheet.cell(source, column).value)
        sheet.cell(row, columns[first]).value = key
        return sheet.cell(row, columns[first])

    def save(self):
        """Save the workbook in place."""
        self.book.save(self.path)


def edit(folder, name, key, header, value):
    """Change one cell of the folder's workbook, and return its address."""
    planner = Planner(folder)
    cell = planner.cell(name, key, header)
    cell.value = value
    planner.save()
    return cell.coordinate


def test_an_unchanged_workbook_changes_nothing(folder):
    """What was delivered is what the portfolio says."""
    assert bring(folder, "--yes") == (0, f"no input was changed; {folder / 'portfolio.toml'} stays as it is\n", "")
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO


EDITS = {
    "case of a stated table": ("drivers", "tokens", "Low", 9e12, "low = 10e12", "low = 9e12"),
    "source": ("drivers", "tokens", "Source", "Theirs", 'source = "Ours"', 'source = "Theirs"'),
    "case of a stated number": (
        *("drivers", "goodput", "High", 0.75),
        "goodput = 0.9  #",
        "goodput = { low = 0.9, base = 0.9, high = 0.75 }  #",
    ),
    "driver under cluster": (
        *("drivers", "days", "Low", 60),
        "days = 90  #",
        "days = { low = 60, base = 90, high = 90 }  #",
    ),
    "driver that was not stated": (
        *("drivers", "mfu", "Base", 0.4),
        "# mostly crawled\n",
        "# mostly crawled\nmfu = { low = 0.45, base = 0.4, high = 0.28 }\n",
    ),
    "own tokens, as a float": ("models", 1, "Own tokens (T)", 15.6, "tokens = 15e12  #", "tokens = 15.6e12  #"),
    "own tokens, grouped": ("models", 2, "Own tokens (T)", 2.5, "2_000_000_000_000", "2_500_000_000_000"),
    "published count": (
        *("models", 1, "Published (B)", 8.03),
        "theirs\n",
        'theirs\npublished = { parameters = 8_030_000_000, source = "typed at Models!G6" }\n',
    ),
    "dimension of a config": ("dense", 1, "n_layers", 36, 'G6" }\n', 'G6" }\nn_layers = 36\n'),
    "workload": ("dense", 1, "batch", 8, "n_layers = 36\n", "n_layers = 36\nbatch = 8\n"),
    "choice": ("dense", 1, "mask", "causal", "batch = 8\n", 'batch = 8\nmask = "causal"\n'),
    "dimension on paper": ("dense", 2, "n_layers", 48, "n_layers = 40", "n_layers = 48"),
    "flag": ("dense", 2, "tied_head", 1, "vocab_size = 128256 }", "vocab_size = 128256, tied_head = 1 }"),
}


@pytest.fixture(scope="module")
def brought(delivered, tmp_path_factory):
    """Return the output of an import of all edits, the portfolio's text after it, and the cells by edit."""
    folder = shutil.copytree(delivered, tmp_path_factory.mktemp("brought") / "plan")
    planner, addresses = Planner(folder), {}
    for what, (table, key, header, value, *_) in EDITS.items():
        cell = planner.cell(table, key, header)
        cell.value, addresses[what] = value, f"{cell.coordinate} "
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0
    return out, (folder / "portfolio.toml").read_text("utf-8"), addresses


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_cell_changes_one_value(brought, what):
    """It is told with its cell, and written where the portfolio states it, in the manner of the old one."""
    out, text, addresses = brought
    assert f"!{addresses[what]}" in out
    assert EDITS[what][-1] in text


def test_everything_else_stays_as_it_was(brought):
    """Comments, order and spellings are those of the author."""
    expected = PORTFOLIO
    for *_, before, after in EDITS.values():
        assert expected.count(before) == 1
        expected = expected.replace(before, after)
    assert brought[1] == expected


def test_own_tokens_can_be_cleared(folder):
    """A model without tokens of its own takes the plan's."""
    edit(folder, "models", 1, "Own tokens (T)", None)
    assert bring(folder, "--yes")[0] == 0
    cleared = PORTFOLIO.replace("tokens = 15e12  # as much as theirs\n", "")
    assert (folder / "portfolio.toml").read_text("utf-8") == cleared


def test_all_cases_alike_stay_a_number(folder):
    """A number that holds for every case stays one."""
    planner = Planner(folder)
    for header in ("Low", "Base", "High"):
        planner.cell("drivers", "goodput", header).value = 0.8
    planner.save()
    assert bring(folder, "--yes")[0] == 0
    assert "goodput = 0.8  # measured" in (folder / "portfolio.toml").read_text("utf-8")


def test_the_scenario_is_an_input(folder):
    """What About shows is what the portfolio shows."""
    planner = Planner(folder)
    ((sheet, place),) = planner.book.defined_names["in_scenario_label"].destinations
    place = place.replace("$", "")
    planner.book[sheet][place].value = "High"
    planner.save()
    _, out, _ = bring(folder, "--yes")
    assert f"About!{place}  scenario  'Base' → 'High'" in out
    assert tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["scenario"] == "high"


def test_a_dimension_that_would_follow_is_stated(folder):
    """In the workbook the heads' size stayed when the width changed, so it has to stay in the next report."""
    edit(folder, "dense", 2, "d_model", 4096)
    _, out, _ = bring(folder, "--yes")
    assert "Paper: d_head = 128 is now stated, since it stays as it was" in out
    entry = tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["models"][1]["dimensions"]
    assert (entry["d_model"], entry["d_head"]) == (4096, 128)


def test_a_typed_row_becomes_a_model(folder):
    """A number of its own under an architecture, and under Models, is a new `[[models]]` at the end."""
    planner = Planner(folder)
    planner.add("dense", 7, 2, model="Bigger", n_layers=60, batch=2)
    planner.add("models", 7, 2, Model="Bigger", **{"Own tokens (T)": 3})
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0
    assert "new model Bigger  dense, n_layers = 60" in out
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert text.startswith(PORTFOLIO)
    model = tomllib.loads(text)["models"][2]
    assert (model["name"], model["architecture"], model["tokens"]) == ("Bigger", "dense", 3_000_000_000_000)
    stated = {"n_layers": 60, "d_model": 5120, "n_heads": 40, "d_ff": 13824, "mlp_matrices": 3, "vocab_size": 128256}
    assert model["dimensions"] == stated | {"batch": 2}


REFUSED = {
    "text": ("drivers", "mfu", "Base", "0,45", "(mfu (Base)): base = '0,45'; a number of at least 0"),
    "formula": ("drivers", "mfu", "Low", "=0.2*2", "the formula =0.2*2 stands here; type its value"),
    "negative": ("drivers", "days", "Low", -1, "low = -1; a number of at least 0 is expected"),
    "percent as a whole number": (
        "drivers",
        "mfu_sparse",
        "Base",
        45,
        "a share of at most 1 is expected: 45 % is 0.45",
    ),
    "fraction of a count": ("drivers", "accelerators", "Base", 1.5, "a whole number of at least 0"),
    "nothing": ("drivers", "mfu", "High", None, "(mfu (High)): is empty"),
    "divisor of 0": ("drivers", "goodput", "Base", 0, "a number above 0 is expected"),
    "dimension out of range": ("dense", 1, "n_layers", 0, "a whole number of at least 1 is expected"),
    "fraction of a dimension": ("dense", 2, "n_layers", 1.5, "a whole number of at least 1 is expected"),
    "text in a dimension": ("dense", 1, "d_ff", "many", "'many' is not a number"),
    "formula in a dimension": ("dense", 2, "d_ff", "=30+2", "the formula =30+2 stands here"),
    "flag": ("dense", 1, "tied_head", 2, "0 or 1 is expected"),
    "choice": ("dense", 1, "mask", "half", "'half' is not one of full, causal, window"),
    "own tokens": ("models", 1, "Own tokens (T)", "lots", "a number above 0 is expected, in 1e12 tokens"),
    "less than a token": ("models", 2, "Own tokens (T)", 1e-13, "1e-13 in 1e12 is less than one token"),
    "published": ("models", 1, "Published (B)", "8B", "a number above 0 is expected, in 1e9 parameters"),
    "date": ("drivers", "days", "High", date(2026, 3, 1), "the date 2026-03-01 stands here; a number is expected"),
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
    "twice": (1, "1 stands twice; give each row its own number"),
    "text": ("two", "'two' is no number; a whole one of its own is expected"),
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
    "with a number of another model": ("dense", 1.0, 2, {}, "1 stands twice"),
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


def test_what_a_copied_row_does_not_bring_along_is_told(folder):
    """A row copied with another model's reservation, or with another name on Models, loses it with a word."""
    planner = Planner(folder)
    planner.add("dense", 9, 2, model="New", status="approximate")
    planner.add("models", 9, 2, Model="Paper")
    planner.save()
    status, out, errors = bring(folder, "--yes")
    assert status == 0
    assert "New is typed as approximate; only its dimensions are taken" in out + errors
    assert "New is called 'Paper' here; New is taken" in out + errors


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


def test_edited_formulas_are_told_and_not_imported(folder):
    """A formula that was changed, and one that was overwritten, stand with what was expected; so do other constants."""
    planner = Planner(folder)
    planner.cell("models", 1, "Cost (USD m)").value = 12
    planner.cell("dense", 1, "attention_q").value = "=1+1"
    planner.cell("models", 2, "Model").value = "Renamed"
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0
    assert "expected =models[[#This Row],[training_cost]]/1000000, found 12" in out
    assert "found =1+1" in out
    assert "expected 'Paper', found 'Renamed'" in out
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO


def test_formulas_without_tables_are_not_told_one_by_one(folder):
    """An .ods has no references to tables; what was overwritten by a constant is told all the same."""
    planner = Planner(folder)
    for cell in (cell for sheet in planner.book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"):
        cell.value = cell.value if "[" not in cell.value else "=A1"
    planner.cell("models", 1, "Cost (USD m)").value = 7
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert (status, out.count("expected =")) == (0, 1)
    assert "wrote cells in place of tables" in out


def test_a_row_that_is_gone_is_told(folder):
    """Import takes no model out of a portfolio."""
    planner = Planner(folder)
    for name in ("dense", "models"):
        sheet, columns, _ = planner.table(name)
        row = planner.cell(name, 2, next(iter(columns))).row
        for column in columns.values():
            sheet.cell(row, column).value = None
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0
    assert "the row of model 2 (Paper) is gone; import takes no model out" in out


def test_without_a_terminal_nothing_is_written(folder):
    """A script has to say --yes; the changes are told all the same."""
    edit(folder, "drivers", "mfu", "Base", 0.4)
    status, out, errors = bring(folder)
    assert status == 2
    assert "mfu (Base)  0.38 → 0.4" in out
    assert "say --yes to change" in errors
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


def test_options_of_the_report_are_known_to_import(folder):
    """What --set and --scenario changed is no edit."""
    options = ["--set", "batch=4", "--scenario", "high", "--name", "Other"]
    run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx", *options)
    assert bring(folder, "--yes")[1].startswith("no input was changed")


def test_what_the_template_was_allowed_is_known_to_import(folder):
    """A workbook that was filled from a template with macros is imported like any other."""
    book = with_macros(folder / "budget.xlsm")
    run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsm", "--template", book, "--allow", "macros")
    status, out, _ = bring(folder, "--yes", "--template", book, workbook="plan.xlsm")
    assert (status, out[:20]) == (0, "no input was changed")


def test_an_empty_cell_of_a_new_row_takes_the_default(folder):
    """The workbook counts it as 0, so it is told."""
    planner = Planner(folder)
    planner.add("dense", 7, 2, model="Bigger", n_kv_heads=None)
    planner.save()
    _, out, _ = bring(folder, "--yes")
    assert "Bigger: n_kv_heads is empty and counts 0 in the workbook; its default 40 is taken" in out


def test_a_portfolio_is_made_where_there_is_none(folder):
    """It gives the workbook's numbers: from the configs where they stand as they did, else by dimensions."""
    planner = Planner(folder)
    planner.cell("drivers", "mfu", "Base").value = 0.4
    planner.cell("dense", 1, "n_layers").value = 36
    planner.add("dense", 7, 2, model="Bigger", n_layers=60)
    planner.save()
    status, out, _ = run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    assert (status, out.splitlines()[1]) == (0, "3 models, 5 drivers that are not the catalogue's")
    made = tomllib.loads((folder / "new.toml").read_text("utf-8"))
    one, two, three = made["models"]
    assert one.pop("config").endswith("llama/config.json")
    assert one == {"name": "Ours 8B", "tokens": 15 * 10**12, "n_layers": 36}
    assert (two["architecture"], two["dimensions"]["n_layers"], three["dimensions"]["n_layers"]) == ("dense", 40, 60)
    assert (made["name"], made["cluster"]["accelerator"]) == ("Next year", "h100-sxm")
    assert made["drivers"]["mfu"]["base"] == 0.4


def test_what_a_portfolio_made_anew_reports(folder):
    """Nothing moves."""
    run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    run("report", folder / "new.toml", "-o", folder / "new.xlsx")
    assert run("diff", folder / "plan.xlsx", folder / "new.xlsx")[:2] == (0, "no number moved\n")


def test_doubts_are_not_forgotten(folder):
    """A model that is not exact is described by its config or not at all."""
    config = folder / "llama" / "config.json"
    config.write_text(config.read_text("utf-8").replace("{", '{"gate_rank": 8,', 1), "utf-8")
    run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")
    config.unlink()
    status, _, errors = run("import", folder / "plan.xlsx", "-o", folder / "new.toml", "--yes")
    assert status == 2
    assert "Ours 8B is not exact, and its config file" in errors
    assert not (folder / "new.toml").exists()


def test_import_writes_toml(folder):
    """A slip of the keyboard overwrites no workbook."""
    assert "import writes a portfolio" in run("import", folder / "plan.xlsx", "-o", folder / "plan.xlsx")[2]


@needs_soffice
def test_a_round_trip_through_libreoffice(folder):
    """Three blue cells and a row, saved by LibreOffice, are in the portfolio with its comments, and in its report."""
    planner = Planner(folder)
    planner.cell("drivers", "mfu", "Base").value = 0.42
    planner.cell("models", 1, "Own tokens (T)").value = 16
    planner.cell("dense", 2, "n_layers").value = 44
    planner.add("dense", 9, 2, model="Third", n_layers=20)
    planner.save()
    recalculate(folder / "plan.xlsx", folder / "saved")
    status, out, _ = bring(folder, "--yes", workbook="saved/plan.xlsx")
    assert (status, out.splitlines()[-1].split(" → ")[0]) == (0, "3 values and 1 new model")
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert [line for line in PORTFOLIO.splitlines() if "#" in line and line.partition("#")[2] not in text] == []
    assert run("report", folder / "portfolio.toml", "-o", folder / "again.xlsx")[0] == 0
    again = open_spreadsheet(folder / "again.xlsx")
    tables = {name: rows_under(again, again.tables[name]) for name in ("drivers", "models", "dense")}
    assert next(row for row in tables["drivers"] if row[-1] == "mfu")[4] == 0.42
    assert [row[1] for row in tables["models"]] == ["Ours 8B", "Paper", "Third"]
    assert [row[4] for row in tables["dense"]] == [32, 44, 20]
    assert bring(folder, "--yes", workbook="again.xlsx")[1].startswith("no input was changed")


def rows_under(book, table):
    """Return the rows of a table of a workbook."""
    (top, left), (bottom, right) = table.first, table.last
    return [row[left : right + 1] for row in book.sheet(table.sheet).rows[top + 1 : bottom + 1]]


def test_bytes_of_quantised_weights_stay_beside_an_edited_one():
    """In the workbook only the other weights follow an edit of their bytes, so the next report has to say it."""
    config = json.loads((CONFIGS / "Llama-3.1-8B" / "config.json").read_text("utf-8"))
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4, "group_size": 128}
    model = load_model(load(), config)
    before = cost(load(), model)
    expected = {**before.dimensions, "weight_dtype_bytes": 4}
    stated, problems = needed(before.ledger, model, expected, {"weight_dtype_bytes": 4})
    after = cost(load(), replace(model, given=laid_over(model.given, stated)))
    assert problems == []
    assert after.dimensions == expected
