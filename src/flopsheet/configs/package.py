"""The zip around a workbook, checked on the way in: what no honest workbook has is refused before it is read."""

from __future__ import annotations

import struct
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from flopsheet.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ENTRIES = 10_000
MAX_PART = 2**30
MAX_RATIO = 200
SMALL = 2**20  # a part this small is no zip bomb, however well it packs

_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Package:
    """A workbook's bytes and its entries in order, by name; `what` is how messages call it."""

    data: bytes
    entries: Mapping[str, zipfile.ZipInfo]
    what: str = "the template"

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def read(self, name: str) -> bytes:
        """Return the content of an entry; a missing or damaged one is a TemplateError."""
        if name not in self.entries:
            raise TemplateError(f"{self.what} has no part {name}")
        try:
            with zipfile.ZipFile(BytesIO(self.data)) as archive:
                return archive.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise TemplateError(f"{name} in {self.what} is damaged: {error}") from None

    def raw(self, name: str) -> bytes:
        """Return the compressed bytes of an entry as they stand."""
        info = self.entries[name]
        start = info.header_offset
        signature, name_length, extra_length = _LOCAL_HEADER.unpack_from(self.data, start)
        if signature != b"PK\x03\x04":
            raise TemplateError(f"{name} in {self.what} is damaged: no local header")
        start += _LOCAL_HEADER.size + name_length + extra_length
        return self.data[start : start + info.compress_size]


def open_package(data: bytes, what: str = "the template") -> Package:
    """Read the directory of a workbook and refuse what no honest workbook has."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, struct.error, UnicodeDecodeError, NotImplementedError) as error:
        raise TemplateError(f"{what} is not an Excel workbook (.xlsx): {error}") from None
    if len(infos) > MAX_ENTRIES:
        raise TemplateError(f"{what} has {len(infos):,} entries; at most {MAX_ENTRIES:,} are read")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        _check(info, entries, what)
        entries[info.filename] = info
    for needed in ("[Content_Types].xml", "xl/workbook.xml"):
        if needed not in entries:
            raise TemplateError(f"{what} is not an Excel workbook (.xlsx): it has no {needed}")
    return Package(data, entries, what)


def _check(info: zipfile.ZipInfo, earlier: Mapping[str, object], what: str) -> None:
    name = info.orig_filename
    if "\\" in name or "\0" in name or name.startswith("/") or ":" in name or ".." in name.split("/"):
        raise TemplateError(f"{what} has an entry with an unsafe name: {name!r}")
    if info.filename in earlier:
        raise TemplateError(f"{what} has two entries named {name!r}")
    if info.flag_bits & _ENCRYPTED:
        raise TemplateError(f"{what} is encrypted ({name}); save it without a password")
    if info.file_size > MAX_PART:
        raise TemplateError(f"{name} in {what} is larger than 1 GiB")
    if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
        raise TemplateError(f"{name} in {what} unpacks to more than {MAX_RATIO} times its size")
