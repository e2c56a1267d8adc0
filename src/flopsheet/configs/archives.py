"""Archives of configs: tar and zip files whose configs are read one after another, in bounded memory.

What is next to a config may be before it or far behind it: what it says is kept while the configs are listed.
"""

from __future__ import annotations

import importlib
import posixpath
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from flopsheet.configs.files import MAX_BYTES
from flopsheet.configs.unread_fields import ZIP
from flopsheet.configs.weights import READ_BESIDE, Beside
from flopsheet.errors import ConfigError
from livesheets import MAX_RATIO, overlap

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Self

CONFIG = "config.json"
READ = frozenset({CONFIG, *READ_BESIDE})
"""Names of the files that are read."""
MOST = 2**36
"""Bytes of everything in an archive, unpacked: what unpacks to more is not read on."""
PLAIN, ROOM = 2**16, 2**22
"""Bytes of a file that makes no zip bomb, however well many like it pack, and of all larger ones beyond the ratio."""
MAX_HEADER = 2**20
"""Bytes of a header of a tar file that holds a long name or further facts; it is read as a whole."""
MAX_NAME, SHOWN = 1_000, 80
"""Characters of a name in an archive, and of one that a message shows."""
AGAIN = "pack the folder again"
_DRIVE = re.compile(r"[A-Za-z]:(/|$)")
_COMPRESSED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\xfd7zXZ": "lzma", b"]\0\0": "lzma"}
"""The module that unpacks a compressed tar file, by what the file begins with."""


class Archive(Struct, frozen=True):
    """A tar or zip file, of which nothing is unpacked; its configs are the files named `config.json`, as in a folder.

    `beside` has what the files next to a config say, by folder, once the configs are listed.
    """

    path: Path
    beside: dict[str, Beside] = field(default_factory=dict)

    def source(self, member: str) -> str:
        """Return how outputs name a config of the archive."""
        return f"{self.path}#{member}"

    def members(self) -> Iterator[str]:
        """Give the name of each config; ConfigError says what is wrong with the archive, or that it holds none."""
        result = False
        for name, file in self._files():
            folder, own = posixpath.split(name)
            if own != CONFIG:
                beside = self.beside.get(folder, Beside())
                self.beside[folder] = beside.with_file(Path(self.source(name)), self._bytes(file))
            else:
                result = True
                yield name
        if not result:
            raise self._error(f"this archive has no {CONFIG}")

    def read(self) -> Iterator[tuple[str, bytes, Beside | None]]:
        """Give the name, the bytes and what is beside each config, after they were listed."""
        for name, file in self._files():
            folder, own = posixpath.split(name)
            if own == CONFIG:
                yield name, self._bytes(file), self.beside.get(folder)

    def _bytes(self, file: IO[bytes]) -> bytes:
        """Return what is in a file; of one that is larger than any config, no more than tells so."""
        try:
            return file.read(MAX_BYTES + 1)
        except Exception as error:  # noqa: BLE001 - of a broken file readers raise anything, TypeError included
            raise self._unreadable(error) from None

    def _files(self) -> Iterator[tuple[str, IO[bytes]]]:
        """Give each config and what is next to it, open to be read before the next one is asked for."""
        total = large = 0
        try:
            for name, file, size in _of_zip(self.path) if self.path.suffix.lower() == ZIP else _of_tar(self.path):
                total += size
                large += size if size > PLAIN else 0
                self._check_sizes(total, large)
                if posixpath.basename(name.replace("\\", "/")) in READ:
                    yield name, self._regular(name, file)
        except ConfigError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            raise self._unreadable(error) from None

    def _regular(self, name: str, file: IO[bytes] | None) -> IO[bytes]:
        """Return a plain file; refuse a name that no honest archive has: outputs and messages show it."""
        if len(name) > MAX_NAME:
            raise self._error(f"a name has more than {MAX_NAME:,} characters: {name[:SHOWN]!r}…; {AGAIN}")
        parts = name.removeprefix("./").split("/")
        if not name.isprintable() or "\\" in name or {"", "..", "."} & {*parts} or _DRIVE.match(name):
            raise self._error(f"an unsafe name: {name!r}; {AGAIN}")
        if file is None:
            raise self._error(f"{name} is a link or a device; pack files (tar --dereference)")
        return file

    def _check_sizes(self, total: int, large: int) -> None:
        """Refuse what unpacks to too much, and large files that are far more than the archive could honestly hold."""
        if total > MOST:
            raise self._error(f"unpacks to more than {MOST // 2**30} GiB, the most that is read")
        if large > ROOM and large > MAX_RATIO * self.path.stat().st_size + ROOM:
            what = f"unpacks to more than {MAX_RATIO} times its size"
            raise self._error(f"{what}; if you trust it, unpack it and give the folder")

    def _unreadable(self, error: BaseException) -> ConfigError:
        return self._error(f"cannot be read as an archive: {error or type(error).__name__}")

    def _error(self, reason: str) -> ConfigError:
        return ConfigError(f"{self.path}: {reason}")


def _of_tar(path: Path) -> Iterator[tuple[str, IO[bytes] | None, int]]:
    import tarfile  # noqa: PLC0415 - few commands read archives

    headers = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *tarfile.GNU_TYPES)

    class Member(tarfile.TarInfo):
        """A member whose header is refused before it is read, where it is larger than any honest one."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            member = super().frombuf(buf, encoding, errors)
            if member.type in headers and member.type != tarfile.GNUTYPE_SPARSE and member.size > MAX_HEADER:
                raise ConfigError(
                    f"{path}: a header of {member.size:,} bytes; at most {MAX_HEADER:,} are read; {AGAIN}"
                )
            return member

    with _unpack(path) as file, tarfile.open(fileobj=file, mode="r|", tarinfo=Member) as archive:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # else it keeps what it knows of every file
            if member.isdir():
                continue
            yield member.name, archive.extractfile(member) if member.isreg() else None, member.size


def _unpack(path: Path) -> IO[bytes]:
    """Return the content of a tar file, unpacked a little at a time: `tarfile` would unpack all that a block holds."""
    with path.open("rb") as file:
        start = file.read(5)
    module = next((name for magic, name in _COMPRESSED.items() if start.startswith(magic)), "")
    stream: IO[bytes] = importlib.import_module(module).open(path) if module else path.open("rb")
    return stream


def _of_zip(path: Path) -> Iterator[tuple[str, IO[bytes] | None, int]]:
    import zipfile  # noqa: PLC0415 - few commands read archives

    with zipfile.ZipFile(path) as archive:
        if overlap(archive.infolist()):
            raise ConfigError(f"{path}: has entries that overlap; {AGAIN}")
        for member in archive.infolist():
            if posixpath.basename(member.filename) not in READ or stat.S_ISLNK(member.external_attr >> 16):
                yield member.filename, None, 0
            else:
                with archive.open(member) as file:
                    yield member.filename, file, member.file_size
