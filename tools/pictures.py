"""Draw a workbook: a picture of each sheet's first pages, as LibreOffice prints them.

    python tools/pictures.py out/plan.xlsx out/pictures

Needs LibreOffice (soffice) and poppler (pdftoppm, pdftotext). Sheets are told apart by their footer, which holds the
sheet's name, so that the pictures are called `01 About 1.png`, …; workings, of which nothing is printed, have none.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = ("soffice", "pdftoppm", "pdftotext")
FOOTER = re.compile(r"(?:^|\S) {2,}(\S+(?: \S+)*) +flopsheet \S+ +\d+ of \d+\s*$", re.MULTILINE)
DOTS = "70"
"""Dots an inch: enough to see what is cut off."""
MOST = 3
"""Pages of a sheet that are drawn."""


def main(workbook: Path, folder: Path) -> int:
    """Write the pictures; 2 if a program is missing."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"pictures: {', '.join(missing)} not installed: LibreOffice and poppler are needed", file=sys.stderr)
        return 2
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with TemporaryDirectory() as place:
        pdf = printed(workbook, Path(place))
        for number, name in drawn(sheets(pdf)):
            run("pdftoppm", "-r", DOTS, "-f", number, "-l", number, "-singlefile", "-png", pdf, folder / name)
    return 0


def printed(workbook: Path, place: Path) -> Path:
    """Return the workbook as LibreOffice prints it."""
    profile = f"-env:UserInstallation={(place / 'profile').as_uri()}"
    run("soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", place, workbook)
    return place / f"{workbook.stem}.pdf"


def sheets(pdf: Path) -> list[str]:
    """Return the sheet of each page, from its footer."""
    pages = run("pdftotext", "-layout", pdf, "-").split("\f")[:-1]
    return [match[1] if (match := FOOTER.search(page.rstrip())) else "page" for page in pages]


def drawn(pages: list[str]) -> list[tuple[int, str]]:
    """Return the numbers of the pages that are drawn, and what their pictures are called."""
    seen: Counter[str] = Counter()
    chosen = []
    for number, sheet in enumerate(pages, start=1):
        seen[sheet] += 1
        if seen[sheet] <= MOST:
            chosen.append((number, f"{len(seen):02d} {sheet} {seen[sheet]}"))
    return chosen


def run(*command: object) -> str:
    """Run a program and return what it says."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, check=True)  # noqa: S603 - our own programs
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
