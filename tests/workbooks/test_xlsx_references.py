"""What a reference that is spelled or placed in an unusual way means once a table is filled."""

from xlsx_templates import ROWS, cell_xml, patched
from xlsx_templates import whole_charts as template

from livesheets.engine import Fill, TableFill, fill

LISTS = "xl/worksheets/sheet3.xml"
SUM = "SUM(Models!$B$6:$B$7)</f><v></v>"


def grown(folder, formula):
    """Fill the plain template, with another formula in Lists!A1, with three models; return the cell and the report."""
    data = patched(template(), LISTS, (SUM, f"{formula}</f><v>5</v>"))
    report = fill(data, Fill(tables={"models": TableFill(ROWS)}), folder / "filled.xlsx")
    return cell_xml(folder / "filled.xlsx", LISTS, "A1"), report.not_stretched


def test_a_range_may_name_its_sheet_twice(tmp_path):
    """Excel keeps the sheet before both corners of a range: it is one range, and follows."""
    cell, told = grown(tmp_path, "SUM(Models!$B$6:Models!$B$7)")
    assert (cell, told) == ('<c r="A1"><f>SUM(Models!$B$6:$B$8)</f></c>', ())


def test_cells_that_a_table_grows_over_are_told(tmp_path):
    """A formula that reads an empty cell below a table reads a model there once the table is filled."""
    cell, told = grown(tmp_path, "Models!B9*2")
    assert cell == '<c r="A1"><f>Models!B9*2</f></c>'
    assert told[0].startswith("Lists!A1, which refer to some rows of the table models")
