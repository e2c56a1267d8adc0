"""`{{ name }}` markers in text, and the document's properties."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livesheets.addresses import number
from livesheets.engine.book import targets
from livesheets.engine.cells import MAX_TEXT, literal, unescape
from livesheets.engine.markup import DRAWING, child, decode, drop, local, parse, serialize, tag
from livesheets.errors import TemplateError
from livesheets.references import Area

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from livesheets.engine.book import Book
    from livesheets.engine.markup import Element
    from livesheets.engine.sheet import SheetXml
    from livesheets.package import Package

STRINGS = "xl/sharedStrings.xml"
APP = "docProps/app.xml"

MARKER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
"""A name that a text of a template gives way for."""
_TEXT_CELL = re.compile(
    r"""<(?:\w+:)?c(?=\s[^>]*\br=["']([A-Z]+)([0-9]+)["'])(?=\s[^>]*\bt=["'](s|inlineStr)["'])"""
    r"""[^>]*(?<!/)>(.*?)</(?:\w+:)?c>""",
    re.DOTALL,
)
_INDEX = re.compile("<(?:\\w+:)?v>([0-9]+)<")
_PURL = "http://purl.org/dc/elements/1.1/"
_TERMS = "http://purl.org/dc/terms/"
_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"
_PROPERTIES = {
    "title": f"{{{_PURL}}}title",
    "creator": f"{{{_PURL}}}creator",
    "description": f"{{{_PURL}}}description",
    "subject": f"{{{_PURL}}}subject",
    "created": f"{{{_TERMS}}}created",
    "modified": f"{{{_TERMS}}}modified",
}
MAX_HEADER = 255
_SIZE = re.compile(r"(&\d+)(?=\{\{)")
"""A font size that a text with a digit in front would change; a blank keeps them apart."""
_HEADERS = ("oddHeader", "oddFooter", "evenHeader", "evenFooter", "firstHeader", "firstFooter")


def fill_markers(text: str, texts: Mapping[str, str]) -> str:
    """Return the text with each known marker replaced; unknown ones stay."""
    return MARKER.sub(lambda match: texts.get(match[1], match[0]), text)


def marked_cells(package: Package, part: str, texts: Mapping[str, str]) -> Iterator[Area]:
    """Give each cell of a sheet whose text has a marker that is filled, shared or its own."""
    strings = _marked_strings(package, texts)
    data = package.read(part) if texts else b""
    if not strings and b"{{" not in data:
        return
    for match in _TEXT_CELL.finditer(decode(data, part)):
        column, row, kind, inside = match.groups()
        index = _INDEX.search(inside)
        is_own = kind != "s" and fill_markers(inside, texts) != inside
        if is_own or (kind == "s" and index and int(index[1]) in strings):
            yield Area(int(row), number(column), int(row), number(column))


def _marked_strings(package: Package, texts: Mapping[str, str]) -> frozenset[int]:
    data = package.read(STRINGS) if texts and STRINGS in package else b""
    if b"{{" not in data:
        return frozenset()
    items = [item for item in parse(data, STRINGS) if local(item) == "si"]
    return frozenset(index for index, item in enumerate(items) if fill_strings(item, texts))


def rich_text(item: Element | None) -> str:
    """Return the text of a string item; phonetic guides are no part of it."""
    if item is None:
        return ""
    pieces = [text.text or "" for text in item.iter(tag("t")) if next(text.iterancestors(tag("rPh")), None) is None]
    return unescape("".join(pieces))


def marked_headers(book: Book, names: Collection[str]) -> list[tuple[str, str]]:
    """Return each header of a table that has a marker, and what is wrong with it."""
    problem = "has a marker in a header, which is the name of a column; put it above the table"
    return [
        (header, f"the table {table.name} on the sheet {table.sheet!r} {problem}")
        for table in book.tables.values()
        for header in table.columns
        if any(name in names for name in MARKER.findall(header))
    ]


def refuse_marked(book: Book, names: Collection[str]) -> None:
    """Refuse a template with a marker in the header of a table: formulas would no longer find the column."""
    for header, message in marked_headers(book, names):
        raise TemplateError(f"{message}: {header}")


def string_parts(book: Book, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Return the shared strings, text boxes and chart sheets whose markers were filled."""
    parts: dict[str, bytes] = {}
    sheets = {sheet.part for sheet in book.sheets.values() if sheet.kind == "chartsheet"}
    for name in book.package.entries:
        if name == STRINGS or name.startswith("xl/drawings/drawing") or name in sheets:
            data = book.package.read(name)
            root = parse(data, name) if b"{{" in data and texts else None
            if root is not None and (fill_strings(root, texts) or fill_headers(root, texts)):
                parts[name] = serialize(root)
    return parts


def fill_strings(root: Element, texts: Mapping[str, str]) -> bool:
    """Fill the markers in the strings of a part; whether there were any."""
    holders = root.iter(tag("si"), tag("is"), tag("p", DRAWING))
    return sum(_fill_runs([*holder.iter(tag("t"), tag("t", DRAWING))], texts) for holder in holders) > 0


def _fill_runs(runs: list[Element], texts: Mapping[str, str]) -> bool:
    """Fill the markers in a string of several formats; one that spans formats takes that of its beginning."""
    pieces = [run.text or "" for run in runs]
    text = "".join(pieces)
    marks = [match for match in MARKER.finditer(text) if match[1] in texts]
    if not marks:
        return False
    for match in reversed(marks):
        _put(pieces, match.start(), match.end(), literal(texts[match[1]]))
    if sum(len(unescape(piece)) for piece in pieces) > MAX_TEXT:
        raise TemplateError(f"the text {text[:40]!r} is filled with more than {MAX_TEXT:,} characters")
    for run, piece in zip(runs, pieces, strict=True):
        if piece != (run.text or ""):
            run.text = piece
            if piece != piece.strip() and run.tag == tag("t"):
                run.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return True


def _put(pieces: list[str], start: int, end: int, text: str) -> None:
    """Replace a stretch of the joined pieces; the new text goes where the stretch begins."""
    at = 0
    for index, piece in enumerate(pieces):
        first, last = max(start - at, 0), min(end - at, len(piece))
        if first < last:
            pieces[index] = piece[:first] + text + piece[last:]
            text = ""
        at += len(piece)


def fill_cells(sheet: SheetXml, texts: Mapping[str, str]) -> None:
    """Fill the markers in texts that are in the sheet itself, not among the shared strings."""
    for row in sheet.cells.find_marked(b"is>", b"{") if texts else ():
        for cell in sheet.cells[row].values():
            if child(cell, "is") is not None and fill_strings(cell, texts):
                sheet.cells.keep(row)


def fill_headers(root: Element, texts: Mapping[str, str]) -> bool:
    """Fill the markers in a sheet's printed headers and footers, where & begins a code; whether there were any."""
    safe_texts = {name: text.replace("&", "&&") for name, text in texts.items()}
    has_changed = False
    for element in root.iter(*(tag(name) for name in _HEADERS)):
        text = fill_markers(_SIZE.sub(r"\1 ", element.text or ""), safe_texts)
        if text != (element.text or ""):
            if len(text) > MAX_HEADER:
                raise TemplateError(
                    f"{local(element)} in {element.base} of the template is filled with {len(text):,} characters; "
                    f"Excel takes at most {MAX_HEADER}"
                )
            element.text = literal(text)
            has_changed = True
    return has_changed


def property_parts(package: Package, properties: Mapping[str, str], *, sheets_changed: bool) -> dict[str, bytes]:
    """Return docProps: the core properties asked for, where the template has any, and no outdated list of sheets."""
    parts: dict[str, bytes] = {}
    unknown = [name for name in properties if name not in _PROPERTIES]
    if unknown:
        raise TemplateError(f"{unknown[0]!r} is not a property of a workbook; expected one of {', '.join(_PROPERTIES)}")
    for core in targets(package, "", "core-properties") if properties else ():
        root = parse(package.read(core), core)
        for name, text in properties.items():
            _set_property(root, name, text)
        parts[core] = serialize(root)
    if sheets_changed and APP in package:
        root = parse(package.read(APP), APP)
        for element in [inner for inner in root if local(inner) in {"TitlesOfParts", "HeadingPairs"}]:
            drop(element)
        parts[APP] = serialize(root)
    return parts


def _set_property(root: Element, name: str, text: str) -> None:
    element = root.find(_PROPERTIES[name])
    if element is None:
        element = root.makeelement(_PROPERTIES[name], nsmap={"dc": _PURL, "dcterms": _TERMS})
        root.append(element)
    if name in {"created", "modified"}:
        element.set(_TYPE, f"{element.prefix}:W3CDTF")
    element.text = literal(text)
