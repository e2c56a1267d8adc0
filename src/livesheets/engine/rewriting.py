"""A worksheet that is spelled in an unusual way, written again as most programs write it: nothing in it changes.

Comments, processing instructions and CDATA among the rows, namespaces that a row or a cell declares, rows out of order
and rows without a number all go through here, so that the engine reads the rows of every sheet in one form.
"""

from __future__ import annotations

from itertools import chain

from lxml import etree

from livesheets.engine.markup import MAIN, Element, parse, serialize, tag, whole
from livesheets.errors import TemplateError
from livesheets.references import MAX_ROW

_CELLS = tag("c")


def rewrite_sheet(data: bytes, part: str) -> bytes:
    """Return a worksheet's XML with its rows numbered and in order, and all namespaces declared by its root."""
    old = parse(data, part)
    etree.strip_tags(old, etree.Comment, etree.PI)
    new = etree.Element(old.tag, _attributes(old), nsmap=_namespaces(old))  # type: ignore[arg-type] # the stubs lack the default namespace
    for element in list(old):
        if element.tag == tag("sheetData"):
            _copy_rows(element, etree.SubElement(new, element.tag, _attributes(element)), part)
        else:
            _copy(element, new)
    if next(new.iter(tag("sheetData")), None) is None:
        raise TemplateError(f"{part} in the template is not a worksheet")
    before, after = (sum(1 for _ in root.iter(_CELLS)) for root in (old, new))
    if before != after:
        raise TemplateError(f"{part} in the template has {before:,} cells, {after:,} of them in rows")
    return serialize(new)


def _namespaces(root: Element) -> dict[str | None, str]:
    """Return one prefix for each namespace of a sheet: the root's own where it has one."""
    result = {uri: prefix for prefix, uri in root.nsmap.items()}
    result[MAIN] = root.prefix
    prefixes = set(result.values())
    for prefix, uri in chain.from_iterable(element.nsmap.items() for element in root.iter()):
        if uri not in result:
            free = prefix if prefix and prefix not in prefixes else f"ns{len(result)}"
            result[uri] = free
            prefixes.add(free)
    return {prefix: uri for uri, prefix in result.items()}


def _copy_rows(old: Element, new: Element, part: str) -> None:
    """Copy the rows in order, each with its number first."""
    rows: dict[int, Element] = {}
    at = 0
    for row in old.iterchildren(tag("row")):
        at = whole(row, "r", at + 1, least=1, most=MAX_ROW)
        if at in rows:
            raise TemplateError(f"{part} in the template has the row {at} twice")
        rows[at] = row
    new.text = ""
    for at, row in sorted(rows.items()):
        copy = etree.SubElement(new, row.tag, {"r": str(at)})
        for key, value in row.items():
            copy.set(key, str(at) if key == "r" else value)
        copy.text = ""
        for cell in row:
            _copy(cell, copy)


def _copy(old: Element, parent: Element) -> None:
    """Copy an element with everything inside; it takes the prefixes of its new parent."""
    new = etree.SubElement(parent, old.tag, _attributes(old))
    new.text, new.tail = old.text, old.tail
    for inner in old:
        _copy(inner, new)


def _attributes(element: Element) -> dict[str, str]:
    return {str(key): str(value) for key, value in element.items()}
