from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import judges
import openpyxl
import pytest
from samples import FRONTIER, planned

from flopsheet.export.workbook import write_workbook

ROOT = Path(__file__).parent.parent
WORKBOOK = ROOT / "tests" / "golden" / "walkthrough.xlsx"
PICTURES = ROOT / "out" / "golden"
sys.path.insert(0, str(ROOT / "tools"))
import pictures  # noqa: E402 - tools are no package

needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="poppler (pdftoppm) is not installed")


@judges.needs_soffice
@needs_poppler
@pytest.mark.slow
def test_every_sheet_of_the_golden_workbook_has_its_picture():
    """The pictures show each sheet that prints, in its order; they stay in out/golden for people to look at."""
    subprocess.run([sys.executable, str(ROOT / "tools" / "pictures.py"), str(WORKBOOK), str(PICTURES)], check=True)
    drawn = sorted(path.stem for path in PICTURES.glob("*.png"))
    shown = list(dict.fromkeys(name.partition(" ")[2].rpartition(" ")[0] for name in drawn))
    sheets = openpyxl.load_workbook(WORKBOOK, read_only=True).sheetnames
    assert shown == [name for name in sheets if not name.startswith("Workings")]


def print_workings(workbook, whole):
    """Write a copy of a workbook whose workings print, too."""
    with zipfile.ZipFile(workbook) as source, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            area = rb'<definedName name="_xlnm.Print_Area"[^>]*>[^<]*Workings[^<]*</definedName>'
            data = source.read(entry)
            target.writestr(entry, re.sub(area, b"", data) if entry.filename == "xl/workbook.xml" else data)


@judges.needs_soffice
@needs_poppler
@pytest.mark.slow
def test_no_number_is_wider_than_its_column(tmp_path):
    """The workbook of the demo has room for every number that it prints, workings included."""
    write_workbook(planned(FRONTIER), tmp_path / "plan.xlsx")
    print_workings(tmp_path / "plan.xlsx", tmp_path / "whole.xlsx")
    printed = pictures.printed(tmp_path / "whole.xlsx", tmp_path)
    assert "###" not in pictures.run("pdftotext", "-layout", printed, "-")


def test_without_libreoffice_pictures_say_what_is_missing(tmp_path):
    """One line names the programs that are needed, and the status is 2."""
    command = [sys.executable, str(ROOT / "tools" / "pictures.py"), str(WORKBOOK), str(tmp_path / "pictures")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "pictures: soffice, pdftoppm, pdftotext not installed: LibreOffice and poppler are needed\n"
    assert not (tmp_path / "pictures").exists()
