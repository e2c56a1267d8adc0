"""What several test modules start from."""

import shutil

import pytest
from hypothesis import HealthCheck, settings
from planner import PORTFOLIO, run
from samples import CONFIGS

settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how long a busy machine takes to draw an example is no error


@pytest.fixture(scope="module")
def delivered(tmp_path_factory):
    """Return a folder with a portfolio and the workbook of it."""
    folder = tmp_path_factory.mktemp("delivered")
    shutil.copytree(CONFIGS / "Llama-3.1-8B", folder / "llama")
    (folder / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    assert run("report", folder / "portfolio.toml", "-o", folder / "plan.xlsx")[0] == 0
    return folder


@pytest.fixture
def folder(delivered, tmp_path):
    """Return a folder of one's own with the portfolio and its workbook."""
    return shutil.copytree(delivered, tmp_path / "plan")
