"""The question is asked with its inputs, and charges hours at the card."""

import pytest

import flopsheet

PORTFOLIO = """
[inputs]
accelerators = 100
days = 10
charged_rate = 2
charged_overhead = 0.5

[[models]]
size = "1B"
"""


def test_hours_are_charged(tmp_path):
    """24,000 accelerator-hours at 2 USD, and half of that for overhead."""
    (tmp_path / "portfolio.toml").write_text(PORTFOLIO, "utf-8")
    plan = flopsheet.plan(tmp_path / "portfolio.toml")
    assert plan.answers["chargeback"]["cluster"]["base"] == 72_000
    row = next(row for row in plan.rows() if row["case"] == "base")
    assert row["charged"] == pytest.approx(row["training_hours"] * 3)
