import re
import zipfile
from io import BytesIO

import pytest
from judges import needs_soffice, needs_validator, recalculate, validate
from openpyxl import load_workbook
from rich_template import CHARTS, rich_template
from xlsx_templates import part, raw_entries

from livesheets.engine import Fill, TableFill, fill

COUNT, LAST = 200, 204
ROWS = [(f"model {at}", "moe" if at % 4 else "dense", at + 1, 1.5 * (at + 1), "yes", 1.5) for at in range(COUNT)]
TOTALS = {"Parameters (B)": 20_100, "Training cost [USD m]": 30_150}
DENSE = 7_425  # the cost of every fourth model

SHEET1, SHEET2 = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
CHART_PARTS = [f"xl/charts/chart{at}.xml" for at in range(1, len(CHARTS) + 1)]
WATERFALL = "xl/charts/chartEx1.xml"
PIVOT = "xl/pivotCache/pivotCacheDefinition1.xml"
PLANNED = {
    SHEET1,
    SHEET2,
    "xl/tables/table1.xml",
    "xl/workbook.xml",
    "xl/drawings/drawing11.xml",
    PIVOT,
    WATERFALL,
    *CHART_PARTS,
}
"""What a fill of the table and of the text box has to change; every other entry is a copy."""

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")
"""openpyxl says what it would lose if it saved the workbook."""


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """Fill the rich template with 200 models."""
    path = tmp_path_factory.mktemp("rich") / "filled.xlsm"
    allow = {"macros", "external-links", "connections"}
    asked = Fill(tables={"Data": TableFill(ROWS, totals=TOTALS)}, texts={"title": "2026"}, allow=allow)
    fill(rich_template(), asked, path)
    return path


def values(data):
    """Return the workbook with the values that are stored in it."""
    return load_workbook(BytesIO(data), data_only=True)


FEATURES = {
    "pivot table": "xl/pivotTables/pivotTable1.xml",
    "pivot cache": "xl/pivotCache/pivotCacheRecords1.xml",
    "waterfall chart": "xl/charts/chartEx1.xml",
    "slicer": "xl/slicers/slicer1.xml",
    "slicer cache": "xl/slicerCaches/slicerCache1.xml",
    "form control": "xl/ctrlProps/ctrlProp1.xml",
    "its drawing": "xl/drawings/vmlDrawing12.vml",
    "comments": "xl/comments/comment1.xml",
    "threaded comments": "xl/threadedComments/threadedComment1.xml",
    "persons": "xl/persons/person.xml",
    "header image": "xl/drawings/vmlDrawingHF1.vml",
    "image": "xl/media/logo.png",
    "macros": "xl/vbaProject.bin",
    "custom XML": "customXml/item1.xml",
    "external link": "xl/externalLinks/externalLink1.xml",
    "connections": "xl/connections.xml",
    "printer settings": "xl/printerSettings/printerSettings1.bin",
    "dynamic arrays": "xl/metadata.xml",
    "theme": "xl/theme/theme1.xml",
}


@pytest.mark.parametrize("name", FEATURES.values(), ids=FEATURES.keys())
def test_a_feature_is_copied(name, output):
    """Each feature that openpyxl loses keeps its compressed bytes; only ranges inside a part may make it change."""
    if name not in PLANNED:
        assert raw_entries(output.read_bytes())[name] == raw_entries(rich_template())[name]


def test_only_planned_parts_change(output):
    """No entry is lost, added or moved, and the changed ones are exactly the planned ones."""
    before, after = raw_entries(rich_template()), raw_entries(output.read_bytes())
    assert list(after) == list(before)
    assert {name for name in before if before[name] != after[name]} == PLANNED


STRETCHED = [
    pytest.param("xl/tables/table1.xml", 'ref="A4:F205"', id="table"),
    pytest.param("xl/workbook.xml", ">Data!$D$5:$D$204<", id="name over the data"),
    pytest.param("xl/workbook.xml", ">Data!$D$205<", id="name of a total"),
    pytest.param("xl/workbook.xml", ">Data!$A$1:$F$205<", id="print area"),
    pytest.param("xl/workbook.xml", ">'Data'!$4:$4<", id="print titles"),
    pytest.param(SHEET1, '<conditionalFormatting sqref="D5:D204"', id="format"),
    pytest.param(SHEET1, '<conditionalFormatting sqref="A5:F204"', id="format over rows"),
    pytest.param(SHEET1, ' sqref="C5:C204"><cfRule type="dataBar"', id="data bar"),
    pytest.param(SHEET1, "<xm:sqref>C5:C204</xm:sqref>", id="data bar of 2010"),
    pytest.param(SHEET1, 'sqref="E5:E204"', id="validation"),
    pytest.param(SHEET1, "<xm:sqref>B5:B204</xm:sqref>", id="validation across sheets"),
    pytest.param(SHEET1, "SUBTOTAL(109,Data[Parameters (B)])</f><v>20100</v>", id="total"),
    pytest.param(SHEET2, "<f>SUMIFS(Data!$D$5:$D$204,Data!$B$5:$B$204,A2)</f>", id="SUMIFS"),
    pytest.param(SHEET2, "_xlfn.UNIQUE(Data!$B$5:$B$204)", id="dynamic array"),
    pytest.param(SHEET2, "<f>Data!D205</f>", id="reference to a total"),
    pytest.param(SHEET2, "<xm:f>Data!D5:D204</xm:f>", id="sparkline"),
    pytest.param("xl/charts/chartEx1.xml", "<cx:f>Data!$D$5:$D$204</cx:f>", id="waterfall"),
    pytest.param("xl/charts/chartEx1.xml", 'ptCount="200"', id="waterfall's points"),
    pytest.param(PIVOT, 'ref="A4:F204" sheet="Data"', id="pivot source"),
    pytest.param(PIVOT, 'refreshOnLoad="1"', id="pivot refresh"),
]


@pytest.mark.parametrize(("name", "text"), STRETCHED)
def test_a_range_follows_the_table(name, text, output):
    """What covers the sample's rows covers the rows of the fill."""
    assert text in part(output, name)


@pytest.mark.parametrize("name", CHART_PARTS, ids=CHARTS)
def test_a_chart_covers_all_rows(name, output):
    """Each kind of chart refers to every row, and its cache holds a point for each."""
    xml = part(output, name)
    ranges = re.findall(r"<f>Data!\$[A-D]\$5:\$[A-D]\$(\d+)</f>.*?<ptCount val=\"(\d+)\"", xml)
    assert len(ranges) == (3 if "bubbleChart" in xml else 2)
    assert set(ranges) == {(str(LAST), str(COUNT))}


@pytest.mark.parametrize(
    "cell",
    ["B2", "C2", "D2", "B5", "B6", "B7", "B8", "B9"],
)
def test_no_formula_keeps_a_stale_value(cell, output):
    """A formula of the author's whose inputs changed, and whose value is unknown, has none."""
    assert values(output.read_bytes())["Summary"][cell].value != values(rich_template())["Summary"][cell].value


def test_the_text_box_is_filled(output):
    """A marker in a text box becomes its text."""
    assert "<a:t>Budget of 2026</a:t>" in part(output, "xl/drawings/drawing11.xml")


def test_the_template_has_every_feature():
    """The test's own template has the features, and the values that its program stored."""
    with zipfile.ZipFile(BytesIO(rich_template())) as archive:
        names = set(archive.namelist())
    assert set(FEATURES.values()) | PLANNED <= names
    assert values(rich_template())["Summary"]["B7"].value == 20


@needs_validator
@pytest.mark.parametrize("filled", [False, True], ids=["template", "filled"])
def test_the_open_xml_sdk_finds_no_error(filled, output, tmp_path):
    """Neither the template nor the filled workbook breaks the schema."""
    path = tmp_path / "book.xlsm"
    path.write_bytes(output.read_bytes() if filled else rich_template())
    assert validate(path) == []


@needs_soffice
def test_libreoffice_sums_all_rows(output, tmp_path):
    """Another program opens the workbook, and every sum over the table covers the 200 rows."""
    fresh = values(recalculate(output, tmp_path / "fresh").read_bytes())
    data, summary = fresh["Data"], fresh["Summary"]
    assert (data["C205"].value, data["D205"].value) == tuple(TOTALS.values())
    cells = {"B2": DENSE, "B3": 30_150 - DENSE, "C2": DENSE / 1.5, "B5": 30_150, "B6": 30_150, "B7": 30_150}
    assert {cell: summary[cell].value for cell in cells} == cells
    assert (summary["B8"].value, summary["B9"].value) == (30_150 / COUNT, COUNT)
