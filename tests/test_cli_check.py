"""`flopsheet check`: each file on its own, portfolios that can be planned and reports that are current."""

import json
import shutil
from pathlib import Path

import pytest
from planner import run
from samples import CONFIGS

ROOT = Path(__file__).parent.parent
PORTFOLIO = (
    '[[models]]\nname = "GPT-2 XL"\nconfig = "gpt2-xl/config.json"\ntokens = 1e12\n[inputs]\nreport_date = 2026-11-01\n'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with a portfolio, its model and its report."""
    shutil.copytree(CONFIGS / "gpt2-xl", tmp_path / "gpt2-xl")
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("report", "portfolio.toml", "-o", "report.toml")[0] == 0
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_files_without_problems():
    """One line says how many were checked."""
    status, out, _ = run("check", "portfolio.toml", "report.toml")
    assert (status, out) == (0, "2 files checked, 0 with problems\n")


def test_configs_that_are_not_there_are_told(folder, monkeypatch):
    """From another folder a report's configs cannot be compared: its numbers are checked, and the rest is said."""
    (folder / "else").mkdir()
    monkeypatch.chdir(folder / "else")
    status, out, _ = run("check", "../report.toml")
    told, last = out.splitlines()
    assert (status, last) == (0, "1 file checked, 0 with problems")
    assert told.startswith("../report.toml: 1 config not found from here, so not compared with the report: gpt2-xl")


def test_a_report_whose_numbers_are_others_now(folder):
    """A formula gives another number than the report says; a config changed since; the portfolio is still sound."""
    text = (folder / "report.toml").read_text("utf-8")
    (folder / "report.toml").write_text(text.replace("1557611200", "1557611201"), "utf-8")
    path = folder / "gpt2-xl" / "config.json"
    config = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(config | {"n_layer": 47}), "utf-8")
    status, out, _ = run("check", "portfolio.toml", "report.toml")
    moved, changed, last = out.splitlines()
    assert (status, last) == (1, "2 files checked, 1 with problems")
    assert moved.startswith("report.toml: ")
    assert "moved in 1 model" in moved
    assert "gpt2-xl/config.json has changed since the report" in changed


@pytest.mark.usefixtures("folder")
def test_a_delivered_workbook_is_checked_by_other_commands():
    """Read as a list of models it has no header for one; the way to what was changed in it is told."""
    assert run("report", "portfolio.toml", "-o", "plan.xlsx")[0] == 0
    status, out, _ = run("check", "plan.xlsx")
    assert status == 1
    assert "plan.xlsx: a workbook is read as a list of models here" in out
    assert "'flopsheet import' with --dry-run" in out


def test_every_file_is_checked_whatever_another_is(folder):
    """Not TOML, an unknown input, a missing config, no such file, a folder: each is a problem of its file."""
    (folder / "not.toml").write_text("[[", "utf-8")
    (folder / "input.toml").write_text(PORTFOLIO + "mfuu = 0.4\n", "utf-8")
    (folder / "model.toml").write_text(PORTFOLIO.replace("gpt2-xl/", "gone/"), "utf-8")
    files = ("not.toml", "input.toml", "model.toml", "none.toml", "gpt2-xl", "portfolio.toml")
    status, out, _ = run("check", *files, "--format", "json")
    result = json.loads(out)["files"]
    assert (status, [one["file"] for one in result]) == (1, list(files))
    assert [bool(one["problems"]) for one in result] == [True] * 5 + [False]
    assert [one["problems"][0] for one in result[3:5]] == [
        "none.toml: cannot be read: No such file or directory",
        "gpt2-xl is a directory; expected a file",
    ]
    assert "did you mean 'mfu'" in result[1]["problems"][0]


def test_strict_asks_more(folder):
    """A model that is approximate is a problem then."""
    path = folder / "gpt2-xl" / "config.json"
    config = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(config | {"n_extra_layers": 2}), "utf-8")
    assert run("check", "portfolio.toml")[0] == 0
    status, out, _ = run("check", "portfolio.toml", "--strict")
    assert (status, "GPT-2 XL is approximate: " in out) == (1, True)


def test_a_file_that_cannot_be_read_is_named_once(tmp_path, monkeypatch):
    """The line of a file begins with its name, and its reason does not."""
    monkeypatch.chdir(tmp_path)
    status, out, _ = run("check", "missing.toml")
    assert (status, out.splitlines()[0]) == (1, "missing.toml: cannot be read: No such file or directory")
