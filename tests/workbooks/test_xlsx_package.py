import struct
import zipfile
import zlib
from io import BytesIO

import pytest
from xlsx_templates import ROWS, filled, part, patched, prototype_template, raw_entries, rezipped, template

from livesheets.engine import Clone, Fill, TableFill, cell_of, fill, package
from livesheets.errors import TemplateError

TABLES = {"models": TableFill(ROWS)}
TOUCHED = {
    "docProps/core.xml",
    "xl/charts/chart1.xml",
    "xl/charts/chart2.xml",
    "xl/tables/table1.xml",
    "xl/workbook.xml",
    "xl/worksheets/sheet1.xml",
    "xl/worksheets/sheet3.xml",
}


def test_untouched_entries_are_the_same_bytes_in_the_same_order(tmp_path):
    """What a fill does not concern is copied compressed as it was, and nothing changes its place."""
    data = template()
    before = raw_entries(data)
    after = raw_entries(filled(tmp_path, data, tables=TABLES, properties={"title": "t"}).read_bytes())
    assert list(after) == list(before)
    assert {name for name in before if before[name] != after[name]} == TOUCHED
    assert {"xl/worksheets/sheet4.xml", "xl/theme/theme1.xml", "xl/styles.xml"} <= set(before) - TOUCHED


def test_the_same_inputs_give_the_same_bytes(tmp_path):
    """Nothing of the time or the run is in the file."""
    data = template()
    first = filled(tmp_path, data, tables=TABLES).read_bytes()
    assert filled(tmp_path, data, tables=TABLES).read_bytes() == first


def test_content_is_the_same_whatever_compresses_it(tmp_path, monkeypatch):
    """Parts hold the same where ISA-L is installed and where it is not."""
    data = template()  # made once: it holds the second in which it was made
    usual = parts(filled(tmp_path, data, tables=TABLES))
    monkeypatch.setattr(package, "compression", lambda: zlib)
    assert parts(filled(tmp_path, data, tables=TABLES)) == usual


def parts(workbook):
    """Return what each part of a workbook holds."""
    with zipfile.ZipFile(workbook) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_touched_entries_have_a_fixed_date(tmp_path):
    """Rewritten parts are dated 1980-01-01."""
    with zipfile.ZipFile(filled(tmp_path, template(), tables=TABLES)) as archive:
        assert archive.getinfo("xl/workbook.xml").date_time == (1980, 1, 1, 0, 0, 0)


def test_entries_with_trailing_sizes_are_copied(tmp_path):
    """A template written to a pipe, whose sizes follow the data, is copied into a sound file."""

    class Pipe(BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise OSError

        def tell(self):
            raise OSError

    out = Pipe()
    with zipfile.ZipFile(BytesIO(template())) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    with zipfile.ZipFile(filled(tmp_path, out.getvalue(), tables=TABLES)) as archive:
        assert archive.testzip() is None
        assert all(not info.flag_bits & 8 for info in archive.infolist())


def test_a_failed_fill_leaves_nothing_behind(tmp_path):
    """An error while rows are written leaves the old file alone and no scrap beside it."""
    output = tmp_path / "filled.xlsx"
    output.write_bytes(b"old")
    rows = [*ROWS, ("x", float("nan"), 0, None)]
    with pytest.raises(TemplateError, match="nan"):
        fill(template(), Fill(tables={"models": TableFill(rows)}), output)
    assert [file.name for file in tmp_path.iterdir()] == ["filled.xlsx"]
    assert output.read_bytes() == b"old"


def test_rows_are_written_as_they_come(tmp_path):
    """Rows are never held together: a sequence that makes each row anew is enough."""

    class Many:
        def __len__(self):
            return 3000

        def __iter__(self):
            return ((f"m{at}", at, at * 2, "yes") for at in range(3000))

    xml = part(filled(tmp_path, template(), tables={"models": TableFill(Many())}), "xl/worksheets/sheet1.xml")
    assert '<row r="3005"' in xml
    assert 'ref="A1:G3006"' in xml


def test_long_parts_take_the_zip64_form(tmp_path, monkeypatch):
    """A part that grows beyond what a plain entry may hold has a zip64 entry."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1500)
    output = filled(tmp_path, template(), tables=TABLES)
    with zipfile.ZipFile(output) as archive:
        assert archive.testzip() is None
        long = {info.filename for info in archive.infolist() if has_zip64_header(output, info)}
        assert "xl/worksheets/sheet1.xml" in long
        assert "xl/tables/table1.xml" not in long
        assert archive.namelist() == list(raw_entries(template()))


def has_zip64_header(path, info):
    """Tell whether an entry's local header begins its extra fields with the one of zip64."""
    data = path.read_bytes()
    name, extra = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + name
    return extra > 0 and struct.unpack_from("<H", data, start)[0] == 1


def test_broken_xml_is_refused(tmp_path):
    """A part that is no XML is refused by name."""
    with pytest.raises(TemplateError, match=r"xl/workbook\.xml in the template is not readable XML"):
        filled(tmp_path, patched(template(), "xl/workbook.xml", ("</workbook>", "")))


MALFORMED = {
    "no number": (
        "xl/tables/table1.xml",
        'totalsRowCount="1"',
        'totalsRowCount="x"',
        r"<table> in xl/tables/table1\.xml",
    ),
    "no such sheet": ("xl/workbook.xml", 'localSheetId="0"', 'localSheetId="9"', "a whole number from 0 to 3"),
    "row out of range": ("xl/worksheets/sheet1.xml", '<row r="8"', '<row r="99999999"', "from 1 to 1,048,576"),
    "column out of range": ("xl/worksheets/sheet1.xml", 'r="B8"', 'r="XFE8"', "'XFE8' in row 8; cells from A8 to XFD8"),
    "cell in another row": ("xl/worksheets/sheet1.xml", 'r="A8"', 'r="A9"', "'A9' in row 8"),
    "no address": ("xl/worksheets/sheet1.xml", 'r="A8"', 'r="8A"', "'8A' in row 8"),
    "row twice": ("xl/worksheets/sheet1.xml", '<row r="8"', '<row r="7"', "has the row 7 twice"),
    "sheet twice": ("xl/workbook.xml", 'name="Lists"', 'name="charts"', "two sheets named 'charts'"),
    "unknown encoding": (
        "xl/theme/theme1.xml",
        '<?xml version="1.0"?>',
        '<?xml version="1.0" encoding="x"?>',
        "unknown enc",
    ),
}


@pytest.mark.parametrize(("name", "before", "after", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_part_is_refused(name, before, after, message, tmp_path):
    """A template that breaks its format is refused with what was found and where."""
    with pytest.raises(TemplateError, match=message):
        filled(tmp_path, patched(template(), name, (before, after)), names={"in_price": 3})


def test_strict_workbooks_are_refused(tmp_path):
    """The strict dialect has other namespaces; the message says how to save the file."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    data = patched(template(), "xl/workbook.xml", (main, "http://purl.oclc.org/ooxml/spreadsheetml/main"))
    with pytest.raises(TemplateError, match="save it again"):
        filled(tmp_path, data)


def with_chain(entries):
    """Give the parts of a workbook with a list of its formula cells, and with titles in its list of sheets."""
    for name, content in entries:
        if name == "xl/_rels/workbook.xml.rels":
            kind = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain"
            arrow = b'<Relationship Id="rId99" Type="' + kind + b'" Target="calcChain.xml"/></Relationships>'
            yield name, content.replace(b"</Relationships>", arrow)
        elif name == "[Content_Types].xml":
            chain = b'<Override PartName="/xl/calcChain.xml" ContentType="x"/></Types>'
            yield name, content.replace(b"</Types>", chain)
        elif name == "docProps/app.xml":
            yield name, content.replace(b"</Properties>", b"<TitlesOfParts>Models</TitlesOfParts></Properties>")
        else:
            yield name, content
    yield "xl/calcChain.xml", b"<calcChain/>"


def test_the_calculation_chain_goes(tmp_path):
    """The list of formula cells is dropped with all that names it: Excel makes it anew."""
    output = filled(tmp_path, rezipped(with_chain), tables=TABLES)
    with zipfile.ZipFile(output) as archive:
        assert "xl/calcChain.xml" not in archive.namelist()
        assert b"calcChain" not in archive.read("[Content_Types].xml") + archive.read("xl/_rels/workbook.xml.rels")


def test_the_list_of_sheets_stays_where_no_sheet_comes_or_goes(tmp_path):
    """That the list of formula cells goes is no reason for the titles of the sheets to go too."""
    data = rezipped(with_chain)
    output = filled(tmp_path, data, names={"in_price": 3})
    assert raw_entries(output.read_bytes())["docProps/app.xml"] == raw_entries(data)["docProps/app.xml"]


def test_excel_is_told_to_calculate(tmp_path):
    """The workbook asks for a full calculation when it is opened."""
    assert 'fullCalcOnLoad="1"' in part(filled(tmp_path, template()), "xl/workbook.xml")


def test_a_prefixed_sheet_is_filled(tmp_path):
    """A template whose writer prefixes every element gives well-formed rows too."""
    data = template()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml").decode()
    prefixed = xml.replace("</", "</x:").replace("<", "<x:").replace("<x:/x:", "</x:").replace("<x:?", "<?")
    prefixed = prefixed.replace("xmlns=", "xmlns:x=", 1)
    output = filled(tmp_path, patched(data, "xl/worksheets/sheet1.xml", (xml, prefixed)), tables=TABLES)
    from openpyxl import load_workbook  # noqa: PLC0415 one test of this file reads cells

    assert load_workbook(output)["Models"]["A8"].value == "epsilon"


def test_the_place_of_a_table_is_told():
    """A caller can ask where a table stands."""
    assert cell_of(template(), "MODELS") == ("Models", "A5:D8")


def test_an_unknown_table_is_named_with_a_suggestion(tmp_path):
    """A misspelled table is refused with the nearest one."""
    with pytest.raises(TemplateError, match=r"no table 'modells'; did you mean 'models'\?"):
        filled(tmp_path, template(), tables={"modells": TableFill([])})


def test_a_prototype_is_filled_only_through_a_clone(tmp_path):
    """A table on a prototype cannot be filled where it stands."""
    clone = Clone("Proto", "x", {"proto": ("x_table", TableFill([]))})
    with pytest.raises(TemplateError, match="is a prototype"):
        filled(tmp_path, prototype_template(), clones=[clone], tables={"proto": TableFill([])})
