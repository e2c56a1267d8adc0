"""The workbook of a plan that asks all its questions: the checklist, and LibreOffice in every case."""

from __future__ import annotations

import judges
import pytest
from evaluating import same
from planner import run

from flopsheet.audit.audit import audit
from flopsheet.host.host import load
from flopsheet.planning.inputs import CASES

PORTFOLIO = """
name = "Our next model"
questions = ["budget", "decision", "feasible", "scaling", "training", "money"]
[inputs]
accelerators = 4096
days = 300
tokens = { low = 4e12, base = 6e12, high = 8e12, source = "Ours" }
budget_usd = BUDGET
purchase_price = { low = 25000, base = 30000, high = 38000, source = "Quote", date = 2026-01-01 }
inference_output_tokens = 1e12
mfu_least = 0.01
mfu_sparse_least = 0.01
[layout]
tensor_parallel = 8
pipeline_parallel = 4
recompute = "selective"
[[models]]
name = "70B"
size = "70B"
[[models]]
name = "400B-A30B in fp8"
size = "400B-A30B"
inputs = { precision = "fp8" }
"""
BUDGETS = {"passes": 900_000_000, "fails": 1_000_000}
"""A money cap under which the checks pass, and one that both models break."""


@pytest.fixture(scope="session")
def five(tmp_path_factory):
    """Give the workbook of a plan whose checks pass or fail, written once for each case that is chosen."""
    folder, made = tmp_path_factory.mktemp("five"), {}

    def written(state, case="base"):
        if (state, case) not in made:
            portfolio = folder / f"{state}.toml"
            portfolio.write_text(PORTFOLIO.replace("BUDGET", str(BUDGETS[state])), "utf-8")
            path = folder / f"{state}-{case}.xlsx"
            code, _, errors = run("report", portfolio, "--scenario", case, "-o", path)
            assert code == 0, errors
            made[state, case] = path, "check failed" in errors
        return made[state, case]

    return written


def test_every_item_of_the_checklist_passes(five):
    """`templates check` finds nothing wrong: colors, constants, lengths, nesting, units and all others."""
    path, failing = five("passes")
    assert not failing
    assert [one.name for one in audit(load(), str(path)).verdicts if one.failures] == []


@judges.needs_soffice
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("state", BUDGETS)
def test_libreoffice_finds_every_cached_value(five, state, case, tmp_path):
    """A hard recalculation gives what stands beside each formula, whether the plan's checks pass or fail."""
    path, failing = five(state, case)
    assert failing == (state == "fails")
    cached, fresh = judges.cells(path), judges.cells(judges.recalculate(path, tmp_path))
    assert [f"{at}: {one!r} {fresh.get(at)!r}" for at, one in cached.items() if not same(one, fresh.get(at))] == []


@judges.needs_validator
def test_the_sdk_validator_finds_no_error(five):
    """The workbook is valid Open XML."""
    assert judges.validate(five("passes")[0]) == []
