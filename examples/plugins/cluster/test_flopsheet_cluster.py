"""The cluster's accelerator and prices are those that a plan takes."""

import pytest

import flopsheet

PORTFOLIO = """
[inputs]
accelerator = "{}"
accelerators = 1024
days = 30

[[models]]
size = "7B"
"""


@pytest.mark.parametrize(("name", "peak"), [("h100-sxm", 989.4), ("our-h100-500w", 840)])
def test_a_plan_takes_the_contract(tmp_path, name, peak):
    """1,024 accelerators for 30 days are priced as reserved."""
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO.format(name), "utf-8")
    inputs = {one.name: one for one in flopsheet.plan(tmp_path / "portfolio.toml").plan.drivers}
    assert inputs["peak_tflops"].base == pytest.approx(peak, rel=1e-3)
    assert (inputs["price_per_hour"].low, inputs["price_per_hour"].base) == (1.6, 1.65)
    assert inputs["price_per_hour"].source == "Framework contract 2026-17"
