from itertools import product

import pytest
from rich_template import rich_template
from xlsx_templates import filled, patched, rezipped, template

from livesheets.allow import WORDS
from livesheets.engine import Fill, fill
from livesheets.engine.active import Active, find_active, formula_words
from livesheets.errors import TemplateError
from livesheets.package import open_package

RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def with_part(name, kind="", content=b"\0"):
    """Return the template with one more part, declared by its content type if one is given."""
    declared = f'<Override PartName="/{name}" ContentType="{kind}"/></Types>' if kind else "</Types>"
    return rezipped(
        lambda entries: [*entries, (name, content)], patched(template(), "[Content_Types].xml", ("</Types>", declared))
    )


def with_arrow(kind, target, *, outside=False, part="xl/_rels/workbook.xml.rels"):
    """Return the template with one more relationship."""
    mode = ' TargetMode="External"' * outside
    arrow = f'<Relationship Id="rIdX" Type="{kind}" Target="{target}"{mode}/></Relationships>'
    return patched(template(), part, ("</Relationships>", arrow))


def with_formula(formula):
    """Return the template with another formula in a cell that no fill touches."""
    return patched(template(), "xl/worksheets/sheet4.xml", ("<f>1+1</f>", f"<f>{formula}</f>"))


def link(inside):
    """Return the part of a link to something outside."""
    return f'<externalLink xmlns="{MAIN}">{inside}</externalLink>'.encode()


SHARED = 'sheet4.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml'
LINK = "application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml"
DDE = link('<ddeLink ddeService="cmd" ddeTopic="/c calc"/>')
FOUND = {
    "VBA": (with_part("xl/vbaProject.bin"), "macros", "xl/vbaProject.bin"),
    "VBA of another name": (with_part("xl/a.bin", "application/vnd.ms-office.vbaProject"), "macros", "xl/a.bin"),
    "VBA by its relationship": (
        with_arrow("http://schemas.microsoft.com/office/2006/relationships/vbaProject", "b.bin"),
        "macros",
        "xl/b.bin",
    ),
    "Excel 4 macros": (
        with_part("xl/worksheets/sheet9.xml", "application/vnd.ms-excel.macrosheet+xml", b"<x/>"),
        "macros",
        "xl/worksheets/sheet9.xml",
    ),
    "dialog": (
        with_part("xl/d.xml", "application/vnd.openxmlformats-officedocument.spreadsheetml.dialogsheet+xml", b"<x/>"),
        "macros",
        "xl/d.xml",
    ),
    "ribbon": (with_part("customUI/customUI.xml", content=b"<customUI/>"), "macros", "customUI/customUI.xml"),
    "task pane": (with_part("xl/webextensions/taskpanes.xml"), "macros", "xl/webextensions/taskpanes.xml"),
    "Python": (with_formula("_xlfn._xlws.PY(0,1)"), "macros", "xl/worksheets/sheet4.xml"),
    "add-in function": (with_formula("_xll.BDP(&quot;X&quot;)"), "macros", "xl/worksheets/sheet4.xml"),
    "other workbook": (
        with_part("xl/externalLinks/externalLink1.xml", LINK, link("<externalBook/>")),
        "external-links",
        "xl/externalLinks/externalLink1.xml",
    ),
    "picture from the web": (
        with_arrow(
            f"{RELS}/image", "http://evil.example/x.png", outside=True, part="xl/worksheets/_rels/sheet1.xml.rels"
        ),
        "external-links",
        "xl/worksheets/_rels/sheet1.xml.rels to 'http://evil.example/x.png'",
    ),
    "web service": (with_formula("_xlfn.WEBSERVICE(A1)"), "external-links", "xl/worksheets/sheet4.xml"),
    "hidden web service": (
        with_formula("_xlfn.WEB<!-- -->SER&#86;ICE (A1)"),
        "external-links",
        "xl/worksheets/sheet4.xml",
    ),
    "name with a web service": (
        patched(template(), "xl/workbook.xml", (">Models!$F$1<", ">WEBSERVICE(Models!$F$1)<")),
        "external-links",
        "xl/workbook.xml",
    ),
    "connections": (with_part("xl/connections.xml", content=b"<connections/>"), "connections", "xl/connections.xml"),
    "query table": (with_part("xl/queryTables/queryTable1.xml"), "connections", "xl/queryTables/queryTable1.xml"),
    "data model": (with_part("xl/model/item.data"), "connections", "xl/model/item.data"),
    "Power Query": (
        with_part("customXml/item1.xml", content="<DataMashup>x</DataMashup>".encode("utf-16")),
        "connections",
        "customXml/item1.xml",
    ),
    "Power Query of another name": (
        with_part("CustomXML/a.xml", content=b"<!--" + bytes(2000).replace(b"\0", b"x") + b"--><DataMashup/>"),
        "connections",
        "CustomXML/a.xml",
    ),
    "sheet of another type": (
        patched(
            with_formula("WEBSERVICE(A1)"),
            "[Content_Types].xml",
            (
                'sheet4.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml',
                SHARED,
            ),
        ),
        "external-links",
        "xl/worksheets/sheet4.xml",
    ),
    "embedded document": (with_part("xl/embeddings/a.docx"), "ole", "xl/embeddings/a.docx"),
    "ActiveX": (with_part("xl/activeX/activeX1.xml", content=b"<ocx/>"), "ole", "xl/activeX/activeX1.xml"),
    "linked object": (
        with_arrow(f"{RELS}/oleObject", "file:///x.doc", outside=True),
        "ole",
        "xl/_rels/workbook.xml.rels to 'file:///x.doc'",
    ),
    "object link": (
        with_part("xl/externalLinks/externalLink1.xml", LINK, link("<oleLink/>")),
        "ole",
        "xl/externalLinks/externalLink1.xml",
    ),
    "DDE link": (
        with_part("xl/externalLinks/externalLink1.xml", LINK, DDE),
        "dde",
        "xl/externalLinks/externalLink1.xml",
    ),
    "DDE formula": (with_formula("cmd|'/c calc'!A0"), "dde", "xl/worksheets/sheet4.xml"),
    "RTD": (with_formula("RTD(&quot;x&quot;,,1)"), "dde", "xl/worksheets/sheet4.xml"),
}


@pytest.mark.parametrize(("data", "word", "place"), FOUND.values(), ids=FOUND)
def test_active_content_is_found(data, word, place):
    """Each kind of active content is told by its word and its part, and nothing else is told."""
    assert find_active(open_package(data)) == [Active(word, place)]


@pytest.mark.parametrize(("data", "word", "place"), FOUND.values(), ids=FOUND)
def test_active_content_is_refused(data, word, place, tmp_path):
    """Without its word nothing is written; the message names the part and how to keep it."""
    output = tmp_path / "filled.xlsm"
    with pytest.raises(TemplateError) as caught:
        fill(data, Fill(allow=WORDS.keys() - {word}), output)
    assert str(caught.value) == (
        f"the template has active content: {word} ({place}); take it out, or keep it with --allow {word}"
    )
    assert not output.exists()


def test_all_refusals_are_in_one_message(tmp_path):
    """A template with several kinds is refused once, with the option that keeps them all."""
    message = r"macros \(xl/vbaProject\.bin\), external-links .* --allow macros,external-links,connections$"
    with pytest.raises(TemplateError, match=message):
        fill(rich_template(), Fill(), tmp_path / "filled.xlsm")


def test_what_is_allowed_is_kept_and_told(tmp_path):
    """The fill's report lists what active content came along, a line a word."""
    report = fill(rich_template(), Fill(allow=WORDS), tmp_path / "filled.xlsm")
    assert report.kept == (
        "macros (xl/vbaProject.bin)",
        "external-links (xl/externalLinks/externalLink1.xml)",
        "connections (xl/connections.xml)",
    )


def test_an_ordinary_template_has_none(tmp_path):
    """Nothing is found where there is nothing, and hyperlinks that people click are no active content."""
    data = with_arrow(
        f"{RELS}/hyperlink", "https://example.org", outside=True, part="xl/worksheets/_rels/sheet1.xml.rels"
    )
    assert find_active(open_package(data)) == []
    assert filled(tmp_path, data).exists()


def test_a_model_in_three_dimensions_is_no_data_model():
    """A picture that can be turned has the type model/gltf.binary, and reaches out to nothing."""
    assert find_active(open_package(with_part("xl/media/model3d1.glb", "model/gltf.binary"))) == []


def test_many_places_are_counted(tmp_path):
    """A message names three places of a kind and counts the rest."""
    names = [f"xl/embeddings/{letter}.bin" for letter in "abcde"]
    data = rezipped(lambda entries: [*entries, *((name, b"x") for name in names)])
    with pytest.raises(TemplateError, match=r"ole \(xl/embeddings/a.bin, .*c.bin and 2 more\); take"):
        filled(tmp_path, data)


FORMULAS = {
    "SUM(Data[Parameters (B)])": [],
    'A1&"WEBSERVICE(x) cmd|a!b"': [],
    "Data[a|b]+SUM(Data[[#This Row],[c|d]])": [],
    "Data[Cost '[USD|m']]": [],
    "'Sheet|one'!A1": [],
    "'Other|one'!A1": ["dde"],
    "Excel.Sheet.8|'C:\\x.xls'!'!Sheet1!R1C1'": ["dde"],
    "'[rates.xlsx]Sheet 1'!A1": ["external-links"],
    "Data[rates.csv]*Lists!A1": [],
    "'file:///tmp/x.ods'#$Sheet1.A1": ["external-links"],
    "MyImage(A1)": [],
    "image(A1)": ["external-links"],
    "GET.WORKBOOK(1)": ["macros"],
    "_xlfn.BYROW(A1:A2,_xleta.WEBSERVICE)": ["external-links"],
    "_x0057_EBSERVICE(A1)": ["external-links"],
    "_xldudf_CONTOSO_RUN(A1)": ["macros"],
    "'[rates.xlsx]My-Sheet (2)'!A1": ["external-links"],
    "[Book1]Sheet1!A1": ["external-links"],
    "'[1]My Sheet'!A1+[2]Other!A1": [],
    "'Sheet|one'!A1*Data[x]+'Sheet|one'!B1": [],
    "Data[[#This Row],[rates.xlsx]]*'Sheet|one'!B1": [],
    """INDIRECT("'[rates.xlsx]One'!A1")""": ["external-links"],
    """INDIRECT("cmd|'/c calc'!A0")""": ["dde"],
    'INDIRECT(SUBSTITUTE(A1,"|","!"))': [],
    """T("'[rates.xlsx]One'!A1")""": [],
    "SQL.REQUEST(A1)": ["connections"],
    'DDE("soffice","a","b")': ["dde"],
    "SUM(FTP:FTQ,smb:smb)": [],
}


@pytest.mark.parametrize(("formula", "words"), FORMULAS.items(), ids=FORMULAS)
def test_a_formula_tells_what_it_does(formula, words):
    """Texts, column names and sheet names are no commands; calls and links to programs are."""
    assert formula_words(formula, {"sheet|one"}) == words


PIECES = (
    *("CALL(", "_xlfn.RTD(", "_xll.f(", "Get.x(", "py(", "webservice(", "SQL.REQUEST(", 'INDIRECT("'),
    *("x|y", "[1]S!", "'[b]S'!", "A1", "+", '"', "[", "]", ")", "\u212a"),
)


def test_what_is_not_cut_into_pieces_does_nothing_more():
    """A formula says the same behind a cell of another sheet, for which it is cut."""
    formulas = map("".join, product(PIECES, repeat=3))
    assert [text for text in formulas if formula_words(text) != formula_words(f"S!A1+{text}")] == []
