"""Make the default template: `python templates/build.py` writes plan.xlsx, always the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

from flopsheet.export.shipped_templates import DEFAULT, shipped_templates
from flopsheet.export.workbook.sample import write_sample

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "flopsheet_templates"
    write_sample(shipped_templates()[DEFAULT], folder / f"{DEFAULT}.xlsx")
