"""What a board, a finance team and an auditor print: the sheets of each set, and how many pages they are."""

import subprocess
from functools import cache

import judges
import openpyxl
import pytest
from samples import planned, write_portfolio

from flopsheet.export.workbook.question_sheets import BESIDE
from flopsheet.export.workbook.write import write_workbook

PORTFOLIO = """
questions = ["decision", "feasible", "scaling", "training", "money"]

[inputs]
accelerator = "h200-sxm"
accelerators = 2048
start = "2027-03-01"
days = 120
budget_usd = 60e6
budget_covers = "program"
program_months = 6
tokens = 10e12

[scenarios."Buy B200"]
accelerator = "b200-sxm"
acquisition = "owned"
accelerators = 1024
"""
BOARD = ["Decision", "Scenarios", "Timeline"]
FINANCE = {*BOARD, "Assumptions", "Options", "Scaling", "Training", "Money", "Sensitivity"}
PAGES = {"board": 3, "finance": 10}


def models(count):
    """Return a portfolio with so many models."""
    sizes = [f"{7 + 9 * place}B" for place in range(count)]
    return PORTFOLIO + "".join(f'\n[[models]]\nname = "{size}"\nsize = "{size}"\n' for size in sizes)


@cache
def plan_of(folder, count):
    """Return the plan of so many models, made once."""
    return planned(write_portfolio(folder, models(count)))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Give the path of a workbook with the sheets of a print set, written once."""
    folder = tmp_path_factory.mktemp("sets")

    @cache
    def write(count, sheets):
        path = folder / f"{count}-{sheets}.xlsx"
        write_workbook(plan_of(folder, count), path, sheets=[sheets])
        return path

    return write


def visible(path):
    """Return the sheets that are not hidden, in order."""
    return [sheet.title for sheet in openpyxl.load_workbook(path, read_only=True) if sheet.sheet_state == "visible"]


def test_each_set_has_its_sheets(written):
    """A board has the answer, scenarios and timeline; finance what leads to them; an auditor all but workings."""
    assert visible(written(2, "board")) == BOARD
    assert {*visible(written(2, "finance"))} == FINANCE
    audited = visible(written(2, "audit"))
    assert {"About", "Checks", "Provenance", "Card dense", *FINANCE} <= {*audited}
    assert not [name for name in audited if name.startswith("Workings")]


def test_without_an_answer_in_words_the_cover_is_the_page(tmp_path):
    """A plan that only asks what its cluster trains has About and no other page for a board."""
    plan = planned(write_portfolio(tmp_path, '[[models]]\nname = "8B"\nsize = "8B"\n'))
    write_workbook(plan, tmp_path / "plan.xlsx", sheets=["board"])
    assert visible(tmp_path / "plan.xlsx") == ["About"]


def page_counts(path, folder):
    """Return how many pages LibreOffice prints of each sheet, by the footer."""
    pages = judges.printed(path, folder)
    text = subprocess.run(["pdftotext", "-layout", pages, "-"], capture_output=True, text=True, check=True).stdout
    result = {}
    for page in text.split("\f"):
        lines = page.strip().splitlines()
        name = lines[-1].strip().split("  ")[0] if lines else ""
        result[name] = result.get(name, 0) + 1
    return result


@judges.needs_soffice
@pytest.mark.parametrize(("sheets", "count"), [("board", 1), ("finance", BESIDE + 2)])
def test_a_set_has_few_pages(sheets, count, written, tmp_path):
    """Three for a board and ten for finance, however many models there are: both sets have the same pages of each."""
    path = written(count, sheets)
    counts = page_counts(path, tmp_path / "out")
    shown = visible(path)
    assert all(counts.get(name) for name in shown)
    assert sum(counts[name] for name in shown) <= PAGES[sheets]


def test_the_page_to_sign_says_what_it_rests_on(written):
    """The answer below its title, five inputs with their values and sources, what moves it, and lines to be signed."""
    sheet = openpyxl.load_workbook(written(2, "board"), data_only=True, read_only=True)["Decision"]
    texts = [str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert sheet["A3"].value.startswith("Rent 2,048 H200 SXM 141GB")
    assert sheet["A4"].value.startswith("No longer viable: at a price above ")
    assert not sheet["A4"].value.endswith(";")
    for said in ("GPU-hour price: ", "MFU, dense models: 35.0%", "Goodput: 90.0%", "Training tokens: 10 T tokens"):
        assert any(text.startswith(said) for text in texts), said
    for said in ("What moves ", "Models whose numbers differ from those issued: 0", "Prepared by:", "Approved by:"):
        assert any(text.startswith(said) for text in texts), said
