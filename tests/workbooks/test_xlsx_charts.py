import re
from io import BytesIO

import pytest
from lxml import etree
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table
from xlsx_templates import ROWS, filled, part, patched, prototype_template, raw_entries, save, template

from livesheets.engine import Clone, Column, TableFill
from livesheets.engine.cells import unescape
from livesheets.engine.markup import CHART, tag
from livesheets.errors import TemplateError

WHOLE, FIRST = "xl/charts/chart1.xml", "xl/charts/chart2.xml"


def references(path, name):
    """Return the data references of a chart."""
    return re.findall(r"<f>(.*?)</f>", part(path, name))


def caches(path, name):
    """Return the cached points of a chart: kind, announced number of points, and points by index."""
    result = re.findall(r'<(num|str)Cache>.*?<ptCount val="(\d+)"/>(.*?)</\1Cache>', part(path, name))
    return [(kind, int(count), dict(re.findall(r'idx="(\d+)"><v>(.*?)</v>', points))) for kind, count, points in result]


def test_a_chart_of_all_rows_stretches(tmp_path):
    """Categories and values cover the new rows; the series' title stays where it is."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS)})
    assert references(output, WHOLE) == ["Models!$B$5", "Models!$A$6:$A$8", "Models!$B$6:$B$8"]


def test_a_chart_of_the_first_rows_does_not_stretch(tmp_path):
    """A range that ends inside the sample rows keeps its length."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS)})
    assert references(output, FIRST) == ["Models!$B$5", "Models!$A$6:$A$6", "Models!$B$6:$B$6"]


def test_a_chart_of_the_first_rows_ends_with_the_data(tmp_path):
    """The top 15 of 3 rows are 3 rows."""
    data = patched(template(), FIRST, ("$A$6:$A$6", "$A$6:$A$20"), ("$B$6:$B$6", "$B$6:$B$20"))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert references(output, FIRST)[1:] == ["Models!$A$6:$A$8", "Models!$B$6:$B$8"]


def test_levels_without_a_form_for_them_have_no_points(tmp_path):
    """Two columns of categories stated as a plain list, as programs write them, are left to what opens the workbook."""
    data = patched(template(), WHOLE, ("$A$6:$A$7", "$A$6:$B$7"))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert references(output, WHOLE)[1] == "Models!$A$6:$B$8"
    assert [count for _, count, _ in caches(output, WHOLE)] == [1, 3]


@pytest.mark.parametrize(
    ("categories", "values", "after"),
    [
        ("$A$5:$B$5", "$A$6:$B$6", ["Models!$A$5:$B$5", "Models!$A$6:$B$6"]),
        ("$A$6:$B$6", "$B$6", ["Models!$A$6:$B$8", "Models!$B$6:$B$8"]),
    ],
    ids=["a series of the row", "levels"],
)
def test_a_chart_over_a_lone_sample_row(categories, values, after, tmp_path):
    """Several cells of one row are the series of that row; beside a column of values they are levels of categories."""
    book = load_workbook(BytesIO(template()))
    sheet = book["Models"]
    sheet.tables["models"].ref, sheet.tables["models"].totalsRowCount = "A5:D6", None
    sheet.delete_rows(7, 2)
    data = patched(save(book), FIRST, ("$A$6:$A$6", categories), ("$B$6:$B$6", values))
    assert references(filled(tmp_path, data, tables={"models": TableFill(ROWS)}), FIRST)[1:] == after


def test_a_chart_shrinks_with_its_table(tmp_path):
    """With one row the ranges are one row."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS[:1])})
    assert references(output, WHOLE)[1:] == ["Models!$A$6:$A$6", "Models!$B$6:$B$6"]


def test_caches_hold_the_new_values(tmp_path):
    """Viewers that do not calculate draw what was written: title, texts as categories, numbers as values."""
    output = filled(tmp_path, template(), tables={"models": TableFill(ROWS)})
    assert caches(output, WHOLE) == [
        ("str", 1, {"0": "size"}),
        ("str", 3, {"0": "gamma", "1": "delta", "2": "epsilon"}),
        ("num", 3, {"0": "5", "1": "7", "2": "1"}),
    ]


def test_old_caches_are_replaced_and_keep_their_number_format(tmp_path):
    """Nothing of the sample's points remains but their format."""
    old = '<numCache><formatCode>0.0</formatCode><ptCount val="2"/><pt idx="0"><v>99</v></pt></numCache></numRef></val>'
    data = patched(template(), WHOLE, ("</numRef></val>", old))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert caches(output, WHOLE)[2] == ("num", 3, {"0": "5", "1": "7", "2": "1"})
    assert "<formatCode>0.0</formatCode>" in part(output, WHOLE)


def test_blanks_have_no_point(tmp_path):
    """A blank cell is counted and has no point; nor has text among numbers."""
    rows = [("a", None, 1, None), ("b", "n/a", 1, None), ("c", True, 1, None)]
    output = filled(tmp_path, template(), tables={"models": TableFill(rows)})
    assert caches(output, WHOLE)[2] == ("num", 3, {"2": "1"})


def test_values_of_names_and_totals_reach_the_caches(tmp_path):
    """A chart over single cells shows what was given for them, with or without a formula."""
    data = patched(template(), FIRST, ("$B$6:$B$6", "$F$1:$F$2"), ("$A$6:$A$6", "$B$8"))
    names = {"in_price": 3, "out_total": 39, "out_sum": 13}
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)}, names=names)
    assert references(output, FIRST)[1:] == ["Models!$B$9", "Models!$F$1:$F$2"]
    assert caches(output, FIRST)[1:] == [("num", 1, {"0": "13"}), ("num", 2, {"0": "3", "1": "39"})]


def test_points_that_nobody_knows_are_not_cached(tmp_path):
    """A stale point would be wrong, so a range with an unknown formula has no cache at all."""
    old = '<numCache><ptCount val="1"/><pt idx="0"><v>99</v></pt></numCache></numRef></val>'
    data = patched(template(), FIRST, ("$B$6:$B$6", "$F$1:$G$1"), ("</numRef></val>", old))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)}, names={"in_price": 3})
    assert [kind for kind, _, _ in caches(output, FIRST)] == ["str", "str"]


def test_a_range_of_more_cells_than_a_chart_draws_has_no_points(tmp_path):
    """A chart of a whole sheet costs no more than any other; Excel draws it anew."""
    old = '<numCache><ptCount val="1"/><pt idx="0"><v>99</v></pt></numCache></numRef></val>'
    data = patched(template(), FIRST, ("Models!$B$6:$B$6", "Models!$A$1:$XFD$1048576"), ("</numRef></val>", old))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert [kind for kind, _, _ in caches(output, FIRST)] == ["str", "str"]


def test_constants_of_the_template_are_read(tmp_path):
    """A cell that the fill does not touch counts with the template's value, shared strings included."""
    data = patched(template(), FIRST, ("$A$6:$A$6", "$A$1:$F$1"), ("$B$6:$B$6", "$F$1:$F$1"))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)}, texts={"purpose": "us"})
    assert caches(output, FIRST)[1] == ("str", 6, {"0": "Plan for us", "5": "2"})


def test_a_chart_of_a_name_has_the_values_of_its_range(tmp_path):
    """A range given by a defined name stays a name; its cache follows what the name points to."""
    book = load_workbook(BytesIO(template()))
    book.defined_names["sizes"] = DefinedName("sizes", attr_text="Models!$B$6:$B$7")
    data = patched(save(book), WHOLE, ("Models!$B$6:$B$7", "Models!sizes"))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert references(output, WHOLE)[2] == "Models!sizes"
    assert caches(output, WHOLE)[2] == ("num", 3, {"0": "5", "1": "7", "2": "1"})


def levels(path):
    """Return the levels of a chart's categories."""
    result = re.findall("<lvl>(.*?)</lvl>", part(path, WHOLE))
    return [dict(re.findall(r'idx="(\d+)"><v>(.*?)</v>', level)) for level in result]


def test_categories_in_levels_follow(tmp_path):
    """Categories of two columns keep their levels, the last column as the innermost one."""
    old = "".join(f'<lvl><pt idx="0"><v>{text}</v></pt></lvl>' for text in ("10", "alpha"))
    category = f'<multiLvlStrRef><f>Models!$A$6:$B$7</f><multiLvlStrCache><ptCount val="2"/>{old}</multiLvlStrCache>'
    data = patched(
        template(), WHOLE, ("<cat><numRef><f>Models!$A$6:$A$7</f></numRef>", f"<cat>{category}</multiLvlStrRef>")
    )
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert "<f>Models!$A$6:$B$8</f>" in part(output, WHOLE)
    assert '<multiLvlStrCache><ptCount val="3"/>' in part(output, WHOLE)
    assert levels(output) == [{"0": "5", "1": "7", "2": "1"}, {"0": "gamma", "1": "delta", "2": "epsilon"}]


def test_levels_that_do_not_fit_are_not_cached(tmp_path):
    """Where the levels are neither the columns nor the rows, nobody knows what they were."""
    old = "<lvl/><lvl/><lvl/><lvl/>"
    category = f'<multiLvlStrRef><f>Models!$A$6:$B$7</f><multiLvlStrCache><ptCount val="2"/>{old}</multiLvlStrCache>'
    data = patched(
        template(), WHOLE, ("<cat><numRef><f>Models!$A$6:$A$7</f></numRef>", f"<cat>{category}</multiLvlStrRef>")
    )
    assert levels(filled(tmp_path, data, tables={"models": TableFill(ROWS)})) == []


def test_labels_from_cells_follow(tmp_path):
    """Data labels that are taken from cells are those of all rows."""
    labels = (
        '<extLst><ext uri="{02D57815-91ED-43cb-92C2-25804820EDAC}" '
        'xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart"><c15:datalabelsRange>'
        '<c15:f>Models!$A$6:$A$7</c15:f><c15:dlblRangeCache><ptCount val="2"/></c15:dlblRangeCache>'
        "</c15:datalabelsRange></ext></extLst></ser>"
    )
    output = filled(tmp_path, patched(template(), WHOLE, ("</ser>", labels)), tables={"models": TableFill(ROWS)})
    xml = part(output, WHOLE)
    assert '<c15:f>Models!$A$6:$A$8</c15:f><c15:dlblRangeCache><ptCount val="3"/><pt idx="0"><v>gamma</v>' in xml


def test_points_are_of_the_charts_namespace_whatever_is_the_default_around_them(tmp_path):
    """Where another default stands around labels from cells, each point says what it is."""
    space = "http://schemas.microsoft.com/office/drawing/2012/chart"
    labels = (
        f'<extLst><ext uri="{{02D57815-91ED-43cb-92C2-25804820EDAC}}"><datalabelsRange xmlns="{space}">'
        "<f>Models!$A$6:$A$7</f><dlblRangeCache/></datalabelsRange></ext></extLst></ser>"
    )
    output = filled(tmp_path, patched(template(), WHOLE, ("</ser>", labels)), tables={"models": TableFill(ROWS)})
    cache = etree.fromstring(part(output, WHOLE).encode()).find(f".//{{{space}}}dlblRangeCache")
    assert [(point.tag, "".join(point.itertext())) for point in cache[1:]] == [
        (tag("pt", CHART), "gamma"),
        (tag("pt", CHART), "delta"),
        (tag("pt", CHART), "epsilon"),
    ]


@pytest.mark.parametrize("text", ["a < b & c", 'say "x"', "_x0041_", "line\nbreak", " spaced "])
def test_texts_among_points_are_escaped(text, tmp_path):
    """A category shows what its cell shows."""
    rows = [[text, *row[1:]] for row in ROWS]
    root = etree.fromstring(part(filled(tmp_path, template(), tables={"models": TableFill(rows)}), WHOLE).encode())
    cache = root.find(f".//{tag('cat', CHART)}//{tag('strCache', CHART)}")
    assert [unescape("".join(point.itertext())) for point in cache.findall(tag("pt", CHART))] == [text] * len(ROWS)


def test_error_bars_follow(tmp_path):
    """Error bars of their own values have one for each row."""
    bars = (
        '<errBars><errBarType val="both"/><errValType val="cust"/>'
        "<plus><numRef><f>Models!$B$6:$B$7</f></numRef></plus></errBars><cat>"
    )
    output = filled(tmp_path, patched(template(), WHOLE, ("<cat>", bars)), tables={"models": TableFill(ROWS)})
    assert '<plus><numRef><f>Models!$B$6:$B$8</f><numCache><formatCode>General</formatCode><ptCount val="3"/>' in part(
        output, WHOLE
    )


@pytest.mark.parametrize(
    "computed", ["OFFSET(Models!$B$5,1,0,COUNTA(Models!$A:$A)-3)", "models[size]", "INDEX(Models!$B:$B,6):Models!$B$7"]
)
def test_a_name_that_computes_its_range_has_no_points(computed, tmp_path):
    """Excel draws the chart of a range that is computed; the sample's points would be wrong."""
    book = load_workbook(BytesIO(template()))
    book.defined_names["sizes"] = DefinedName("sizes", attr_text=computed)
    old = '<numCache><ptCount val="1"/><pt idx="0"><v>99</v></pt></numCache></numRef></val>'
    data = patched(save(book), WHOLE, ("Models!$B$6:$B$7", "Models!sizes"), ("</numRef></val>", old))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert references(output, WHOLE)[2] == "Models!sizes"
    assert [kind for kind, _, _ in caches(output, WHOLE)] == ["str", "str"]


def test_a_chart_follows_its_column(tmp_path):
    """When columns are replaced, a series shows the column that stands for its own, with its title."""
    columns = (Column("name"), Column("cost"), Column("size"))
    fill = TableFill([("a", 1, 2), ("b", 3, 4)], columns=columns)
    output = filled(tmp_path, template(), tables={"models": fill})
    assert references(output, WHOLE) == ["Models!$C$5", "Models!$A$6:$A$7", "Models!$C$6:$C$7"]
    assert caches(output, WHOLE)[2] == ("num", 2, {"0": "2", "1": "4"})


def test_charts_of_other_sheets_are_the_same_bytes(tmp_path):
    """A chart whose cells nobody changes is not touched, stale or not."""
    data = patched(template(), FIRST, ("Models!", "Notes!"))
    output = filled(tmp_path, data, tables={"models": TableFill(ROWS)})
    assert raw_entries(output.read_bytes())[FIRST] == raw_entries(data)[FIRST]


def test_a_chart_of_a_prototype_is_refused(tmp_path):
    """A chart cannot show a sheet that does not stand in the output."""
    book = load_workbook(BytesIO(prototype_template()))
    chart = BarChart()
    chart.add_data(Reference(book["Proto"], min_col=3, min_row=6, max_row=7))
    book["About"].add_chart(chart, "A5")
    clone = Clone("Proto", "x", {"proto": ("x_table", TableFill([]))})
    with pytest.raises(TemplateError, match=r"chart1\.xml: refers to the prototype sheet 'Proto'"):
        filled(tmp_path, save(book), clones=[clone])


def test_one_sample_row_is_all_rows_for_a_chart(tmp_path):
    """In a template with a single sample row, a series of that one cell grows to all rows."""
    book = Workbook()
    sheet = book.active
    sheet.title = "S"
    sheet.append(["a", "b"])
    sheet.append(["x", 1])
    sheet.add_table(Table(displayName="t", ref="A1:B2"))
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=2, max_row=2))
    book.create_sheet("C").add_chart(chart, "A1")
    output = filled(tmp_path, save(book), tables={"t": TableFill([("x", 1), ("y", 2)])})
    assert references(output, WHOLE) == ["S!$B$2:$B$3"]
