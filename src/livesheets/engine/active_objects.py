"""Macros and formulas of what is on sheets: shapes, charts' shapes, form controls, hyperlinks, notes in VML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from livesheets.engine.markup import Element, local

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHAPES = ("sp", "cxnSp", "pic", "graphicFrame", "contentPart")
_CONTROLS = ("controlPr", "formControlPr")
HOLDERS = tuple(f"{{*}}{name}" for name in (*_SHAPES, *_CONTROLS, "hyperlink"))
"""The elements whose attributes may start a macro or hold a formula."""
_FORMULAS = ("textlink", "location", "linkedCell", "listFillRange", "fmlaLink", "fmlaRange", "fmlaTxbx", "fmlaGroup")
_VML_FORMULAS = tuple(f"{{*}}Fmla{name}" for name in ("Link", "Range", "Txbx", "Group", "Pict"))
_ELSEWHERE = re.compile(r"\s*(?:file|https?|s?ftp|smb):|\s*\\\\", re.IGNORECASE)


def is_vml(kind: str) -> bool:
    """Whether a content type or the type of a relationship is that of a drawing in VML."""
    return kind.casefold().endswith("vmldrawing")


def macro_words(element: Element) -> list[str]:
    """Return the word of an element that starts a macro."""
    return ["macros"] if str(element.get("macro", "")).strip() else []


def formulas_of(element: Element) -> Iterator[str]:
    """Give the formulas that are in an element's attributes."""
    for name in _FORMULAS:
        text = str(element.get(name, ""))
        if text and (name != "location" or local(element) == "hyperlink"):
            yield text


def read_vml(data: bytes) -> tuple[list[str], list[str]]:
    """Return the words of a drawing in VML, and its formulas; what is no clean XML is read as browsers read HTML."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False)
    root = etree.fromstring(data, parser) if data.strip() else None
    if root is None:
        return [], []
    words = ["macros" for macro in root.iter("{*}FmlaMacro") if "".join(map(str, macro.itertext())).strip()]
    sources = [str(picture.get("src", "")) for picture in root.iter("{*}imagedata", "{*}fill")]
    words += ["external-links" for source in sources if _ELSEWHERE.match(source)]
    return words, ["".join(map(str, formula.itertext())) for formula in root.iter(*_VML_FORMULAS)]
