"""Active content of a template: what runs, or reaches out of the workbook. Refused unless it is allowed by its word."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from msgspec import Struct

from livesheets.addresses import unquote
from livesheets.allow import WORDS
from livesheets.engine.active_objects import HOLDERS, formulas_of, is_vml, macro_words, read_vml
from livesheets.engine.book import WORKBOOK, relationships, resolve_target, sheet_elements
from livesheets.engine.cells import unescape
from livesheets.engine.markup import RELATIONSHIPS, TYPES, attribute, local, parse, tag
from livesheets.engine.sheet_rows import ATTRIBUTES, OddError, find_frame
from livesheets.errors import TemplateError
from livesheets.tokens import cut

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from livesheets.engine.markup import Element
    from livesheets.package import Package
    from livesheets.tokens import Token

_TELLS = {
    "macros": r"vbaproject|macrosheet|dialogsheet|customui|ui/extensibility|webextension|attachedtoolbars",
    "external-links": r"externallink|webimage",
    "connections": r"connections\b|querytable|/model/|model\+data|powerpivotdata|customdata",
    "ole": r"oleobject|activex|embeddings/|relationships/(package|control)\b",
    "dde": r"volatiledependenc",
}
_PARTS = {word: re.compile(text, re.IGNORECASE) for word, text in _TELLS.items()}
"""What tells in a part's name, its content type or the type of a relationship to it."""

_FUNCTIONS = {
    "macros": "call register register.id exec evaluate files py",
    "external-links": "webservice image stockhistory translate detectlanguage copilot googlefinance "
    "importdata importfeed importhtml importrange importxml",
    "connections": "sql.request",
    "dde": "dde rtd",
}
_CALLS = {name: word for word, names in _FUNCTIONS.items() for name in names.split()}
_EXCEL_4, _ADD_INS = "get.", ("_xll.", "_xldudf_")
"""How functions of Excel 4 macros and of add-ins begin."""
_SIGNS = (*_CALLS, _EXCEL_4, *_ADD_INS, "!", "'", "|")
"""What every formula has that does more than calculate; most have none of it, and are not cut into pieces."""
_HOLDERS = ("f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula", "totalsRowFormula")
_FORMULAS = [f"{{*}}{name}" for name in _HOLDERS]
_IN_ROWS = re.compile(rb"<(?:[\w.-]+:)?f%b\s*>([^<]*)" % ATTRIBUTES)
_NAMES = "|".join(name.removeprefix("{*}") for name in (*_HOLDERS[1:], *HOLDERS)).encode()
_ELSEWHERE = re.compile(rb"<(?:[\w.-]+:)?(?:%b)[\s/>]" % _NAMES)
"""Formulas among the rows of a sheet, and what holds others and is there in no honest one."""
_LINKS = {"externalBook": "external-links", "ddeLink": "dde", "oleLink": "ole"}
_HOLD_MACROS = ("/drawing", "/vmldrawing", "/chart", "/chartex", "/chartusershapes", "/ctrlprop")
"""How the types of relationships to such parts end, in lower case."""
_WITHOUT = re.compile(r"sharedstrings|styles|theme|pivotcacherecords|comments", re.IGNORECASE)
"""Content types of parts that hold no formulas, unless the workbook calls them sheets."""
_ADDRESS = re.compile("(?:file|https?|s?ftp|smb):", re.IGNORECASE)
_OWN_LINK = re.compile(r"\[[0-9]+\]")
"""How the links of a workbook are written: they have numbers, and parts."""
MAX_NAMED, MAX_TARGET = 3, 80
"""Places named of each word, and characters of an address."""


class Active(Struct, frozen=True):
    """A piece of active content: its word, and where it is."""

    word: str
    place: str


def find_active(package: Package) -> list[Active]:
    """Return all active content of a workbook, a place once a word, in the order of the words."""
    results = {*_find_by_type(package), *_find_by_relationship(package), *_find_in_formulas(package)}
    order = list(WORDS)
    return sorted(results, key=lambda item: (order.index(item.word), item.place))


def places(active: Sequence[Active]) -> dict[str, str]:
    """Return where the active content of each word is: the first places, and how many more there are."""
    by_word = {word: [item.place for item in active if item.word == word] for word in WORDS}
    return {word: _list_places(everywhere) for word, everywhere in by_word.items() if everywhere}


def refuse(active: Sequence[Active], allow: Collection[str]) -> tuple[str, ...]:
    """Return what active content is kept, a line a word; what is not allowed is a TemplateError."""
    lines = {word: f"{word} ({where})" for word, where in places(active).items()}
    missing = [word for word in lines if word not in allow]
    if missing:
        what = ", ".join(lines[word] for word in missing)
        raise TemplateError(
            f"the template has active content: {what}; take it out, or keep it with --allow {','.join(missing)}"
        )
    return tuple(lines.values())


def _list_places(everywhere: Sequence[str]) -> str:
    more = f" and {len(everywhere) - MAX_NAMED} more" if len(everywhere) > MAX_NAMED else ""
    return f"{', '.join(everywhere[:MAX_NAMED])}{more}"


def _find_by_type(package: Package) -> Iterator[Active]:
    """Give the parts that are active by their name or content type."""
    for part, kind in content_types(package).items():
        if not part.endswith(".rels"):
            yield from _active(package, part, f"{part} {kind}")
        if part.lower().startswith("customxml/") and b"DataMashup" in package.read(part).replace(b"\0", b""):
            yield Active("connections", part)  # where Power Query keeps its queries


def _find_by_relationship(package: Package) -> Iterator[Active]:
    """Give what is active by the type of a relationship to it, or fetched from elsewhere without being asked."""
    for rels, part, arrow in _arrows(package):
        kind, target = attribute(arrow, "Type"), attribute(arrow, "Target")
        if attribute(arrow, "TargetMode").casefold() != "external":
            yield from _active(package, resolve_target(part, target), kind)
        elif not kind.endswith("/hyperlink") and not rels.rpartition("_rels/")[0].lower().endswith("externallinks/"):
            words = [word for word, tells in _PARTS.items() if tells.search(kind)] or ["external-links"]
            yield from (Active(word, f"{rels} to {target[:MAX_TARGET]!r}") for word in words)


def _arrows(package: Package) -> Iterator[tuple[str, str, Element]]:
    """Give each relationship of a package, with the part that lists it and the part that it is of."""
    for rels in [name for name in package.entries if name.endswith(".rels")]:
        folder, _, name = rels.removesuffix(".rels").rpartition("_rels/")
        for arrow in parse(package.read(rels), rels).findall(tag("Relationship", RELATIONSHIPS)):
            yield rels, folder + name, arrow


def _active(package: Package, part: str, text: str) -> Iterator[Active]:
    """Give the part once for each word that the text tells of it."""
    for word, tells in _PARTS.items():
        if tells.search(text):
            is_link = word == "external-links" and part in package
            inside = [_LINKS.get(local(item), word) for item in parse(package.read(part), part)] if is_link else []
            yield from (Active(kind, part) for kind in inside or [word])


def _find_in_formulas(package: Package) -> Iterator[Active]:
    """Give the parts with a formula that does more than calculate."""
    sheets = {attribute(sheet, "name").casefold() for sheet in sheet_elements(parse(package.read(WORKBOOK), WORKBOOK))}
    sheet_parts = {arrow.target for arrow in relationships(package, WORKBOOK) if arrow.kind.endswith("sheet")}
    drawings = _find_drawings(package)
    for part, kind in content_types(package).items():
        if is_vml(kind) or is_vml(drawings.get(part, "")):
            words, texts = read_vml(package.read(part))
        elif part in sheet_parts or part in drawings or (kind.endswith("+xml") and not _WITHOUT.search(kind)):
            words, texts = _held_in(package.read(part), part)
        else:
            continue
        results = {*words, *(word for text in set(texts) for word in formula_words(text, sheets))}
        yield from (Active(word, part) for word in sorted(results))


def _find_drawings(package: Package) -> dict[str, str]:
    """Return what is on sheets and charts: the type of the relationship to each part that may hold a macro."""
    result = {}
    for _, source, arrow in _arrows(package):
        kind, part = attribute(arrow, "Type"), resolve_target(source, attribute(arrow, "Target"))
        if kind.casefold().endswith(_HOLD_MACROS) and part in package:
            result[part] = kind
    return result


def _held_in(data: bytes, part: str) -> tuple[list[str], list[str]]:
    """Return what a part holds; the rows of a large sheet are not parsed for it."""
    try:
        frame = find_frame(data, part)
    except OddError:
        return _find_triggers(parse(data, part))
    if _ELSEWHERE.search(data, frame.first, frame.last):
        return _find_triggers(parse(data, part))
    words, texts = _find_triggers(parse(frame.without_rows(), part))
    rows = _IN_ROWS.findall(data, frame.first, frame.last)
    return words, [*texts, *(html.unescape(text.decode()) for text in rows)]


def _find_triggers(root: Element) -> tuple[list[str], list[str]]:
    """Return the words of a part in which an object starts a macro, and all its formulas."""
    words: list[str] = []
    texts: list[str] = []
    for element in root.iter(*_FORMULAS, *HOLDERS):
        if local(element) in _HOLDERS:
            texts.append("".join(map(str, element.itertext())))  # comments may part its pieces
        else:
            words += macro_words(element)
            texts += formulas_of(element)
    return words, texts


def formula_words(formula: str, sheets: Collection[str] = ()) -> list[str]:
    """Return the words for what a formula does next to calculating; `sheets` are in lower case."""
    formula = unescape(formula)
    lower = formula.lower()
    result = {*_formula_words(formula, sheets)} if any(sign in lower for sign in _SIGNS) else ()
    return [word for word in WORDS if word in result]


def _formula_words(formula: str, sheets: Collection[str]) -> Iterator[str]:
    pieces = cut(formula)
    if any(piece.kind == "function" and piece.word == "indirect" for piece in pieces):
        pieces += tuple(inner for piece in pieces if piece.kind == "text" for inner in _read_text(piece.text[1:-1]))
    for piece in pieces:
        if piece.kind in {"function", "name"}:
            yield from _find_calls(piece)
        elif piece.kind == "quoted" or (piece.kind == "cells" and "!" in piece.text):
            yield from _outside(unquote(piece.text.rpartition("!")[0] or piece.text), sheets)
        elif piece.text == "|":
            yield "dde"


def _read_text(text: str) -> list[Token]:
    """Return what a text refers to as a formula would: cells, and the sign between a program and what it gives."""
    results = [piece for piece in cut(text) if piece.kind in {"cells", "quoted"} or piece.text == "|"]
    return [] if all(piece.text == "|" for piece in results) else results


def _find_calls(piece: Token) -> Iterator[str]:
    """Give the word for what a function does, or a name that passes one on."""
    name = piece.word.removeprefix("_xleta.")
    if name.startswith(_ADD_INS):
        yield "macros"
    elif piece.kind == "function" or name != piece.word:
        yield from ["macros"] if name.startswith(_EXCEL_4) else [_CALLS[name]] if name in _CALLS else []


def _outside(sheet: str, sheets: Collection[str]) -> Iterator[str]:
    """Give the word for what cells are of, where that is no sheet: another workbook, an address, or a program."""
    if ("[" in sheet and not _OWN_LINK.match(sheet)) or _ADDRESS.match(sheet):
        yield "external-links"
    if "|" in sheet and sheet.casefold() not in sheets:
        yield "dde"


def content_types(package: Package) -> dict[str, str]:
    """Return the content type of each part, its own or that of its suffix."""
    root = parse(package.read("[Content_Types].xml"), "[Content_Types].xml")
    suffixes, own = _types_by(root, "Default", "Extension"), _types_by(root, "Override", "PartName")
    names = {part: part.casefold() for part in package.entries}
    return {part: own.get(name, suffixes.get(name.rpartition(".")[2], "")) for part, name in names.items()}


def _types_by(root: Element, kind: str, key: str) -> dict[str, str]:
    items = root.findall(tag(kind, TYPES))
    return {attribute(item, key).lstrip("/").casefold(): attribute(item, "ContentType") for item in items}
