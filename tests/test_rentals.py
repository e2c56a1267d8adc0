"""Somebody else's question, in a folder that flopsheet does not know, appears everywhere."""

import csv
import io
import json
import tomllib

import numpy as np
import openpyxl
import pytest
from judges import OFFICES, calculated, differing, needs_soffice, needs_validator, validate
from planner import Planner, bring, run
from renting import installed

from flopsheet.export.layout.spec import CoverLayout
from flopsheet.export.workbook import compose
from flopsheet.host.loading import load
from flopsheet.planning.registry import program
from flopsheet.planning.run import PlannedModel, Run
from flopsheet.planning.sweep import Sweep

PORTFOLIO = """
name = "Storage"

[inputs]
cap = 5000

[[models]]
name = "Ours"
architecture = "dense"
tokens = 1e12
dimensions = { n_layers = 32, d_model = 4096, n_heads = 32, d_ff = 14336, mlp_matrices = 3, vocab_size = 128256 }

[[models]]
name = "Theirs"
architecture = "dense"
dimensions = { n_layers = 8, d_model = 1024, n_heads = 8, d_ff = 4096, mlp_matrices = 3, vocab_size = 32000 }

[models.inputs]
mfu = 0.2
"""

NOTHING = dict.fromkeys(("parameters_active", "flops_training_per_token", "training_state_bytes", "tokens_override"), 1)


@pytest.fixture(scope="module", autouse=True)
def caches(tmp_path_factory):
    """Keep composed templates in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def rented(tmp_path_factory):
    """Install the distribution beside flopsheet, and write a portfolio and its workbook."""
    folder = tmp_path_factory.mktemp("rented")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    with installed(folder / "site"):
        assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
        yield folder


def planned(folder, *options):
    """Return the plan's document."""
    status, out, _ = run("plan", folder / "portfolio.toml", "--format", "json", *options)
    assert status == 0
    return json.loads(out)


def test_it_answers_in_every_format(rented):
    """Figures, tables, lines per model and checks are in JSON, TOML, CSV and on the terminal."""
    document = planned(rented)
    assert document["answers"]["rentals"]["rent"]["low"] < document["answers"]["rentals"]["rent"]["high"]
    assert document["answers"]["rentals"]["reached"]["unit"] == "month"
    assert [row["month"] for row in document["tables"]["rent"]] == list(range(1, 13))
    assert sum(model["base"]["rent_share"] for model in document["models"]) == pytest.approx(1)
    assert {one["name"]: one["state"] for one in document["checks"]}["within_cap"] == "pass"
    _, text, _ = run("plan", rented / "portfolio.toml", "--format", "toml")
    assert tomllib.loads(text)["answers"] == document["answers"]
    _, text, _ = run("plan", rented / "portfolio.toml", "--format", "csv")
    shares = {float(row["rent_share"]) for row in csv.DictReader(io.StringIO(text)) if row["case"] == "base"}
    assert shares == {model["base"]["rent_share"] for model in document["models"]}
    _, text, _ = run("plan", rented / "portfolio.toml")
    assert "When does storage reach its cap?" in text


@pytest.mark.usefixtures("rented")
def test_its_inputs_and_names_are_listed():
    """`inputs` has its inputs with their question, `templates fields` its columns and cells."""
    _, out, _ = run("inputs", "rentals", "--json")
    assert [row["name"] for row in json.loads(out)] == ["storage_price", "horizon", "cap"]
    _, out, _ = run("templates", "fields", "--json")
    names = {row["name"] for row in json.loads(out)}
    assert {"rent_share", "in_storage_price", "out_rentals_rent", "out_rentals_rent_low"} <= names


def test_it_has_a_sheet_in_the_workbook(rented):
    """Its sheet has figures, tables and charts; About its figure, Checks its check, Models its column."""
    book = openpyxl.load_workbook(rented / "plan.xlsx", data_only=True)
    document = planned(rented)
    sheet = book["Rentals"]
    assert set(sheet.tables) == {"stored", "rent"}
    assert len(sheet._charts) == 2  # noqa: SLF001 - openpyxl has no other way to ask
    sheet_name, cell = next(book.defined_names["see_out_rentals_rent"].destinations)
    assert sheet_name == "About"
    assert book["About"][cell].value * 1000 == pytest.approx(document["answers"]["rentals"]["rent"]["base"])
    checks = [[cell.value for cell in row] for row in book["Checks"].iter_rows(max_col=3)]
    assert ["Every bill is within the cap", 0, 1] in checks
    assert "Share of rent" in [cell.value for cell in book["Models"][5]]


@needs_soffice
@pytest.mark.usefixtures("rented")
def test_it_recalculates_to_its_cached_values(tmp_path):
    """LibreOffice, started once, gives what flopsheet wrote, in every case, and where the check fails."""
    books = [tmp_path / name for name in ("low 5000.xlsx", "base 5000.xlsx", "high 5000.xlsx", "high 1500.xlsx")]
    for book in books:
        case, cap = book.stem.split()
        (tmp_path / "portfolio.toml").write_text(PORTFOLIO.replace("cap = 5000", f"cap = {cap}"), "utf-8")
        assert run("report", tmp_path / "portfolio.toml", "--case", case, "-o", book)[0] == 0
    for book, found in zip(books, calculated(books, tmp_path / "out"), strict=True):
        assert differing(book, found) == [], book.stem
        assert ("Rentals", "B7") in found


@pytest.mark.usefixtures("rented")
def test_a_check_that_fails_is_shown(tmp_path):
    """A bill over the cap fails its check, in the workbook and in the program."""
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO.replace("cap = 5000", "cap = 1500"), "utf-8")
    _, _, errors = run("report", tmp_path / "portfolio.toml", "-o", tmp_path / "plan.xlsx")
    assert "Every bill is within the cap: difference 4. A month's bill is over the cap" in errors
    assert planned(tmp_path)["checks"][-1]["state"] == "fail"


@needs_validator
@pytest.mark.parametrize("office", OFFICES)
def test_its_workbook_is_valid(rented, office):
    """The Open XML SDK finds nothing wrong."""
    assert validate(rented / "plan.xlsx", office) == []


def test_edits_of_its_inputs_come_back(rented, tmp_path):
    """What a planner types on Assumptions goes into the portfolio."""
    for name in ("portfolio.toml", "plan.xlsx"):
        (tmp_path / name).write_bytes((rented / name).read_bytes())
    planner = Planner(tmp_path)
    planner.cell("drivers", "storage_price", "High cost").value = 45
    planner.save()
    status, _, errors = bring(tmp_path, "--yes")
    assert status == 0, errors
    assert (
        planned(tmp_path)["answers"]["rentals"]["rent"]["high"] > planned(rented)["answers"]["rentals"]["rent"]["high"]
    )


@pytest.mark.usefixtures("rented")
def test_it_is_swept():
    """Its lines are columns over designs, and give the exact numbers."""
    asked = program(load())
    prices, sizes = np.array([12.0, 20.0]), np.array([1e9, 8e9])
    known = {name: one.default for name, one in asked.inputs.items() if not isinstance(one.default, str | None)}
    given = known | {"storage_price": prices, "parameters": sizes}
    result = Sweep(asked, (("cases", "rent_cost"),)).columns(given)["cases", "rent_cost"]
    for at in range(2):
        inputs = known | {"storage_price": int(prices[at])}
        ran = Run(asked, inputs, [PlannedModel(0, {}, {**NOTHING, "parameters": int(sizes[at])})])
        assert result[at] == pytest.approx(float(ran.single("cases")["rent_cost"]))


def test_the_composed_template_is_kept(rented, monkeypatch, tmp_path):
    """A second workbook is laid out by nobody, and is the same; a cache that cannot be written costs only time."""
    monkeypatch.setattr("flopsheet.export.layout.book.template_bytes", None)
    assert run("report", rented / "portfolio.toml", "-o", tmp_path / "again.xlsx")[0] == 0
    assert (tmp_path / "again.xlsx").read_bytes() == (rented / "plan.xlsx").read_bytes()
    monkeypatch.undo()
    (tmp_path / "file").write_text("no folder", "utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert run("report", rented / "portfolio.toml", "-o", tmp_path / "slow.xlsx")[0] == 0
    assert (tmp_path / "slow.xlsx").read_bytes() == (rented / "plan.xlsx").read_bytes()


@pytest.mark.parametrize("changed", ["sheets.toml", "look.py"])
def test_a_template_that_is_laid_out_differently_is_composed_again(monkeypatch, tmp_path, changed):
    """What is kept was made by this code and this data: another version of either is another template."""
    monkeypatch.setattr(compose, "files", lambda _: tmp_path)
    cover = CoverLayout((), ())
    (tmp_path / changed).write_text("one", "utf-8")
    kept = compose.template_key(cover, ())
    (tmp_path / changed).write_text("other", "utf-8")
    assert compose.template_key(cover, ()) != kept
