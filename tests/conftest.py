"""What several test modules start from."""

import gc
import os
import shutil

import pytest
from browser import opened  # noqa: F401 - a fixture
from hypothesis import HealthCheck, settings
from observing import FEW, observed
from planner import PORTFOLIO, run
from samples import CONFIGS

from flopsheet.export.workbook import write_workbook

os.environ["HF_HUB_OFFLINE"] = "1"  # no test asks the Hub; tests/test_hub.py asks a server of its own
settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how long a busy machine takes to draw an example is no error


def pytest_collection_modifyitems(items):
    """Begin with the modules that have slow tests: at the end of a run one of them would leave other processes idle."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_sessionfinish():
    """Look once through what a run leaves, for errors of what nobody holds; pytest would do so five times."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def delivered(tmp_path_factory):
    """Return a folder with a portfolio and the workbook of it."""
    folder = tmp_path_factory.mktemp("delivered")
    shutil.copytree(CONFIGS / "Llama-3.1-8B", folder / "llama")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    return folder


@pytest.fixture(scope="session")
def written_once(tmp_path_factory):
    """Return what writes a plan's workbook for import to compare with; where the same plan comes again, it copies."""
    folder, known = tmp_path_factory.mktemp("compared"), {}

    def write(plan, path, template, kept):
        sources = [one.sha256 for one in plan.portfolios], [(one.name, one.model.sha256) for one in plan.models]
        key = repr((sources, plan.options, plan.scenario, template, kept))
        if key not in known:
            write_workbook(plan, path, template, kept)
            known[key] = shutil.copy(path, folder / f"{len(known)}{path.suffix}")
        shutil.copy(known[key], path)

    return write


@pytest.fixture
def folder(delivered, written_once, tmp_path, monkeypatch):
    """Return a folder of one's own with the portfolio and its workbook."""
    monkeypatch.setattr("flopsheet.cli.import_.write_workbook", written_once)
    return shutil.copytree(delivered, tmp_path / "plan")


@pytest.fixture
def few_prices():
    """Have few observed prices in place of the catalog's, which change with each one that is added."""
    with observed(rows=FEW):
        yield
