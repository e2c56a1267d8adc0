"""CONTRIBUTING.md, the index of docs/decisions.md and tests that pages name: what they name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PLACES = sorted({place for place in re.findall(r"`([\w./]+(?:/|\.toml|\.py|\.md))`", GUIDE) if "NAME" not in place})
DECISIONS = (ROOT / "docs" / "decisions.md").read_text("utf-8")


@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_is_named_exists(place):
    """Files and folders are there, inside src/flopsheet or from the root."""
    results = [ROOT / place, ROOT / "src" / "flopsheet" / place, *ROOT.glob(f"src/flopsheet/planning/**/{place}")]
    results += [*ROOT.glob(f"plugins/*/{place}")]
    assert any(path.exists() for path in results)


def test_every_room_is_named():
    """The table of rooms has all of them, and no other."""
    rooms = {path.parent.name for path in ROOT.glob("src/flopsheet/*/__init__.py")}
    table = GUIDE[GUIDE.index("| room |") : GUIDE.index("Architectures are plugins")]
    assert set(re.findall(r"`(\w+)`(?=[,| ])", table)) - {"templates"} == rooms


def test_the_index_of_decisions_is_whole():
    """Each section is in the index, in the order of the page."""
    titles = re.findall(r"^## (.+)$", DECISIONS, re.MULTILINE)
    assert re.findall(r"^- \[(.+)\]\(#", DECISIONS, re.MULTILINE) == titles
    assert len(titles) > 5


@pytest.mark.parametrize(
    "page", [ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.name
)
def test_tests_that_a_page_names_exist(page):
    """Who reads what is promised can open the test that checks it."""
    assert [
        name for name in re.findall(r"tests/[\w/]+\.py", page.read_text("utf-8")) if not (ROOT / name).exists()
    ] == []
