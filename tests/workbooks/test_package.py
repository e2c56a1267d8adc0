import io
import os
import struct
import tracemalloc
import warnings
import zipfile
import zlib

import pytest
from openpyxl import Workbook
from xlsx_templates import patched, rezipped, template

from livesheets import package
from livesheets.errors import TemplateError
from livesheets.package import check_workbook_file, open_package
from livesheets.parts import read_part

BOMB = bytes(3_000_000)


def refusal(data):
    """Return the message with which a file is refused."""
    with pytest.raises(TemplateError) as caught:
        open_package(data, "plan.xlsx")
    message = str(caught.value)
    assert "\n" not in message
    assert "plan.xlsx" in message
    return message


def with_entry(name, content=b""):
    """Return the template with one more entry."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile's, of a name that is there twice
        return rezipped(lambda entries: [*entries, (name, content)])


def with_names(*names):
    """Return a zip with empty entries."""
    return rezipped(lambda _: [(name, b"") for name in names])


def cfb(*streams):
    """Return what looks like an OLE file with streams of these names."""
    return b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"".join(name.encode("utf-16-le") for name in streams)


FOREIGN = {
    "empty": (b"", "the file is empty"),
    "xls": (cfb("Workbook"), r"\.xls of Excel 97-2003; .*save it as 'Excel Workbook \(\*\.xlsx\)'"),
    "encrypted xlsx": (cfb("EncryptedPackage"), "encrypted; save it without a password"),
    "csv": (b"name,layers\nllama,32\n", r"text, such as a \.csv; open it"),
    "csv in UTF-16": ("name\tlayers\n".encode("utf-16"), r"text, such as a \.csv"),
    "web page": (b"\xef\xbb\xbf \n<!doctype HTML><table>", r"web page \(HTML\)"),
    "XML": (b'<?xml version="1.0"?><Workbook/>', "an XML file, not a zip"),
    "pdf": (b"%PDF-1.7\n", "a PDF; give an .xlsx instead"),
    "gzip": (b"\x1f\x8b\x08\0", "gzip"),
    "noise": (b"\x7fELF\0\0", "it is not a zip"),
    "xlsb": (with_names("[Content_Types].xml", "xl/workbook.bin"), r"binary workbook \(\.xlsb\); open it"),
    "docx": (with_names("[Content_Types].xml", "word/document.xml"), "a Word document; give"),
    "ods": (with_names("mimetype", "content.xml"), "OpenDocument"),
    "other zip": (with_names("readme.txt"), r"no \[Content_Types\]\.xml; save it again"),
    "no workbook": (with_names("[Content_Types].xml"), r"no xl/workbook\.xml"),
    "no root": (with_names("[Content_Types].xml", "xl/workbook.xml"), r"no _rels/\.rels; save it again"),
}


@pytest.mark.parametrize(("data", "message"), FOREIGN.values(), ids=FOREIGN)
def test_a_file_that_is_no_workbook_is_told_what_it_is(data, message):
    """Whatever was renamed to .xlsx: the message says what it is and what to do."""
    with pytest.raises(TemplateError, match=message):
        open_package(data, "plan.xlsx")


UNSAFE = [
    "../evil.xml",
    "%2e%2e/evil.xml",
    "/etc/evil",
    "xl\\evil.xml",
    "C:/evil.xml",
    "xl/../../evil",
    "a\nb.xml",
    "a\x1b[2Jb.xml",
    "./evil.xml",
    "xl/./evil.xml",
    "xl//evil.xml",
    "xl/%2e/evil.xml",
]


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_name_is_refused(name):
    """No entry may name a place outside of the zip, or a terminal's commands."""
    assert f"unsafe name: {name!r}" in refusal(with_entry(name))


def test_a_name_without_end_is_refused():
    """The message shows its beginning."""
    assert f"more than 1000 characters: {'x' * 80!r}…" in refusal(with_entry("x" * 60_000))


def test_a_symbolic_link_is_refused():
    """Whoever unpacks the workbook would get a way out of its folder."""
    link = zipfile.ZipInfo("xl/media/logo.png")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    assert "a symbolic link: 'xl/media/logo.png'" in refusal(with_entry(link, b"/etc/passwd"))


def test_folders_among_the_entries_are_none_of_them():
    """Programs that zip a folder list its folders too."""
    assert "xl/media/" in open_package(with_entry("xl/media/"))


@pytest.mark.parametrize(
    "name",
    ["xl/workbook.xml", "XL/Workbook.xml", "xl/workbook%2Exml"],
    ids=["same", "same but for case", "same but for escapes"],
)
def test_two_entries_of_one_name_are_refused(name):
    """Readers would disagree on which of two equal names counts."""
    assert "two entries named 'xl/workbook.xml'" in refusal(with_entry(name))


def test_too_many_entries_are_refused():
    """Ten thousand entries are more than any workbook has."""
    data = rezipped(lambda entries: [*entries, *((f"x{at}", b"") for at in range(10_000))])
    assert "at most 10,000 are read" in refusal(data)


def test_a_bomb_is_refused_before_it_is_unpacked():
    """A part that unpacks to more than 200 times its size is refused from the directory, in no memory to speak of."""
    data = with_entry("xl/bomb.xml", bytes(300_000_000))
    tracemalloc.start()
    message = refusal(data)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert "xl/bomb.xml in plan.xlsx unpacks to more than 200 times its size" in message


def test_many_small_bombs_are_refused_together():
    """Parts below the size at which one is suspected are held to the ratio all together."""
    data = rezipped(lambda entries: [*entries, *((f"x{at}", bytes(2**20)) for at in range(200))])
    assert "plan.xlsx unpacks to more than 200 times its size" in refusal(data)


def test_a_bomb_of_elements_is_refused_before_it_is_parsed():
    """Small elements take a hundred times their size in memory; few packed bytes make millions of them."""
    padding = os.urandom(60_000).hex().encode()
    data = with_entry("xl/bomb.xml", b"<x>" + b"<c/>" * 2_000_000 + padding + b"</x>")
    tracemalloc.start()
    message = refusal(data)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert "xl/bomb.xml in plan.xlsx has more elements than any workbook of its size" in message


def test_a_sheet_of_many_equal_cells_is_honest():
    """Ones in three columns of 150,000 rows pack well, and are read."""
    rows = (f'<row r="{r}"><c r="A{r}"><v>1</v></c><c r="B{r}"><v>1</v></c></row>' for r in range(1, 150_000))
    content = f"<x>{''.join(rows)}</x>".encode()
    assert open_package(with_entry("xl/many.xml", content)).read("xl/many.xml") == content


def test_a_part_beyond_a_gibibyte_is_refused(monkeypatch):
    """The size of one part is limited, however little it is packed."""
    monkeypatch.setattr(package, "MAX_PART", 1000)
    assert "larger than 1 GiB" in refusal(template())


def lying(size):
    """Return a template with a bomb that tells a small size, in its directory entry and its header, and checks so."""
    data = bytearray(with_entry("bomb", BOMB))
    for signature, checksum_at in ((b"PK\x01\x02", 16), (b"PK\x03\x04", 14)):
        at = data.rindex(signature) + checksum_at
        data[at : at + 4] = struct.pack("<L", zlib.crc32(BOMB[:size]))
        data[at + 8 : at + 12] = struct.pack("<L", size)
    return bytes(data)


def test_a_bomb_that_lies_about_its_size_is_refused():
    """A part that goes on after the size and checksum that it tells is refused, wherever other readers would stop."""
    assert "bomb in plan.xlsx is damaged: its contents do not match the directory" in refusal(lying(10))


def test_overlapping_entries_are_refused():
    """Entries that share their packed bytes unpack to far more than the file holds."""
    data = bytearray(rezipped(lambda entries: [*entries, ("x1", BOMB[:9000]), ("x2", BOMB[:9000])]))
    last = data.rindex(b"PK\x01\x02")
    before = data.rindex(b"PK\x01\x02", 0, last)
    data[last + 42 : last + 46] = data[before + 42 : before + 46]
    assert "entries that overlap" in refusal(bytes(data))


def test_encrypted_entries_are_refused():
    """An entry with the encryption bit is refused with what to do about it."""
    data = bytearray(template())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "save it without a password" in refusal(bytes(data))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_a_file_that_is_cut_short_is_refused(share):
    """A download that broke off has no directory at its end."""
    data = template()
    assert "cut short or damaged" in refusal(data[: int(len(data) * share)])


def test_a_damaged_part_is_refused():
    """A part whose bytes do not match its checksum is refused by name, though nothing of it is needed."""
    data = bytearray(with_entry("xl/media/image1.bin", bytes(range(256))))
    with zipfile.ZipFile(io.BytesIO(bytes(data))) as archive:
        info = archive.getinfo("xl/media/image1.bin")
    data[info.header_offset + 30 + len(info.filename) + 40] ^= 0xFF
    assert "xl/media/image1.bin in plan.xlsx is damaged" in refusal(bytes(data))


def test_an_unusual_compression_is_refused():
    """Excel reads stored and deflated parts only."""
    out = io.BytesIO(template())
    with zipfile.ZipFile(out, "a", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("xl/odd.xml", b"<a/>")
    assert "xl/odd.xml in plan.xlsx is compressed in a way that Excel does not read" in refusal(out.getvalue())


DOCTYPE = '<!DOCTYPE x [<!ENTITY a "b">]>'


@pytest.mark.parametrize(
    "content",
    [
        f"{DOCTYPE}<x>&a;</x>".encode(),
        f'<?xml version="1.0"?>\n<!-- {"x" * 600_000} -->{DOCTYPE}<x/>'.encode(),
        f'<?xml version="1.0" encoding="UTF-16"?>{DOCTYPE}<x/>'.encode("utf-16"),
        f"\ufeff{DOCTYPE}<x/>".encode(),
    ],
    ids=["plain", "after a long comment", "UTF-16", "byte order mark"],
)
def test_a_doctype_is_refused_in_any_part(content):
    """No XML part may define entities, in whatever encoding, whether anything reads the part or not."""
    assert "customXml/item1.xml in plan.xlsx has a DOCTYPE" in refusal(with_entry("customXml/item1.xml", content))


ENCODED = {
    "UTF-7": (b'<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE x+AD4-<x/>', "multi-byte encodings"),
    "UTF-32": (DOCTYPE.encode("utf-32"), "readable XML"),
    "EBCDIC": (f'<?xml version="1.0" encoding="cp037"?>{DOCTYPE}<x/>'.encode("cp037"), "EBCDIC, not in UTF-8"),
    "unknown": (b'<?xml version="1.0" encoding="x"?><x/>', "unknown encoding"),
    "cut short": (b'<?xml version="1.0"?><!-- ', "unclosed token"),
}


@pytest.mark.parametrize(("content", "why"), ENCODED.values(), ids=ENCODED)
def test_a_part_that_hides_its_beginning_is_refused(content, why):
    """XML that cannot be read up to its root may hide a DOCTYPE, whether anything reads the part or not."""
    message = refusal(with_entry("customXml/item1.xml", content))
    assert message.startswith("customXml/item1.xml in plan.xlsx is not readable XML")
    assert why in message


FOREIGN_PARTS = {
    "printerSettings/printerSettings1.bin": b'<?xml version="1.0"?><!DOCTYPE plist SYSTEM "x"><plist/>',
    "customProperty1.bin": '<?xml version="1.0" encoding="utf-8"?><Add-in/>'.encode("utf-16-le"),
}


@pytest.mark.parametrize(("name", "content"), FOREIGN_PARTS.items(), ids=FOREIGN_PARTS)
def test_what_drivers_and_add_ins_wrote_is_no_xml_of_the_workbook(name, content):
    """Excel for the Mac keeps a property list with a DOCTYPE, add-ins an encoding that is false: nobody reads them."""
    assert open_package(with_entry(f"xl/{name}", content)).read(f"xl/{name}") == content


def test_text_that_tells_of_a_doctype_is_none():
    """The word inside a part's content is text."""
    content = b"<x><![CDATA[<!DOCTYPE html>]]></x>"
    assert open_package(with_entry("customXml/item1.xml", content)).read("customXml/item1.xml") == content


def test_a_part_is_unpacked_in_pieces():
    """A long part is never held whole: opening a workbook takes little memory beside the file itself."""
    data = with_entry("long.bin", os.urandom(8_000_000))
    tracemalloc.start()
    first = next(open_package(data).pieces("long.bin"))
    assert tracemalloc.get_traced_memory()[1] < 12 * package.PIECE
    tracemalloc.stop()
    assert 0 < len(first) <= package.PIECE


def test_a_part_beyond_the_parsers_limits_is_refused_in_one_line():
    """What the parser says of options of its own is left out."""
    with pytest.raises(
        TemplateError, match=r"a\.xml in plan is not readable XML: [^\n]*limit exceeded[^\n]*; save it again"
    ):
        read_part(b'<a b="%b"/>' % bytes(120).replace(b"\0", b"x" * 100_000), "a.xml", "plan")


def test_a_missing_part_is_named():
    """A part that something points to, but that is not there, is named."""
    with pytest.raises(TemplateError, match=r"the template has no part xl/gone\.xml"):
        open_package(template()).read("xl/gone.xml")


def test_an_honest_workbook_is_opened():
    """What openpyxl and a writer of stored entries make is read as it is."""
    out = io.BytesIO()
    Workbook().save(out)
    stored = io.BytesIO()
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info))
    assert open_package(stored.getvalue()).read("xl/workbook.xml") == open_package(out.getvalue()).read(
        "xl/workbook.xml"
    )


def test_a_part_that_is_no_xml_is_left_to_its_parser():
    """A part that is no XML at all is opened; whoever needs it says so."""
    data = patched(template(), "xl/workbook.xml", ("<workbook", "no workbook"))
    assert open_package(data).read("xl/workbook.xml").startswith(b"no workbook")


def test_a_large_file_that_is_no_workbook_is_not_read(tmp_path):
    """A file of two gigabytes that takes no room on the disk is refused by what its directory says."""
    path = tmp_path / "sparse.xlsx"
    with path.open("wb") as file:
        file.truncate(2**31)
    with pytest.raises(TemplateError, match="plan: 0 of its 2,147,483,648 bytes are parts of a workbook"):
        check_workbook_file(path, "plan")
