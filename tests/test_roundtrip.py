"""The way back: a planner's edits of a workbook become changes of its portfolio, and nothing else does."""

import json
import shutil
import tomllib

import pytest
from judges import needs_soffice, recalculate
from msgspec.structs import replace
from planner import PORTFOLIO, TODAY, Planner, bring, edit, run, today
from samples import CONFIGS, with_macros

from flopsheet.configs.grid import open_workbook
from flopsheet.configs.settings import merge_settings
from flopsheet.configs.source import load_model
from flopsheet.export.roundtrip.changes import missing_settings
from flopsheet.host.loading import load
from flopsheet.planning.catalog import catalog
from flopsheet.planning.costing import cost


def test_an_unchanged_workbook_changes_nothing(folder):
    """What was delivered is what the portfolio says."""
    assert bring(folder, "--yes") == (0, f"no input was changed; {folder / 'portfolio.toml'} was left as it is\n", "")
    assert (folder / "portfolio.toml").read_text("utf-8") == PORTFOLIO


MFU = catalog(load())["h100-sxm"].found["mfu"]
MFU_NOW = f"Base: edited in the workbook, {TODAY}; Low cost, High cost: {MFU.source} ({MFU.date})"
EDITS = {
    "case of a stated table": ("drivers", "tokens", "Low cost", 9, "low = 10e12", "low = 9e12"),
    "source": ("drivers", "tokens", "Source", "Theirs", 'source = "Ours"', 'source = "Theirs"'),
    "case of a stated number": (
        *("drivers", "goodput", "High cost", 0.75),
        "goodput = 0.9  #",
        "goodput = { low = 0.75, base = 0.9, high = 0.9 }  #",
    ),
    "driver under cluster": (
        *("drivers", "days", "Low cost", 60),
        "days = 90  #",
        "days = { low = 60, base = 90, high = 90 }  #",
    ),
    "driver that was not stated": (
        *("drivers", "mfu", "Base", 0.4),
        "# mostly crawled\n",
        f'# mostly crawled\nmfu = {{ low = 0.28, base = 0.4, high = 0.45, source = "{MFU_NOW}", date = "{TODAY}" }}\n',
    ),
    "own tokens, as a float": ("models", 1, "Token override (T)", 15.6, "tokens = 15e12  #", "tokens = 15.6e12  #"),
    "own tokens, grouped": ("models", 2, "Token override (T)", 2.5, "2_000_000_000_000", "2_500_000_000_000"),
    "published count": (
        *("models", 1, "Published (B)", 8.03),
        "theirs\n",
        'theirs\npublished = { parameters = 8_030_000_000, source = "typed at Models!Q6" }\n',
    ),
    "dimension of a config": ("dense", 1, "n_layers", 36, 'Q6" }\n', 'Q6" }\nn_layers = 36\n'),
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
    with today():
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
    edit(folder, "models", 1, "Token override (T)", None)
    assert bring(folder, "--yes")[0] == 0
    cleared = PORTFOLIO.replace("tokens = 15e12  # as much as theirs\n", "")
    assert (folder / "portfolio.toml").read_text("utf-8") == cleared


def test_all_cases_alike_stay_a_number(folder):
    """A number that holds for every case stays one."""
    planner = Planner(folder)
    for header in ("Low cost", "Base", "High cost"):
        planner.cell("drivers", "goodput", header).value = 0.8
    planner.save()
    assert bring(folder, "--yes")[0] == 0
    assert "goodput = 0.8  # measured" in (folder / "portfolio.toml").read_text("utf-8")


def test_the_scenario_is_an_input(folder):
    """What About shows is what the portfolio shows."""
    planner = Planner(folder)
    ((sheet, place),) = planner.book.defined_names["in_scenario_label"].destinations
    place = place.replace("$", "")
    planner.book[sheet][place].value = "High cost"
    planner.save()
    _, out, _ = bring(folder, "--yes")
    assert f"About!{place}  scenario  'Base' → 'High cost'" in out
    assert tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["scenario"] == "high"


def test_a_dimension_that_follows_is_not_stated(folder):
    """In the workbook the heads' size followed the width, as it does in the next report."""
    edit(folder, "dense", 2, "d_model", 7680)
    _, out, _ = bring(folder, "--yes")
    assert "written out" not in out
    entry = tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["models"][1]["dimensions"]
    assert (entry["d_model"], "d_head" in entry) == (7680, False)


def test_a_dimension_that_would_follow_is_stated(folder):
    """The heads' size was typed over as it was, and the width then changed: it stayed, and has to stay."""
    edit(folder, "dense", 2, "d_head", 128)
    edit(folder, "dense", 2, "d_model", 4096)
    _, out, _ = bring(folder, "--yes")
    assert "Paper: d_head = 128 is now written out to stay as it was" in out
    entry = tomllib.loads((folder / "portfolio.toml").read_text("utf-8"))["models"][1]["dimensions"]
    assert (entry["d_model"], entry["d_head"]) == (4096, 128)


def test_a_typed_row_becomes_a_model(folder):
    """A number of its own under an architecture, and under Models, is a new `[[models]]` at the end."""
    planner = Planner(folder)
    planner.add("dense", 7, 2, model="Bigger", n_layers=60, batch=2)
    planner.add("models", 7, 2, Model="Bigger", **{"Token override (T)": 3})
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0
    assert "new model Bigger  dense, n_layers = 60" in out
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert text.startswith(PORTFOLIO)
    model = tomllib.loads(text)["models"][2]
    assert (model["name"], model["architecture"], model["tokens"]) == ("Bigger", "dense", 3_000_000_000_000)
    stated = {"n_layers": 60, "d_model": 5120, "n_heads": 40, "d_ff": 13824, "vocab_size": 128256}
    assert model["dimensions"] == stated | {"batch": 2}


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


def test_a_name_that_means_another_cell_is_told(folder):
    """A name of formulas that was pointed elsewhere changes every number that reads it, and no formula."""
    planner = Planner(folder)
    names = planner.book.defined_names
    names["in_gib"].attr_text = names["in_mib"].attr_text
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert (status, out.count("expected ")) == (0, 1)
    assert "the name in_gib: expected Assumptions!G5, found Assumptions!G6" in out


def test_models_as_issued_that_were_changed_are_told(folder):
    """What the live numbers are held against is no input: another number in its place is found."""
    planner = Planner(folder)
    planner.cell("delivered", 1, "Cost delivered (USD)").value = 5
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert (status, out.count("expected ")) == (0, 1)
    assert "Provenance!I15: expected " in out
    assert ", found 5" in out


def test_a_problem_that_was_changed_is_told(folder):
    """A row of Problems that is not there any more stands with what it said, wherever rows were sorted to."""
    planner = Planner(folder)
    sheet, columns, top = planner.table("problems")
    said = sheet.cell(top + 1, columns["What"])
    said.value, was = "all understood", said.value
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert (status, out.count("expected ")) == (0, 1)
    assert f": {was}', found no such row" in out


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


def test_options_of_the_report_are_known_to_import(folder):
    """What --set and --case changed is no edit."""
    options = ["--set", "batch=4", "--case", "high", "--name", "Other"]
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


@needs_soffice
def test_a_round_trip_through_libreoffice(folder):
    """Three blue cells and a row, saved by LibreOffice, are in the portfolio with its comments, and in its report."""
    planner = Planner(folder)
    planner.cell("drivers", "mfu", "Base").value = 0.42
    planner.cell("models", 1, "Token override (T)").value = 16
    planner.cell("dense", 2, "n_layers").value = 44
    planner.add("dense", 9, 2, model="Third", n_layers=20)
    planner.save()
    recalculate(folder / "plan.xlsx", folder / "saved")
    status, out, _ = bring(folder, "--yes", workbook="saved/plan.xlsx")
    assert (status, out.splitlines()[-1].split(" → ")[0]) == (0, "3 values and 1 new model")
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert [line for line in PORTFOLIO.splitlines() if "#" in line and line.partition("#")[2] not in text] == []
    assert run("report", folder / "portfolio.toml", "-o", folder / "again.xlsx")[0] == 0
    again = open_workbook(folder / "again.xlsx")
    tables = {name: rows_under(again, again.tables[name]) for name in ("drivers", "models", "dense")}
    assert next(row for row in tables["drivers"] if "mfu" in row)[4] == 0.42
    assert [row[1] for row in tables["models"]] == ["Ours 8B", "Paper", "Third"]
    assert [row[4] for row in tables["dense"]] == [32, 44, 20]
    assert bring(folder, "--yes", workbook="again.xlsx")[1].startswith("no input was changed")


def rows_under(book, table):
    """Return the rows of a table of a workbook."""
    (top, left), (bottom, right) = table.first, table.last
    return [row[left : right + 1] for row in book.sheet(table.sheet).rows[top + 1 : bottom + 1]]


def test_bytes_of_quantized_weights_stay_beside_an_edited_one():
    """In the workbook only the other weights follow an edit of their bytes, so the next report has to say it."""
    config = json.loads((CONFIGS / "Llama-3.1-8B" / "config.json").read_text("utf-8"))
    config["quantization_config"] = {"quant_method": "gptq", "bits": 4, "group_size": 128}
    model = load_model(load(), config)
    before = cost(load(), model)
    expected = {**before.dimensions, "weight_dtype_bytes": 4}
    stated, problems = missing_settings(load(), before.ledger, model, expected, {"weight_dtype_bytes": 4})
    after = cost(load(), replace(model, given=merge_settings(load(), model.given, stated)))
    assert problems == []
    assert after.dimensions == expected


def test_inputs_of_single_models_come_back(folder):
    """A model's own input is changed, given to a model that had none, and taken out where its cell is cleared."""
    portfolio = folder / "portfolio.toml"
    own = "inputs = { mfu = 0.3, goodput = 0.8 }  # its own\n"
    portfolio.write_text(PORTFOLIO.replace("# as much as theirs\n", f"# as much as theirs\n{own}"), "utf-8")
    assert run("report", portfolio, "-o", folder / "plan.xlsx")[0] == 0
    planner = Planner(folder)
    for key, header, value in ((1, "own_mfu", 0.35), (1, "own_goodput", None), (2, "own_mfu", 0.4)):
        planner.cell("models", key, header).value = value
    planner.save()
    status, out, _ = bring(folder, "--yes")
    first, second = tomllib.loads(portfolio.read_text("utf-8"))["models"]
    assert (status, first["inputs"], second["inputs"]) == (0, {"mfu": 0.35}, {"mfu": 0.4})
    assert "Ours 8B: mfu" in out
    assert "# its own" in portfolio.read_text("utf-8")


@pytest.mark.parametrize("value", ["much", 45], ids=["text", "more than all"])
def test_an_own_input_that_cannot_be_is_refused(folder, value):
    """The cell and what is wrong with it are named, and the portfolio stays as it is."""
    portfolio = folder / "portfolio.toml"
    portfolio.write_text(PORTFOLIO.replace("# as much as theirs\n", "\ninputs = { mfu = 0.3 }\n"), "utf-8")
    assert run("report", portfolio, "-o", folder / "plan.xlsx")[0] == 0
    before, cell = portfolio.read_bytes(), edit(folder, "models", 1, "own_mfu", value)
    status, _, error = bring(folder, "--yes")
    assert (status, portfolio.read_bytes()) == (2, before)
    assert f"Models!{cell} (Ours 8B: mfu)" in error
