"""How a command ends that cannot go on: by a signal, without memory, refused by the system. One line and a status."""

from __future__ import annotations

import errno
import os
import re
import signal
import sys
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

FAILED = 3
"""The exit status where the system failed: no memory, no room, no folder to run in."""
MEMORY = "not enough memory; give it more, or fewer models at a time"
LOST = re.compile(r"without (setting an exception|exception set)$")
"""How CPython's own code fails that runs out of memory where it has no error at hand."""
RESERVE = 4 * 2**20
"""Bytes of address space that are kept for the last words; they are never touched, so they take no memory."""
BY_SIGNAL = 128
"""What shells add to the number of the signal that ended a program."""
ENDING = ("SIGTERM", "SIGHUP")
"""Signals that ask a program to end, next to Ctrl-C; Windows has no SIGHUP."""


def run_to_end(command: Callable[[], object]) -> int:
    """Run a command and return its exit status; what stops it is one line on stderr."""
    _open_missing_streams()
    reserve = bytearray()
    with _signals() as signals:
        try:
            reserve = bytearray(RESERVE)
            result = command()
            return result if isinstance(result, int) else 0
        except (KeyboardInterrupt, click.Abort):
            return _stop(signals[0] if signals else signal.SIGINT)
        except click.ClickException as error:
            error.show()
            return error.exit_code
        except (MemoryError, ImportError, SystemError, SyntaxError) as error:
            full = _is_full()
            reserve.clear()
            return _fail(_memory(error, full=full))
        except OSError as error:
            return _report_refusal(error)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """End well where the reader of stdout went away, before click makes that the status of a model in error."""
    try:
        yield
    except BrokenPipeError as error:
        raise click.exceptions.Exit(_report_refusal(error)) from None


def _is_full() -> bool:
    """Whether there is no room for as much as is kept in reserve."""
    try:
        return not bytearray(RESERVE)
    except MemoryError:
        return True


def _memory(error: MemoryError | ImportError | SystemError | SyntaxError, *, full: bool) -> str:
    """Say that memory ended, as Python tells it in four ways; raise what is a fault of the code instead."""
    if isinstance(error, SyntaxError) and full:
        return f"Python could not read code of its own ({error}); most likely there is {MEMORY}"
    if isinstance(error, ImportError) and (error.path or "").endswith(tuple(EXTENSION_SUFFIXES)):
        return f"a compiled module cannot be loaded ({error}); Python is broken, or there is {MEMORY}"
    if isinstance(error, SystemError) and LOST.search(str(error)):
        return f"Python lost an error of its own ({error}); most likely there is {MEMORY}"
    if not isinstance(error, MemoryError):
        raise error
    return f"there is {MEMORY}"


def _stop(number: int) -> int:
    if number == signal.SIGINT:
        click.echo("Aborted!", err=True)
    return BY_SIGNAL + number


def _report_refusal(error: OSError) -> int:
    """Say what the system refused; a reader that went away, such as head, has all that it wants."""
    if error.errno == errno.EPIPE:
        _silence(sys.stdout)
        return BY_SIGNAL + getattr(signal, "SIGPIPE", 13)
    try:
        os.getcwd()  # noqa: PTH109 - asked for its error alone
    except OSError:
        return _fail("the folder that flopsheet runs in is gone; change to another one")
    where = f"{error.filename}: " if error.filename else ""
    return _fail(f"{where}{error.strerror or error}")


def _fail(reason: str) -> int:
    _silence(sys.stdout)
    click.echo(f"flopsheet: {reason}", err=True)
    return FAILED


def _silence(stream: object) -> None:
    """Point a stream to nowhere, so that what it still holds is not written once more, and refused, at the end."""
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
        os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    except (OSError, AttributeError, ValueError):  # a stream of a test, or none
        return


def _open_missing_streams() -> None:
    """Open standard streams that are closed, so that no output takes their numbers and no message needs to ask."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, open(number, "r+" if name == "stdin" else "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - stays open, by number


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Let signals that ask to end do so as Ctrl-C does, and give their numbers; one that is ignored stays so."""
    signals: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        signals.append(number)
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number in (number for number in numbers if before[number] == signal.SIG_DFL):
            signal.signal(number, stop)
    except ValueError:  # a thread of another program's
        before = {}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
