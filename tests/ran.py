"""How a command ends, in this process or in one of its own, whatever a plugin does to it."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from planner import run

MOST_SECONDS = 60


class Ran(NamedTuple):
    """How a command ended: its status, what it printed, and the traceback that it ended in, "" where in none."""

    status: int
    out: str
    errors: str
    traceback: str = ""


def command(arguments: list[str], folder: Path, *, alone: bool) -> Ran:
    """Run a command in a folder, in this process or in one of its own."""
    if alone:
        program = "from flopsheet.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=folder,
            check=False,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
        )
        raised = "Traceback (most" in done.stderr and "Exception in thread" not in done.stderr
        traceback = " ".join(done.stderr.split("\n")[-4:]) if raised else ""
        return Ran(done.returncode, done.stdout, done.stderr, traceback)
    try:
        return Ran(*run(*arguments))
    except BaseException as error:  # noqa: BLE001 - the point of the run
        return Ran(-1, "", "", f"{type(error).__name__}: {str(error)[:300]} at {_place(error)}")


def _place(error: BaseException) -> str:
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    return f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}" if frame else "?"
