"""Somebody else's question is gone when its distribution is not installed; a wheel of it works beside flopsheet's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import openpyxl
import pytest
from planner import run
from renting import FOLDER, installed
from test_rentals import PORTFOLIO


def test_it_is_gone_when_it_is_uninstalled(tmp_path, monkeypatch):
    """With the distribution there is a sheet and answers, without it nothing is left of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO.replace("[inputs]\ncap = 5000\n", ""), "utf-8")
    with installed(tmp_path / "site"):
        assert "Rentals" in _sheets(tmp_path / "portfolio.toml", tmp_path / "with.xlsx")
    assert "Rentals" not in _sheets(tmp_path / "portfolio.toml", tmp_path / "without.xlsx")
    _, out, _ = run("plan", tmp_path / "portfolio.toml", "--format", "json")
    assert "rentals" not in json.loads(out)["answers"]


def _sheets(portfolio, workbook):
    assert run("report", portfolio, "-o", workbook)[0] == 0
    return openpyxl.load_workbook(workbook, read_only=True).sheetnames


@pytest.mark.slow
def test_its_wheel_works_beside_flopsheet(tmp_path):
    """Built and installed into a folder of its own, the distribution is found by its metadata."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    options = ["--no-build-isolation", "--target", str(tmp_path / "site")]
    subprocess.run([*pip, *options, str(FOLDER)], check=True, timeout=300)
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = Path(sys.executable).with_name("flopsheet")
    command = [program, "report", "portfolio.toml", "-o", "plan.xlsx"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=300)
    assert "Rentals" in openpyxl.load_workbook(tmp_path / "plan.xlsx", read_only=True).sheetnames
    listed = subprocess.run(
        [program, "plugins"], env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    assert "rentals" in listed.stdout
