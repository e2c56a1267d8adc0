"""How outputs are written: in hidden folders next to their places, then all are renamed; what killed runs left goes."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import gettempdir
from types import MappingProxyType
from typing import TYPE_CHECKING

from flopsheet.errors import FlopsheetError, PluginError
from flopsheet.export.files import check_distinct, explain_refusal, real_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from flopsheet.export.files import Writer

try:
    import fcntl
except ImportError:  # Windows has no such locks: there, what a killed run left stays
    fcntl = None  # type: ignore[assignment]

PREFIX = ".flopsheet-"
"""How the names of folders for outputs under way begin, which are locked by their run."""
ODD: Mapping[str, Callable[[Path], bool]] = {
    "a link": Path.is_symlink,
    "a folder": Path.is_dir,
    "no file": lambda path: not path.is_file(),
    "a link to another file": lambda path: path.stat().st_nlink > 1,
    "an empty file": lambda path: path.stat().st_size == 0,
}
"""What may be found where a file was to be written."""


def write_aside(
    writers: Mapping[Path, Writer], plugins: Mapping[Path, str] = MappingProxyType({}), folders: Collection[Path] = ()
) -> dict[Path, str]:
    """Write every output next to its place, then rename them all; on any error nothing is left and nothing replaced.

    What is no file, such as a pipe, is written into when all outputs are whole. `plugins` names who writes an output
    that is not flopsheet's own: one that fails is left out alone, and the answer says why; PluginError where none is
    left. `folders` are the outputs that are folders of files.
    """
    check_distinct(writers)
    left_out: dict[Path, str] = {}
    with _drafts(writers) as drafts:
        for output, draft in drafts.items():
            try:
                _write(draft, writers[output], output, folder=output in folders)
            except FlopsheetError as error:
                if output not in plugins:
                    raise
                left_out[output] = f"{output} is not written: plugin {plugins[output]}: {error}"
        _put_all({output: draft for output, draft in drafts.items() if output not in left_out}, left_out)
    return left_out


def write_tree(writers: Mapping[Path, Writer]) -> None:
    """Write files as `write_aside` does, in folders that may not exist yet; on any error none of those is left."""
    new_folders: list[Path] = []
    try:
        for output in writers:
            with explain_refusal(output):
                for folder in reversed((output.parent, *output.parent.parents)):
                    if not folder.exists():
                        folder.mkdir()
                        new_folders.append(folder)
        write_aside(writers)
    except BaseException:
        for folder in reversed(new_folders):
            folder.rmdir()
        raise


@contextmanager
def _drafts(outputs: Iterable[Path]) -> Iterator[dict[Path, Path]]:
    """Give each output a path in a hidden folder of its own next to it, for a pipe among temporary files."""
    drafts: dict[Path, Path] = {}
    with ExitStack() as stack:
        for output in outputs:
            with explain_refusal(output):
                home = Path(gettempdir()) if _is_stream(output) else real_path(output).parent
                drafts[output] = stack.enter_context(draft_folder(home)) / f"draft{output.suffix}"
        yield drafts


def _write(draft: Path, write: Writer, output: Path, *, folder: bool) -> None:
    """Write an output to its draft, which gets the permissions of the file that it replaces."""
    with explain_refusal(output):
        if folder:
            draft.mkdir()
        else:
            draft.open("xb").close()
        write(draft)
        if not folder:
            _check_file(draft)
        if output.is_file():
            draft.chmod(output.stat().st_mode & 0o777)


def _check_file(draft: Path) -> None:
    """Refuse what cannot take the place of a file: a link would stand there in its stead."""
    if result := next((what for what, is_so in ODD.items() if is_so(draft)), ""):
        raise PluginError(f"it made {result} at the path that it was given; expected a file: write to that path")


def _put_all(drafts: Mapping[Path, Path], left_out: Mapping[Path, str]) -> None:
    """Move drafts to their places, those that are written into last; PluginError where all were left out."""
    if left_out and not drafts:
        raise PluginError("\n".join(left_out.values()))
    for output, draft in sorted(drafts.items(), key=lambda item: _is_stream(item[0])):
        with explain_refusal(output):
            if not _is_stream(output):
                draft.replace(real_path(output))
                continue
            with draft.open("rb") as source, output.open("wb") as stream:
                copyfileobj(source, stream)


def _is_stream(output: Path) -> bool:
    """Whether an output is a pipe or a device, which is written into and never replaced."""
    return output.exists() and not output.is_file()


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
