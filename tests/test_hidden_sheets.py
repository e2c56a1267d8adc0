"""Which sheets of a workbook people see: answers and inputs, and more or fewer of them where a report is asked to."""

import openpyxl
import pytest
from budget_template import add_table
from samples import CONFIGS, planned

from flopsheet.errors import TemplateError
from flopsheet.export.workbook import write_workbook

HIDDEN = ["Bridge", "Card dense", "Rules", "Provenance", "Workings budget", "Workings cases", "Workings dense"]


def written(folder, template="plan", **options):
    """Return a workbook of one model."""
    write_workbook(planned(CONFIGS / "gpt2-xl"), folder / "plan.xlsx", template, **options)
    return openpyxl.load_workbook(folder / "plan.xlsx")


def states(book):
    """Return the sheets of a workbook by their state."""
    result = {}
    for sheet in book.worksheets:
        result.setdefault(sheet.sheet_state, []).append(sheet.title)
    return result


def texts(sheet):
    """Return the texts of a sheet."""
    return [cell.value for row in sheet for cell in row if isinstance(cell.value, str)]


def test_workings_are_hidden_and_the_cover_names_them(tmp_path):
    """In the plain way, which a click on any tab undoes; links lead to sheets that are seen."""
    book = written(tmp_path)
    hidden = states(book)["hidden"]
    assert {*hidden} <= {*HIDDEN}
    assert any(text.startswith(f"Hidden sheets: {', '.join(hidden)}. ") for text in texts(book["About"]))
    linked = [cell.hyperlink for row in book["About"] for cell in row if cell.hyperlink]
    links = {(one.location or one.target).lstrip("#").partition("!")[0].strip("'") for one in linked}
    assert links
    assert not links & {*hidden}


def test_every_sheet_is_shown_on_demand(tmp_path):
    """An auditor sees what the reader's workbook has."""
    book = written(tmp_path, sheets=["all"])
    assert states(book).keys() == {"visible"}
    assert "No sheet is hidden." in texts(book["About"])


def test_named_sheets_are_shown_behind_the_cover(tmp_path):
    """However their names are spelled; a formula finds those that are hidden."""
    book = written(tmp_path, sheets=["models", "Workings dense"])
    assert states(book)["visible"] == ["About", "Models", "Workings dense"]


def test_an_unknown_sheet_is_refused_with_the_nearest(tmp_path):
    """Nothing is written then."""
    with pytest.raises(TemplateError, match=r"no sheet 'Chekcs'; did you mean 'Checks'"):
        written(tmp_path, sheets=["Chekcs"])
    assert not (tmp_path / "plan.xlsx").exists()


def test_a_template_of_ones_own_keeps_what_it_hides(tmp_path):
    """Very hidden sheets too, unless a report is asked to show all."""
    book = written(tmp_path)
    book["Charts"].sheet_state, book["Rules"].sheet_state = "veryHidden", "visible"
    book.save(tmp_path / "mine.xlsx")
    kept = states(written(tmp_path, str(tmp_path / "mine.xlsx")))
    assert kept["veryHidden"] == ["Charts"]
    assert "Rules" in kept["visible"]
    assert states(written(tmp_path, str(tmp_path / "mine.xlsx"), sheets=["all"])).keys() == {"visible"}


@pytest.fixture
def mine(tmp_path):
    """Return a template of one's own: a very hidden sheet in front, then a list of models, and a sheet Finance."""
    book = openpyxl.Workbook()
    book.active.title, book.active.sheet_state = "Secrets", "veryHidden"
    add_table(book.create_sheet("Models"), "Ours", 1, {"Model": "Sample", "Parameters [B]": 7}, totals=False)
    book.create_sheet("Finance")
    book.active = 1
    book.save(tmp_path / "mine.xlsx")
    return str(tmp_path / "mine.xlsx")


def test_a_sheet_called_like_a_set_is_meant_and_hidden_ones_in_front_stay_so(mine, tmp_path):
    """The cover of a template of one's own is the first sheet that it shows."""
    book = written(tmp_path, mine, sheets=["finance"])
    assert states(book) == {"veryHidden": ["Secrets"], "visible": ["Models", "Finance"]}


def test_a_set_without_sheets_is_refused(mine, tmp_path):
    """A workbook without a sheet to show cannot be opened."""
    with pytest.raises(TemplateError, match="none of the sheets of the set 'board'; it has Secrets, Models, Finance"):
        written(tmp_path, mine, sheets=["board"])
