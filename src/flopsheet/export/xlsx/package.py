"""The zip around a workbook on the way out: copied entry by entry."""

from __future__ import annotations

import copy
import zipfile
from typing import IO, TYPE_CHECKING
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flopsheet.configs.package import Package

    Source = bytes | Callable[[], Iterable[bytes]]
    """A part's new content: its bytes, or a function that gives them in pieces."""

LONG = 2**31 - 1  # bytes; above it, a zip entry needs its zip64 form

_DESCRIPTOR = 0x8


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
