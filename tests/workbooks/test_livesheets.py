"""livesheets stands alone: its README's example runs where flopsheet is not to be had."""

import re
import subprocess
import sys
from pathlib import Path

from openpyxl import load_workbook

import livesheets

README = (Path(livesheets.__file__).parent / "README.md").read_text("utf-8")
WITHOUT = "import sys\nsys.modules['flopsheet'] = None\n"


def test_the_example_runs_without_flopsheet(tmp_path):
    """A table of two rows with a live formula and its value."""
    code = WITHOUT + re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    sheet = load_workbook(tmp_path / "bill.xlsx").active
    assert [cell.value for cell in sheet["D"]][1:] == ["=bill[[#This Row],[Price]]*bill[[#This Row],[Pieces]]"] * 2
    assert [cell.value for cell in load_workbook(tmp_path / "bill.xlsx", data_only=True).active["D"]][1:] == [20, 30]


def test_every_name_of_the_interface_is_there():
    """Each is imported on first use."""
    assert all(getattr(livesheets, name) is not None for name in livesheets.__all__)
