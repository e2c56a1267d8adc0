"""Folders for outputs under way: hidden, next to the outputs, locked by their run; what killed runs left is removed."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows has no such locks: there, what a killed run left stays
    fcntl = None  # type: ignore[assignment]

PREFIX = ".flopsheet-"
"""How the names of these folders begin."""


@contextmanager
def draft_folder(folder: Path) -> Iterator[Path]:
    """Give a folder inside of one that nobody else uses; it is removed at the end, else by the next run."""
    _remove_abandoned(folder)
    draft, lock = _lock_folder(folder)
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _lock_folder(folder: Path) -> tuple[Path, int | None]:
    """Return a new folder and its lock; whoever looked between the two steps may have taken it for abandoned."""
    import secrets  # noqa: PLC0415 - show, which writes no file, starts sooner without it

    while True:
        draft = folder / f"{PREFIX}{secrets.token_hex(4)}"
        draft.mkdir(mode=0o700)
        lock = _lock(draft)
        if draft.is_dir():
            return draft, lock
        if lock is not None:
            os.close(lock)


def _remove_abandoned(folder: Path) -> None:
    """Remove the folders of runs that ended without doing so: their locks are free."""
    for left in folder.glob(f"{PREFIX}*/"):
        lock = _lock(left)
        if lock is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(lock)


def _lock(folder: Path) -> int | None:
    """Take a folder's lock, which ends with this process; None where another run has it or nobody can tell."""
    if fcntl is None:
        return None
    try:
        result = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(result, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(result)
        return None
    return result
