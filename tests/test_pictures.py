from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import judges
import openpyxl
import pytest

ROOT = Path(__file__).parent.parent
WORKBOOK = ROOT / "tests" / "golden" / "walkthrough.xlsx"
needs_poppler = pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="poppler (pdftoppm) is not installed")


@judges.needs_soffice
@needs_poppler
@pytest.mark.slow
def test_every_sheet_of_the_golden_workbook_has_its_picture(tmp_path):
    """What `make pictures` leaves in out/ shows each sheet, in the workbook's order."""
    command = [sys.executable, str(ROOT / "tools" / "pictures.py"), str(WORKBOOK), str(tmp_path / "pictures")]
    subprocess.run(command, check=True)
    drawn = sorted(path.stem for path in (tmp_path / "pictures").glob("*.png"))
    shown = list(dict.fromkeys(name.partition(" ")[2].rpartition(" ")[0] for name in drawn))
    assert shown == openpyxl.load_workbook(WORKBOOK, read_only=True).sheetnames


def test_without_libreoffice_pictures_say_what_is_missing(tmp_path):
    """One line names the programs that are needed, and the status is 2."""
    command = [sys.executable, str(ROOT / "tools" / "pictures.py"), str(WORKBOOK), str(tmp_path / "pictures")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "pictures: soffice, pdftoppm, pdftotext not installed: LibreOffice and poppler are needed\n"
    assert not (tmp_path / "pictures").exists()
