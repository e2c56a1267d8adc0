"""XML of a workbook's parts, read without entities, network or DTDs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from livesheets.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

AGAIN = "save it again in Excel or LibreOffice as .xlsx"
"""What helps with most files that are broken or odd."""


def read_part(data: bytes, name: str, what: str = "the template") -> _Element:
    """Return the root of a part; a DOCTYPE or broken XML is a TemplateError that names the part."""
    from lxml import etree  # noqa: PLC0415 - only workbooks need it

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser, base_url=name)
    except etree.XMLSyntaxError as error:
        raise _unreadable(name, what, error) from None
    if root.getroottree().docinfo.doctype:  # type: ignore[union-attr] # the stubs lack it
        raise TemplateError(f"{name} in {what} has a DOCTYPE, which no workbook needs; {AGAIN}")
    return root


class _Pieces:
    """Pieces of a part as a file: lxml takes more than it asked for."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def read(self, _: int = -1, /) -> bytes:
        return next(self._pieces, b"")


def read_elements(pieces: Iterator[bytes], tag: str, name: str, what: str) -> Iterator[_Element]:
    """Give each element of one kind, which is empty afterwards: a part may be larger than memory takes as a whole."""
    from lxml import etree  # noqa: PLC0415 - only workbooks need it

    result = etree.iterparse(
        _Pieces(pieces), tag=tag, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        for _, element in result:
            yield element
            element.clear()
            parent = element.getparent()
            while parent is not None and parent[0] is not element:
                del parent[0]
    except etree.XMLSyntaxError as error:
        raise _unreadable(name, what, error) from None


def _unreadable(name: str, what: str, error: SyntaxError) -> TemplateError:
    """Return the error of a broken part; what the parser says of options of its own helps nobody."""
    why = " ".join(re.sub(r",? (?:try|use) XML_PARSE_HUGE(?: option)?\s*|\(\S+, line \d+\)$", "", str(error)).split())
    return TemplateError(f"{name} in {what} is not readable XML: {why}; {AGAIN}")
