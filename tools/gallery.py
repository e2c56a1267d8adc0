"""Draw the pictures of docs/gallery.md: sheets of workbooks of the example portfolios, cropped to what is on them.

    python tools/gallery.py docs/gallery

Needs LibreOffice and poppler, as tools/pictures.py does, and Pillow.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pictures
from click.testing import CliRunner
from PIL import Image, ImageChops

import flopsheet
from flopsheet.cli import main

SHEETS = {
    "frontier": {"Assumptions": "assumptions", "Models": "models", "Sensitivity": "sensitivity", "Bridge": "bridge"}
    | {"Card dense": "card", "Checks": "checks", "Charts": "charts"},
    "comparison": {"Comparison": "comparison"},
    "serving": {"Serving": "serving", "Roofline": "roofline"},
}
"""The sheets of each portfolio that are shown, first page, and what their pictures are called."""
PORTFOLIOS = Path(__file__).parent.parent / "examples" / "portfolios"
DOTS, WIDTH, COLORS, MARGIN, FOOTER = "130", 1200, 64, 16, 0.93
"""Dots an inch, most pixels, colors, pixels around what is shown, and where the page's footer begins."""


def draw(portfolio: str, folder: Path) -> None:
    """Write the pictures of one portfolio."""
    with TemporaryDirectory() as name:
        place = Path(name)
        command = ["report", str(PORTFOLIOS / f"{portfolio}.toml"), "-o", str(place / "plan.xlsx")]
        CliRunner().invoke(main, command, catch_exceptions=False)
        pictures.main(place / "plan.xlsx", place / "pictures")
        for sheet, picture in SHEETS[portfolio].items():
            (page,) = (place / "pictures").glob(f"?? {sheet} 1.png")
            cropped(Image.open(page).convert("RGB")).save(folder / f"{picture}.png", optimize=True)


def cropped(page: Image.Image) -> Image.Image:
    """Return what is on a page, without its margins and footer, in few colors."""
    page = page.crop((0, 0, page.width, int(page.height * FOOTER)))
    left, top, right, bottom = ImageChops.difference(page, Image.new("RGB", page.size, "white")).getbbox()
    box = (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
    page = page.crop((max(0, box[0]), max(0, box[1]), min(page.width, box[2]), min(page.height, box[3])))
    if page.width > WIDTH:
        page = page.resize((WIDTH, round(page.height * WIDTH / page.width)), Image.Resampling.LANCZOS)
    return page.quantize(COLORS, dither=Image.Dither.NONE)


if __name__ == "__main__":
    pictures.DOTS = DOTS
    flopsheet.__version__ = "0.1.0"  # of a release: between them it is longer than the pictures have room for
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for one in SHEETS:
        draw(one, target)
