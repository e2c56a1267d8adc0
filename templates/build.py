"""Make the shipped templates: `python templates/build.py` writes plan.xlsx, always the same bytes."""

from __future__ import annotations

import sys
from pathlib import Path

from sample import write_sample

from flopsheet.export.layout.book import template_bytes
from flopsheet.export.workbook.figures import cover_layout
from flopsheet.planning.registry import base_program

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "flopsheet_templates"
    write_sample(template_bytes(cover_layout(base_program())), folder / "plan.xlsx")
