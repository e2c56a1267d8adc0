"""The workbook of a plan that asks every question: the checklist, LibreOffice in every case, and the validator."""

from __future__ import annotations

import json

import judges
import pytest
from evaluating import same
from planner import run

from flopsheet.audit.audit import audit
from flopsheet.host.host import load
from flopsheet.planning.inputs import CASES
from flopsheet.planning.registry import questions

PORTFOLIO = """
name = "Our next model"
questions = QUESTIONS
[inputs]
accelerators = 4096
days = 300
tokens = { low = 4e12, base = 6e12, high = 8e12, source = "Ours" }
budget_usd = BUDGET
purchase_price = { low = 25000, base = 30000, high = 38000, source = "Quote", date = 2026-01-01 }
inference_output_tokens = 1e12
mid_tokens = 5e11
long_tokens = 1e11
mfu_least = 0.01
mfu_sparse_least = 0.01
[layout]
tensor_parallel = 8
pipeline_parallel = 4
recompute = "selective"
[serving]
ttft_target_ms = 4000
tensor_parallel = 4
pipeline_parallel = 2
[[models]]
name = "70B"
size = "70B"
inputs = { quality = 71 }
[[models]]
name = "400B-A30B in fp8"
size = "400B-A30B"
[models.inputs]
quality = 75
precision = "fp8"
tensor_parallel = 4
serving_tensor_parallel = 2
serving_expert_parallel = 8
attention_data_parallel = 4
disaggregated = 1
draft_tokens = 1
"""
BUDGETS = {"passes": 900_000_000, "fails": 1_000_000}
"""A money cap under which the checks pass, and one that both models break."""
SHOWN = [*(("passes", case) for case in CASES), ("fails", "base")]


@pytest.fixture(scope="session")
def every(tmp_path_factory):
    """Give the workbook of a plan whose checks pass or fail, written once for each case that is chosen."""
    folder, made = tmp_path_factory.mktemp("every"), {}

    def written(state, case="base"):
        if (state, case) not in made:
            portfolio = folder / f"{state}.toml"
            asked = PORTFOLIO.replace("QUESTIONS", json.dumps(list(questions(load()))))
            portfolio.write_text(asked.replace("BUDGET", str(BUDGETS[state])), "utf-8")
            path = folder / f"{state}-{case}.xlsx"
            code, _, errors = run("report", portfolio, "--scenario", case, "-o", path)
            assert code == 0, errors
            made[state, case] = path, "check failed" in errors
        return made[state, case]

    return written


def test_every_item_of_the_checklist_passes(every):
    """`templates check` finds nothing wrong: colors, constants, lengths, nesting, units and all others."""
    path, failing = every("passes")
    assert not failing
    assert [one.name for one in audit(load(), str(path)).verdicts if one.failures] == []


@judges.needs_soffice
@pytest.mark.parametrize(("state", "case"), SHOWN)
def test_libreoffice_finds_every_cached_value(every, state, case, tmp_path):
    """A hard recalculation gives what stands beside each formula, whether the plan's checks pass or fail."""
    path, failing = every(state, case)
    assert failing == (state == "fails")
    cached, fresh = judges.cells(path), judges.cells(judges.recalculate(path, tmp_path))
    assert [f"{at}: {one!r} {fresh.get(at)!r}" for at, one in cached.items() if not same(one, fresh.get(at))] == []


@judges.needs_validator
def test_the_sdk_validator_finds_no_error(every):
    """The workbook is valid Open XML."""
    assert judges.validate(every("passes")[0]) == []
