"""Code of plugins run so that it harms nobody: whatever it raises is one error, and what it prints goes to stderr."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeVar

from flopsheet.errors import FlopsheetError, PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
OURS = (
    "pluggy",
    "flopsheet/host",
    "flopsheet\\host",
    "flopsheet/accounting",
    "flopsheet\\accounting",
    "importlib",
    "<frozen",
)
"""Parts of the paths of frames that say nothing of where a plugin failed."""


class RaisedError(PluginError):
    """What a plugin's code raised, which was none of flopsheet's own errors."""


def shelter(step: Callable[[], T], whose: str) -> T:
    """Return what a plugin's code gives; PluginError says what it raised and where, FlopsheetError passes.

    Machine output stays what it is: a plugin that prints prints to stderr. Ctrl-C still ends the program, and says
    `whose` code ran, which may be why nothing came of it; what only calls itself a KeyboardInterrupt does not. What
    everybody shares stays as it was, and nobody ends the process.
    """
    try:
        with _kept_in_place(), _kept_alive(), redirect_stdout(sys.stderr):
            return step()
    except FlopsheetError:
        raise
    except BaseException as error:
        if type(error) is KeyboardInterrupt:
            sys.stderr.write(f"interrupted in {whose}\n")
            raise
        raise RaisedError(f"{type(error).__name__}: {error}{_where(error)}") from None


@contextmanager
def _kept_in_place() -> Iterator[None]:
    """Put back what the code changes: the working folder, the depth of recursion, stderr, Ctrl-C, decimals."""
    module = sys.modules.get("decimal")
    decimals = module.getcontext().copy() if module else None
    limit, errors, interrupt, folder = sys.getrecursionlimit(), sys.stderr, signal.getsignal(signal.SIGINT), ""
    with suppress(OSError):  # the folder is gone: paths in it say so
        folder = os.getcwd()  # noqa: PTH109 - a path of pathlib takes ten times as long
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        sys.stderr = errors
        if module := sys.modules.get("decimal"):
            module.setcontext(decimals or module.Context())
        if signal.getsignal(signal.SIGINT) is not interrupt:
            signal.signal(signal.SIGINT, interrupt)
        with suppress(OSError):
            if folder and os.getcwd() != folder:  # noqa: PTH109 - same reason
                os.chdir(folder)


@contextmanager
def _kept_alive() -> Iterator[None]:
    """Let the code raise SystemExit where it would end the process at once; its own child processes still end so."""
    end, own = os._exit, os.getpid()

    def leave(status: int) -> NoReturn:
        if os.getpid() != own:
            end(status)
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = end


@contextmanager
def kept_clean() -> Iterator[None]:
    """Send to stderr what compiled code and other programs write to standard output meanwhile, where both are open."""
    try:
        os.fstat(2)
        real = os.dup(1)
    except OSError:
        yield
        return
    try:
        os.dup2(2, 1)
        yield
    finally:
        os.dup2(real, 1)
        os.close(real)


def _where(error: BaseException) -> str:
    """Return the file and line at which a plugin failed, nothing where it failed in no code of its own."""
    from traceback import extract_tb  # noqa: PLC0415 - only a plugin that fails pays for it

    frames = [frame for frame in extract_tb(error.__traceback__) if not any(part in frame.filename for part in OURS)]
    return show_code(frames[-1].filename, frames[-1].lineno or 0) if frames else ""


def show_code(file: str, line: int) -> str:
    """Return a place in a plugin's code as messages show it."""
    return f" ({'/'.join(Path(file).parts[-2:])}, line {line})"
