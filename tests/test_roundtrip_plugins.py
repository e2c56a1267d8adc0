"""Workbooks and reports that were made with a plugin which is not there, or of another version."""

import tomllib

import pytest
import tomli_w
from planner import Planner, bring, edit, run
from renting import METADATA, installed

PORTFOLIO = """
name = "Storage"
[inputs]
cap = 5000
[[models]]
name = "Ours"
architecture = "dense"
dimensions = { n_layers = 8, d_model = 1024, n_heads = 8, d_ff = 4096, vocab_size = 32000 }
"""
WRITTEN = """
[[accelerators]]
name = "x1"
title = "X1"
vendor = "Us"
generation = "X"
year = 2026
peak_tflops = 500
memory_gb = 80
bandwidth_tbs = 2
server_power_factor = 1.5
server_power_source = "Ours"
tdp_w = 500
source = "Ours"
date = "2026-01-01"
confidence = "read"
price_low = 1
price_base = 2
price_high = 3
price_source = "Ours"
price_date = "2026-01-01"
"""
MISSING = "plugin rentals of flopsheet-rentals 2.1 is not installed: pip install 'flopsheet-rentals==2.1'"


@pytest.fixture(scope="module")
def rented(tmp_path_factory):
    """Return a folder with a portfolio, its workbook and its report, made while the plugin was installed."""
    folder = tmp_path_factory.mktemp("rented")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    with pytest.MonkeyPatch.context() as patch, installed(folder / "site"):
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        assert (
            run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx", "-o", folder / "report.toml")[0] == 0
        )
    planner = Planner(folder)
    planner.cell("drivers", "storage_price", "High cost").value = 45
    planner.save()
    return folder


@pytest.mark.parametrize("output", ["new.toml", "portfolio.toml"])
def test_a_workbook_of_a_missing_plugin_is_refused(rented, output):
    """Its question and what was edited of it would be lost: the message says which package has it."""
    before = (rented / "portfolio.toml").read_bytes()
    status, _, errors = run("import", rented / "plan.xlsx", "-o", rented / output, "--yes")
    assert (status, MISSING in errors) == (2, True), errors
    assert (rented / "portfolio.toml").read_bytes() == before
    assert not (rented / "new.toml").exists()


@pytest.mark.parametrize("command", [("plan",), ("report", "-o", "again.toml")])
def test_a_report_of_a_missing_plugin_is_refused(rented, command, monkeypatch):
    """What is unknown in it is of that plugin."""
    monkeypatch.chdir(rented)
    status, _, errors = run(*command, "report.toml")
    assert (status, MISSING in errors) == (2, True), errors
    assert "questions: 'rentals' is unknown" in errors


def test_another_version_is_a_note(rented, tmp_path):
    """The numbers may differ for that reason."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("renting.METADATA", METADATA.replace("2.1", "2.2"))
        with installed(tmp_path / "site"):
            status, out, errors = run("import", rented / "plan.xlsx", "-o", tmp_path / "new.toml", "--yes")
            assert status == 0, errors
            _, _, notes = run("plan", rented / "report.toml")
    text = "was made with flopsheet-rentals 2.1, flopsheet-rentals 2.2 is in use: numbers may differ"
    assert text in out
    assert text in notes
    made = tomllib.loads((tmp_path / "new.toml").read_text("utf-8"))
    assert made["questions"] == ["budget", "rentals"]
    assert made["inputs"]["cap"] == 5000
    assert made["inputs"]["storage_price"]["high"] == 45


def test_a_report_without_need_of_a_missing_plugin_is_read(tmp_path):
    """A plugin that was installed, and gave nothing, is not missed."""
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO.replace("cap = 5000", ""), "utf-8")
    assert run("report", tmp_path / "portfolio.toml", "-o", tmp_path / "report.toml")[0] == 0
    report = tomllib.loads((tmp_path / "report.toml").read_text("utf-8"))
    report["plugins"].append({"name": "gone", "package": "gone", "version": "1"})
    (tmp_path / "report.toml").write_text(tomli_w.dumps(report), "utf-8")
    assert run("plan", tmp_path / "report.toml")[0] == 0


def test_a_plugin_file_that_moved(tmp_path):
    """The message says where it was; --plugin says where it is."""
    (tmp_path / "chips.toml").write_text(WRITTEN, "utf-8")
    text = PORTFOLIO.replace("cap = 5000", 'accelerator = "x1"').replace(
        "[inputs]", 'plugins = ["chips.toml"]\n[inputs]'
    )
    (tmp_path / "portfolio.toml").write_text(text, "utf-8")
    status, _, errors = run("report", tmp_path / "portfolio.toml", "-o", tmp_path / "plan.xlsx")
    assert status == 0, errors
    assert run("import", tmp_path / "plan.xlsx", "-o", tmp_path / "one.toml", "--yes")[0] == 0
    edit(tmp_path, "drivers", "pue", "Base", 1.35)
    assert bring(tmp_path, "--yes")[0] == 0
    assert tomllib.loads((tmp_path / "one.toml").read_text("utf-8"))["plugins"] == ["chips.toml"]
    (tmp_path / "chips.toml").rename(tmp_path / "moved.toml")
    status, _, errors = run("import", tmp_path / "plan.xlsx", "-o", tmp_path / "two.toml", "--yes")
    assert status == 2
    assert "plugin chips came from" in errors
    assert "add --plugin FILE" in errors
    (tmp_path / "else").mkdir()
    (tmp_path / "moved.toml").rename(tmp_path / "else" / "chips.toml")
    given = ("--plugin", tmp_path / "else" / "chips.toml")
    status, out, errors = run("import", tmp_path / "plan.xlsx", "-o", tmp_path / "two.toml", "--yes", *given)
    assert status == 0, out + errors
    assert tomllib.loads((tmp_path / "two.toml").read_text("utf-8"))["plugins"] == ["else/chips.toml"]
