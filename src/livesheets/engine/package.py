"""The zip around a workbook on the way out: kept entries are copied as they stand, new content is compressed once."""

from __future__ import annotations

import copy
import zipfile
import zlib
from functools import cache
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from uuid import uuid4

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from livesheets.package import Package

BLOCK = 2**20  # bytes copied at a time
LEVEL = 2
"""Of compression: on rows of formulas zlib takes as long for it as for 1, and gives a tenth less."""

_DESCRIPTOR = 0x8


class Deflated(Struct, frozen=True):
    """New content, compressed: where it is in a file, its length there and in full (bytes), and its checksum."""

    file: IO[bytes]
    start: int
    packed_size: int
    size: int
    checksum: int

    def blocks(self) -> Iterator[bytes]:
        """Give the compressed bytes."""
        self.file.seek(self.start)
        left = self.packed_size
        while left:
            block = self.file.read(min(left, BLOCK))
            left -= len(block)
            yield block


Source = bytes | Deflated
"""A part's new content."""


@cache
def compression() -> Any:
    """Return what compresses: ISA-L where it is installed, which takes a third of zlib's time, or zlib."""
    try:
        from isal import isal_zlib  # noqa: PLC0415 - an extra, and only writing needs it
    except ImportError:
        return zlib
    return isal_zlib


def spool(output: Path) -> IO[bytes]:
    """Return a file without a name next to an output, for content that is compressed before its place is known."""
    return TemporaryFile(dir=output.parent)


def deflate(pieces: Iterable[bytes], file: IO[bytes]) -> Deflated:
    """Compress content, piece by piece, at the end of a file."""
    start, packed_size, size, checksum = file.seek(0, 2), 0, 0, 0
    fast = compression()
    compressor = fast.compressobj(LEVEL, fast.DEFLATED, -fast.MAX_WBITS)
    for piece in pieces:
        checksum = fast.crc32(piece, checksum)
        size += len(piece)
        packed_size += file.write(compressor.compress(piece))
    packed_size += file.write(compressor.flush())
    return Deflated(file, start, packed_size, size, checksum)


def write_package(output: Path, package: Package, parts: Mapping[str, Source], left_out: frozenset[str]) -> None:
    """Write the template with changed, added and removed parts, aside first and then renamed into place."""
    old = {name: parts.get(name) for name in package.entries if name not in left_out}
    new = {name: source for name, source in parts.items() if name not in package.entries}
    aside = output.with_name(f".{output.name}.{uuid4().hex}")
    try:
        with zipfile.ZipFile(aside, "x") as archive:
            for name, source in (old | new).items():
                if source is None:
                    _copy(archive, package, name)
                else:
                    _write(archive, name, deflate([source], BytesIO()) if isinstance(source, bytes) else source)
        aside.replace(output)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _copy(archive: zipfile.ZipFile, package: Package, name: str) -> None:
    """Append an entry with the compressed bytes that it has in the template."""
    info = copy.copy(package.entries[name])
    info.flag_bits &= ~_DESCRIPTOR  # sizes and checksum are known, so they are in the header
    info.extra = b""
    _append(archive, info, [package.raw(name)])


def _write(archive: zipfile.ZipFile, name: str, content: Deflated) -> None:
    """Append a new or changed part, the same on every machine and at any time."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o600 << 16
    info.CRC, info.compress_size, info.file_size = content.checksum, content.packed_size, content.size
    _append(archive, info, content.blocks())


def _append(archive: zipfile.ZipFile, info: zipfile.ZipInfo, blocks: Iterable[bytes | memoryview]) -> None:
    file = archive.fp
    if file is None:
        raise ValueError("the archive is closed")
    file.seek(archive.start_dir)
    info.header_offset = archive.start_dir
    file.write(info.FileHeader())  # in zip64 form where a size needs it
    for block in blocks:
        file.write(block)
    archive.start_dir = file.tell()
    archive.filelist.append(info)
    archive.NameToInfo[info.filename] = info
