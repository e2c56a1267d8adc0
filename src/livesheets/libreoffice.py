"""LibreOffice as a calculator: it opens a copy of a workbook, calculates every formula, and saves what it found."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from typing import TYPE_CHECKING

from livesheets.errors import CalculationError

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = ("soffice", "libreoffice")
TIME_LIMIT = 600.0
"""Seconds."""

_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Content/Update">
<prop oor:name="Link" oor:op="fuse"><value>2</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting">
<prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
</oor:items>
"""
"""Calculate everything on loading and believe no stored value; follow no link; run no macro."""


def program() -> str:
    """Return the path of LibreOffice; CalculationError where it is not installed."""
    result = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if result is None:
        raise CalculationError(
            "--recalculate needs LibreOffice, and neither soffice nor libreoffice is on the PATH; "
            "install it, or leave the option out: Excel calculates the workbook when it opens it"
        )
    return result


def recalculate_copy(workbook: Path, folder: Path, time_limit: float = TIME_LIMIT) -> Path:
    """Return LibreOffice's copy of a workbook, in a folder, with every formula calculated again.

    It runs with a profile of its own, without macros. CalculationError if it fails or takes longer than `time_limit`
    seconds; then it is ended.
    """
    profile, copy = folder / "profile", folder / "book.xlsx"
    settings = profile / "user" / "registrymodifications.xcu"
    settings.parent.mkdir(parents=True)
    settings.write_text(_PROFILE, "utf-8")
    shutil.copyfile(workbook, copy)
    result = folder / "calculated" / copy.name
    command = [program(), f"-env:UserInstallation={profile.as_uri()}", "--headless", "--norestore", "--convert-to"]
    message = _run([*command, "xlsx:Calc MS Excel 2007 XML", "--outdir", str(result.parent), str(copy)], time_limit)
    if not result.exists():
        raise CalculationError(f"LibreOffice could not calculate {workbook.name}: {message or 'it gives no reason'}")
    return result


def _run(command: list[str], time_limit: float) -> str:
    """Run a program in a group of processes of its own and return the last line that it says."""
    with subprocess.Popen(  # noqa: S603 - the program found on the PATH, with paths of our own
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True
    ) as process:
        try:
            output, _ = process.communicate(timeout=time_limit)
        except subprocess.TimeoutExpired:
            _end(process)
            minutes = f"{time_limit / 60:g} minutes"
            raise CalculationError(f"LibreOffice did not calculate the workbook within {minutes}") from None
        except BaseException:
            _end(process)
            raise
    return output.strip().rpartition("\n")[2]


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and what it started: soffice is a script around the program proper."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
