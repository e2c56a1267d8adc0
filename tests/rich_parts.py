"""Joins the parts in tests/data/rich, which openpyxl cannot write, to a workbook that it wrote."""

from __future__ import annotations

import struct
import tomllib
import zipfile
import zlib
from collections import defaultdict
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Values = Mapping[str, Mapping[str, float | str]]

FOLDER = Path(__file__).parent / "data" / "rich"
JOINS = tomllib.loads((FOLDER / "rich.toml").read_text("utf-8"))

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SPACES = {
    "": MAIN,
    "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "xdr": "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing",
    "x14": "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main",
    "x15": "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main",
    "xm": "http://schemas.microsoft.com/office/excel/2006/main",
}
SHEET_ORDER = ("sheetData", "conditionalFormatting", "dataValidations", "pageMargins", "pageSetup", "headerFooter")
SHEET_ORDER += ("drawing", "legacyDrawing", "legacyDrawingHF", "controls", "tableParts", "extLst")
BOOK_ORDER = ("sheets", "externalReferences", "definedNames", "calcPr", "pivotCaches", "extLst")
"""The order in which the schema wants an element's children."""

NO_STRINGS = b'<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
NO_ARROWS = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'


def with_parts(base: bytes, cached: Values) -> bytes:
    """Return the workbook with all the parts, and with values stored beside formulas, by sheet part and cell."""
    with zipfile.ZipFile(BytesIO(base)) as old:
        parts = {name: old.read(name) for name in sorted(old.namelist(), key="[Content_Types].xml".__ne__)}
    for path in sorted(FOLDER.rglob("*.*")):
        if path.is_file() and path.name != "rich.toml":
            parts[path.relative_to(FOLDER).as_posix()] = path.read_bytes()
    parts["xl/media/logo.png"] = _picture()
    parts["xl/printerSettings/printerSettings1.bin"] = bytes(range(256))
    parts["xl/vbaProject.bin"] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
    _join(parts, cached)
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in parts.items():
            new.writestr(zipfile.ZipInfo(name, (2024, 5, 6, 7, 8, 10)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _picture() -> bytes:
    """Return a PNG of one blue point."""
    blocks = (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\x30\x60\x90")),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in blocks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _join(parts: dict[str, bytes], cached: Values) -> None:
    """Point to the added parts, declare them, insert the elements that use them, and store the formulas' values."""
    changes: dict[str, list[Callable[[Any], None]]] = defaultdict(list)
    changes["[Content_Types].xml"].append(_declare)
    for part, arrows in JOINS["arrows"].items():
        folder, _, name = part.rpartition("/")
        changes[f"{folder}/_rels/{name}.rels"].append(partial(_point, arrows))
    for insert in JOINS["inserts"]:
        changes[insert["part"]].append(partial(_insert, insert["place"], insert["xml"]))
    for part, values in cached.items():
        changes[part].append(partial(_store, values))
    changes["xl/worksheets/sheet1.xml"].append(_name_printer)
    strings = etree.fromstring(NO_STRINGS)
    for part in sorted(name for name in parts if name.startswith("xl/worksheets/sheet")):
        changes[part].append(partial(_share, strings))
    for part, steps in changes.items():
        root = etree.fromstring(parts.get(part, NO_ARROWS))
        for step in steps:
            step(root)
        parts[part] = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    parts["xl/sharedStrings.xml"] = etree.tostring(strings, xml_declaration=True, encoding="UTF-8", standalone=True)


def _share(strings: Any, root: Any) -> None:
    """Move the texts of a sheet to the shared strings, where Excel keeps them."""
    for cell in root.iterfind(f".//{{{MAIN}}}c[@t='inlineStr']"):
        text = cell.find(f"{{{MAIN}}}is")
        cell.remove(text)
        text.tag = f"{{{MAIN}}}si"
        strings.append(text)
        cell.set("t", "s")
        etree.SubElement(cell, f"{{{MAIN}}}v").text = str(len(strings) - 1)


def _declare(root: Any) -> None:
    for part, kind in JOINS["types"].items():
        etree.SubElement(root, root.tag.replace("Types", "Override"), PartName=part, ContentType=kind)
    for suffix, kind in {"vml": "application/vnd.openxmlformats-officedocument.vmlDrawing", "png": "image/png"}.items():
        if not root.findall(f"{{*}}Default[@Extension='{suffix}']"):
            etree.SubElement(root, root.tag.replace("Types", "Default"), Extension=suffix, ContentType=kind)
    book = root.find("{*}Override[@PartName='/xl/workbook.xml']")
    book.set("ContentType", "application/vnd.ms-excel.sheet.macroEnabled.main+xml")


def _point(arrows: list[dict[str, str]], root: Any) -> None:
    for arrow in arrows:
        kind = root.tag.replace("Relationships", "Relationship")
        etree.SubElement(root, kind, Id=arrow["id"], Type=arrow["kind"], Target=arrow["target"])


def _insert(place: str, xml: str, root: Any) -> None:
    """Put an element where the schema expects it."""
    spaces = " ".join(f'xmlns{":" * bool(prefix)}{prefix}="{space}"' for prefix, space in SPACES.items())
    element = etree.fromstring(f"<x {spaces}>{xml.strip()}</x>")[0]
    order = BOOK_ORDER if root.tag == f"{{{MAIN}}}workbook" else SHEET_ORDER
    later = {f"{{{MAIN}}}{name}" for name in order[order.index(place) + 1 :]}
    follower = next((child for child in root if child.tag in later), None)
    root.append(element) if follower is None else follower.addprevious(element)


def _store(values: Mapping[str, float | str], root: Any) -> None:
    """Give formulas the values that the program which saved the workbook knew; F2 of Summary spills."""
    for name, value in values.items():
        cell = root.find(f".//{{{MAIN}}}c[@r='{name}']")
        stored = cell.find(f"{{{MAIN}}}v")
        stored = etree.SubElement(cell, f"{{{MAIN}}}v") if stored is None else stored
        stored.text = str(value)
        if isinstance(value, str):
            cell.set("t", "str")
            cell.set("cm", "1")


def _name_printer(root: Any) -> None:
    root.find(f"{{{MAIN}}}pageSetup").set(f"{{{SPACES['r']}}}id", "rich2")
