"""The tutorials, followed line by line from an empty folder: files, commands, what they print, how long it takes."""

import os
import time
from pathlib import Path

import pytest
from tutorial import follow, programs

pytest.importorskip("pyarrow", reason="the extra sweep is not installed")

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
MINUTES = 5


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_is_what_happens(tutorial, tmp_path):
    """Each command prints what the page says; FLOPSHEET_GOLDEN=write writes it there."""
    text = tutorial.read_text("utf-8")
    (tmp_path / "work").mkdir()
    begun = time.monotonic()
    result = follow(text, tmp_path / "work", programs(tmp_path / "bin"))
    assert time.monotonic() - begun < MINUTES * 60
    if os.environ.get("FLOPSHEET_GOLDEN") == "write":
        tutorial.write_text(result, "utf-8")
    assert result == text


def test_each_reader_has_a_tutorial():
    """Planners, plugin authors and engineers; each page has commands to type and files to save."""
    assert [path.stem for path in TUTORIALS] == ["engineer", "planner", "plugin-author"]
    assert all("```console\n$ flopsheet " in path.read_text("utf-8") for path in TUTORIALS)
