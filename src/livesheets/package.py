"""The zip around a workbook, checked on the way in: what no honest workbook has is refused before anything reads it."""

from __future__ import annotations

import re
import stat
import struct
import zipfile
import zlib
from collections import deque
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import Struct

from livesheets.errors import TemplateError
from livesheets.file_type import foreign, has_doctype
from livesheets.parts import AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

MAX_ENTRIES = 10_000
MAX_NAME, SHOWN = 1_000, 80  # characters of an entry's name, and of one that a message shows
MAX_PART = 2**30
MAX_RATIO = 200
SMALL = 2**20  # a part this small is no zip bomb, however well it packs; all parts together are held to the ratio
LARGE_FILE = 2**26  # bytes of a file that is read before anything is known of it
PIECE = 2**18  # bytes that are unpacked at once
MANY, DENSE = 2**20, 4
"""Elements' marks that a part may have whatever its size, and how many a packed byte beyond it; honest ones have 2."""

_FOREIGN_PART = re.compile(r"xl/(?:printerSettings/\w+|customProperty\w+)\.bin", re.IGNORECASE)
"""What printers' drivers and add-ins wrote, and nobody else reads: it may have a DOCTYPE, or a false encoding."""
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1
_UTF8 = 0x800


class Package(Struct, frozen=True):
    """A workbook's bytes and its entries in order, by name; `what` is how messages call it."""

    data: bytes
    entries: Mapping[str, zipfile.ZipInfo]
    what: str = "the template"

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def read(self, name: str) -> bytes:
        """Return the content of an entry; a missing or damaged one is a TemplateError."""
        if name not in self.entries:
            raise TemplateError(f"{self.what} has no part {name}; {AGAIN}")
        content = BytesIO()  # which gives its bytes without a copy; a list of pieces would be one
        content.writelines(self.pieces(name))
        return content.getvalue()

    def pieces(self, name: str) -> Iterator[bytes]:
        """Give the content of an entry piece by piece; one that is not what the directory says is a TemplateError."""
        info = self.entries[name]
        size = checksum = 0
        for piece in _unpack(self.raw(name), info.compress_type, f"{name} in {self.what}"):
            size += len(piece)
            checksum = zlib.crc32(piece, checksum)
            if size > info.file_size:
                break
            yield piece
        if size != info.file_size or checksum != info.CRC:
            raise _damaged_error(f"{name} in {self.what}", "its contents do not match the directory")

    def raw(self, name: str) -> memoryview:
        """Return the compressed bytes of an entry as they stand."""
        info = self.entries[name]
        start = info.header_offset
        end = start + _LOCAL_HEADER.size
        if self.data[start : start + 4] != b"PK\x03\x04" or end > len(self.data):
            raise _damaged_error(f"{name} in {self.what}", "no local header")
        _, name_length, extra_length = _LOCAL_HEADER.unpack_from(self.data, start)
        name_bytes = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")
        if self.data[end : end + name_length] != name_bytes:
            raise _damaged_error(f"{name} in {self.what}", "its local header has another name")
        start = end + name_length + extra_length
        return memoryview(self.data)[start : start + info.compress_size]


@lru_cache(maxsize=1)
def open_package(data: bytes, what: str = "the template") -> Package:
    """Read a workbook's directory and look at every part once; what no honest workbook has is a TemplateError."""
    entries = _directory(data, what)
    package = Package(data, entries, what)
    for part in ("[Content_Types].xml", "xl/workbook.xml", "_rels/.rels"):
        if part not in entries:
            why = foreign(data, list(entries)) or f"it has no {part}; {AGAIN}"
            raise TemplateError(f"{what} is not an Excel workbook (.xlsx): {why}")
    for name in entries:
        if _FOREIGN_PART.fullmatch(name):
            deque(package.pieces(name), maxlen=0)  # to its end, which is checked
        else:
            _refuse_doctype(package, name)
    return package


def _read_counted(package: Package, name: str) -> Iterator[bytes]:
    """Give the content of an entry; one that would make far more elements than its size promises is refused."""
    most = max(MANY, DENSE * package.entries[name].compress_size)
    marks = 0
    for piece in package.pieces(name):
        marks += piece.count(b"<")
        if marks > most:
            raise TemplateError(f"{name} in {package.what} has more elements than any workbook of its size; {AGAIN}")
        yield piece


def _refuse_doctype(package: Package, name: str) -> None:
    part = f"{name} in {package.what}"
    try:
        result = has_doctype(_read_counted(package, name))
    except ValueError as error:
        raise TemplateError(f"{part} is not readable XML: {error}; {AGAIN}") from None
    if result:
        raise TemplateError(f"{part} has a DOCTYPE, which no workbook needs; {AGAIN}")


def _directory(data: bytes, what: str) -> dict[str, zipfile.ZipInfo]:
    """Return the entries of a zip by name, refused where their names and sizes cannot be honest."""
    why = foreign(data)
    if why:
        raise TemplateError(f"{what} is not an Excel workbook (.xlsx): {why}")
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise TemplateError(
            f"{what} is not a whole Excel workbook (.xlsx): it is cut short or damaged ({error}); copy it again"
        ) from None
    if len(infos) > MAX_ENTRIES:
        raise TemplateError(f"{what} has {len(infos):,} entries; at most {MAX_ENTRIES:,} are read; {AGAIN}")
    names: dict[str, str] = {}
    for info in infos:
        _check_name(info, names, what)
        _check_size(info, what)
    _check_whole(infos, len(data), what)
    return {info.filename: info for info in infos}


def _check_name(info: zipfile.ZipInfo, names: dict[str, str], what: str) -> None:
    if len(info.orig_filename) > MAX_NAME:
        short = info.orig_filename[:SHOWN]
        raise TemplateError(f"{what} has an entry whose name has more than {MAX_NAME} characters: {short!r}…; {AGAIN}")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise TemplateError(f"{what} has an entry that is a symbolic link: {info.orig_filename!r}; {AGAIN}")
    plain = unquote(info.filename)  # in a package, %2e is a dot
    for name in (info.orig_filename, info.filename, plain):
        if not name.isprintable() or set(name) & set("\\:") or {"", ".", ".."} & set(name.removesuffix("/").split("/")):
            raise TemplateError(f"{what} has an entry with an unsafe name: {info.orig_filename!r}; {AGAIN}")
    key = plain.casefold()  # Excel finds parts ignoring case
    if key in names:
        raise TemplateError(f"{what} has two entries named {names[key]!r}; {AGAIN}")
    names[key] = info.filename


def _check_size(info: zipfile.ZipInfo, what: str) -> None:
    if info.flag_bits & _ENCRYPTED:
        raise TemplateError(f"{what} is encrypted ({info.filename}); save it without a password")
    if info.file_size > MAX_PART:
        raise TemplateError(f"{info.filename} in {what} is larger than 1 GiB; take out what is not needed")
    if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
        raise TemplateError(f"{info.filename} in {what} unpacks to more than {MAX_RATIO} times its size; {AGAIN}")


def _check_whole(infos: Sequence[zipfile.ZipInfo], size: int, what: str) -> None:
    """Refuse entries that share their bytes, and many small ones that together unpack to far too much."""
    if overlap(infos):
        raise TemplateError(f"{what} has entries that overlap; {AGAIN}")
    if sum(info.file_size for info in infos) > max(SMALL, MAX_RATIO * size):
        raise TemplateError(f"{what} unpacks to more than {MAX_RATIO} times its size; {AGAIN}")


def overlap(infos: Sequence[zipfile.ZipInfo]) -> bool:
    """Whether entries of a zip share bytes: what is packed once would be unpacked many times."""
    places = sorted((info.header_offset, info.compress_size + len(info.orig_filename)) for info in infos)
    return any(start + _LOCAL_HEADER.size + length > following for (start, length), (following, _) in pairwise(places))


def check_workbook_file(path: Path, what: str) -> None:
    """Refuse a large file that is mostly something else than parts of a workbook, before it is read."""
    size = path.stat().st_size if path.is_file() else 0
    if size <= LARGE_FILE:
        return
    try:
        with zipfile.ZipFile(path) as archive:
            packed_size = sum(info.compress_size for info in archive.infolist())
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError):
        packed_size = 0
    if size - packed_size > LARGE_FILE:
        raise TemplateError(f"{what}: {packed_size:,} of its {size:,} bytes are parts of a workbook; {AGAIN}")


def _unpack(data: memoryview, method: int, part: str) -> Iterator[bytes]:
    """Give the content of compressed bytes piece by piece, however much it is."""
    if method == zipfile.ZIP_STORED:
        yield bytes(data)
        return
    if method != zipfile.ZIP_DEFLATED:
        raise TemplateError(f"{part} is compressed in a way that Excel does not read; {AGAIN}")
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for at in range(0, len(data), PIECE):
            piece = stream.decompress(data[at : at + PIECE], PIECE)
            while piece:
                yield piece
                piece = stream.decompress(stream.unconsumed_tail, PIECE)
    except zlib.error as error:
        raise _damaged_error(part, str(error)) from None
    if not stream.eof or stream.unused_data:
        raise _damaged_error(part, "its end is not where the directory says")


def _damaged_error(part: str, why: str) -> TemplateError:
    return TemplateError(f"{part} is damaged: {why}; copy the file again, or {AGAIN}")
