"""The header of a GGUF file: its metadata and the list of its tensors, read in bounded time and memory.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. What a header claims is never allocated: counts are
limited, and each item that they count has to be there.
"""

from __future__ import annotations

import math
import struct
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from flopsheet import FlopsheetError

if TYPE_CHECKING:
    from pathlib import Path

VERSIONS = (2, 3)
MAX_KEYS, MAX_TENSORS, MAX_SIDES = 4_096, 200_000, 8
MAX_TEXT, MAX_ITEMS, MAX_KEPT = 2**22, 2**23, 4_096
"""Bytes of a text, items of a list, and items of a list that are kept: layers, not tokens."""
MAX_DEPTH = 4
MAX_HEADER = 2**29
"""Bytes of a whole header; a vocabulary of a million tokens with its merges has a tenth of it."""
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
TEXT, LIST = 8, 9


class Stored(NamedTuple):
    """A tensor: its name, its shape as ggml has it (the row length first), and the number of its type."""

    name: str
    shape: tuple[int, ...]
    kind: int

    @property
    def numbers(self) -> int:
        """How many there are in it."""
        return math.prod(self.shape)


class Header(Struct, frozen=True):
    """What a GGUF file says before its data: metadata by key, the length of each list, and the tensors."""

    metadata: dict[str, Any]
    lengths: dict[str, int]
    tensors: list[Stored]


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file; FlopsheetError says in one line why it cannot be read."""
    with path.open("rb") as file:
        cursor = _Cursor(file, min(path.stat().st_size, MAX_HEADER))
        try:
            return _header(cursor)
        except (struct.error, UnicodeDecodeError):
            raise FlopsheetError("this GGUF file is cut short, or its header is damaged; download it again") from None


def _header(cursor: _Cursor) -> Header:
    cursor.take(4)
    version = cursor.number("<I")
    if version not in VERSIONS:
        raise FlopsheetError(_refuse_version(version))
    n_tensors, n_keys = cursor.number("<Q"), cursor.number("<Q")
    for what, count, most in (("tensors", n_tensors, MAX_TENSORS), ("metadata keys", n_keys, MAX_KEYS)):
        if count > most:
            raise FlopsheetError(f"this GGUF header claims {count:,} {what}; at most {most:,} are read")
    metadata: dict[str, Any] = {}
    lengths: dict[str, int] = {}
    for _ in range(n_keys):
        key = cursor.text()
        metadata[key], length = cursor.value(cursor.number("<I"))
        lengths |= {} if length is None else {key: length}
    return Header(metadata, lengths, [_tensor(cursor) for _ in range(n_tensors)])


def _refuse_version(version: int) -> str:
    if version == 1:
        return "this GGUF file is of version 1, which is no longer read; convert it again with a newer llama.cpp"
    if int.from_bytes(version.to_bytes(4, "little"), "big") in VERSIONS:
        return "this GGUF file is big-endian; convert it with gguf_convert_endian.py of llama.cpp"
    return f"this GGUF file is of version {version:,}; versions 2 and 3 are read"


def _tensor(cursor: _Cursor) -> Stored:
    name, sides = cursor.text(), cursor.number("<I")
    if sides > MAX_SIDES:
        raise FlopsheetError(f"tensor {name[:80]!r} of this GGUF file has {sides:,} dimensions; at most {MAX_SIDES}")
    shape = tuple(cursor.number("<Q") for _ in range(sides))
    kind, _ = cursor.number("<I"), cursor.number("<Q")
    return Stored(name, shape, kind)


class _Cursor:
    """A place in a file that never goes beyond its end."""

    def __init__(self, file: IO[bytes], end: int) -> None:
        self.file, self.end, self.at = file, end, 0

    def take(self, size: int) -> bytes:
        """Return the next bytes; struct.error where the file ends before."""
        self._check(size)
        return self.file.read(size)

    def skip(self, size: int) -> None:
        """Pass over bytes."""
        self._check(size)
        self.file.seek(size, 1)

    def _check(self, size: int) -> None:
        self.at += size
        if self.at > self.end:
            raise struct.error

    def number(self, form: str) -> Any:
        """Return the next number of a form."""
        (result,) = struct.unpack(form, self.take(struct.calcsize(form)))
        return result

    def text(self) -> str:
        """Return the next text."""
        return self.take(self._length()).decode("utf-8")

    def _length(self) -> int:
        size: int = self.number("<Q")
        if size > MAX_TEXT:
            raise FlopsheetError(f"a text in this GGUF header claims {size:,} bytes; at most {MAX_TEXT:,} are read")
        return size

    def value(self, kind: int, depth: int = 0) -> tuple[Any, int | None]:
        """Return the next value of a type, and the length of a list; a long list's items are passed over."""
        if kind in SCALARS:
            return self.number(SCALARS[kind]), None
        if kind == TEXT:
            return self.text(), None
        if kind != LIST or depth >= MAX_DEPTH:
            raise FlopsheetError(f"the metadata of this GGUF file has a value of the unknown type {kind:,}")
        inner, length = self.number("<I"), self.number("<Q")
        if length > MAX_ITEMS:
            raise FlopsheetError(f"a list in this GGUF header claims {length:,} items; at most {MAX_ITEMS:,} are read")
        if length > MAX_KEPT:
            self._pass_over(inner, length, depth)
            return None, length
        return [self.value(inner, depth + 1)[0] for _ in range(length)], length

    def _pass_over(self, kind: int, length: int, depth: int) -> None:
        if kind in SCALARS:
            self.skip(struct.calcsize(SCALARS[kind]) * length)
        for _ in range(0 if kind in SCALARS else length):
            if kind == TEXT:
                self.skip(self._length())
            else:
                self.value(kind, depth + 1)
