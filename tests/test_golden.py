from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import judges
import pytest
from click.testing import CliRunner

import flopsheet
from flopsheet.cli import main
from flopsheet.host import loading, registering

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
TEMPLATE = ROOT / "templates" / "flopsheet_templates" / "plan.xlsx"
RELEASE = "0.1.0"
REPORTS = ["frontier.toml", "walkthrough.toml", "walkthrough.md", "walkthrough.csv"]
SHOWN = ["gpt2-xl", "DeepSeek-V3", "mamba2-2.7b", "t5-11b", "llama-with-extra-field", "broken"]


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch) -> None:
    """Run in the repository's folder, since outputs name their inputs' paths."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(autouse=True)
def as_a_release(monkeypatch) -> Iterator[None]:
    """Say version 0.1.0 in outputs, whatever the commit that is installed is called."""
    name_and_version = registering._name_and_version  # noqa: SLF001 - what plugins are told their package is

    def released(distribution: Any) -> tuple[str, str]:
        name, version = name_and_version(distribution)
        return name, RELEASE if name == "flopsheet" else version

    monkeypatch.setattr(flopsheet, "__version__", RELEASE, raising=False)
    monkeypatch.setattr(registering, "_name_and_version", released)
    for forget in (loading._find_points, loading._load_points):  # noqa: SLF001 - plugins that were found before
        forget.cache_clear()
    yield
    for forget in (loading._find_points, loading._load_points):  # noqa: SLF001 - same
        forget.cache_clear()


def agree(golden: Path, found: bytes) -> None:
    """Compare with a golden file, or write it where FLOPSHEET_GOLDEN=write says so."""
    if os.environ.get("FLOPSHEET_GOLDEN") == "write":
        golden.write_bytes(found)
    assert golden.read_bytes() == found, f"{golden.name} differs: look at it, then accept it with `make golden`"


def report(name: str, output: Path) -> Path:
    """Write a report of an example portfolio."""
    source = ROOT / "examples" / "portfolios" / name
    CliRunner().invoke(main, ["report", str(source.relative_to(ROOT)), "-o", str(output)], catch_exceptions=False)
    return output


@pytest.mark.parametrize("name", REPORTS)
def test_reports_say_what_they_said(name, tmp_path):
    """The reports of the example portfolios are those that were accepted."""
    portfolio = f"{Path(name).stem}.toml"
    agree(GOLDEN / name, without_fingerprints(report(portfolio, tmp_path / name).read_bytes()))


def without_fingerprints(text: bytes) -> bytes:
    """Return a report without the tables of fingerprints, which follow from formulas: tests of their own read them."""
    before, _, rest = text.partition(b"\n[fingerprints.")
    return before + rest[rest.find(b"\n[[models]]") :] if rest else text


@pytest.mark.parametrize("model", SHOWN)
def test_show_says_what_it_said(model):
    """The page of a model is the one that was accepted."""
    result = CliRunner().invoke(main, ["show", f"examples/configs/{model}/config.json"], catch_exceptions=False)
    agree(GOLDEN / f"{model}.txt", result.stdout.encode())


def test_the_workbook_holds_what_it_held(tmp_path):
    """Every part of the walkthrough's workbook is the one that was accepted."""
    result = parts(report("walkthrough.toml", tmp_path / "walkthrough.xlsx"))
    golden = GOLDEN / "walkthrough.xlsx"
    if os.environ.get("FLOPSHEET_GOLDEN") == "write":
        golden.write_bytes((tmp_path / "walkthrough.xlsx").read_bytes())
    kept = parts(golden)
    assert [name for name in result.keys() | kept.keys() if result.get(name) != kept.get(name)] == []


def parts(workbook: Path) -> dict[str, bytes]:
    """Return the parts of a workbook, unpacked."""
    with zipfile.ZipFile(workbook) as package:
        return {name: package.read(name) for name in package.namelist()}


def test_the_committed_template_is_what_its_code_makes(tmp_path):
    """The shipped template is the one that templates/build.py writes."""
    subprocess.run([sys.executable, str(ROOT / "templates" / "build.py"), str(tmp_path)], check=True)
    made = parts(tmp_path / "plan.xlsx")
    kept = parts(TEMPLATE)
    assert [name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name)] == []


@judges.needs_validator
@pytest.mark.parametrize("office", judges.OFFICES)
@pytest.mark.parametrize("workbook", [GOLDEN / "walkthrough.xlsx", TEMPLATE], ids=["workbook", "template"])
def test_office_would_open_what_is_committed(workbook, office):
    """The golden workbook and the shipped template are valid Open XML for each version of Office."""
    assert judges.validate(workbook, office) == []


@judges.needs_soffice
def test_what_is_committed_recalculates_to_its_cached_values(tmp_path):
    """LibreOffice's hard recalculation finds the value beside each formula; the template is a working sample."""
    committed = GOLDEN / "walkthrough.xlsx", TEMPLATE
    for workbook, found in zip(committed, judges.calculated(committed, tmp_path), strict=True):
        assert judges.differing(workbook, found) == [], workbook.name
        formulas = [text for text in judges.cells(workbook, values=False).values() if str(text).startswith("=")]
        assert len(formulas) > 1000, workbook.name
