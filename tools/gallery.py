"""Draw the pictures of docs/gallery.md: sheets of workbooks of examples, cropped, and a plan in the browser.

    python tools/gallery.py docs/gallery

Needs LibreOffice and poppler, as tools/pictures.py does, and Pillow; for the browser, Chromium and Playwright.
"""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pictures
from click.testing import CliRunner
from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

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
        command = ["report", str(PORTFOLIOS / f"{portfolio}.toml"), "-o", str(place / "plan.xlsx"), "--sheets", "all"]
        CliRunner().invoke(main, command, catch_exceptions=False)
        pictures.main(place / "plan.xlsx", place / "pictures")
        for sheet, picture in SHEETS[portfolio].items():
            (page,) = (place / "pictures").glob(f"?? {sheet} 1.png")
            cropped(Image.open(page).convert("RGB")).save(folder / f"{picture}.png", optimize=True)


def draw_pages(portfolio: str, folder: Path) -> None:
    """Write two views of a portfolio's page: as delivered, and what is behind a figure, in the dark, after a change."""
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        file = Path(name) / "plan.html"
        CliRunner().invoke(main, ["report", str(PORTFOLIOS / f"{portfolio}.toml"), "-o", str(file)])
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for picture, colors, change in (("page", "light", ""), ("page-explained", "dark", "#price_per_hour=2.2")):
            page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme=colors)
            page.goto(f"{file.as_uri()}{change}")
            page.wait_for_selector("[data-answer]")
            if change:
                page.click('[data-figure="budget.cost"] [data-case="base"] button')
            shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
            shot.quantize(COLORS, dither=Image.Dither.NONE).save(folder / f"{picture}.png", optimize=True)
        browser.close()


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
    draw_pages("frontier", target)
