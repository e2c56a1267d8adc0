"""Workbooks as other programs write them: the least that there can be, and the forms that the format allows."""

import re
import zipfile
from io import BytesIO

import judges
import pytest
from openpyxl import load_workbook
from xlsx_templates import filled, patched, template

from flopsheet.audit.styles import read_styles
from flopsheet.errors import TemplateError
from livesheets.engine import TableFill
from livesheets.package import open_package

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SHEETS = "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"
ROWS = [("=1+1", 2), ("b", 3), ("c", 4)]


def text(address, value):
    """Return a cell with a text of its own."""
    return f'<c r="{address}" t="inlineStr"><is><t>{value}</t></is></c>'


def arrows(**targets):
    """Return a list of relationships; the kind of each is its id without the number."""
    kinds = {rid: rid.rstrip("0123456789") for rid in targets}
    result = "".join(
        f'<Relationship Id="{rid}" Type="{OFFICE}/{kinds[rid]}" Target="{target}"/>' for rid, target in targets.items()
    )
    return f'<Relationships xmlns="{RELS}/relationships">{result}</Relationships>'


def overrides():
    """Return the content types of the parts."""
    kinds = {"xl/workbook.xml": "sheet.main", "xl/tables/table1.xml": "table", **dict.fromkeys(SHEETS, "worksheet")}
    listed = (f'<Override PartName="/{part}" ContentType="{KIND}.{kind}+xml"/>' for part, kind in kinds.items())
    rels = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    return f'<Types xmlns="{RELS}/content-types">{rels}{"".join(listed)}</Types>'


def least():
    """Return the parts of a workbook with a list and a sum over it: no styles, properties or shared strings."""
    rows = f'<row r="1">{text("A1", "Model")}{text("B1", "Size")}</row>'
    rows += f'<row r="2">{text("A2", "s")}<c r="B2"><v>1</v></c></row>'
    return {
        "[Content_Types].xml": overrides(),
        "_rels/.rels": arrows(officeDocument1="xl/workbook.xml"),
        "xl/workbook.xml": (
            f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="List" sheetId="1" r:id="worksheet1"/>'
            '<sheet name="Sum" sheetId="2" r:id="worksheet2"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": arrows(worksheet1="worksheets/sheet1.xml", worksheet2="worksheets/sheet2.xml"),
        SHEETS[0]: (
            f'<worksheet xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheetData>{rows}</sheetData>'
            '<tableParts count="1"><tablePart r:id="table1"/></tableParts></worksheet>'
        ),
        "xl/worksheets/_rels/sheet1.xml.rels": arrows(table1="../tables/table1.xml"),
        SHEETS[1]: (
            f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1"><f>SUM(List!B2:B2)</f><v>1</v></c></row>'
            "</sheetData></worksheet>"
        ),
        "xl/tables/table1.xml": (
            f'<table xmlns="{MAIN}" id="1" name="Data" displayName="Data" ref="A1:B2"><tableColumns count="2">'
            '<tableColumn id="1" name="Model"/><tableColumn id="2" name="Size"/></tableColumns></table>'
        ),
    }


def packed(parts, **entry):
    """Return the parts as a zip."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            with archive.open(name, "w", **entry) as part:
                part.write(data if isinstance(data, bytes) else data.encode())
    return out.getvalue()


def changed(change, *names):
    """Return the parts with some changed, all of the workbook's own unless told."""
    parts = least()
    own = [name for name in parts if name.startswith("xl/") and not name.endswith(".rels")]
    return parts | {name: change(parts[name]) for name in names or own}


def prefixed(xml):
    """Return XML whose elements have a prefix."""
    return re.sub("<(/?)(?=[A-Za-z])", r"<\1x:", xml.replace(f'xmlns="{MAIN}"', f'xmlns:x="{MAIN}"'))


def absolute(xml):
    """Return relationships whose targets begin at the root."""
    return re.sub(r'Target="(?:\.\./|xl/|)', 'Target="/xl/', xml)


FORMS = {
    "the least": packed(least()),
    "absolute targets": packed(changed(absolute, *(name for name in least() if name.endswith(".rels")))),
    "prefixes": packed(changed(prefixed)),
    "no addresses": packed(changed(lambda xml: re.sub(r'<(c|row) r="[A-Z]*[0-9]"', r"<\1", xml), *SHEETS)),
    "a mark of the encoding": packed(changed(lambda xml: "\ufeff" + xml)),
    "comments": packed(changed(lambda xml: xml.replace("<sheetData>", "<!-- a --><?b c?><sheetData><!-- d -->"))),
    "large sizes": packed(least(), force_zip64=True),
}


@judges.needs_validator
@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_other_programs_workbooks_are_filled(data, tmp_path):
    """Whatever is left out or written in another form, the rows stand there and the sum covers them."""
    output = filled(tmp_path, data, tables={"Data": TableFill(ROWS)}, properties={"title": "t"})
    book = load_workbook(output)
    assert list(book["List"].iter_rows(min_row=2, values_only=True)) == ROWS
    assert book["List"]["A2"].data_type == "s"
    assert book["Sum"]["A1"].value == "=SUM(List!B2:B4)"
    assert judges.validate(output) == []


def strict(xml):
    """Return XML in the namespace of the strict format."""
    return xml.replace(MAIN, "http://purl.oclc.org/ooxml/spreadsheetml/main")


REFUSED = {
    "strict": (changed(strict), "the template is a Strict Open XML Spreadsheet; save it again in Excel as"),
    "UTF-16": (
        changed(lambda xml: xml.encode("utf-16")),
        "xl/workbook.xml in the template is written in UTF-16, not in UTF-8; save it again",
    ),
}


@pytest.mark.parametrize(("parts", "message"), REFUSED.values(), ids=REFUSED)
def test_forms_that_are_not_read_are_refused(parts, message, tmp_path):
    """One line says what the file is and what to do."""
    with pytest.raises(TemplateError, match=message):
        filled(tmp_path, packed(parts), tables={"Data": TableFill(ROWS)})


INLINE = """<c t='inlineStr' r='A1'><is><t>for {{ who }}</t></is></c><c r="B1"><f>LEN(A1)</f><v>11</v></c>"""


def test_attributes_may_stand_in_any_order(tmp_path):
    """A formula over a text whose marker is filled has no old value, however the text's cell is spelled."""
    parts = changed(lambda xml: re.sub('<c r="A1">.*</c>', INLINE, xml), SHEETS[1])
    output = filled(tmp_path, packed(parts), tables={"Data": TableFill(ROWS)}, texts={"who": "us"})
    book = load_workbook(output, data_only=True, read_only=True)
    assert [cell.value for cell in book["Sum"][1]] == ["for us", None]


def test_fonts_in_two_forms_count_once():
    """Hancom Office writes each font for itself and, as a fallback, for others, who number the fallbacks alone."""
    data = template()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        styles = archive.read("xl/styles.xml").decode()
    font = re.search("<font>.*?</font>", styles)[0]
    own = f"<mc:Choice xmlns:hs='hs' Requires='hs'>{font}</mc:Choice><mc:Fallback>{font}</mc:Fallback>"
    compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    twofold = f"<mc:AlternateContent xmlns:mc='{compatible}'>{own}</mc:AlternateContent>"
    odd = patched(data, "xl/styles.xml", (font, twofold))
    assert read_styles(open_package(odd)) == read_styles(open_package(data)) != []


def test_a_marker_in_another_encoding_is_refused(tmp_path):
    """Texts in an old encoding are not guessed at."""
    old = "<?xml version='1.0' encoding='ISO-8859-1'?>"
    parts = changed(lambda xml: (old + re.sub('<c r="A1">.*</c>', INLINE + "é", xml)).encode("latin-1"), SHEETS[1])
    with pytest.raises(TemplateError, match=r"sheet2\.xml in the template is not written in UTF-8; save it again"):
        filled(tmp_path, packed(parts), tables={"Data": TableFill(ROWS)}, texts={"who": "us"})
