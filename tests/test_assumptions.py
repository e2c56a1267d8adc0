"""The sheet Assumptions: words where a choice is made, and large numbers in the units that people use."""

import judges
import openpyxl
import pytest
from planner import Planner, bring, run

PORTFOLIO = """
questions = ["budget", "money"]

[inputs]
accelerators = 512
tokens = 15e12
budget_usd = 50e6
budget_covers = "final_run"  # for now

[[models]]
name = "Ours"
size = "7B"
"""


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Return a folder with a portfolio and its workbook."""
    folder = tmp_path_factory.mktemp("assumed")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    status, _, errors = run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")
    assert status == 0, errors
    return folder


def shown(planner, name):
    """Return the unit, the Base case and the size of the unit of an input."""
    return [planner.cell("drivers", name, header).value for header in ("Unit", "Base", "Times")]


def live(path, name):
    """Return the number that formulas read of an input."""
    book = openpyxl.load_workbook(path, data_only=True, read_only=True)
    ((sheet, cell),) = book.defined_names[f"in_{name}"].destinations
    return book[sheet][cell.replace("$", "")].value


def test_large_numbers_have_the_unit_that_people_use(folder):
    """Trillions of tokens and millions of dollars; formulas read plain ones."""
    planner = Planner(folder)
    assert shown(planner, "tokens") == ["T tokens", 15, 10**12]
    assert shown(planner, "budget_usd") == ["USD m", 50, 10**6]
    assert shown(planner, "accelerators") == ["accelerators", 512, 1]
    assert live(planner.path, "tokens") == 15 * 10**12


def test_a_choice_shows_its_word_and_offers_the_others(folder):
    """The list is the row's own, and formulas read the word's place in it."""
    planner = Planner(folder)
    cell = planner.cell("drivers", "budget_covers", "Base")
    words = [planner.cell("drivers", "budget_covers", f"Choice {place}") for place in (1, 2)]
    assert (cell.value, [word.value for word in words]) == ("final_run", ["final_run", "program"])
    rules = [one for one in cell.parent.data_validations.dataValidation if cell.coordinate in one.sqref]
    first, last = (f"${word.column_letter}${word.row}" for word in words)
    assert [(one.type, one.formula1) for one in rules] == [("list", f"{first}:{last}")]
    assert live(planner.path, "budget_covers") == 1


def test_words_and_large_numbers_come_back(folder):
    """A planner chooses another word and types trillions; the portfolio states the word and plain tokens."""
    planner = Planner(folder)
    for case in ("Low cost", "Base", "High cost"):
        planner.cell("drivers", "budget_covers", case).value = "program"
        planner.cell("drivers", "tokens", case).value = 7.5
    planner.save()
    status, out, _ = bring(folder, "--yes")
    assert status == 0, out
    text = (folder / "portfolio.toml").read_text("utf-8")
    assert 'budget_covers = "program"  # for now' in text
    assert "tokens = 7.5e12" in text or "tokens = 7500000000000" in text.replace("_", "")


def test_an_unknown_word_is_refused(folder):
    """The message has the words that are known."""
    planner = Planner(folder)
    planner.cell("drivers", "budget_covers", "Base").value = "everything"
    planner.save()
    status, _, errors = bring(folder, "--yes")
    assert status != 0
    assert "final_run, program" in errors


@pytest.mark.skipif(judges.soffice() is None, reason="LibreOffice is not installed")
def test_another_word_recalculates_to_the_plan_that_states_it(folder):
    """LibreOffice gives for a word that was chosen by hand what Python gives for a portfolio with that word."""
    planner = Planner(folder)
    for case in ("Low cost", "Base", "High cost"):
        planner.cell("drivers", "budget_covers", case).value = "program"
    planner.save()
    (folder / "other.toml").write_text(PORTFOLIO.replace("final_run", "program"), "utf-8")
    run("report", folder / "other.toml", "-o", folder / "other.xlsx")
    (result,) = judges.calculated([planner.path], folder / "out")
    expected = judges.cells(folder / "other.xlsx")
    numbers = {at: value for at, value in expected.items() if isinstance(value, int | float) and at[0] == "Money"}
    assert len(numbers) > 100
    assert {at: judges.number(result.get(at, "")) for at in numbers} == pytest.approx(numbers, rel=1e-9)
