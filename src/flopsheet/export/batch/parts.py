"""Parts of a report: what is to be known of some models, and their texts in each format; and where parts wait."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MARK = b"flopsheet part 1\n"
"""How a part begins."""
PART, DRAFT = ".part", ".draft"


class Part(Struct, frozen=True):
    """A part of a report: its summary, and its texts by name."""

    summary: Mapping[str, Any]
    texts: Mapping[str, bytes]

    def to_bytes(self) -> bytes:
        """Return the part as bytes: a line that says what it is, a line of JSON, and the texts."""
        head = {"summary": self.summary, "lengths": {name: len(text) for name, text in self.texts.items()}}
        return b"".join([MARK, json.dumps(head).encode(), b"\n", *self.texts.values()])


class Place(Struct, frozen=True):
    """Where a part lies: its file, what its head says, and the place of each text."""

    path: Path | None
    texts: Mapping[str, tuple[int, int]]


@contextmanager
def open_shelf(beside: Path, folder: Path | None = None) -> Iterator[Shelf]:
    """Give a shelf whose parts lie in a file without a name, on the disk of a folder, or in a folder that outlives it.

    That folder is removed once everything was written of its parts. What the system refuses is said of `beside`.
    """
    try:
        with TemporaryFile(dir=beside) as file:
            if folder:
                folder.mkdir(exist_ok=True)
            shelf = Shelf(file, folder)
            yield shelf
            shelf.clear()
    except OSError as error:
        error.filename = error.filename or str(beside)
        raise


class Shelf(Struct, frozen=True):
    """Parts in order: in one file, or each in a file of a folder, by its key, to be taken up again."""

    file: IO[bytes]
    folder: Path | None = None
    places: list[Place] = field(default_factory=list)

    def has(self, key: str) -> bool:
        """Return whether an earlier run left the whole part of a key."""
        path = self._path(key)
        return path is not None and path.is_file() and _is_whole(path.read_bytes())

    def take(self, key: str) -> Mapping[str, Any]:
        """Keep the part that an earlier run left as the next one, and return its summary."""
        path = self._path(key)
        assert path is not None  # noqa: S101 - only a folder has parts of earlier runs
        return self._place_at(path.read_bytes(), path)

    def add(self, data: bytes, key: str = "") -> Mapping[str, Any]:
        """Keep the next part and return its summary."""
        path = self._path(key)
        if path is not None:
            draft = path.with_suffix(DRAFT)
            draft.write_bytes(data)
            draft.replace(path)
        return self._place_at(data, path)

    def _place_at(self, data: bytes, path: Path | None) -> Mapping[str, Any]:
        head, start = _head(data)
        if path is None:
            start += self.file.seek(0, 2)
            self.file.write(data)
        texts = {}
        for name, length in head["lengths"].items():
            texts[name] = start, length
            start += length
        self.places.append(Place(path, texts))
        summary: Mapping[str, Any] = head["summary"]
        return summary

    def texts(self, name: str) -> Iterator[bytes]:
        """Give a text of every part that has one, in order."""
        for place in self.places:
            start, length = place.texts.get(name, (0, 0))
            if length:
                yield self._read(place, start, length)

    def _read(self, place: Place, start: int, length: int) -> bytes:
        if place.path is None:
            self.file.seek(start)
            return self.file.read(length)
        with place.path.open("rb") as file:
            file.seek(start)
            return file.read(length)

    def clear(self) -> None:
        """Remove the folder of parts, but for what somebody else put there."""
        if self.folder:
            for path in (*self.folder.glob(f"*{PART}"), *self.folder.glob(f"*{DRAFT}")):
                path.unlink()
            with suppress(OSError):
                self.folder.rmdir()

    def _path(self, key: str) -> Path | None:
        return self.folder / f"{key}{PART}" if self.folder and key else None


class Texts:
    """A text of every part in order; it may be gone through several times."""

    def __init__(self, shelf: Shelf, name: str) -> None:
        self.shelf, self.name = shelf, name

    def __iter__(self) -> Iterator[bytes]:
        return self.shelf.texts(self.name)


def _head(data: bytes) -> tuple[Any, int]:
    end = data.index(b"\n", len(MARK))
    return json.loads(data[len(MARK) : end]), end + 1


def _is_whole(data: bytes) -> bool:
    """Return whether bytes are a part to its end."""
    if not data.startswith(MARK):
        return False
    try:
        head, start = _head(data)
        return bool(start + sum(head["lengths"].values()) == len(data))
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
