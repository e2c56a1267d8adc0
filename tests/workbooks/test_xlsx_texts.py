import re
import zipfile
from io import BytesIO

import pytest
from openpyxl import load_workbook
from xlsx_templates import ROWS, cell_xml, filled, part, patched, raw_entries, rezipped, template

from livesheets.engine import Formula, TableFill
from livesheets.errors import TemplateError

SHEET = "xl/worksheets/sheet1.xml"
INLINE = '<c r="A1" t="inlineStr"><is><t>Plan for {{ purpose }}</t></is></c>'


def shared(*strings):
    """Return the template with its title among shared strings, the first of those given as XML."""
    data = patched(template(), SHEET, (INLINE, '<c r="A1" t="s"><v>0</v></c>'))
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    data = patched(
        data,
        "[Content_Types].xml",
        ("</Types>", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/></Types>'),
    )
    arrow = '<Relationship Id="rId77" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    data = patched(
        data,
        "xl/_rels/workbook.xml.rels",
        ("</Relationships>", f'{arrow}sharedStrings" Target="sharedStrings.xml"/></Relationships>'),
    )
    out = BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{''.join(strings)}</sst>")
    return out.getvalue()


def test_markers_in_cells_are_filled(tmp_path):
    """A marker inside a title becomes its text, whatever that holds."""
    output = filled(tmp_path, template(), texts={"purpose": "R&D <x> _x0041_"})
    assert "<t>Plan for R&amp;D &lt;x&gt; _x005F_x0041_</t>" in cell_xml(output, SHEET, "A1")


def test_markers_in_shared_strings_are_filled_there(tmp_path):
    """A shared title is filled where it is shared: sheets that only show it are not touched."""
    data = shared("<si><t>Plan for {{purpose}}</t></si>", "<si><t>other</t></si>")
    data = patched(data, SHEET, ("{{ purpose }}", "nobody"))
    output = filled(tmp_path, data, texts={"purpose": "us"})
    assert load_workbook(output)["Models"]["A1"].value == "Plan for us"
    assert raw_entries(output.read_bytes())[SHEET] == raw_entries(data)[SHEET]


def test_a_marker_may_span_formats(tmp_path):
    """A marker that the author half emboldened is filled, in the format of its beginning."""
    data = shared("<si><r><t>For {{ pur</t></r><r><rPr><b/></rPr><t>pose }} and more</t></r></si>")
    output = filled(tmp_path, data, texts={"purpose": "us"})
    assert re.findall("<t[^>]*>(.*?)</t>", part(output, "xl/sharedStrings.xml")) == ["For us", " and more"]


def test_a_marker_in_the_header_of_a_table_is_refused(tmp_path):
    """A header is the name of its column: filled, no formula would find it, and Excel would repair the workbook."""
    data = patched(template(), "xl/tables/table1.xml", ('name="size"', 'name="size {{ purpose }}"'))
    with pytest.raises(TemplateError, match=r"the table models on the sheet 'Models' has a marker in a header"):
        filled(tmp_path, data, texts={"purpose": "us"})


def test_markers_on_chart_sheets_are_filled(tmp_path):
    """The printed header of a sheet that is one chart is a header like others."""
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    sheet = f"<chartsheet {space}><headerFooter><oddHeader>{{{{ purpose }}}}</oddHeader></headerFooter></chartsheet>"
    arrows = "xl/_rels/workbook.xml.rels"
    kind = 'relationships/worksheet" Target="/xl/worksheets/sheet4.xml"'
    data = patched(template(), arrows, (kind, kind.replace("worksheet", "chartsheet", 1)))
    data = rezipped(
        lambda entries: [(n, sheet.encode() if n == "xl/worksheets/sheet4.xml" else d) for n, d in entries], data
    )
    output = filled(tmp_path, data, texts={"purpose": "R&D"})
    assert "<oddHeader>R&amp;&amp;D</oddHeader>" in part(output, "xl/worksheets/sheet4.xml")


def test_unknown_markers_stay(tmp_path):
    """A marker that nobody fills is left as it is."""
    sheet = load_workbook(filled(tmp_path, template(), texts={"other": "x"}))["Models"]
    assert sheet["A1"].value == "Plan for {{ purpose }}"


def test_markers_in_footers_are_filled(tmp_path):
    """Printed headers and footers take texts, in which & is no code."""
    sheet = load_workbook(filled(tmp_path, template(), texts={"purpose": "R&D"}))["Models"]
    assert sheet.oddFooter.center.text == "R&&D page &P"


@pytest.mark.parametrize(
    ("footer", "purpose", "text"),
    [("&8{{ purpose }}", "5 models", "&C&8 5 models"), ("&P{{ purpose }}", "5 models", "&C&P5 models")],
    ids=["size", "page"],
)
def test_a_digit_never_joins_a_font_size(footer, purpose, text, tmp_path):
    """A blank parts a size from a text that is filled in behind it."""
    data = patched(template(), "xl/worksheets/sheet1.xml", ("{{ purpose }} page &amp;P", footer.replace("&", "&amp;")))
    output = filled(tmp_path, data, texts={"purpose": purpose})
    assert f"<oddFooter>{text}</oddFooter>".replace("&", "&amp;") in part(output, "xl/worksheets/sheet1.xml")


def test_a_footer_that_is_too_long_is_refused(tmp_path):
    """Excel reads at most 255 characters of a header or footer, codes included, and repairs the file otherwise."""
    message = r"oddFooter in xl/worksheets/sheet1.xml of the template is filled with 3\d\d characters; .* at most 255"
    with pytest.raises(TemplateError, match=message):
        filled(tmp_path, template(), texts={"purpose": "x" * 300})


def test_markers_in_chart_titles_are_filled(tmp_path):
    """Text inside drawings and charts takes markers too."""
    title = (
        '<title><tx><rich><a:bodyPr xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"/>'
        '<a:p xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:r><a:t>Cost of {{ purpose }}</a:t>'
        "</a:r></a:p></rich></tx></title><plotArea>"
    )
    data = patched(template(), "xl/charts/chart1.xml", ("<plotArea>", title))
    output = filled(tmp_path, data, texts={"purpose": "us"}, tables={"models": TableFill(ROWS)})
    chart = part(output, "xl/charts/chart1.xml")
    assert "<a:t>Cost of us</a:t>" in chart
    assert "Models!$B$6:$B$8" in chart


def test_text_that_no_cell_can_hold_is_refused(tmp_path):
    """A marker filled with more than a cell holds is an error."""
    data = patched(template(), "xl/worksheets/sheet1.xml", ("{{ purpose }} page", "page"))
    with pytest.raises(TemplateError, match="32,767"):
        filled(tmp_path, data, texts={"purpose": "x" * 32_767})


def test_a_name_takes_a_value(tmp_path):
    """A plain cell behind a defined name takes the value, and keeps its style."""
    output = filled(tmp_path, template(), names={"IN_price": 3.5})
    assert cell_xml(output, SHEET, "F1") == '<c r="F1"><v>3.5</v></c>'


def test_a_name_of_a_formula_takes_a_cached_value(tmp_path):
    """A formula behind a name stays and shows the value that was given."""
    output = filled(tmp_path, template(), names={"out_total": 39}, tables={"models": TableFill(ROWS)})
    assert cell_xml(output, SHEET, "F2") == '<c r="F2"><f>SUM(B6:B8)*in_price</f><v>39</v></c>'


@pytest.mark.parametrize(
    ("value", "xml"),
    [("a<b", ' t="str"><f>SUM(B6:B7)*in_price</f><v>a&lt;b</v>'), (True, ' t="b"><f>SUM(B6:B7)*in_price</f><v>1</v>')],
)
def test_cached_values_have_types(value, xml, tmp_path):
    """Text and truth values are cached as what they are."""
    assert xml in cell_xml(filled(tmp_path, template(), names={"out_total": value}), SHEET, "F2")


def test_a_formula_replaces_a_formula(tmp_path):
    """A `Formula` behind a name replaces text and value."""
    output = filled(tmp_path, template(), names={"out_total": Formula("1+1", 2)})
    assert cell_xml(output, SHEET, "F2") == '<c r="F2"><f>1+1</f><v>2</v></c>'


def test_a_name_in_the_totals_row_moves_with_it(tmp_path):
    """The value of a total stands where the total stands now."""
    output = filled(tmp_path, template(), names={"out_sum": 13}, tables={"models": TableFill(ROWS)})
    assert "<f>SUBTOTAL(109,models[size])</f><v>13</v>" in cell_xml(output, SHEET, "B9")


def test_a_name_may_point_to_a_cell_that_is_not_there(tmp_path):
    """A name of a blank cell makes the cell."""
    sheet = load_workbook(filled(tmp_path, template(), names={"meta_label": "=hi"}))["Models"]
    assert (sheet["F3"].value, sheet["F3"].data_type, sheet["F3"].quotePrefix) == ("=hi", "s", True)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("in_prize", r"no defined name 'in_prize'; did you mean 'in_price'\?"),
        ("twice", r"twice points to Models!\$F\$1\*2, which is not one cell"),
        ("all_names", r"all_names points to Models!\$A\$6:\$A\$7, which is not one cell"),
        ("of_header", r"of_header points to Models!\$A\$5, a header of the table models"),
    ],
)
def test_a_name_must_mean_one_cell(name, message, tmp_path):
    """A name that is unknown, or points to several cells, a formula or the name of a column, takes no value."""
    more = (
        '</definedName><definedName name="twice">Models!$F$1*2</definedName><definedName name="of_header">Models!$A$5<'
    )
    data = patched(template(), "xl/workbook.xml", (">Models!$F$3<", f">Models!$F$3{more}"))
    with pytest.raises(TemplateError, match=message):
        filled(tmp_path, data, names={name: 1})


def test_a_value_that_no_cell_can_hold_is_refused(tmp_path):
    """The message says which cell."""
    with pytest.raises(TemplateError, match=r"Models!F1: nan is not a number"):
        filled(tmp_path, template(), names={"in_price": float("nan")})


def test_new_names_are_added(tmp_path):
    """A name that the template lacks is added for the whole workbook."""
    output = filled(tmp_path, template(), new_names={"in_mfu": "'Models'!$F$7"})
    assert load_workbook(output).defined_names["in_mfu"].attr_text == "'Models'!$F$7"


def test_a_new_name_takes_the_place_of_the_template_s(tmp_path):
    """It points where it is told, of any case, and stands once."""
    output = filled(tmp_path, template(), new_names={"OUT_total": "'Models'!$F$7"})
    result = {name: one.attr_text for name, one in load_workbook(output).defined_names.items()}
    assert {name: text for name, text in result.items() if name.casefold() == "out_total"} == {
        "OUT_total": "'Models'!$F$7"
    }


@pytest.mark.parametrize("name", ["Models", "bf16", "a b"])
def test_bad_new_names_are_refused(name, tmp_path):
    """Names that a table has, or that Excel refuses, are refused."""
    with pytest.raises(TemplateError, match=r"is taken by another|is not a name that Excel accepts"):
        filled(tmp_path, template(), new_names={name: "Models!$F$7"})


def test_properties_are_written(tmp_path):
    """Title, author and dates of the document are those asked for."""
    asked = {
        "title": "Plan & cost",
        "creator": "flopsheet",
        "description": "d",
        "subject": "s",
        "created": "2024-05-06T07:08:09Z",
        "modified": "2024-05-06T07:08:10Z",
    }
    result = load_workbook(filled(tmp_path, template(), properties=asked)).properties
    assert (result.title, result.creator, result.description, result.subject) == ("Plan & cost", "flopsheet", "d", "s")
    assert (result.created.isoformat(), result.modified.second) == ("2024-05-06T07:08:09", 10)


def test_unknown_properties_are_refused(tmp_path):
    """A property that no workbook has is refused by name."""
    with pytest.raises(TemplateError, match="'color' is not a property"):
        filled(tmp_path, template(), properties={"color": "red"})
