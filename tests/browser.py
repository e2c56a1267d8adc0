"""A real browser: Debian's Chromium, driven by Playwright, without a network."""

import shutil
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
AXE = Path(__file__).parent.parent / ".cache" / "judges" / "node_modules" / "axe-core" / "axe.min.js"
SWITCHES = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

needs_browser = pytest.mark.skipif(
    not CHROMIUM or sync_playwright is None, reason="Chromium or Playwright is not installed"
)
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")


@pytest.fixture(scope="module")
def opened():
    """Give what opens a file in a page of one browser, which the tests of a module share and none after them."""
    with sync_playwright() as playwright:
        yield partial(_open, playwright.chromium.launch(executable_path=CHROMIUM, args=[*SWITCHES]))


@contextmanager
def _open(browser, path, **wishes):
    """Open a file in a page of its own, which lists what the console says and what is asked of anywhere."""
    with browser.new_context(**wishes) as context:
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("[data-answer]")
        page.said, page.asked = said, asked
        yield page
