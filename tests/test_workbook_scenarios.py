"""The sheet Scenarios: every figure in every case, live, with what differs from Base."""

import judges
import openpyxl
import pytest
from planner import Planner
from samples import planned, write_portfolio

from flopsheet.export.workbook.figures import unit_of
from flopsheet.export.workbook.write import write_workbook
from flopsheet.units.readable import size

PORTFOLIO = """
questions = ["decision", "money"]

[inputs]
accelerator = "h100-sxm"
accelerators = 2048
days = 120
mfu = {mfu}
price_per_hour = 3.97
program_months = 6
budget_usd = 60e6
budget_covers = "program"

[scenarios."Half of them"]
accelerators = {half}

[scenarios.Owned]
acquisition = "owned"

[[models]]
name = "70B"
architecture = "dense"
tokens = 10e12
dimensions = {{ n_layers = 80, d_model = 8192, n_heads = 64, n_kv_heads = 8, d_head = 128, d_ff = 28672, \
mlp_matrices = 3, vocab_size = 128256 }}
"""


def plan_of(folder, name, mfu=0.4, half=1024):
    """Return a plan with two named scenarios."""
    (folder / name).mkdir()
    return planned(write_portfolio(folder / name, PORTFOLIO.format(mfu=mfu, half=half)))


def rows(book):
    """Give the title of each figure, and its numbers by the header of the column."""
    sheet = book["Scenarios"]
    table = sheet.tables["scenario_figures"]
    headers, *result = [[cell.value for cell in row] for row in sheet[table.ref]]
    for row in result:
        yield dict(zip(headers, row, strict=True))


def wanted(plan, other):
    """Give the same as another plan has it, in the units of the first."""
    for answer, moved in zip(plan.answers(), other.answers(), strict=True):
        times = (100 if answer.unit == "share" else 1) / size(unit_of(answer), answer.unit)
        yield {other.titles[case]: float(number) * times for case, number in moved.numbers.items()}


@judges.needs_soffice
def test_every_figure_follows_edits_in_every_scenario(tmp_path):
    """An edit of Base and one of a scenario: LibreOffice finds what a plan with both has, and differences from Base."""
    plan, other = plan_of(tmp_path, "before"), plan_of(tmp_path, "after", mfu=0.45, half=768)
    write_workbook(plan, tmp_path / "plan.xlsx")
    planner = Planner(tmp_path)
    planner.cell("drivers", "mfu", "Base").value = 0.45
    planner.cell("drivers", "accelerators", "Half of them").value = 768
    planner.save()
    remade = judges.recalculate(tmp_path / "plan.xlsx", tmp_path / "out")
    for found, expected in zip(rows(openpyxl.load_workbook(remade, data_only=True)), wanted(plan, other), strict=True):
        assert {title: found[title] for title in expected} == pytest.approx(expected, rel=1e-9), found["Figure"]
        less = found["Owned less Base"]
        assert less == pytest.approx(expected["Owned"] - expected["Base"], rel=1e-9, abs=1e-9)


def test_a_plan_without_scenarios_has_no_such_sheet(tmp_path):
    """There is nothing to hold against Base."""
    text = (
        PORTFOLIO.format(mfu=0.4, half=1).partition("[scenarios")[0]
        + "[[models]]"
        + PORTFOLIO.format(mfu=0.4, half=1).partition("[[models]]")[2]
    )
    write_workbook(planned(write_portfolio(tmp_path, text)), tmp_path / "plan.xlsx")
    assert "Scenarios" not in openpyxl.load_workbook(tmp_path / "plan.xlsx", read_only=True).sheetnames


def test_a_scenario_names_its_own_sources(tmp_path):
    """The price of another accelerator is not that of the Base case's: below the title stands where it is from."""
    text = """
[inputs]
accelerator = "h200-sxm"
accelerators = 2048
days = 120
[scenarios.B200]
accelerator = "b200-sxm"
"""
    plan = planned(write_portfolio(tmp_path, text))
    write_workbook(plan, tmp_path / "plan.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx")["Scenarios"]
    sentence = " ".join(str(row[0].value) for row in sheet.iter_rows(max_row=20) if row[0].value)
    assert "B200: B200 SXM" in sentence
    own = plan.named_sources[0]["price_per_hour"]
    assert " ".join(own.split()[:12]) in sentence
    assert own != next(one.source for one in plan.drivers if one.name == "price_per_hour")
