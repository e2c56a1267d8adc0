"""The zip around a workbook: checked on the way in, copied entry by entry on the way out."""

from __future__ import annotations

import copy
import struct
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TYPE_CHECKING
from uuid import uuid4

from flopsheet.errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    Source = bytes | Callable[[], Iterable[bytes]]
    """A part's new content: its bytes, or a function that gives them in pieces."""

MAX_ENTRIES = 10_000
MAX_PART = 2**30
MAX_RATIO = 200
SMALL = 2**20  # a part this small is no zip bomb, however well it packs
LONG = 2**31 - 1  # bytes; above it, a zip entry needs its zip64 form

_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1
_DESCRIPTOR = 0x8


@dataclass(frozen=True, slots=True)
class Package:
    """A template's bytes and its entries in order, by name."""

    data: bytes
    entries: Mapping[str, zipfile.ZipInfo]

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def read(self, name: str) -> bytes:
        """Return the content of an entry; a missing or damaged one is a TemplateError."""
        if name not in self.entries:
            raise TemplateError(f"the template has no part {name}")
        try:
            with zipfile.ZipFile(BytesIO(self.data)) as archive:
                return archive.read(name)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise TemplateError(f"{name} in the template is damaged: {error}") from None

    def raw(self, name: str) -> bytes:
        """Return the compressed bytes of an entry as they stand."""
        info = self.entries[name]
        start = info.header_offset
        signature, name_length, extra_length = _LOCAL_HEADER.unpack_from(self.data, start)
        if signature != b"PK\x03\x04":
            raise TemplateError(f"{name} in the template is damaged: no local header")
        start += _LOCAL_HEADER.size + name_length + extra_length
        return self.data[start : start + info.compress_size]


def open_package(template: bytes) -> Package:
    """Read the directory of a template and refuse what no honest workbook has."""
    try:
        with zipfile.ZipFile(BytesIO(template)) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, struct.error, UnicodeDecodeError, NotImplementedError) as error:
        raise TemplateError(f"the template is not an Excel workbook (.xlsx): {error}") from None
    if len(infos) > MAX_ENTRIES:
        raise TemplateError(f"the template has {len(infos):,} entries; at most {MAX_ENTRIES:,} are read")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        _check(info, entries)
        entries[info.filename] = info
    for needed in ("[Content_Types].xml", "xl/workbook.xml"):
        if needed not in entries:
            raise TemplateError(f"the template is not an Excel workbook (.xlsx): it has no {needed}")
    return Package(template, entries)


def _check(info: zipfile.ZipInfo, earlier: Mapping[str, object]) -> None:
    name = info.orig_filename
    if "\\" in name or "\0" in name or name.startswith("/") or ":" in name or ".." in name.split("/"):
        raise TemplateError(f"the template has an entry with an unsafe name: {name!r}")
    if info.filename in earlier:
        raise TemplateError(f"the template has two entries named {name!r}")
    if info.flag_bits & _ENCRYPTED:
        raise TemplateError(f"the template is encrypted ({name}); save it without a password")
    if info.file_size > MAX_PART:
        raise TemplateError(f"{name} in the template is larger than 1 GiB")
    if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
        raise TemplateError(f"{name} in the template unpacks to more than {MAX_RATIO} times its size")


def write_package(output: Path, package: Package, parts: Mapping[str, Source], removed: frozenset[str]) -> None:
    """Write the template with changed, added and removed parts, aside first and then renamed into place."""
    kept = {name: parts.get(name) for name in package.entries if name not in removed}
    added = {name: source for name, source in parts.items() if name not in package.entries}
    aside = output.with_name(f".{output.name}.{uuid4().hex}")
    try:
        with zipfile.ZipFile(aside, "x", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, source in (kept | added).items():
                if source is None:
                    _copy(archive, package, name)
                else:
                    _write(archive, name, source)
        aside.replace(output)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _copy(archive: zipfile.ZipFile, package: Package, name: str) -> None:
    """Append an entry with the compressed bytes that it has in the template."""
    info = copy.copy(package.entries[name])
    info.flag_bits &= ~_DESCRIPTOR  # sizes and checksum are known, so they stand in the header
    info.extra = b""
    file = _file(archive)
    file.seek(archive.start_dir)
    info.header_offset = archive.start_dir
    file.write(info.FileHeader())
    file.write(package.raw(name))
    archive.start_dir = file.tell()
    archive.filelist.append(info)
    archive.NameToInfo[name] = info


def _file(archive: zipfile.ZipFile) -> IO[bytes]:
    if archive.fp is None:
        raise ValueError("the archive is closed")
    return archive.fp


def _write(archive: zipfile.ZipFile, name: str, source: Source) -> None:
    """Append a new or changed part; one that turns out long is written again in zip64 form."""
    start = archive.start_dir
    if not _stream(archive, name, source, LONG):
        _file(archive).seek(start)
        _file(archive).truncate()
        archive.start_dir = start
        del archive.NameToInfo[archive.filelist.pop().filename]
        _stream(archive, name, source, None)


def _stream(archive: zipfile.ZipFile, name: str, source: Source, limit: int | None) -> bool:
    """Write a part in pieces; False, with the entry unfinished, if it grows beyond the limit in bytes."""
    size = 0
    with archive.open(name, "w", force_zip64=limit is None) as entry:
        for piece in [source] if isinstance(source, bytes) else source():
            size += len(piece)
            if limit is not None and size > limit:
                break
            entry.write(piece)
        else:
            limit = None
    archive.getinfo(name).create_system = 3  # the same on every machine
    return limit is None
