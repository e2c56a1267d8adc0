"""What stands in the shipped template: a sample, whose columns show how those of a batch look."""

import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import load_workbook
from samples import EXAMPLES, planned, write_portfolio

from flopsheet.export.workbook.plan_filler import PlanFiller
from flopsheet.export.workbook.write import write_workbook
from livesheets.template import read_template

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "templates" / "flopsheet_templates" / "plan.xlsx"
MODEL = """
[[models]]
name = "One"
config = "{}/config.json"
"""


def plan(folder, *configs, more=""):
    """Return the plan of some example configs, each with more said of it."""
    text = "".join(MODEL.replace("One", name).format(EXAMPLES / "configs" / name) + more for name in configs)
    return planned(str(write_portfolio(folder, text)))


def cells(path):
    """Return what stands in every cell but those of Provenance, with number format and font color."""
    return {
        (sheet.title, cell.coordinate): (
            cell.value,
            cell.number_format,
            cell.font.b,
            cell.font.color and cell.font.color.rgb,
        )
        for sheet in load_workbook(path)
        for row in sheet.iter_rows()
        for cell in row
        if cell.value is not None and sheet.title != "Provenance"
    }


def drawn(path):
    """Return the cells that each chart shows."""
    with ZipFile(path) as package:
        charts = [package.read(name).decode() for name in package.namelist() if name.startswith("xl/charts/chart")]
    return [re.findall("<c:f>(.*?)</c:f>|<f>(.*?)</f>", chart) for chart in charts]


@pytest.mark.parametrize("name", ["drivers", "budget", "models", "cases", "rules", "delivered"])
def test_the_sample_s_lists_have_their_columns(name):
    """A list that lacked one would not be filled."""
    data = SHIPPED.read_bytes()
    assert (
        name
        in PlanFiller(planned(EXAMPLES / "configs" / "gpt2-xl"), read_template(data), data, SHIPPED.name).filled_names
    )


@pytest.mark.parametrize(
    ("models", "more"),
    [(("Llama-3.1-8B", "Mixtral-8x7B", "t5-11b"), ""), (("gpt2-xl",), "tokens = 1e9")],
    ids=["other architectures", "other units"],
)
def test_an_earlier_workbook_serves_as_template(models, more, tmp_path):
    """Its models, architectures, units and rows give way: only what was a marker still tells of the earlier plan."""
    earlier, fresh, again = tmp_path / "earlier.xlsx", tmp_path / "fresh.xlsx", tmp_path / "again.xlsx"
    write_workbook(plan(tmp_path, *models, more=more), earlier)
    asked = plan(tmp_path, "gpt2-xl", "mamba-2.8b")
    write_workbook(asked, fresh)
    write_workbook(asked, again, str(earlier))
    one, other = cells(fresh), cells(again)
    assert {place for place in one.keys() | other.keys() if one.get(place) != other.get(place)} == set()
    assert drawn(fresh) == drawn(again)


def test_a_formula_of_the_author_s_in_a_named_cell_stays(tmp_path):
    """The shipped one is replaced, since it says the sample's units."""
    book = load_workbook(SHIPPED)
    book["About"]["A5"] = '="We buy "&out_hours'
    book.save(tmp_path / "mine.xlsx")
    write_workbook(plan(tmp_path, "gpt2-xl"), tmp_path / "out.xlsx", str(tmp_path / "mine.xlsx"))
    about = load_workbook(tmp_path / "out.xlsx")["About"]
    assert about["A5"].value == '="We buy "&out_hours'
    assert "1,024" not in about["A4"].value


def test_a_name_of_a_driver_follows_its_row(tmp_path):
    """A copy whose names point to other rows, as one of an earlier version may, is put right."""
    book = load_workbook(SHIPPED)
    book.defined_names["in_mfu"].attr_text = "'Assumptions'!$G$9"
    book.save(tmp_path / "mine.xlsx")
    write_workbook(plan(tmp_path, "gpt2-xl"), tmp_path / "out.xlsx", str(tmp_path / "mine.xlsx"))
    book = load_workbook(tmp_path / "out.xlsx")
    row = book.defined_names["in_mfu"].attr_text.rpartition("$")[2]
    assert book["Assumptions"][f"K{row}"].value == "mfu"
