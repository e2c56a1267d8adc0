import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from judges import needs_validator, validate
from openpyxl import load_workbook
from openpyxl.comments import Comment
from openpyxl.drawing.spreadsheet_drawing import AnchorMarker, TwoCellAnchor
from openpyxl.worksheet.formula import ArrayFormula
from rich_template import rich_template
from xlsx_templates import ROWS, cell_xml, part, patched, raw_entries, rezipped, save
from xlsx_templates import whole_charts as template

from flopsheet.cli import main
from flopsheet.errors import TemplateError
from livesheets.allow import WORDS
from livesheets.engine import Column, Fill, TableFill, fill

MODELS, LISTS, TABLE = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet3.xml", "xl/tables/table1.xml"
SUMMARY, PIVOT = "xl/worksheets/sheet2.xml", "xl/pivotCache/pivotCacheDefinition1.xml"
BOX, CONTROL, DROPDOWN = "xl/drawings/drawing11.xml", "xl/ctrlProps/ctrlProp1.xml", "xl/drawings/vmlDrawing12.vml"
SPARKLINES = (
    '<extLst><ext uri="{05C60535-1F16-4fd2-B693-F4F36F0B64E0}" '
    'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main">'
    '<x14:sparklineGroups xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main">'
    "<x14:sparklineGroup><x14:sparklines>LINES</x14:sparklines></x14:sparklineGroup></x14:sparklineGroups>"
    "</ext></extLst></worksheet>"
)


def grown(folder, data=None, rows=ROWS):
    """Fill the plain template with three models and return the file and the report."""
    output = folder / "filled.xlsx"
    return output, fill(data or template(), Fill(tables={"models": TableFill(rows)}), output)


def rich(folder, *patches, part=SUMMARY):
    """Fill the rich template, with texts of one part replaced, with ten models; return the file and the report."""
    rows = [(f"m{at}", "moe", at, at, "yes", 1) for at in range(10)]
    output = folder / "filled.xlsm"
    data = patched(rich_template(), part, *patches)
    return output, fill(data, Fill(tables={"Data": TableFill(rows)}, allow=WORDS), output)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('ref="A4:F8" sheet="Data"', 'ref="A4:F14" sheet="Data"'),
        ('ref="A1:F1048576" sheet="Data"', 'ref="A1:F1048576" sheet="Data"'),
        ('name="Data"', 'name="Data"'),
        ('name="all_costs"', 'name="all_costs"'),
        ('name="nobody"', 'name="nobody"'),
        ('ref="A2:C3" sheet="Summary"', 'ref="A2:C3" sheet="Summary"'),
    ],
    ids=["range", "whole columns", "table", "name", "unknown name", "formulas over the table"],
)
def test_a_pivot_table_is_refreshed_on_opening(before, after, tmp_path):
    """The source of a pivot table covers all rows, however it is stated, and Excel is told to read it again."""
    output, report = rich(tmp_path, ('ref="A4:F8" sheet="Data"', before), part=PIVOT)
    assert f"<worksheetSource {after}/>" in part(output, PIVOT)
    assert 'refreshOnLoad="1"' in part(output, PIVOT)
    assert report.refreshed == ("the pivot table CostByFamily (Pivot!A3:B6)",)


def test_a_pivot_table_of_other_cells_is_a_copy(tmp_path):
    """A pivot table whose source nobody changes keeps its bytes, and a formula over it its value."""
    output, report = rich(tmp_path, ('ref="A4:F8" sheet="Data"', 'ref="A1:A3" sheet="Lists"'), part=PIVOT)
    assert "refreshOnLoad" not in part(output, PIVOT)
    assert report.refreshed == ()


def test_a_formula_over_a_pivot_table_forgets_its_value(tmp_path):
    """What is computed from cells that a refresh changes is unknown until then."""
    output, _ = rich(tmp_path, ("<f>SUM(B2:B3)</f>", "<f>Pivot!$B$6*2</f>"))
    assert cell_xml(output, SUMMARY, "B5") == '<c r="B5"><f>Pivot!$B$6*2</f></c>'


def test_form_controls_follow(tmp_path):
    """The list of a drop-down and the cell that it shows are where the table has them; its own cell stays."""
    added = ' fmlaLink="$H$2" fmlaRange="Data!$A$5:$A$8" fmlaTxbx="Data!$D$9"'
    output, _ = rich(tmp_path, (' fmlaLink="$H$2"', added), part=CONTROL)
    for text in ('fmlaLink="$H$2"', 'fmlaRange="Data!$A$5:$A$14"', 'fmlaTxbx="Data!$D$15"'):
        assert text in part(output, CONTROL)


def test_a_drawing_that_is_no_xml_is_kept_and_said(tmp_path):
    """Old drawings are not always well-formed; one that may refer to cells is kept and named."""
    output, report = rich(tmp_path, ("</xml>", "<x:FmlaRange>Data!$A$5:$A$8</x:FmlaRange><br></xml>"), part=DROPDOWN)
    assert report.not_stretched == (f"{DROPDOWN}, which is not readable XML",)
    assert part(output, DROPDOWN).rstrip().endswith("<br></xml>")


def test_a_text_box_shows_no_old_number(tmp_path):
    """A box that shows a cell of the table follows it, and is blank until Excel fills it in."""
    output, report = rich(tmp_path, ('textlink=""', 'textlink="Data!$D$9"'), part=BOX)
    assert 'textlink="Data!$D$15"' in part(output, BOX)
    assert "<a:t/>" in part(output, BOX) or "<a:t></a:t>" in part(output, BOX)
    assert "the text box that shows Data!$D$9" in report.refreshed


def test_an_array_formula_of_fixed_size_is_told(tmp_path):
    """An array formula outside of the table keeps its cells; one of a single cell covers all rows."""
    book = load_workbook(BytesIO(template()))
    book["Notes"]["D1"] = ArrayFormula("D1:D2", "=Models!B6:B7*2")
    book["Notes"]["E1"] = ArrayFormula("E1", "=SUM(Models!B6:B7*2)")
    book["Notes"]["F1"] = ArrayFormula("F1:G1", "=TRANSPOSE(models[size])")
    output, report = grown(tmp_path, save(book))
    assert report.not_stretched == (
        "the array formula Notes!D1:D2, which keeps its cells: enter it again over all rows",
        "the array formula Notes!F1:G1, which keeps its cells: enter it again over all rows",
    )
    assert "Models!B6:B8*2" in part(output, "xl/worksheets/sheet4.xml")


def test_a_spill_that_a_table_is_in_the_way_of_is_told(tmp_path):
    """A formula above the table has as many rows to show as the table: from some number on it shows #SPILL!."""
    book = load_workbook(BytesIO(template()))
    book["Models"]["B2"] = ArrayFormula("B2:B3", "=models[size]*2")
    book["Models"]["H2"] = ArrayFormula("H2:H3", "=models[size]*2")
    plain, spilling = ('<c r="{}"><f t="array"', '<c r="{}" cm="1"><f t="array"')
    changes = [(plain.format(at), spilling.format(at)) for at in ("B2", "H2")]
    _, report = grown(tmp_path, patched(save(book), "xl/worksheets/sheet1.xml", *changes))
    text = "the formula Models!B2, which spills towards the table models in A5:D9"
    assert [one for one in report.not_stretched if "spills" in one] == [f"{text}: move it where nothing is in its way"]


def test_formulas_of_other_tables_follow(tmp_path):
    """A column of a table that is not filled refers to all rows of the one that is."""
    book = load_workbook(BytesIO(template()))
    from openpyxl.worksheet.table import Table, TableFormula  # noqa: PLC0415 - one test needs it

    book["Notes"]["D1"], book["Notes"]["D2"] = "all", "=SUM(Models!$B$6:$B$7)"
    table = Table(displayName="other", ref="D1:D2")
    table._initialise_columns()  # noqa: SLF001 - openpyxl names columns only when it saves
    table.tableColumns[0].name = "all"
    table.tableColumns[0].calculatedColumnFormula = TableFormula(attr_text="SUM(Models!$B$6:$B$7)")
    book["Notes"].add_table(table)
    output, _ = grown(tmp_path, save(book))
    assert "SUM(Models!$B$6:$B$8)</calculatedColumnFormula>" in part(output, "xl/tables/table2.xml")


def line(cells, place):
    """Return a sparkline."""
    return f"<x14:sparkline><xm:f>{cells}</xm:f><xm:sqref>{place}</xm:sqref></x14:sparkline>"


def lines(path):
    """Return the ranges and the places of a sheet's sparklines."""
    import re  # noqa: PLC0415 - one helper needs it

    return re.findall("<xm:f>(.*?)</xm:f><xm:sqref>(.*?)</xm:sqref>", part(path, MODELS))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([("Models!B6:B7", "F9")], [("Models!B6:B8", "F9")]),
        ([("Models!B8:C8", "D8")], [("Models!B9:C9", "D9")]),
        (
            [("Models!B6:C6", "D6"), ("Models!B7:C7", "D7")],
            [("Models!B6:C6", "D6"), ("Models!B7:C7", "D7"), ("Models!B8:C8", "D8")],
        ),
        ([("Models!$B$6:$B$7", "D6")], [("Models!$B$6:$B$7", f"D{row}") for row in (6, 7, 8)]),
    ],
    ids=["beside the table", "in the totals row", "in data rows", "of fixed cells"],
)
def test_sparklines_follow(before, after, tmp_path):
    """A sparkline over the rows stretches; one in the data rows stands in every row, over that row's cells."""
    data = patched(
        template(), MODELS, ("</worksheet>", SPARKLINES.replace("LINES", "".join(line(*one) for one in before)))
    )
    output, _ = grown(tmp_path, data)
    assert lines(output) == after


def test_a_sparkline_along_a_lone_sample_row_stays(tmp_path):
    """A sparkline shows one row or one column: beside a table of one row it keeps its cells, and is told."""
    book = load_workbook(BytesIO(template()))
    sheet = book["Models"]
    sheet.tables["models"].ref, sheet.tables["models"].totalsRowCount = "A5:D6", None
    sheet.delete_rows(7, 2)
    shown = line("Models!B6:C6", "F6") + line("Models!C6:D6", "F7") + line("Models!B6", "G6")
    output, report = grown(tmp_path, patched(save(book), MODELS, ("</worksheet>", SPARKLINES.replace("LINES", shown))))
    assert lines(output) == [("Models!B6:C6", "F6"), ("Models!C6:D6", "F7"), ("Models!B6:B8", "G6")]
    assert any("the sparkline of Models!F6:F7, " in said for said in report.not_stretched)


def test_an_array_formula_is_repeated(tmp_path):
    """An array formula in the data rows stands in every row with a range of its own, and stays dynamic if it was."""
    before = "<f>models[[#This Row],[size]]*in_price</f><v></v></c>"
    data = patched(
        template(),
        MODELS,
        (f'<c r="C6" s="3">{before}', '<c r="C6" s="3" cm="1"><f t="array" ref="C6">SUM(B6*{1,2})</f><v>1</v></c>'),
    )
    output, _ = grown(tmp_path, data)
    assert '<f t="array" ref="C6">SUM(B6*{1,2})</f>' in cell_xml(output, MODELS, "C6")
    assert '<f t="array" ref="C8">SUM(B8*{1,2})</f>' in cell_xml(output, MODELS, "C8")
    assert ' cm="1"' in cell_xml(output, MODELS, "C8")


def test_a_spilling_formula_in_a_data_row_is_refused(tmp_path):
    """A formula that fills several cells would fill the next row's."""
    book = load_workbook(BytesIO(template()))
    book["Models"]["C6"] = ArrayFormula("C6:C7", "=B6:B7*2")
    with pytest.raises(TemplateError, match=r"column 'cost': the formula in C6 fills C6:C7"):
        grown(tmp_path, save(book))


def test_the_cells_of_an_array_forget_their_values(tmp_path):
    """All cells that an array formula fills are unknown when its inputs changed, those without a formula too."""
    array = '<c r="A2"><f t="array" ref="A2:B2">Models!A6:B6</f><v>1</v></c><c r="B2"><v>2</v></c></row>'
    data = patched(template(), LISTS, ('<c r="A2"><f>COUNTA(models[name])</f><v></v></c></row>', array))
    output, _ = grown(tmp_path, data)
    assert cell_xml(output, LISTS, "B2") == '<c r="B2"/>'


def test_a_filter_shows_all_rows(tmp_path):
    """What a filter let through of the sample says nothing of the fill: rows that it hid are not hidden."""
    column = '<autoFilter ref="A5:D7"><filterColumn colId="0"><filters><filter val="beta"/></filters></filterColumn>'
    data = patched(template(), TABLE, ('<autoFilter ref="A5:D8"/>', f"{column}</autoFilter>"))
    data = patched(data, MODELS, ('<row r="6" ht="21"', '<row r="6" ht="21" hidden="1"'))
    output, report = grown(tmp_path, data)
    assert '<autoFilter ref="A5:D8"/>' in part(output, TABLE)
    assert "hidden" not in part(output, MODELS)
    assert report.not_stretched == ("the filter of the table models: all its rows are shown",)


@pytest.mark.parametrize("count", [1, len(ROWS)])
def test_what_counts_shown_rows_alone_forgets_its_value(count, tmp_path):
    """Rows that were hidden in the template are shown once the table is filled, also those that it leaves."""
    before, after = "SUM(Models!$B$6:$B$7)</f><v></v>", "SUBTOTAL(109,Models!F6:F7)</f><v>5</v>"
    data = patched(template(), LISTS, (before, after))
    data = patched(data, MODELS, ('<row r="7"', '<row r="7" hidden="1"'), ('<row r="6"', '<row r="6" hidden="false"'))
    output, report = grown(tmp_path, data, ROWS[:count])
    assert 'hidden="1"' not in part(output, MODELS)
    assert cell_xml(output, LISTS, "A1") == '<c r="A1"><f>SUBTOTAL(109,Models!F6:F7)</f></c>'
    assert "the hidden rows 7:7 of Models: the table models shows all of its rows" in report.not_stretched


def test_a_hidden_filter_button_stays_hidden(tmp_path):
    """A column without a button filters nothing: it is kept, and nothing is told."""
    column = '<filterColumn colId="1" hiddenButton="1"/>'
    data = patched(template(), TABLE, ('<autoFilter ref="A5:D8"/>', f'<autoFilter ref="A5:D7">{column}</autoFilter>'))
    output, report = grown(tmp_path, data)
    assert f'<autoFilter ref="A5:D8">{column}</autoFilter>' in part(output, TABLE)
    assert report.not_stretched == ()


def noted(folder, change):
    """Change the plain template with openpyxl, fill it, and return what did not stretch."""
    book = load_workbook(BytesIO(template()))
    change(book)
    return grown(folder, save(book))[1].not_stretched


def test_comments_in_the_table_are_named(tmp_path):
    """A comment belongs to a cell of the sample; it stays where it is, and the person is told."""

    def change(book):
        for cell in ("B5", "B6", "B8", "F1"):
            book["Models"][cell].comment = Comment("?", "a")

    texts = [f"the comment on Models!{cell}, a cell of the table models" for cell in ("B6", "B8")]
    assert noted(tmp_path, change) == tuple(texts)


def test_links_in_the_table_are_named(tmp_path):
    """A link of one sample row may not be the new row's; one over all rows stretches, one on a total moves."""

    def change(book):
        for cell in ("A7", "B8"):
            book["Models"][cell].hyperlink = "https://example.org"

    assert noted(tmp_path, change) == ("the link in Models!A7, a cell of the table models",)
    assert ' ref="B9"' in part(tmp_path / "filled.xlsx", MODELS)


def test_a_link_goes_with_its_column(tmp_path):
    """A link on a column that the fill leaves out has no cell to stand on."""
    book = load_workbook(BytesIO(template()))
    book["Models"]["D5"].hyperlink = "https://example.org"
    fills = {"models": TableFill([("a", 1)], columns=(Column("name"), Column("size")))}
    fill(save(book), Fill(tables=fills), tmp_path / "filled.xlsx")
    assert "hyperlink" not in part(tmp_path / "filled.xlsx", MODELS)


def test_a_drawing_under_the_table_is_named(tmp_path):
    """A chart below the sample rows lies over the new ones."""

    def change(book):
        chart = book["Charts"]._charts.pop(0)  # noqa: SLF001 - openpyxl has no public list
        chart.anchor = TwoCellAnchor(_from=AnchorMarker(col=1, row=8), to=AnchorMarker(col=4, row=20))
        book["Models"].add_chart(chart)

    assert noted(tmp_path, change) == (
        "'Chart 1' at Models!B9:E21, over which the table models grows: move it or take it out",
    )


@pytest.mark.filterwarnings("ignore::UserWarning:openpyxl")  # it says what it loses
def test_report_names_what_did_not_stretch(tmp_path):
    """The command tells of a comment in the table on stderr, beside everything else that it has to tell."""
    book = load_workbook(BytesIO(rich_template()), keep_vba=False)
    book["Data"]["D6"].comment = Comment("?", "a")
    path = tmp_path / "commented.xlsx"
    book.save(path)
    config = Path(__file__).parent.parent / "examples" / "configs" / "gpt2-xl"
    asked = ["report", str(config), "-o", str(tmp_path / "plan.xlsx"), "--template", str(path)]
    done = CliRunner().invoke(main, [*asked, "--allow", "external-links"])
    assert done.exit_code == 0, done.stderr
    assert "not extended: the comment on Data!D6, a cell of the table Data" in done.stderr.splitlines()


def test_an_ordinary_template_has_nothing_to_tell(tmp_path):
    """No remark without a reason."""
    assert grown(tmp_path)[1].not_stretched == ()


def test_only_what_refers_to_the_table_changes(tmp_path):
    """Controls, boxes and drawings that refer to other cells keep their bytes."""
    output, report = rich(tmp_path, ("<f>SUM(B2:B3)</f>", "<f>SUM(B2:B4)</f>"))
    before, after = raw_entries(rich_template()), raw_entries(output.read_bytes())
    assert all(before[name] == after[name] for name in (CONTROL, DROPDOWN, BOX, "xl/comments/comment1.xml"))
    assert report.not_stretched == ()


def test_shapes_on_a_chart_follow(tmp_path):
    """A text box inside a chart shows a cell as one beside it does."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chartUserShapes"
    arrow = f'<Relationship Id="rId1" Type="{kind}" Target="../drawings/drawing9.xml"/>'
    space = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    shapes = '<c:userShapes xmlns:c="urn:c" xmlns:cdr="urn:d"><cdr:sp textlink="Models!$B$8"/></c:userShapes>'
    added = [
        ("xl/charts/_rels/chart1.xml.rels", f"<Relationships {space}>{arrow}</Relationships>".encode()),
        ("xl/drawings/drawing9.xml", shapes.encode()),
    ]
    output, report = grown(tmp_path, rezipped(lambda entries: [*entries, *added], template()))
    assert 'textlink="Models!$B$9"' in part(output, "xl/drawings/drawing9.xml")
    assert report.refreshed == ("the text box that shows Models!$B$8",)


def test_watches_and_consolidations_follow(tmp_path):
    """A watched total is watched where it stands now, and a consolidation takes in every row."""
    refs = '<dataConsolidate><dataRefs><dataRef ref="A5:B7" sheet="Models"/></dataRefs></dataConsolidate>'
    watches = '<cellWatches><cellWatch r="B8"/><cellWatch r="B6"/></cellWatches>'
    data = patched(template(), LISTS, ("</sheetData>", f"</sheetData>{refs}"))
    output, _ = grown(tmp_path, patched(data, MODELS, ("<tableParts", f"{watches}<tableParts")))
    assert '<dataRef ref="A5:B8" sheet="Models"/>' in part(output, LISTS)
    assert '<cellWatch r="B9"/><cellWatch r="B6"/>' in part(output, MODELS)


def test_a_signature_that_no_longer_holds_is_told(tmp_path):
    """A filled workbook is another one than was signed."""
    kind = "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin"
    arrow = f'<Relationship Id="rId99" Type="{kind}" Target="_xmlsignatures/origin.sigs"/>'
    _, report = grown(tmp_path, patched(template(), "_rels/.rels", ("</Relationships>", f"{arrow}</Relationships>")))
    assert report.not_stretched == ("the digital signature, which is no longer valid: sign the output again",)


@needs_validator
def test_repeated_sparklines_and_arrays_are_valid(tmp_path):
    """The Open XML SDK finds no error in what is repeated a row."""
    data = patched(template(), MODELS, ("</worksheet>", SPARKLINES.replace("LINES", line("Models!B6:C6", "D6"))))
    assert validate(grown(tmp_path, data)[0]) == []


def test_the_zip_is_whole(tmp_path):
    """Every entry has the checksum that its header says."""
    with zipfile.ZipFile(rich(tmp_path, ("<f>SUM(B2:B3)</f>", "<f>SUM(B2:B4)</f>"))[0]) as archive:
        assert archive.testzip() is None
