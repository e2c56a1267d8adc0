"""Outputs that plugins write: what one of them spoils is left out, and all others are as without it."""

import os
import shutil

import pytest
from planner import run
from toy_plugins import Point, toy

from flopsheet import Exporter
from flopsheet.errors import PluginError, UsageError
from flopsheet.export.aside import write_aside

PORTFOLIO = """\
[[models]]
name = "Ours"
architecture = "toy"
tokens = 1e9
dimensions = { width = 3 }
"""
WRONG = "wrong (wrong-package 0.1)"


def _gone(path):
    path.unlink()


def _folder(path):
    path.unlink()
    path.mkdir()


def _link(path):
    path.unlink()
    path.symlink_to(path.parents[1] / "kept.txt")


def _hard_link(path):
    path.unlink()
    path.hardlink_to(path.parents[1] / "kept.txt")


def _pipe(path):
    path.unlink()
    os.mkfifo(path)


def _fails(_):
    raise UsageError("no such format")


ODD = {
    "no file": (_gone, "it made no file at the path"),
    "a folder": (_folder, "it made a folder at the path"),
    "a link": (_link, "it made a link at the path"),
    "a hard link": (_hard_link, "it made a link to another file at the path"),
    "a pipe": (_pipe, "it made no file at the path"),
    "nothing": (lambda _: None, "it made an empty file at the path"),
    "an error": (_fails, "no such format"),
    "no folder": (lambda path: shutil.rmtree(path.parent), "it made no file at the path"),
}


@pytest.mark.parametrize(("odd", "said"), ODD.values(), ids=ODD)
def test_what_a_plugin_spoils_is_left_out_alone(odd, said, tmp_path):
    """The file that stood there stays as it was, and so does one that a link leads to."""
    output, other, kept = (tmp_path / name for name in ("x.wrong", "y.csv", "kept.txt"))
    for path in (output, kept):
        path.write_text("mine")
        path.chmod(0o640 if path == kept else 0o600)
    left_out = write_aside({output: odd, other: lambda path: path.write_text("new")}, {output: WRONG})
    assert left_out[output].startswith(f"{output} is not written: plugin {WRONG}: {said}")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "x.wrong": "mine",
        "y.csv": "new",
        "kept.txt": "mine",
    }
    assert kept.stat().st_mode & 0o777 == 0o640


def test_a_command_without_any_output_fails(tmp_path):
    """With the reason."""
    with pytest.raises(PluginError, match=r"is not written: plugin wrong .*it made a folder"):
        write_aside({tmp_path / "x.wrong": _folder}, {tmp_path / "x.wrong": WRONG})


@pytest.fixture
def reported(tmp_path, monkeypatch):
    """Return what a report in JSON and in a plugin's format prints, and where both would be."""
    (tmp_path / "p.toml").write_text(PORTFOLIO, "utf-8")
    outputs = tmp_path / "x.wrong", tmp_path / "y.json"

    def report(*options, **fields):
        exporter = Exporter(**{"suffix": ".wrong", "title": "Wrong", "write": lambda _, path: _folder(path), **fields})
        point = Point("wrong", toy(exporters=[exporter]), "wrong-package")
        monkeypatch.setattr("flopsheet.host.loading._find_points", lambda _: [point])
        return *run("report", str(tmp_path / "p.toml"), *options, *(f"-o{one}" for one in outputs)), *outputs

    return report


PARTS = {
    "whole": ({"part": lambda _: b"", "whole": lambda _, path: _folder(path)}, "it made a folder"),
    "part": ({"part": lambda _: 1 / 0, "whole": print}, "Wrong cannot be written: ZeroDivisionError"),
    "a text": ({"part": lambda _: "text", "whole": print}, "part gives 'text'; bytes are expected"),
}


@pytest.mark.parametrize(
    ("options", "fields", "said"),
    [([], {}, "it made a folder"), *((["--jobs", "1"], *one) for one in PARTS.values())],
    ids=["at once", *PARTS],
)
def test_a_report_says_what_is_left_out(options, fields, said, reported, tmp_path):
    """With status 1, and the last line names what was written."""
    status, out, errors, output, other = reported(*options, **fields)
    assert status == 1
    assert f"error: {output} is not written: plugin wrong (wrong-package 1.0): " in errors
    assert said in errors
    assert out.endswith(f"→ {other}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.toml", "y.json"]
