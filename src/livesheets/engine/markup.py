"""XML parts: parsed without entities, network or DTDs, and written back."""

from __future__ import annotations

import re

from lxml import etree

from livesheets.errors import TemplateError
from livesheets.parts import AGAIN, read_part

Element = etree._Element  # noqa: SLF001 lxml has no public name for the type of its elements

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
CHART = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CHART_2012 = "http://schemas.microsoft.com/office/drawing/2012/chart"
CHART_2014 = "http://schemas.microsoft.com/office/drawing/2014/chartex"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
REVISION = "http://schemas.microsoft.com/office/spreadsheetml/2014/revision"


def parse(data: bytes, name: str) -> Element:
    """Return the root of a part; a DOCTYPE, broken XML or UTF-16 is a TemplateError that names the part."""
    if b"\0" in data[:4]:
        raise TemplateError(f"{name} in the template is written in UTF-16, not in UTF-8; {AGAIN}")
    return read_part(data, name)


def decode(data: bytes, name: str) -> str:
    """Return the text of a part that is not parsed; one in another encoding than UTF-8 is a TemplateError."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise TemplateError(f"{name} in the template is not written in UTF-8; {AGAIN}") from None


def serialize(root: Element) -> bytes:
    """Return the part as UTF-8 bytes, standalone as Excel writes it."""
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)


_WHOLE = re.compile(r"\s*\+?[0-9]{1,10}\s*")


def tag(name: str, space: str = MAIN) -> str:
    """Return a qualified name, of SpreadsheetML unless told."""
    return f"{{{space}}}{name}"


def local(element: Element) -> str:
    """Return an element's name without its namespace; "" for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str, default: str = "") -> str:
    """Return an attribute as text."""
    return str(element.get(name, default))


def decimal(element: Element, name: str, default: float) -> float:
    """Return an attribute as a number of zero or more; any other text is a TemplateError with the part."""
    text = attribute(element, name, str(default))
    if not re.fullmatch(r"[0-9]{1,10}(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?", text):
        raise _odd(element, name, text, "a number")
    return float(text)


def content(element: Element) -> int:
    """Return an element's text as a whole number; any other text is a TemplateError with the part."""
    text = (element.text or "").strip()
    if not re.fullmatch("[0-9]{1,10}", text):
        raise _odd(element, "the content", text, "a whole number")
    return int(text)


def _odd(element: Element, name: str, text: str, what: str) -> TemplateError:
    where = f"<{local(element)}> in {element.base} of the template"
    return TemplateError(f"{where} has {name}={text[:40]!r}; {what} is expected")


def whole(element: Element, name: str, default: int | None = None, least: int = 0, most: int = 2**32) -> int:
    """Return an attribute as a whole number; one that is none, or out of range, is a TemplateError with the part."""
    text = attribute(element, name, "" if default is None else str(default))
    result = int(text) if _WHOLE.fullmatch(text) else -1
    if not least <= result <= most:
        raise _odd(element, name, text, f"a whole number from {least:,} to {most:,}")
    return result


def place(parent: Element, child: Element, before: tuple[str, ...]) -> None:
    """Insert a child in front of the first sibling that must follow it, else at the end."""
    for sibling in parent:
        if local(sibling) in before:
            sibling.addprevious(child)
            return
    parent.append(child)


def drop(element: Element) -> None:
    """Take an element out of its parent."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def unset(element: Element, *names: str) -> None:
    """Take attributes off an element, where it has them."""
    for name in names:
        if name in element.attrib:
            del element.attrib[name]


def child(parent: Element, name: str) -> Element | None:
    """Return the first SpreadsheetML child of that name."""
    return next(parent.iterchildren(tag(name)), None) if len(parent) else None


def new(parent: Element, name: str) -> Element:
    """Append a SpreadsheetML child."""
    return etree.SubElement(parent, tag(name))


def child_before(parent: Element, name: str, before: tuple[str, ...]) -> Element:
    """Return the first SpreadsheetML child of that name; a new one is in front of what must follow it."""
    result = child(parent, name)
    if result is None:
        result = new(parent, name)
        place(parent, result, before)
    return result
