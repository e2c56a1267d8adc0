"""The first bytes of files and parts: what a file is that is no .xlsx, and whether XML begins with a DOCTYPE."""

from __future__ import annotations

import re
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

AS_XLSX = "open it in Excel or LibreOffice and save it as 'Excel Workbook (*.xlsx)'"
UNSUPPORTED_REMEDY = "give an .xlsx instead"

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_BEGINNINGS = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", f"it is an .xls of Excel 97-2003; {AS_XLSX}"),
    (b"\x09\x08", f"it is an .xls of an early Excel; {AS_XLSX}"),
    (b"%PDF", f"it is a PDF; {UNSUPPORTED_REMEDY}"),
    (b"{\\rtf", f"it is rich text; {UNSUPPORTED_REMEDY}"),
    (b"\x1f\x8b", f"it is packed with gzip; {UNSUPPORTED_REMEDY}"),
    (b"Rar!", f"it is a RAR archive; {UNSUPPORTED_REMEDY}"),
    (b"7z\xbc\xaf", f"it is a 7-Zip archive; {UNSUPPORTED_REMEDY}"),
)
_INSIDE = (
    ("xl/workbook.bin", f"it is a binary workbook (.xlsb); {AS_XLSX}"),
    ("word/document.xml", f"it is a Word document; {UNSUPPORTED_REMEDY}"),
    ("ppt/presentation.xml", f"it is a PowerPoint presentation; {UNSUPPORTED_REMEDY}"),
    ("content.xml", f"it is an OpenDocument file (.ods); {AS_XLSX}"),
    ("Index/Document.iwa", f"it is an Apple Numbers file; {AS_XLSX}"),
)
_EBCDIC = "<?xml".encode("cp037")
_PROLOG = re.compile(rb"[\xef\xbb\xbf\xff\xfe\0 \t\r\n]*<\0*[?!]")
_BLANK = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # marks of encodings and white space


def foreign(data: bytes, entries: Sequence[str] = ()) -> str:
    """Return what a file is that is no .xlsx, and what to do about it; "" where nothing tells.

    `entries` are the names in the zip, where it is one.
    """
    if data.startswith(b"PK"):
        return next((kind for name, kind in _INSIDE if name in entries), "")
    if not data:
        return "the file is empty"
    if _ENCRYPTED in data:
        return "it is encrypted; save it without a password"
    return next((kind for begin, kind in _BEGINNINGS if data.startswith(begin)), "") or _text_kind(data)


def _text_kind(data: bytes) -> str:
    start = data[:4096].lstrip(_BLANK)
    if start.startswith(b"<"):
        page = b"html" in start[:1000].lower()
        return f"it is {'a web page (HTML)' if page else 'an XML file, not a zip'}; {AS_XLSX}"
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return f"it is not a zip file; {UNSUPPORTED_REMEDY}"
    return f"it is text, such as a .csv; {AS_XLSX}"


def has_doctype(pieces: Iterable[bytes]) -> bool:
    """Return whether a part is XML with a DOCTYPE; takes all of the part, so its end is checked.

    What begins as XML does but cannot be read as such up to its root, in whatever encoding, is a ValueError.
    """
    rest = iter(pieces)
    head = next(rest, b"")
    if head.startswith(_EBCDIC):
        raise ValueError("it is written in EBCDIC, not in UTF-8")
    result = head.lstrip(_BLANK).startswith(b"<") and _declares(head, rest)
    for _ in rest:
        pass
    return result


class _Seen(Exception):  # noqa: N818 - no error: how a parser that has seen enough is left
    """What comes first of a DOCTYPE and the root has begun; whether it is a DOCTYPE."""


def _declares(head: bytes, rest: Iterable[bytes]) -> bool:
    from xml.parsers import expat  # noqa: PLC0415 - only workbooks need it

    def leave(*_: object, is_doctype: bool) -> None:
        raise _Seen(is_doctype)

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = partial(leave, is_doctype=True)
    parser.StartElementHandler = partial(leave, is_doctype=False)
    try:
        for piece in chain([head], rest):
            parser.Parse(piece)
        parser.Parse(b"", True)  # noqa: FBT003 - expat's own: this was all
    except _Seen as seen:
        return bool(seen.args[0])
    except (LookupError, ValueError, expat.ExpatError) as error:
        if _PROLOG.match(head):
            raise ValueError(str(error)) from None
    return False
