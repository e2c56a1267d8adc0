"""The workbook of a plan that asks every question: the checklist, LibreOffice where checks fail, and the validator."""

from __future__ import annotations

import judges
import pytest
from asking import portfolio
from planner import run

from flopsheet.audit.audit import audit
from flopsheet.host.loading import load
from flopsheet.planning.registry import questions

CASES = {"passes": "base", "fails": "high"}
MORE = {
    "passes": "",
    "fails": """
[scenarios.Longer]
program_months = 20
serving_months = 20
[scenarios.Fewer]
accelerators = 2048
[[models]]
name = "13B"
size = "13B"
inputs = { quality = 60 }
[[models]]
name = "8B"
size = "8B"
""",
}
"""Models of equal cost and no quality, and scenarios of other months: what LibreOffice is easily lost in."""


@pytest.fixture(scope="session")
def every(tmp_path_factory):
    """Give the workbook of a plan whose checks pass in Base or fail in High cost, written once when it is asked for."""
    folder, made = tmp_path_factory.mktemp("every"), {}

    def written(state):
        if state not in made:
            path = folder / f"{state}.xlsx"
            asked, case = portfolio(folder, state, *questions(load())), CASES[state]
            asked.write_text(asked.read_text("utf-8") + MORE[state], "utf-8")
            code, _, errors = run("report", asked, "--case", case, "-o", path)
            assert code == 0, errors
            made[state] = path, "\ncheck failed" in f"\n{errors}"
        return made[state]

    return written


@pytest.mark.slow
def test_every_item_of_the_checklist_passes(every):
    """`templates check` finds nothing wrong: colors, constants, lengths, nesting, units and all others."""
    path, failing = every("passes")
    assert not failing
    assert [one.name for one in audit(load(), str(path)).verdicts if one.failures] == []


@pytest.mark.slow
@judges.needs_soffice
def test_libreoffice_finds_every_cached_value(every, tmp_path):
    """A hard recalculation gives what stands beside each formula where checks fail, in High cost."""
    path, failing = every("fails")
    assert failing
    (result,) = judges.calculated([path], tmp_path)
    assert judges.differing(path, result) == []


@judges.needs_validator
def test_the_sdk_validator_finds_no_error(every):
    """The workbook is valid Open XML."""
    assert judges.validate(every("passes")[0]) == []
